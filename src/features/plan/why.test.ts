import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as hardware from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { Fleet } from './fleet.fixture.ts'
import { vmiPathOf, why } from './why.ts'

async function fleetWith(template: object): Promise<{ fleet: Fleet; vm: VirtualMachine }> {
  const fleet = new Fleet(defaultClusterConfig)
  const spec = { cpu: { guest: 2 }, memory: { guest: '1Gi' } }
  fleet.put(hardware.virtualMachineClusterInstancetypes, { metadata: { name: 'small' }, spec } as KubeObject)
  const preference = { machine: { preferredMachineType: 'pc-q35-9.0' } }
  fleet.put(hardware.virtualMachineClusterPreferences, { metadata: { name: 'linux' }, spec: preference } as KubeObject)
  const wanted = { runStrategy: 'Halted', instancetype: { name: 'small' }, preference: { name: 'linux' }, template: { spec: template } }
  fleet.put(virtualMachines, { metadata: { name: 'web', namespace: 'a' }, spec: wanted } as KubeObject)
  await fleet.settle()
  const vm = fleet.get(virtualMachines, 'a', 'web')
  assert.ok(vm)
  return { fleet, vm }
}

suite('why()', () => {
  test('names object, generation and revision of a value, and the overridden value', async () => {
    const { fleet, vm } = await fleetWith({ domain: { devices: {}, machine: { type: 'q35' } } })
    const { rows } = await why(fleet.cluster.lookup, vm, defaultClusterConfig, 'domain.memory.guest')
    assert.deepEqual(
      rows.map(({ path, value, source, object }) => [
        path,
        value,
        source,
        object?.name,
        object?.generation,
        object?.revision !== undefined,
      ]),
      [['spec.domain.memory.guest', '1Gi', 'instancetype', 'small', 1, true]],
    )
    const machine = await why(fleet.cluster.lookup, vm, defaultClusterConfig, 'spec.template.spec.domain.machine')
    assert.deepEqual(
      machine.rows.map(({ value, source, overrode }) => [value, source, overrode[0]]),
      [['q35', 'vm', { source: 'preference', value: 'pc-q35-9.0' }]],
    )
  })

  test('reports that a VM cannot start', async () => {
    const { fleet, vm } = await fleetWith({ domain: { devices: {}, memory: { guest: '2Gi' } } })
    const { conflict } = await why(fleet.cluster.lookup, vm, defaultClusterConfig)
    assert.equal(conflict?.includes('domain.memory.guest'), true)
  })
})

suite('vmiPathOf()', () => {
  for (const path of ['domain.cpu', 'spec.domain.cpu', 'spec.template.spec.domain.cpu', '.spec.template.spec.domain.cpu']) {
    test(`understands ${path}`, () => assert.equal(vmiPathOf(path), 'spec.domain.cpu'))
  }
  test('leaves metadata', () => assert.equal(vmiPathOf('spec.template.metadata.annotations[a/b]'), 'metadata.annotations[a/b]'))
})
