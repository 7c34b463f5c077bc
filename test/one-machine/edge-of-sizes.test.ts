import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { textAt, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'

type Spec = Readonly<Record<string, unknown>>

function sizing(kind: string, name: string, spec: Spec): string {
  return JSON.stringify({ apiVersion: 'instancetype.kubevirt.io/v1beta1', kind, metadata: { name }, spec })
}

const type = (spec: Spec): string => sizing('VirtualMachineInstancetype', 'bad', { cpu: { guest: 1 }, memory: { guest: '64Mi' }, ...spec })
const preference = (spec: Spec): string => sizing('VirtualMachinePreference', 'bad', spec)

/** Names of cases, invalid manifests, and the field that the error names. */
const refused: readonly (readonly [string, string, string])[] = [
  ['more CPUs than a machine type supports', type({ cpu: { guest: 4097 } }), 'spec.cpu.guest'],
  ['more CPUs than 32 bits count', type({ cpu: { guest: 2 ** 32 } }), 'spec.cpu.guest'],
  ['10^30 bytes', type({ memory: { guest: '1e30' } }), 'spec.memory.guest'],
  ['less than no memory', type({ memory: { guest: '-1Gi' } }), 'spec.memory.guest'],
  ['text for memory', type({ memory: { guest: 'много' } }), 'spec.memory.guest'],
  ['a ceiling below the size', type({ memory: { guest: '64Mi', maxGuest: '32Mi' } }), 'spec.memory.maxGuest'],
  [
    'overcommitted huge pages',
    type({ memory: { guest: '64Mi', overcommitPercent: 1, hugepages: { pageSize: '2Mi' } } }),
    'spec.memory.overcommitPercent',
  ],
  ['an annotation that no object can have', type({ annotations: { ключ: 'x' } }), 'spec.annotations'],
  ['an unknown topology', preference({ cpu: { preferredCPUTopology: 'вширь' } }), 'spec.cpu.preferredCPUTopology'],
  ['a subdomain that is none', preference({ preferredSubdomain: 'дом' }), 'spec.preferredSubdomain'],
]

suite('limits of sizes and preferences', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
  })
  after(() => machine[Symbol.asyncDispose]())

  for (const [name, manifest, field] of refused) {
    test(`${name}: refused, naming ${field}`, async () => {
      const { code, stderr } = await machine.tryKubectl(['create', '-f', '-'], manifest)
      assert.ok(code !== 0 && stderr.includes(field), stderr)
    })
  }

  test('a VM without hardware fields runs with an instance type whose name has 253 characters, and its spec is unchanged', async () => {
    const [size, taste] = ['s'.repeat(253), 'p'.repeat(253)]
    await machine.kubectl(
      ['create', '-f', '-'],
      sizing('VirtualMachineInstancetype', size, {
        cpu: { guest: 2 },
        memory: { guest: '64Mi', overcommitPercent: 100 },
        annotations: { 'example.com/words': 'слова' },
      }),
    )
    await machine.kubectl(
      ['create', '-f', '-'],
      sizing('VirtualMachinePreference', taste, {
        cpu: { preferredCPUTopology: 'spread', spreadOptions: { ratio: 0 } },
        devices: { preferredAutoattachGraphicsDevice: false },
      }),
    )
    const spec = {
      runStrategy: 'Always',
      instancetype: { kind: 'VirtualMachineInstancetype', name: size },
      preference: { kind: 'VirtualMachinePreference', name: taste },
      template: { spec: {} },
    }
    await machine.kubectl(
      ['create', '-f', '-'],
      JSON.stringify({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'bare' }, spec }),
    )
    await machine.kubectl(['wait', 'vm/bare', '--for=condition=Ready', '--timeout=60s'])
    const [vm, vmi] = [await machine.getJson('vm', 'bare'), await machine.getJson('vmi', 'bare')]
    assert.deepEqual(vm['spec'], spec)
    const domain = 'spec.domain'
    assert.deepEqual(
      ['cpu.sockets', 'cpu.cores', 'cpu.threads', 'memory.guest', 'resources.requests.memory'].map((path) =>
        textAt(vmi, `${domain}.${path}`),
      ),
      ['1', '2', '1', '64Mi', '0'],
    )
    assert.equal(vmi['metadata']?.['annotations']?.['kubevirt.io/instancetype-name'], size)
    assert.equal(vmi['metadata']?.['annotations']?.['example.com/words'], 'слова')
  })

  test('a preference for a device that the VM does not have is admitted with a warning', async () => {
    await machine.kubectl(
      ['create', '-f', '-'],
      sizing('VirtualMachinePreference', 'musical', { devices: { preferredSoundModel: 'ac97' } }),
    )
    const spec = {
      runStrategy: 'Halted',
      preference: { kind: 'VirtualMachinePreference', name: 'musical' },
      template: { spec: { domain: { memory: { guest: '64Mi' } } } },
    }
    const vm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'mute' }, spec }
    const { code, stderr } = await machine.tryKubectl(['create', '-f', '-', '--dry-run=server'], JSON.stringify(vm))
    assert.equal(code, 0, stderr)
    assert.match(stderr, /Warning: .*preferredSoundModel has no effect/)
  })
})
