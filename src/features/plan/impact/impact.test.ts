import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as hardware from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { Fleet } from '../fleet.fixture.ts'
import { impactOf } from './impact.ts'
import type { RelatedObjects } from '../cluster-state/read-related-objects.ts'

const nothing: RelatedObjects = { snapshotContents: undefined, migrationPolicies: undefined, namespaceLabels: new Map() }
const small = { kind: 'VirtualMachineClusterInstancetype', name: 'small' }

function vm(name: string, type: string, runStrategy = 'Always'): KubeObject {
  const template = { metadata: { labels: { app: name } }, spec: { domain: { devices: {} } } }
  return { metadata: { name, namespace: 'a' }, spec: { runStrategy, instancetype: { name: type }, template } } as KubeObject
}

async function fleetWith(...vms: KubeObject[]): Promise<Fleet> {
  const fleet = new Fleet(defaultClusterConfig)
  for (const name of ['small', 'large']) {
    const spec = { cpu: { guest: name === 'small' ? 1 : 2 }, memory: { guest: '1Gi' } }
    fleet.put(hardware.virtualMachineClusterInstancetypes, { metadata: { name }, spec } as KubeObject)
  }
  for (const object of vms) fleet.put(virtualMachines, object)
  await fleet.settle()
  return fleet
}

suite('impactOf()', () => {
  test('reports VMs with a revision, VMs without, and guests that still run with it', async () => {
    const fleet = await fleetWith(vm('captured', 'small', 'Halted'), vm('switched', 'small'), vm('other', 'large'))
    const switched = fleet.get(virtualMachines, 'a', 'switched') as VirtualMachine
    fleet.put(virtualMachines, { ...switched, spec: { ...switched.spec, instancetype: { name: 'large' } } } as KubeObject)
    await fleet.settle()
    fleet.put(virtualMachines, vm('new', 'small'))
    const { virtualMachines: users, revisions, exists } = await impactOf(fleet.cluster, small, nothing)
    assert.deepEqual(
      users.map(({ name, uses, running }) => [name, uses, running]),
      [
        ['captured', 'captured', false],
        ['new', 'live', false],
        ['switched', 'guest', true],
      ],
    )
    assert.deepEqual([exists, revisions.map(({ owner }) => owner)], [true, ['VirtualMachine/captured', 'VirtualMachine/switched']])
  })

  test('finds a deleted object by its revisions', async () => {
    const fleet = await fleetWith(vm('captured', 'small', 'Halted'))
    fleet.remove(hardware.virtualMachineClusterInstancetypes, { name: 'small' })
    const impact = await impactOf(fleet.cluster, small, nothing)
    assert.deepEqual([impact.exists, impact.virtualMachines[0]?.uses, impact.revisions.length], [false, 'captured', 1])
  })

  test('finds snapshots, and the policies by which its guests migrate', async () => {
    const fleet = await fleetWith(vm('web', 'small'))
    const snapshotContents = [
      { snapshot: 'a/mine', vm: vm('web', 'small') as unknown as VirtualMachine },
      { snapshot: 'a/other', vm: vm('web', 'large') as unknown as VirtualMachine },
    ]
    const policy = (name: string, app: string, tier: string): object => ({
      metadata: { name },
      spec: { selectors: { virtualMachineInstanceSelector: { app }, namespaceSelector: { tier } } },
    })
    const migrationPolicies = [policy('mine', 'web', 'gold'), policy('elsewhere', 'web', 'tin'), policy('other', 'db', 'gold')]
    const namespaceLabels = new Map([['a', { tier: 'gold' }]])
    const impact = await impactOf(fleet.cluster, small, { snapshotContents, migrationPolicies, namespaceLabels })
    assert.deepEqual([impact.snapshots, impact.migrationPolicies], [['a/mine'], ['mine']])
  })

  test('lists the objects of a VM', async () => {
    const fleet = await fleetWith(vm('web', 'small'))
    const impact = await impactOf(fleet.cluster, { kind: 'VirtualMachine', name: 'web', namespace: 'a' }, nothing)
    assert.deepEqual([impact.virtualMachines.length, impact.revisions.length], [1, 2])
  })
})
