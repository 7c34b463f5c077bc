import assert from 'node:assert/strict'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'
import type { ControllerName, ControllerInputs } from './controllers.fixture.ts'
import type { Processes } from './processes.fixture.ts'
import { namespace } from './vm-workload.fixture.ts'
import { syncCaches, reconcileWork, objectsFor } from './controller-work.fixture.ts'

const controllerOrder: readonly ControllerName[] = [
  'vm',
  'upgrader',
  'snapshot-revision',
  'collector',
  'virtualmachinesnapshot',
  'virtualmachinerestore',
  'virtualmachineclone',
]

/**
 * Reconciles all objects in all controllers, one after the other and with current caches, until
 * nothing changes.
 */
export async function runUntilIdle(api: SimulatedApi, processes: Processes, surroundings: ControllerInputs): Promise<void> {
  const process = processes.spawn()
  for (let round = 0, before = -1; before !== api.changes.length; round++) {
    assert.ok(round < 100, 'the controllers never come to rest')
    before = api.changes.length
    stopGuests(api)
    for (const controller of controllerOrder) {
      syncCaches(process)
      for (const name of objectsFor(controller, process.cache)) {
        await processes.finish(process, reconcileWork(surroundings, controller, name))
        syncCaches(process)
      }
    }
  }
}

/** Stops guests that are being deleted, as node agents do. */
export function stopGuests(api: SimulatedApi): void {
  for (const vmi of api.list(virtualMachineInstances)) {
    const { deletionTimestamp, name = '' } = vmi.metadata
    if (deletionTimestamp === undefined) continue
    api.put(virtualMachineInstances, { ...vmi, metadata: { ...vmi.metadata, finalizers: [] } } as unknown as KubeObject)
    api.remove(virtualMachineInstances, { namespace, name })
  }
}
