import { namespaces, nodes } from '#api/core/v1/resources.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { migrationPolicies } from '#api/migrations/v1alpha1/resources.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import { launchersIn, names } from '#features/vmi/index.ts'
import { createOwnWrites } from '#runtime/cache/own-writes.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { defineMigrationMetrics } from './metrics/metrics.ts'
import { migrationsByGuest, unfinished, type Ports } from './ports.ts'
import { isMarked } from './agent-silence.ts'
import { createMigrationReconciler } from './reconciler.ts'

/** Dependencies of the migration controller. */
export interface MigrationControllerOptions
  extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder' | 'launcherImage' | 'inContainer' | 'hasImageVolumes'> {
  readonly live: LiveConfig
  /** Registry for metrics of migrations. Default: none. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom' | 'histogram'>
}

/** Creates the migration controller. */
export function createMigrationController({ informers, live, gauges, ...options }: MigrationControllerOptions): Runnable {
  const pods = launchersIn(informers)
  const migrations = informers.informer(virtualMachineInstanceMigrations)
  const policies = informers.informer(migrationPolicies)
  const allNamespaces = informers.informer(namespaces)
  const allNodes = informers.informer(nodes)
  const vmis = informers.informer(virtualMachineInstances)
  const sources = { migrations: () => migrations.list(), vmis: () => vmis.list() }
  const onPhase = gauges === undefined ? () => {} : defineMigrationMetrics(gauges, sources)
  migrations.addIndex(migrationsByGuest, ({ metadata, spec }) => [`${metadata.namespace ?? ''}/${spec.vmiName ?? ''}`])
  migrations.addIndex(unfinished, (migration) => (isMigrationFinal(migration) ? [] : [unfinished]))
  const of = (namespace: string | undefined, name: string | undefined) =>
    migrations.byIndex(migrationsByGuest, `${namespace ?? ''}/${name ?? ''}`).flatMap(enqueueSelf)
  return createController({
    ...options,
    name: 'virtualmachineinstancemigration',
    reconciler: createMigrationReconciler({
      ...options,
      config: live.config,
      onPhase,
      own: createOwnWrites(options),
      migrations,
      vmis,
      pods,
      policies,
      namespaces: allNamespaces,
      nodes: allNodes,
    }),
    sources: [
      // Read at the hand-over; their changes requeue nothing.
      watchResource(policies, () => []),
      watchResource(allNamespaces, () => []),
      // Only nodes whose agent is not there matter to migrations.
      watchResource(allNodes, (node) =>
        isMarked(node)
          ? migrations
              .list()
              .filter((each) => !isMigrationFinal(each))
              .flatMap(enqueueSelf)
          : [],
      ),
      watchResource(migrations, enqueueSelf),
      watchResource(vmis, ({ metadata }) => of(metadata.namespace, metadata.name)),
      watchResource(pods, ({ metadata }) => of(metadata.namespace, metadata.annotations?.[names.domainAnnotation])),
      live.wake(() => []),
    ],
  })
}
