import type { DataSource, DataSourceStatus } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { dataSources } from '#api/cdi/v1beta1/resources.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { cdiCondition } from './cdi-condition.ts'
import { resolveSource, type Resolution, type Snapshot, type SourceLookup } from './resolve.ts'

/** Dependencies of the reconciler. */
export interface Ports {
  readonly client: Client
  readonly clock: Pick<Clock, 'now'>
  readonly dataSources: Pick<Lister<DataSource>, 'get'>
  readonly dataVolumes: Pick<Lister<DataVolume>, 'get'>
  readonly claims: Pick<Lister<PersistentVolumeClaim>, 'get'>
}

/**
 * Milliseconds between looks at snapshots. They are not watched: many clusters have no such kind.
 */
const snapshotMs = { unready: 10_000, ready: 300_000 } as const

/** Keeps the status of DataSources, and the labels by which VMs infer their hardware from them. */
export function createDataSourceReconciler(shared: Ports): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const dataSource = ports.dataSources.get(namespace, name)
    if (dataSource === undefined || isBeingDeleted(dataSource)) return done
    const snapshot = await observeSnapshot(ports, dataSource)
    const resolution = resolveSource(dataSource, lookupIn(ports, snapshot))
    const labeled = resolution.kind === 'ready' ? await copyLabels(ports, dataSource, resolution.labels) : dataSource
    if (labeled !== undefined) await report(ports, labeled, resolution)
    return snapshot === undefined ? done : recheckIn(snapshotMs[resolution.kind])
  }
}

/** The snapshot that a DataSource names. `status`: undefined when there is none. */
interface NamedSnapshot {
  readonly object: Snapshot | undefined
}

async function observeSnapshot({ client, dataSources: all }: Ports, { metadata, spec }: DataSource): Promise<NamedSnapshot | undefined> {
  const { namespace = '' } = metadata
  const next = spec.source.dataSource
  const named = next === undefined ? spec.source.snapshot : all.get(namespace, next.name)?.spec.source.snapshot
  if (named === undefined) return undefined
  return { object: await found(client.get(volumeSnapshots, { namespace: named.namespace || namespace, name: named.name })) }
}

function lookupIn({ dataSources: all, dataVolumes, claims }: Ports, snapshot: NamedSnapshot | undefined): SourceLookup {
  return {
    dataSource: (namespace, name) => all.get(namespace, name),
    dataVolume: (namespace, name) => dataVolumes.get(namespace, name),
    claim: (namespace, name) => claims.get(namespace, name),
    snapshot: () => snapshot?.object,
  }
}

/** Labels come before the condition: who waits for it infers hardware from them. */
async function copyLabels(
  { client }: Ports,
  dataSource: DataSource,
  labels: Readonly<Record<string, string>>,
): Promise<DataSource | undefined> {
  const { labels: present = {} } = dataSource.metadata
  const changed = Object.entries(labels).filter(([key, value]) => present[key] !== value)
  if (changed.length === 0) return dataSource
  return found(patchIfUnchanged(client, dataSources, dataSource, { metadata: { labels: Object.fromEntries(changed) } }))
}

async function report({ client, clock }: Ports, dataSource: DataSource, resolution: Resolution): Promise<void> {
  await found(patchStatus(client, dataSources, dataSource, statusOf(dataSource, resolution, timestamp(clock.now()))))
}

/** Returns the change of the status: a source that is not ready is none. Pure. */
function statusOf({ status }: DataSource, resolution: Resolution, now: string): Record<keyof DataSourceStatus, unknown> {
  const ready = resolution.kind === 'ready'
  const condition = ready
    ? { type: 'Ready', status: 'True', reason: 'Ready', message: 'DataSource is ready to be consumed' }
    : { type: 'Ready', status: 'False', reason: resolution.reason, message: resolution.message }
  const wanted = ready ? resolution.source : {}
  // A merge patch keeps what it does not name.
  const removed = Object.keys(status?.source ?? {}).map((kind) => [kind, null] as const)
  return {
    source: { ...Object.fromEntries(removed), ...wanted },
    conditions: [cdiCondition(status?.conditions, condition, now)],
  }
}
