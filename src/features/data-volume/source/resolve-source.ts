import type { DataSourceSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolumeSource, DataVolumeSourceObject } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { dataSources } from '#api/cdi/v1beta1/resources.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { DataVolumeSourceRef } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { readSnapshot, restoredFrom, restoredName, type RestorePorts, type SnapshotSource } from '../clone/snapshot-source.ts'
import { isClonedByDriver, isFilled, type FillWait } from '../fill/decide-fill.ts'
import { names } from '../names.ts'
import { kindOf } from './source.ts'

/** A source that can be read, or what it waits for. */
export type ResolvedSource =
  | {
      readonly source: DataVolumeSource
      /** The claim that is copied. */
      readonly copied?: PersistentVolumeClaim
      /** The snapshot that is copied. */
      readonly snapshot?: SnapshotSource
      readonly labels: Readonly<Record<string, string>>
      readonly wait?: undefined
    }
  | {
      readonly wait: FillWait
      /** The claim to create, so that a worker can read a snapshot. */
      readonly restore?: PersistentVolumeClaim
    }

interface Ports extends RestorePorts {
  readonly client: Pick<Client, 'get'>
}

/** A claim or a VolumeSnapshot. */
export interface CopiedObject extends DataVolumeSourceObject {
  readonly kind: 'pvc' | 'snapshot'
}

const reasonWithoutSource = 'CloneWithoutSource'

/**
 * Returns the source of a DataVolume. A `sourceRef` counts as it is when the claim is created: the
 * claim says what it is a copy of, and a DataSource may point to another image later.
 */
export async function resolveSource(
  ports: Ports,
  dataVolume: DataVolume,
  claim: PersistentVolumeClaim | undefined,
): Promise<ResolvedSource> {
  const { source, sourceRef } = dataVolume.spec
  const { namespace = '' } = dataVolume.metadata
  const pinned = originOf(dataVolume, claim)
  if (pinned !== undefined) return resolveCopy(ports, pinned, { own: namespace, claim })
  if (sourceRef === undefined) return { source: source ?? {}, labels: {} }
  return resolveDataSource(ports, sourceRef, { own: namespace, claim })
}

/** Where a copy goes. */
export interface CopyTarget {
  /** Its namespace. */
  readonly own: string
  /** The claim that is filled; undefined until it is made. */
  readonly claim: PersistentVolumeClaim | undefined
}

/** Returns the volume that is copied, if it is complete. */
export async function resolveCopy(
  ports: Ports,
  { kind, ...object }: CopiedObject,
  target: CopyTarget,
  labels: Readonly<Record<string, string>> = {},
): Promise<ResolvedSource> {
  if (kind === 'pvc') return copyOf(ports, object, target.own, labels)
  const snapshot = await readSnapshot(ports.client, object)
  if ('wait' in snapshot) return snapshot
  const common = { source: { snapshot: object }, labels: { ...snapshot.labels, ...labels } }
  if (target.claim === undefined || isClonedByDriver(target.claim)) return { ...common, snapshot }
  const restored = restoredFrom(ports, snapshot, target.claim)
  return 'wait' in restored ? restored : { ...common, copied: restored.copied }
}

async function resolveDataSource(ports: Ports, { name, namespace }: DataVolumeSourceRef, target: CopyTarget): Promise<ResolvedSource> {
  const { client } = ports
  const { own } = target
  const from = namespace === undefined || namespace === '' ? own : namespace
  const first = await found(client.get(dataSources, { namespace: from, name }))
  if (first === undefined) return waitFor(reasonWithoutSource, `The source DataSource ${from}/${name} doesn't exist`)
  const next = first.spec.source.dataSource
  const second = next === undefined ? first : await found(client.get(dataSources, { namespace: next.namespace, name: next.name }))
  if (second === undefined)
    return waitFor(reasonWithoutSource, `The source DataSource ${next?.namespace ?? ''}/${next?.name ?? ''} doesn't exist`)
  const { pvc, snapshot, dataSource }: DataSourceSource = second.spec.source
  if (dataSource !== undefined)
    return waitFor('MaxReferenceDepthReached', `The DataSource ${from}/${name} must lead to a PersistentVolumeClaim in two steps at most`)
  const copied = pvc === undefined ? snapshot : pvc
  if (copied !== undefined && ![own, from].includes(copied.namespace))
    return waitFor(
      'CloneSourceNotPermitted',
      `The DataSource ${from}/${name} leads to the namespace ${copied.namespace}, where no right to copy was checked: name the volume in spec.source, or a DataSource there`,
    )
  if (copied !== undefined) {
    const kind = pvc === undefined ? 'snapshot' : 'pvc'
    return resolveCopy(ports, { kind, ...copied }, target, { ...second.metadata.labels, ...first.metadata.labels })
  }
  return waitFor(reasonWithoutSource, `The DataSource ${from}/${name} names no source yet`)
}

/**
 * Returns what a DataVolume copies, if that is settled. The right to copy was checked for the
 * namespaces in the spec, which never changes: an annotation of the claim, which users can edit,
 * leads to no other one. Pure.
 */
export function originOf(
  { spec: { source, sourceRef }, metadata: { namespace = '' } }: DataVolume,
  claim: PersistentVolumeClaim | undefined,
): CopiedObject | undefined {
  if (sourceRef === undefined) {
    if (source?.pvc !== undefined) return { kind: 'pvc', ...source.pvc }
    return source?.snapshot === undefined ? undefined : { kind: 'snapshot', ...source.snapshot }
  }
  const annotations = claim?.metadata.annotations ?? {}
  const [ofClaim, ofSnapshot] = [annotations[names.cloneRequest], annotations[names.snapshotRequest]]
  const pinned = ofClaim ?? ofSnapshot
  if (pinned === undefined) return undefined
  const object: CopiedObject = { kind: ofClaim === undefined ? 'snapshot' : 'pvc', ...objectOf(pinned) }
  const isChecked = object.namespace === namespace || (object.namespace !== '' && object.namespace === sourceRef.namespace)
  return isChecked ? object : undefined
}

/** Returns the claim that a worker reads: the source, or what a snapshot was restored to. Pure. */
export function copiedBy(origin: CopiedObject | undefined, claim: PersistentVolumeClaim | undefined): DataVolumeSourceObject | undefined {
  if (origin === undefined) return undefined
  const { kind, namespace, name } = origin
  if (kind === 'pvc') return { namespace, name }
  return claim === undefined ? undefined : { namespace, name: restoredName(claim) }
}

function copyOf(
  { claims }: Pick<Ports, 'claims'>,
  { namespace, name }: DataVolumeSourceObject,
  own: string,
  labels: Readonly<Record<string, string>>,
): ResolvedSource {
  const copied = claims.get(namespace, name)
  if (copied === undefined) return waitFor(reasonWithoutSource, `The source pvc ${name} doesn't exist in namespace ${namespace}`)
  const isOfDataVolume = copied.metadata.annotations?.[names.createdFor] !== undefined
  const isOurs = copied.metadata.annotations?.[names.externalPopulation] === undefined
  if (isOfDataVolume && isOurs && !isFilled(copied))
    return waitFor('ImportPVCNotReady', `The source PVC ${namespace}/${name} is not fully imported`)
  if (copied.status?.phase !== 'Bound') return waitFor('ImportPVCNotReady', `The source PVC ${namespace}/${name} is not bound`)
  if (namespace !== own && copied.metadata.annotations?.[names.contentType] === 'archive')
    return waitFor(
      'CrossNamespaceCloneNotServed',
      `Archives are only copied within a namespace: the source PVC is in ${namespace}, and the DataVolume in ${own}`,
    )
  return { source: { pvc: { namespace, name } }, copied, labels: { ...copied.metadata.labels, ...labels } }
}

function waitFor(reason: string, message: string): ResolvedSource {
  return { wait: { reason, message } }
}

/** `namespace/name` */
function objectOf(text: string): DataVolumeSourceObject {
  const [namespace = '', name = ''] = text.split('/')
  return { namespace, name }
}

/** Reports whether a DataVolume copies another volume. Pure. */
export function isCopy({ spec: { source, sourceRef } }: DataVolume): boolean {
  const kind = kindOf(source)
  return sourceRef !== undefined || kind === 'pvc' || kind === 'snapshot'
}
