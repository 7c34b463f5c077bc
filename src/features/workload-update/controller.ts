import { nodes } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { chooseKubeVirt, kubeVirtsIn } from '#features/cluster-config/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import type { Reconciler, Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource, type Source } from '#runtime/controller/source.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { isUpdateCandidate } from './guests/read-guest.ts'
import { defineUpdateMetrics } from './metrics.ts'
import { updateCandidatesIndex, activeMigrationsIndex, type Ports } from './ports.ts'
import { createWorkloadUpdateReconciler } from './reconciler.ts'

/**
 * Dependencies of the workload update controller. The evacuation controller adds the index of
 * migrations by VMI.
 */
export interface WorkloadUpdateOptions extends Pick<Ports, 'client' | 'recorder' | 'clock' | 'config' | 'launcherImage'> {
  /** Launcher pods, indexed by `podsByVmi`. */
  readonly launchers: Informer<Pod>
  /** Registry for gauges. Default: none. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom'>
}

/** Creates the workload update controller, over shared informers. */
export function createWorkloadUpdateController(
  informers: InformerSet,
  { launchers, gauges, ...options }: WorkloadUpdateOptions,
): { readonly reconciler: Reconciler; readonly sources: readonly Source[]; readonly all: () => readonly Request[] } {
  const kubevirts = kubeVirtsIn(informers)
  const vmis = informers.informer(virtualMachineInstances)
  const migrations = informers.informer(virtualMachineInstanceMigrations)
  const nodeCache = informers.informer(nodes)
  vmis.addIndex(updateCandidatesIndex, (vmi) => (isUpdateCandidate(vmi, options.launcherImage) ? [updateCandidatesIndex] : []))
  migrations.addIndex(activeMigrationsIndex, (migration) => (isMigrationFinal(migration) ? [] : [activeMigrationsIndex]))
  if (gauges !== undefined) defineUpdateMetrics(gauges, vmis)
  // All events requeue the single KubeVirt object.
  const all = (): readonly Request[] => {
    const chosen = chooseKubeVirt(kubevirts.list())
    return chosen === undefined ? [] : enqueueSelf(chosen)
  }
  return {
    reconciler: createWorkloadUpdateReconciler({ ...options, kubevirts, vmis, migrations, nodes: nodeCache, pods: launchers }),
    sources: [
      watchResource(kubevirts, all),
      watchResource(vmis, all),
      watchResource(migrations, all),
      watchResource(nodeCache, all),
      watchResource(launchers, () => []),
    ],
    all,
  }
}
