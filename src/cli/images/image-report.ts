import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { importNames } from '#features/data-import-cron/index.ts'
import { resolveSource, type SourceLookup } from '#features/data-source/index.ts'
import { pinnedDigest } from './image-source.ts'

/** A DataSource and the image that it names. */
export interface ImageRow {
  readonly namespace: string
  readonly name: string
  /** `KIND/NAME` of the image, with its namespace when that is another one; empty without one. */
  readonly image: string
  readonly size: string
  /** `Ready`, or the reason for which it is not, with the progress of an import. */
  readonly phase: string
  readonly isComplete: boolean
  /** Explains the phase; empty when complete. */
  readonly message: string
  /** Digest or checksum of the image, where it is known. */
  readonly digest: string
  /** What the image was imported from. */
  readonly from: string
  readonly instancetype: string
  readonly preference: string
  /** DataImportCron that keeps the DataSource. */
  readonly cron: string
  readonly createdAt: string | undefined
}

/** Objects that images consist of. */
export interface ImageLookup extends SourceLookup {
  readonly cron: (namespace: string, name: string) => DataImportCron | undefined
}

/** Image of a DataSource, over one other DataSource at most. */
interface NamedImage {
  readonly kind: 'pvc' | 'snapshot'
  readonly namespace: string
  readonly name: string
}

/** Returns the image that a DataSource names, whether or not it is there. Pure. */
export function namedImage({ metadata, spec }: DataSource, lookup: Pick<SourceLookup, 'dataSource'>): NamedImage | undefined {
  const { namespace = '' } = metadata
  const next = spec.source.dataSource
  const { pvc, snapshot } = (next === undefined ? spec : lookup.dataSource(namespace, next.name)?.spec)?.source ?? {}
  if (pvc !== undefined) return { kind: 'pvc', namespace: pvc.namespace || namespace, name: pvc.name }
  if (snapshot !== undefined) return { kind: 'snapshot', namespace: snapshot.namespace || namespace, name: snapshot.name }
  return undefined
}

/** Describes a DataSource. Pure. */
export function describeImage(dataSource: DataSource, lookup: ImageLookup): ImageRow {
  const { namespace = '', name = '', labels = {}, creationTimestamp } = dataSource.metadata
  const image = namedImage(dataSource, lookup)
  const dataVolume = image?.kind === 'pvc' ? lookup.dataVolume(image.namespace, image.name) : undefined
  const claim = image?.kind === 'pvc' ? lookup.claim(image.namespace, image.name) : undefined
  const resolution = resolveSource(dataSource, lookup)
  return {
    namespace,
    name,
    image: image === undefined ? '' : `${image.kind}/${image.namespace === namespace ? '' : `${image.namespace}/`}${image.name}`,
    size: sizeOf(dataVolume, claim),
    phase: resolution.kind === 'ready' ? 'Ready' : phaseOf(resolution.reason, dataVolume),
    isComplete: resolution.kind === 'ready',
    message: resolution.kind === 'ready' ? '' : explain(resolution.message, dataVolume),
    digest: digestOf(dataVolume) ?? '',
    from: originOf(dataVolume),
    instancetype: labels['instancetype.kubevirt.io/default-instancetype'] ?? '',
    preference: labels['instancetype.kubevirt.io/default-preference'] ?? '',
    cron: labels[importNames.cronLabel] ?? '',
    createdAt: creationTimestamp,
  }
}

/** Size of the disk: what was asked for, or what the volume has. Pure. */
export function sizeOf(dataVolume: DataVolume | undefined, claim: PersistentVolumeClaim | undefined): string {
  const { storage, pvc } = dataVolume?.spec ?? {}
  const size =
    (storage ?? pvc)?.resources?.requests?.['storage'] ??
    claim?.status?.capacity?.['storage'] ??
    claim?.spec?.resources?.requests?.['storage']
  return size === undefined ? '' : String(size)
}

/** Digest or checksum of what was imported, where it is known. Pure. */
export function digestOf(dataVolume: DataVolume | undefined): string | undefined {
  const { http, registry } = dataVolume?.spec.source ?? {}
  return dataVolume?.metadata.annotations?.[importNames.importedDigest] ?? http?.checksum ?? pinnedDigest(registry?.url ?? '')
}

function originOf(dataVolume: DataVolume | undefined): string {
  const { http, s3, registry, pvc, upload, blank } = dataVolume?.spec.source ?? {}
  if (upload !== undefined) return 'upload'
  if (blank !== undefined) return 'blank'
  if (pvc !== undefined) return `pvc/${pvc.namespace}/${pvc.name}`
  return http?.url ?? s3?.url ?? registry?.url ?? ''
}

function phaseOf(reason: string, dataVolume: DataVolume | undefined): string {
  const progress = dataVolume?.status?.progress ?? ''
  return /^\d/.test(progress) && reason.endsWith('InProgress') ? `${reason} ${progress}` : reason
}

/** Message of a condition that says why a DataVolume does not go on. Pure. */
export function whyWaiting(dataVolume: DataVolume | undefined): string {
  const conditions = dataVolume?.status?.conditions ?? []
  const said = ['Running', 'Bound', 'Ready'].flatMap((type) =>
    conditions.filter((each) => each.type === type && each.status !== 'True' && (each.message ?? '') !== ''),
  )
  return said[0]?.message ?? ''
}

function explain(message: string, dataVolume: DataVolume | undefined): string {
  const why = whyWaiting(dataVolume)
  return why === '' ? message : `${message}: ${why}`
}

/** Something that is wrong with an image. */
export interface ImageFinding {
  readonly namespace: string
  readonly name: string
  readonly reason: 'Incomplete' | 'DigestMismatch' | 'Outdated' | 'PinNotFollowed'
  readonly message: string
}

/** Finds what is wrong with the image of a DataSource. Pure. */
export function verifyImage(dataSource: DataSource, lookup: ImageLookup): readonly ImageFinding[] {
  const row = describeImage(dataSource, lookup)
  const { namespace, name } = row
  const finding = (reason: ImageFinding['reason'], message: string): ImageFinding => ({ namespace, name, reason, message })
  if (!row.isComplete) return [finding('Incomplete', row.message)]
  const image = namedImage(dataSource, lookup)
  const dataVolume = image?.kind === 'pvc' ? lookup.dataVolume(image.namespace, image.name) : undefined
  const mismatch = mismatchOf(dataVolume)
  return [
    ...(mismatch === undefined ? [] : [finding('DigestMismatch', mismatch)]),
    ...staleness(lookup.cron(namespace, row.cron), { image: image?.name ?? '', digest: digestOf(dataVolume) }).map(([reason, message]) =>
      finding(reason, message),
    ),
  ]
}

/** Compares the digest that was recorded with the one that the source names. */
function mismatchOf(dataVolume: DataVolume | undefined): string | undefined {
  const recorded = dataVolume?.metadata.annotations?.[importNames.importedDigest]
  const { http, registry } = dataVolume?.spec.source ?? {}
  // That of a DataImportCron with an HTTP source is of its ETag, and not of the file.
  const isOfCron = dataVolume?.metadata.labels?.[importNames.cronLabel] !== undefined
  const named = pinnedDigest(registry?.url ?? '') ?? (isOfCron ? undefined : http?.checksum)
  if (recorded === undefined || named === undefined || recorded.split(':')[0] !== named.split(':')[0]) return undefined
  return recorded === named ? undefined : `the source names ${named}, and ${recorded} was imported`
}

function staleness(
  cron: DataImportCron | undefined,
  { image, digest }: { readonly image: string; readonly digest: string | undefined },
): readonly (readonly [ImageFinding['reason'], string])[] {
  const { [importNames.pin]: pin, [importNames.desiredDigest]: wanted } = cron?.metadata.annotations ?? {}
  const who = `the DataImportCron "${cron?.metadata.name ?? ''}"`
  if (pin !== undefined && pin !== '')
    return pin === image || pin === digest ? [] : [['PinNotFollowed', `${who} is pinned to ${pin}, and the image is ${image}`]]
  if (wanted === undefined || wanted === '' || digest === undefined || wanted === digest) return []
  return [['Outdated', `${who} wants ${wanted}, and the image has ${digest}`]]
}
