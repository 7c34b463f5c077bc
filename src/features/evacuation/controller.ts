import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { nodes } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { evictionNames } from '#features/eviction/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import type { Reconciler, Request } from '#runtime/controller/reconcile.ts'
import { enqueueOwner, enqueueSelf, watchResource, type Source } from '#runtime/controller/source.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { defineEvacuationMetrics } from './metrics.ts'
import { evacuationNames } from './names.ts'
import { isMarked } from './observe.ts'
import { askedByNode, evacuationsByNode, markedByNode, migrationsByVmi, vmisByNode, type Ports } from './ports.ts'
import { createEvacuationReconciler } from './reconciler.ts'

/** Dependencies of the evacuation controller. */
export interface EvacuationOptions extends Pick<Ports, 'client' | 'recorder' | 'clock' | 'config'> {
  /** Launcher pods, indexed by `podsByVmi`. */
  readonly launchers: Informer<Pod>
  /** Registry for gauges. Default: none. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom'>
}

/** Creates the evacuation controller, which reconciles nodes, over shared informers. */
export function createEvacuationController(
  informers: InformerSet,
  { launchers, gauges, ...options }: EvacuationOptions,
): { readonly reconciler: Reconciler; readonly sources: readonly Source[]; readonly everyNode: () => readonly Request[] } {
  const nodeCache = informers.informer(nodes)
  const vmis = informers.informer(virtualMachineInstances)
  const migrations = informers.informer(virtualMachineInstanceMigrations)
  vmis.addIndex(vmisByNode, nodesOf)
  vmis.addIndex(markedByNode, (vmi) => (isMarked(vmi) ? nodesOf(vmi) : []))
  migrations.addIndex(migrationsByVmi, ({ metadata, spec }) => [`${metadata.namespace}/${spec.vmiName}`])
  migrations.addIndex(evacuationsByNode, (migration) => {
    const node = migration.metadata.annotations?.[evacuationNames.migrationAnnotation]
    return node === undefined || isMigrationFinal(migration) ? [] : [node]
  })
  launchers.addIndex(askedByNode, ({ metadata, spec }) =>
    metadata.annotations?.[evictionNames.inProgressAnnotation] === undefined ? [] : [spec.nodeName ?? ''],
  )
  if (gauges !== undefined) defineEvacuationMetrics(gauges, vmis, options.config)
  const wake = (vmi: VirtualMachineInstance | undefined): readonly Request[] =>
    vmi === undefined ? [] : nodesOf(vmi).map((name) => ({ namespace: '', name }))
  const owner = enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachineInstance' })
  const ofMigration = ({ metadata, spec }: VirtualMachineInstanceMigration): readonly Request[] =>
    wake(vmis.get(metadata.namespace ?? '', spec.vmiName ?? ''))
  return {
    reconciler: createEvacuationReconciler({ ...options, nodes: nodeCache, vmis, migrations, pods: launchers }),
    sources: [
      watchResource(nodeCache, enqueueSelf),
      watchResource(vmis, wake),
      watchResource(migrations, ofMigration),
      watchResource(launchers, (pod) => owner(pod).flatMap(({ namespace, name }) => wake(vmis.get(namespace, name)))),
    ],
    everyNode: () => nodeCache.list().flatMap(enqueueSelf),
  }
}

function nodesOf({ status }: VirtualMachineInstance): readonly string[] {
  return [...new Set([status?.nodeName ?? '', status?.evacuationNodeName ?? ''])].filter((name) => name !== '')
}
