import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as hardware from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { defaultClusterConfig } from '#features/defaults/index.ts'
import { Fleet } from './fleet.fixture.ts'
import { nextStartOf } from './next-start.ts'

const key = { namespace: 'a', name: 'web' }
const card = { name: 'default', masquerade: {}, macAddress: '02:00:00:00:00:01' }
const domain = { machine: { type: 'q35' }, devices: { interfaces: [card] } }
const web = {
  metadata: key,
  spec: {
    runStrategy: 'Always',
    instancetype: { name: 'small' },
    template: { spec: { domain, networks: [{ name: 'default', pod: {} }] } },
  },
} as KubeObject

const template = (spec: object): object => ({ spec: { template: { spec } } })
const rows: readonly (readonly [name: string, edit: object, expected: string | readonly string[], phase?: string])[] = [
  ['that nobody has edited', {}, []],
  ['whose strategy has changed', { spec: { runStrategy: 'Manual' } }, []],
  ['whose disks get a thread of their own', template({ domain: { ioThreadsPolicy: 'shared' } }), []],
  ['with another machine', template({ domain: { machine: { type: 'pc-q35-7.0' } } }), ['machine: type']],
  [
    'with another MAC address',
    template({ domain: { devices: { interfaces: [{ ...card, macAddress: '02:00:00:00:00:02' }] } } }),
    ['device nic-default: mac'],
  ],
  ['that contradicts its instance type now', template({ domain: { cpu: { cores: 3 } } }), 'unknown'],
  ['that names what is not there', { spec: { instancetype: { name: 'gone' } } }, 'unknown'],
  ['whose guest is about to be started', template({ domain: { machine: { type: 'pc-q35-7.0' } } }), 'halted', 'Scheduled'],
]

suite('nextStartOf()', () => {
  for (const [name, edit, expected, phase = 'Running'] of rows) {
    test(`tells of a running VM ${name} ${typeof expected === 'string' ? 'nothing that is known' : expected.join() || 'nothing'}`, async () => {
      const fleet = new Fleet(defaultClusterConfig)
      const small = { metadata: { name: 'small' }, spec: { cpu: { guest: 1 }, memory: { guest: '1Gi' } } } as KubeObject
      fleet.put(hardware.virtualMachineClusterInstancetypes, small)
      fleet.put(virtualMachines, web)
      await fleet.settle()
      const guest = fleet.get(virtualMachineInstances, key.namespace, key.name)
      assert.ok(guest)
      fleet.put(virtualMachineInstances, { ...guest, status: { ...guest.status, phase } } as KubeObject)
      const stored = fleet.get(virtualMachines, key.namespace, key.name)
      assert.ok(stored)
      const edited = applyMergePatch(stored, edit) as typeof stored
      const next = await nextStartOf({ world: fleet.world, config: defaultClusterConfig }, edited)
      assert.deepEqual(next.kind === 'known' ? next.changes.map((change) => change.name) : next.kind, expected)
    })
  }

  test('has nothing to compare the start of a halted VM with', async () => {
    const fleet = new Fleet(defaultClusterConfig)
    const halted = applyMergePatch(web, { spec: { runStrategy: 'Halted' } }) as KubeObject
    fleet.put(virtualMachines, halted)
    const vm = fleet.get(virtualMachines, key.namespace, key.name)
    assert.ok(vm)
    assert.deepEqual(await nextStartOf({ world: fleet.world, config: defaultClusterConfig }, vm), { kind: 'halted' })
  })
})
