import type { DataSource, DataSourceSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolumeSourceObject } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'

/** Objects that a DataSource may lead to, by namespace and name. */
export interface SourceLookup {
  readonly dataSource: (namespace: string, name: string) => DataSource | undefined
  readonly dataVolume: (namespace: string, name: string) => DataVolume | undefined
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined
  readonly snapshot: (namespace: string, name: string) => Snapshot | undefined
}

/** A VolumeSnapshot. */
export type Snapshot = KubeObject & { readonly status?: { readonly readyToUse?: boolean } }

/** What a DataSource leads to. */
export type Resolution =
  /** The content is complete. `labels`: those that VMs infer their hardware from. */
  | { readonly kind: 'ready'; readonly source: DataSourceSource; readonly labels: Readonly<Record<string, string>> }
  /** Reason and message are those of the condition, and CDI's. */
  | { readonly kind: 'unready'; readonly reason: string; readonly message: string }

/**
 * Returns what a DataSource leads to: an object with content, over one other DataSource of its
 * namespace at most. Pure.
 */
export function resolveSource(dataSource: DataSource, lookup: SourceLookup): Resolution {
  const { namespace = '', name = '' } = dataSource.metadata
  const next = dataSource.spec.source.dataSource
  if (next === undefined) return resolveContent(dataSource.spec.source, namespace, lookup)
  const from = next.namespace || namespace
  if (from !== namespace) return unready('CrossNamespaceReference', 'DataSource cannot reference a DataSource in another namespace')
  if (next.name === name) return unready('SelfReference', 'DataSource cannot self-reference')
  const second = lookup.dataSource(namespace, next.name)
  if (second === undefined) return unready('NotFound', `datasources.cdi.kubevirt.io "${next.name}" not found`)
  if (second.spec.source.dataSource !== undefined)
    return unready('MaxReferenceDepthReached', 'DataSource reference chain exceeds maximum depth of 1')
  return resolveContent(second.spec.source, namespace, lookup)
}

function unready(reason: string, message: string): Resolution {
  return { kind: 'unready', reason, message }
}

function resolveContent({ pvc, snapshot }: DataSourceSource, own: string, lookup: SourceLookup): Resolution {
  if (pvc !== undefined) return resolveClaim(pvc, own, lookup)
  if (snapshot !== undefined) return resolveSnapshot(snapshot, own, lookup)
  return unready('NoSource', 'No source PVC set')
}

function resolveClaim({ namespace, name }: DataVolumeSourceObject, own: string, lookup: SourceLookup): Resolution {
  const from = namespace || own
  const claim = lookup.claim(from, name)
  const dataVolume = lookup.dataVolume(from, name)
  const phase = dataVolume?.status?.phase ?? ''
  if (dataVolume !== undefined && phase !== 'Succeeded') return unready(phase || 'Pending', `Import DataVolume phase ${phase || 'Pending'}`)
  // Also that of a DataVolume which has succeeded: CDI calls such a DataSource ready.
  if (claim === undefined) return unready('NotFound', 'PVC not found')
  if (isBeingDeleted(claim)) return unready('NotFound', `PVC ${name} is being deleted`)
  const { annotations = {} } = claim.metadata
  if (dataVolume === undefined && annotations[uploadTarget] !== undefined && annotations[podPhase] !== 'Succeeded')
    return unready('UploadScheduled', `PVC ${name} waits for an upload`)
  return ready({ pvc: { namespace: from, name } }, dataVolume, claim)
}

const uploadTarget = 'cdi.kubevirt.io/storage.upload.target'
const podPhase = 'cdi.kubevirt.io/storage.pod.phase'

function resolveSnapshot({ namespace, name }: DataVolumeSourceObject, own: string, lookup: SourceLookup): Resolution {
  const from = namespace || own
  const snapshot = lookup.snapshot(from, name)
  if (snapshot === undefined) return unready('NotFound', 'Snapshot not found')
  if (snapshot.status?.readyToUse !== true) return unready('SnapshotNotReady', 'Snapshot phase is not ready')
  return ready({ snapshot: { namespace: from, name } }, snapshot)
}

function ready(source: DataSourceSource, ...from: readonly (KubeObject | undefined)[]): Resolution {
  const labels = from.flatMap((object) => Object.entries(object?.metadata?.labels ?? {}).filter(([key]) => isCopied(key)))
  return { kind: 'ready', source, labels: Object.fromEntries(labels) }
}

/**
 * Reports whether a label goes from an image to its DataSource. Those of CDI do not: they say which
 * DataImportCron an object belongs to, and with which it is deleted. Pure.
 */
function isCopied(key: string): boolean {
  return /^(?:[\w.]+\.)?kubevirt\.io\/[\w.-]+$/.test(key) && !key.startsWith('cdi.kubevirt.io/')
}
