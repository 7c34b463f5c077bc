import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { chooseKubeVirt, kubeVirtsIn } from '#features/cluster-config/index.ts'
import { referencesOf } from '#features/instancetype/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { CacheEvent, Informer } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControllerMetricsFactory } from '#runtime/controller/controller-metrics.ts'
import { createController } from '#runtime/controller/controller.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { defineRevisionMetrics } from './metrics.ts'
import { createRevisionSummaryReconciler } from './reconciler.ts'
import type { RevisionInventory } from '../types.ts'

/** Options of {@link createRevisionSummaryController}. */
export interface RevisionSummaryOptions {
  readonly client: Pick<Client, 'patch'>
  readonly informers: InformerSet
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: ControllerMetricsFactory
  /** Metrics for the numbers of revisions; none by default. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom'>
}

/** Index of VMIs with a start revision, all under one key. */
const started = 'revision-report.started'

/** Creates the controller that summarizes the state of revisions in the KubeVirt status. */
export function createRevisionSummaryController({ client, informers, clock, log, metrics, gauges }: RevisionSummaryOptions): Runnable {
  const kubevirts = kubeVirtsIn(informers)
  const informer = <T extends KubeObject>(resource: ResourceType<T>): Informer<T> => informers.informer(resource)
  const revisions = informer(controllerRevisions)
  const vms = informer(virtualMachines)
  const guests = informer(virtualMachineInstances)
  const contents = informer(virtualMachineSnapshotContents)
  const snapshots = informer(virtualMachineSnapshots)
  const restores = informer(virtualMachineRestores)
  // Other revisions reference none, and there are thousands.
  guests.addIndex(started, ({ status }) => (status?.virtualMachineRevisionName === undefined ? [] : [started]))
  const cluster = (): RevisionInventory => ({
    revisions: revisions.list(),
    virtualMachines: vms.list(),
    guests: guests.byIndex(started, started),
    contents: contents.list(),
    snapshots: snapshots.list(),
    restores: restores.list(),
    // The counts do not depend on these.
    live: [],
    definitions: [],
    gaps: [],
  })
  // Every event maps to the one KubeVirt object.
  const wake = (): ReturnType<typeof enqueueSelf> => {
    const chosen = chooseKubeVirt(kubevirts.list())
    return chosen === undefined ? [] : enqueueSelf(chosen)
  }
  const sources = [
    watchResource(kubevirts, wake),
    watchResource(revisions, wake),
    watchResource(vms, wake, { predicate: namesChange('VirtualMachine') }),
    watchResource(guests, wake, { predicate: startChanges }),
    watchResource(contents, wake, { predicate: namesChange('VirtualMachineSnapshotContent') }),
    watchResource(snapshots, wake, { predicate: ({ type }) => type !== 'updated' }),
    watchResource(restores, wake),
  ]
  const onCounts = gauges === undefined ? () => undefined : defineRevisionMetrics(gauges)
  const reconciler = createRevisionSummaryReconciler({ client, kubevirts, cluster, clock, onCounts })
  return createController({ name: 'revision-summary', reconciler, sources, clock, log, ...(metrics === undefined ? {} : { metrics }) })
}

/** Passes events that change references: VMs change often, their revisions hardly ever. */
function namesChange(kind: string): (event: CacheEvent<KubeObject>) => boolean {
  const namesIn = (object: KubeObject): unknown => referencesOf({ ...object, kind })
  return (event) => event.type !== 'updated' || !deepEqual(namesIn(event.old), namesIn(event.object))
}

function startChanges(event: CacheEvent<VirtualMachineInstance>): boolean {
  return event.type !== 'updated' || event.old.status?.virtualMachineRevisionName !== event.object.status?.virtualMachineRevisionName
}
