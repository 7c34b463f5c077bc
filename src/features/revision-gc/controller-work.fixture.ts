import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { restoresLocking, snapshotsLocking } from '../snapshot/locks/stale-locks.ts'
import type { SimulatedCache } from '../revision-upgrade/simulated-cache.fixture.ts'
import { controllersOf, type ControllerName, type ControllerInputs } from './controllers.fixture.ts'
import type { Process, Work } from './processes.fixture.ts'
import { namespace } from './vm-workload.fixture.ts'

const kinds: readonly ResourceType<KubeObject>[] = [
  virtualMachines,
  virtualMachineInstances,
  controllerRevisions,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
  virtualMachineSnapshots,
  virtualMachineSnapshotContents,
  virtualMachineRestores,
  virtualMachineClones,
]

/**
 * Delivers a share of the pending events to the caches of a process, per kind as `share` returns.
 */
export function syncCaches({ cache }: Process, share: () => number = () => 1): void {
  for (const resource of kinds) cache.follow(resource, share())
}

/** Reconciled resource of a controller; namespaces for the collector. */
const reconciledResources: Readonly<Record<Exclude<ControllerName, 'collector'>, ResourceType<KubeObject>>> = {
  vm: virtualMachines,
  upgrader: virtualMachines,
  virtualmachinesnapshot: virtualMachineSnapshots,
  virtualmachinerestore: virtualMachineRestores,
  'snapshot-revision': virtualMachineSnapshotContents,
  virtualmachineclone: virtualMachineClones,
}

/**
 * Returns the keys for a controller, as far as the cache shows: also of deleted objects that have
 * left a lock on a VM, or content.
 */
export function objectsFor(controller: ControllerName, cache: SimulatedCache): readonly string[] {
  if (controller === 'collector') return [namespace]
  const there = cache
    .lister(reconciledResources[controller])
    .list()
    .map(({ metadata }) => metadata?.name ?? '')
  const locks = cache
    .lister(virtualMachines)
    .list()
    .flatMap((vm) => {
      if (controller === 'virtualmachinesnapshot') return snapshotsLocking(vm)
      return controller === 'virtualmachinerestore' ? restoresLocking(vm) : []
    })
    .map(({ name }) => name)
  const contents = controller === 'virtualmachinesnapshot' ? cache.lister(virtualMachineSnapshotContents).list() : []
  return [...new Set([...there, ...locks, ...contents.map(({ spec }) => spec.virtualMachineSnapshotName ?? '')])]
}

/** One reconcile of an object. Only the VM controller requires exclusive access to an object. */
export function reconcileWork(surroundings: ControllerInputs, controller: ControllerName, name: string): Work {
  const request = controller === 'collector' ? { namespace: '', name } : { namespace, name }
  return {
    kind: controller,
    run: async (process: Process) => controllersOf(surroundings, process)[controller](request, { signal: new AbortController().signal }),
    ...(controller === 'vm' ? { alone: name } : {}),
  }
}
