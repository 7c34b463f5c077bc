import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { nodes } from '#api/core/v1/resources.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import { evictionNames } from '#features/eviction/index.ts'
import { launchersIn } from '#features/vmi/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { defineEvacuationMetrics } from './metrics.ts'
import { evacuationNames } from './names.ts'
import { isMarked } from './observe.ts'
import { askedByNode, evacuationsByNode, markedByNode, migrationsByVmi, vmisByNode, type Ports } from './ports.ts'
import { createEvacuationReconciler } from './reconciler.ts'

/** Dependencies of the evacuation controller. */
export interface EvacuationOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder'> {
  readonly live: Pick<LiveConfig, 'config' | 'wake'>
  /** Registry for gauges. Default: none. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom'>
}

/** Creates the evacuation controller, which reconciles nodes. */
export function createEvacuationController({ informers, live, gauges, ...options }: EvacuationOptions): Runnable {
  const { config } = live
  const launchers = launchersIn(informers)
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
  if (gauges !== undefined) defineEvacuationMetrics(gauges, vmis, config)
  const wake = (vmi: VirtualMachineInstance | undefined): readonly Request[] =>
    vmi === undefined ? [] : nodesOf(vmi).map((name) => ({ namespace: '', name }))
  const owner = enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachineInstance' })
  const ofMigration = ({ metadata, spec }: VirtualMachineInstanceMigration): readonly Request[] =>
    wake(vmis.get(metadata.namespace ?? '', spec.vmiName ?? ''))
  return createController({
    ...options,
    name: 'evacuation',
    reconciler: createEvacuationReconciler({ ...options, config, nodes: nodeCache, vmis, migrations, pods: launchers }),
    sources: [
      watchResource(nodeCache, enqueueSelf),
      watchResource(vmis, wake),
      watchResource(migrations, ofMigration),
      watchResource(launchers, (pod) => owner(pod).flatMap(({ namespace, name }) => wake(vmis.get(namespace, name)))),
      live.wake(() => nodeCache.list().flatMap(enqueueSelf)),
    ],
  })
}

function nodesOf({ status }: VirtualMachineInstance): readonly string[] {
  return [...new Set([status?.nodeName ?? '', status?.evacuationNodeName ?? ''])].filter((name) => name !== '')
}
