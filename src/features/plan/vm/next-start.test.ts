import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as hardware from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { Fleet } from '../fleet.fixture.ts'
import { nextStartOf, type NextStart } from './next-start.ts'

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
  ['without edits', {}, []],
  ['whose strategy has changed', { spec: { runStrategy: 'Manual' } }, []],
  ['whose disks get a dedicated I/O thread', template({ domain: { ioThreadsPolicy: 'shared' } }), []],
  ['with another machine', template({ domain: { machine: { type: 'pc-q35-7.0' } } }), ['machine: type']],
  [
    'with another MAC address',
    template({ domain: { devices: { interfaces: [{ ...card, macAddress: '02:00:00:00:00:02' }] } } }),
    ['device nic-default: mac'],
  ],
  ['that now conflicts with its instance type', template({ domain: { cpu: { cores: 3 } } }), 'unknown'],
  ['with a missing instance type', { spec: { instancetype: { name: 'gone' } } }, 'unknown'],
  ['whose guest is being started', template({ domain: { machine: { type: 'pc-q35-7.0' } } }), 'halted', 'Scheduled'],
]

/** A cluster in which a VM has a guest with this status. */
async function fleetWith(vm: KubeObject, status: object): Promise<{ readonly fleet: Fleet; readonly stored: VirtualMachine }> {
  const fleet = new Fleet(defaultClusterConfig)
  const small = { metadata: { name: 'small' }, spec: { cpu: { guest: 1 }, memory: { guest: '1Gi' } } } as KubeObject
  fleet.put(hardware.virtualMachineClusterInstancetypes, small)
  fleet.put(virtualMachines, vm)
  await fleet.settle()
  const [stored, guest] = [virtualMachines, virtualMachineInstances].map((resource) =>
    fleet.get<KubeObject>(resource, key.namespace, key.name),
  )
  assert.ok(stored)
  if (guest !== undefined)
    fleet.put(virtualMachineInstances, { ...guest, status: { ...(guest as VirtualMachineInstance).status, ...status } } as KubeObject)
  return { fleet, stored: stored as VirtualMachine }
}

async function next(vm: KubeObject, edit: object, status: object): Promise<NextStart> {
  const { fleet, stored } = await fleetWith(vm, status)
  return nextStartOf({ cluster: fleet.cluster, config: defaultClusterConfig }, applyMergePatch(stored, edit) as VirtualMachine)
}

suite('nextStartOf()', () => {
  for (const [name, edit, expected, phase = 'Running'] of rows) {
    test(`predicts for a running VM ${name} ${typeof expected === 'string' ? 'an unknown result' : expected.join() || 'no change'}`, async () => {
      const found = await next(web, edit, { phase })
      assert.deepEqual(found.kind === 'known' ? found.changes.map((change) => change.name) : found.kind, expected)
    })
  }

  const machines: readonly (readonly [was: string, has: string, is: string, change: string])[] = [
    ['q35', 'pc-q35-7.2', 'pc-q35-7.2', ''],
    ['q35', 'pc-q35-7.2', 'pc-q35-7.0', 'pc-q35-7.2 → pc-q35-7.0'],
    ['pc-q35-7.0', 'pc-q35-7.0', 'q35', 'pc-q35-7.0 → pc-q35-of-its-node'],
  ]
  for (const [was, has, is, change] of machines) {
    test(`predicts only what is certain for a guest on ${was} before ${is}`, async () => {
      const named = (type: string): object => template({ domain: { machine: { type } } })
      const status = { phase: 'Running', machine: { type: has } }
      const found = await next(applyMergePatch(web, named(was)) as KubeObject, named(is), status)
      assert.ok(found.kind === 'known')
      assert.equal(found.changes.map(({ before, after }) => `${before ?? ''} → ${after ?? ''}`).join(), change)
    })
  }

  test('returns no changes for the start of a halted VM', async () => {
    assert.deepEqual(await next(applyMergePatch(web, { spec: { runStrategy: 'Halted' } }) as KubeObject, {}, {}), { kind: 'halted' })
  })
})
