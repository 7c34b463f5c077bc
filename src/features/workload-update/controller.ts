import { nodes } from '#api/core/v1/resources.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { chooseKubeVirt, kubeVirtsIn, type LiveConfig } from '#features/cluster-config/index.ts'
import { launchersIn } from '#features/vmi/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { isUpdateCandidate } from './guests/read-guest.ts'
import { defineUpdateMetrics } from './metrics.ts'
import { updateCandidatesIndex, activeMigrationsIndex, type Ports } from './ports.ts'
import { createWorkloadUpdateReconciler } from './reconciler.ts'

/**
 * Dependencies of the workload update controller. The evacuation controller adds the index of
 * migrations by VMI.
 */
export interface WorkloadUpdateOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder' | 'launcherImage'> {
  readonly live: Pick<LiveConfig, 'config' | 'wake'>
  /** Registry for gauges. Default: none. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom'>
}

/** Creates the workload update controller, which reconciles the KubeVirt object. */
export function createWorkloadUpdateController({ informers, live, gauges, ...options }: WorkloadUpdateOptions): Runnable {
  const { config } = live
  const launchers = launchersIn(informers)
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
  return createController({
    ...options,
    name: 'workload-update',
    reconciler: createWorkloadUpdateReconciler({ ...options, config, kubevirts, vmis, migrations, nodes: nodeCache, pods: launchers }),
    sources: [
      watchResource(kubevirts, all),
      watchResource(vmis, all),
      watchResource(migrations, all),
      watchResource(nodeCache, all),
      watchResource(launchers, () => []),
      live.wake(all),
    ],
  })
}
