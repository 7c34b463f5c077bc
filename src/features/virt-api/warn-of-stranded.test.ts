import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { strandedBy, warnOfStranded } from './warn-of-stranded.ts'

const captured = (name: string, kind?: string) => ({ name, ...(kind === undefined ? {} : { kind }), controllerRevisionRef: { name: 'r' } })

function vm(spec: object, status: object = {}, metadata: object = {}): VirtualMachine {
  return { metadata: { name: 'web', namespace: 'ns', ...metadata }, spec, status } as VirtualMachine
}

suite('strandedBy()', () => {
  const kind = 'VirtualMachineInstancetype'
  const small = { instancetype: { name: 'small', kind: 'virtualmachineinstancetypes' } }
  const rows: readonly (readonly [string, VirtualMachine, boolean])[] = [
    ['references it without a revision', vm(small), true],
    ['references nothing', vm({}), false],
    ['references another one', vm({ instancetype: { name: 'large', kind } }), false],
    ['references one of the same name in the other scope', vm({ instancetype: { name: 'small' } }), false],
    ['references a preference of the same name', vm({ preference: { name: 'small', kind: 'VirtualMachinePreference' } }), false],
    ['references it by an unknown kind', vm({ instancetype: { name: 'small', kind: 'Pod' } }), false],
    ['holds a copy', vm(small, { instancetypeRef: captured('small', kind) }), false],
    ['has a revision of another one', vm(small, { instancetypeRef: captured('large', kind) }), true],
    ['has a revision of one in the other scope', vm(small, { instancetypeRef: captured('small') }), true],
    ['waits for its first capture', vm(small, { instancetypeRef: { name: 'small', kind } }), true],
    ['pins a revision itself', vm({ instancetype: { ...small.instancetype, revisionName: 'r' } }), false],
    ['goes itself', vm(small, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), false],
  ]
  for (const [name, given, wanted] of rows) {
    test(`${wanted ? 'counts' : 'excludes'} a VM that ${name}`, () => {
      assert.deepEqual(strandedBy([given], kind, 'small'), wanted ? ['ns/web'] : [])
    })
  }

  test('handles preferences of both scopes', () => {
    const given = vm({ preference: { name: 'linux' } })
    assert.deepEqual(strandedBy([given], 'VirtualMachineClusterPreference', 'linux'), ['ns/web'])
    assert.deepEqual(strandedBy([given], 'VirtualMachinePreference', 'linux'), [])
  })
})

suite('warnOfStranded()', () => {
  const many = Array.from({ length: 13 }, (_, index) =>
    vm({ instancetype: { name: 'small' } }, {}, { name: `web-${String(index).padStart(2, '0')}` }),
  )
  const asked: (string | undefined)[] = []
  const ask = (kind: string, vms: readonly VirtualMachine[]) =>
    warnOfStranded(
      {
        list: async (_, { namespace } = {}) => {
          asked.push(namespace)
          return { metadata: {}, items: vms as never }
        },
      },
      {
        uid: 'u',
        kind: { group: 'instancetype.kubevirt.io', version: 'v1beta1', kind },
        name: 'small',
        namespace: 'ns',
      } as AdmissionRequest,
    )

  test('names ten and counts the rest', async () => {
    const { allowed, warnings = [] } = await ask('VirtualMachineClusterInstancetype', many)
    assert.equal(allowed, true)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /^VirtualMachines ns\/web-00, .*ns\/web-09 and 3 more name /)
    assert.equal(asked.at(-1), undefined)
  })

  test('does not warn without affected VMs, and lists one namespace only', async () => {
    assert.deepEqual(await ask('VirtualMachineInstancetype', many), { allowed: true, warnings: [] })
    assert.equal(asked.at(-1), 'ns')
  })
})
