import type { VolumeCloneSource } from '#api/cdi/v1beta1/volume-clone-source.ts'
import type { VolumeImportSource } from '#api/cdi/v1beta1/volume-import-source.ts'
import type { VolumeUploadSource } from '#api/cdi/v1beta1/volume-upload-source.ts'
import type { TypedObjectReference } from '#api/core/v1/references.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { cdiGroup } from '#features/foreign-cdi/index.ts'
import { localProvisioner } from '#features/storage-profile/index.ts'
import type { Purpose } from '../source/source.ts'

/** Kind of an object that a claim is filled from. */
export type PopulationKind = 'VolumeImportSource' | 'VolumeUploadSource' | 'VolumeCloneSource' | 'PersistentVolumeClaim'

/** The object that a claim is filled from. */
export interface Population {
  readonly kind: PopulationKind
  readonly name: string
  /** Namespace, if the claim names one. */
  readonly namespace?: string
}

/** An object with the content of claims. */
export type PopulationSource = VolumeImportSource | VolumeUploadSource | VolumeCloneSource

const purposes: Readonly<Record<PopulationKind, Purpose>> = {
  VolumeImportSource: 'import',
  VolumeUploadSource: 'upload',
  VolumeCloneSource: 'clone',
  PersistentVolumeClaim: 'clone',
}

/** Returns what the worker of a claim does. Pure. */
export function purposeOfPopulation({ kind }: Population): Purpose {
  return purposes[kind]
}

/**
 * Returns what a claim is filled from, if that is our task: one of CDI's kinds, or another claim
 * where the provisioner, that of machine mode, copies none. Pure.
 */
export function populationOf({ spec }: PersistentVolumeClaim, storageClass: StorageClass | undefined): Population | undefined {
  const named: TypedObjectReference | undefined = spec?.dataSourceRef ?? spec?.dataSource
  if (named === undefined) return undefined
  const { apiGroup = '', kind, name, namespace = '' } = named
  const object = { name, ...(namespace === '' ? {} : { namespace }) }
  if (apiGroup === cdiGroup && isOurKind(kind)) return { kind, ...object }
  const isClaim = apiGroup === '' && kind === 'PersistentVolumeClaim'
  return isClaim && storageClass?.provisioner === localProvisioner ? { kind, ...object } : undefined
}

function isOurKind(kind: string): kind is PopulationKind {
  return Object.hasOwn(purposes, kind) && kind !== 'PersistentVolumeClaim'
}
