import type { DataVolumeSource, DataVolumeSourceObject } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'

/** Kind of a source, as its field of a DataVolume. */
export type SourceKind = keyof DataVolumeSource

/** What a DataVolume asks for, by the part of the life of which CDI has phases of its own. */
export type Purpose = 'import' | 'upload' | 'clone'

/** Returns the kind of a source; undefined when no field is set. Pure. */
export function kindOf(source: DataVolumeSource | undefined): SourceKind | undefined {
  return (Object.keys(source ?? {}) as SourceKind[]).find((kind) => source?.[kind] !== undefined && source[kind] !== null)
}

/** Returns what a DataVolume with this source goes through. Pure. */
export function purposeOf(kind: SourceKind | undefined): Purpose {
  if (kind === 'pvc' || kind === 'snapshot') return 'clone'
  return kind === 'upload' ? 'upload' : 'import'
}

/** Reports whether another controller fills the claim. Pure. */
export function isPopulatedOutside({ pvc, storage }: DataVolumeSpec): boolean {
  const part = pvc ?? storage
  return part?.dataSource !== undefined || part?.dataSourceRef !== undefined
}

/** Returns the claim or snapshot that a source copies. Pure. */
export function copiedObject(source: DataVolumeSource | undefined): DataVolumeSourceObject | undefined {
  return source?.pvc ?? source?.snapshot
}
