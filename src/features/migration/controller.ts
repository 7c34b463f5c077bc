import type { Pod } from '#api/core/v1/pod.ts'
import { namespaces, nodes } from '#api/core/v1/resources.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { migrationPolicies } from '#api/migrations/v1alpha1/resources.ts'
import { names } from '#features/vmi/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { createOwnWrites } from '#runtime/cache/own-writes.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource, type Source } from '#runtime/controller/source.ts'
import { defineMigrationMetrics } from './metrics/metrics.ts'
import { migrationsByGuest, unfinished, type Ports } from './ports.ts'
import { createMigrationReconciler, isAgentSilent } from './reconciler.ts'

/** Creates the migration controller, over shared informers. */
export function createMigrationController(
  informers: InformerSet,
  pods: Informer<Pod>,
  options: Omit<Ports, 'migrations' | 'vmis' | 'pods' | 'policies' | 'namespaces' | 'nodes' | 'onPhase' | 'own'> & {
    readonly gauges?: Pick<Metrics, 'gaugeFrom' | 'counter' | 'histogram'>
  },
): { readonly name: string; readonly reconciler: Reconciler; readonly sources: readonly Source[] } {
  const migrations = informers.informer(virtualMachineInstanceMigrations)
  const onPhase = options.gauges === undefined ? () => {} : defineMigrationMetrics(options.gauges, () => migrations.list())
  const policies = informers.informer(migrationPolicies)
  const allNamespaces = informers.informer(namespaces)
  const allNodes = informers.informer(nodes)
  const vmis = informers.informer(virtualMachineInstances)
  migrations.addIndex(migrationsByGuest, ({ metadata, spec }) => [`${metadata.namespace ?? ''}/${spec.vmiName ?? ''}`])
  migrations.addIndex(unfinished, (migration) => (isMigrationFinal(migration) ? [] : [unfinished]))
  const of = (namespace: string | undefined, name: string | undefined) =>
    migrations.byIndex(migrationsByGuest, `${namespace ?? ''}/${name ?? ''}`).flatMap(enqueueSelf)
  return {
    name: 'virtualmachineinstancemigration',
    reconciler: createMigrationReconciler({
      ...options,
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
      // Only nodes whose agent is silent matter to migrations.
      watchResource(allNodes, (node) =>
        isAgentSilent(node)
          ? migrations
              .list()
              .filter((each) => !isMigrationFinal(each))
              .flatMap(enqueueSelf)
          : [],
      ),
      watchResource(migrations, enqueueSelf),
      watchResource(vmis, ({ metadata }) => of(metadata.namespace, metadata.name)),
      watchResource(pods, ({ metadata }) => of(metadata.namespace, metadata.annotations?.[names.domainAnnotation])),
    ],
  }
}
