import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { restoresLocking, snapshotsLocking } from '../snapshot/stale-locks.ts'
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
 * Lets the caches of a process take in a share of what has happened, of each kind as much as
 * `share` says.
 */
export function syncCaches({ cache }: Process, share: () => number = () => 1): void {
  for (const resource of kinds) cache.follow(resource, share())
}

/** What a controller looks at; the collector at namespaces. */
const reconciledResources: Readonly<Record<Exclude<ControllerName, 'collector'>, ResourceType<KubeObject>>> = {
  vm: virtualMachines,
  upgrader: virtualMachines,
  virtualmachinesnapshot: virtualMachineSnapshots,
  virtualmachinerestore: virtualMachineRestores,
  'snapshot-revision': virtualMachineSnapshotContents,
  virtualmachineclone: virtualMachineClones,
}

/**
 * What there is for a controller to look at, as far as the cache knows: also those of which nothing
 * but a lock on a VM, or content, is left.
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

/**
 * One look of a controller at an object. Nobody but the VM controller needs to be the only one that
 * does.
 */
export function reconcileWork(surroundings: ControllerInputs, controller: ControllerName, name: string): Work {
  const request = controller === 'collector' ? { namespace: '', name } : { namespace, name }
  return {
    kind: controller,
    run: async (process: Process) => controllersOf(surroundings, process)[controller](request, { signal: new AbortController().signal }),
    ...(controller === 'vm' ? { alone: name } : {}),
  }
}
