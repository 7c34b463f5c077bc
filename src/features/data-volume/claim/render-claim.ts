import type { StorageProfile } from '#api/cdi/v1beta1/storage-profile.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { formatQuantity, parseQuantity, quantityFromBytes, quantityToBytes } from '#apimachinery/quantity.ts'
import { defaultStorageClass, inflated, type ImportSettings } from '#features/storage-profile/index.ts'

/** What a claim is completed from. */
export interface RenderingInput {
  readonly spec: DataVolumeSpec
  readonly classes: readonly StorageClass[]
  readonly profile: (name: string) => StorageProfile | undefined
  readonly settings: Pick<ImportSettings, 'overheadOf'>
  /** What is copied, as a claim. Undefined for other sources. */
  readonly copied: Pick<PersistentVolumeClaim, 'spec' | 'status'> | undefined
}

/** The spec of a claim, or why it cannot be made yet. */
export type Rendered =
  | { readonly spec: PersistentVolumeClaimSpec; readonly problem?: undefined }
  | { readonly problem: string; readonly spec?: undefined }

const minimumSizeAnnotation = 'cdi.kubevirt.io/minimumSupportedPvcSize'

/**
 * Returns the spec of the claim of a DataVolume: `pvc` as it is, `storage` completed from class and
 * StorageProfile. Disks on a file system get room for the file system, too. Pure.
 */
export function renderClaim(input: RenderingInput): Rendered {
  const { pvc, storage, contentType = 'kubevirt' } = input.spec
  if (pvc !== undefined) return { spec: pvc }
  const wanted: PersistentVolumeClaimSpec = { ...storage }
  const isArchive = contentType === 'archive'
  if (isArchive && wanted.volumeMode === 'Block') return { problem: 'ContentType Archive cannot have block volumeMode' }
  const volumeMode = isArchive ? 'Filesystem' : wanted.volumeMode === 'FromStorageProfile' ? undefined : wanted.volumeMode
  const named = wanted.storageClassName
  const storageClass =
    named === undefined ? defaultStorageClass(input.classes, contentType) : input.classes.find(({ metadata }) => metadata.name === named)
  if (named !== undefined && named !== '' && storageClass === undefined && (wanted.accessModes ?? []).length === 0)
    return { problem: `storageclasses.storage.k8s.io "${named}" not found` }
  const modes = modesOf({ ...wanted, ...(volumeMode === undefined ? {} : { volumeMode }) }, storageClass, input)
  if ('problem' in modes) return modes
  const size = sizeOf(input, { volumeMode: modes.volumeMode, storageClass })
  if (size === undefined) return { problem: 'PVC Spec is not valid - missing storage size' }
  const { volumeMode: _, ...rest } = wanted
  const spec: PersistentVolumeClaimSpec = {
    ...rest,
    accessModes: [...modes.accessModes],
    ...(modes.volumeMode === undefined ? {} : { volumeMode: modes.volumeMode }),
    ...(storageClass?.metadata.name === undefined ? {} : { storageClassName: storageClass.metadata.name }),
    resources: { ...wanted.resources, requests: { ...wanted.resources?.requests, storage: size } },
  }
  return { spec }
}

interface Modes {
  readonly accessModes: readonly string[]
  /** Undefined: Kubernetes' default. */
  readonly volumeMode: string | undefined
}

function modesOf(
  { accessModes = [], volumeMode }: PersistentVolumeClaimSpec,
  storageClass: StorageClass | undefined,
  { profile }: RenderingInput,
): Modes | { readonly problem: string } {
  if (accessModes.length > 0 && volumeMode !== undefined) return { accessModes, volumeMode }
  const name = storageClass?.metadata.name ?? ''
  const sets = storageClass === undefined ? [] : (profile(name)?.status?.claimPropertySets ?? [])
  if (accessModes.length > 0) {
    // Kubernetes' default where the profile knows no such volumes.
    return { accessModes, volumeMode: sets.find((set) => set.accessModes.some((mode) => accessModes.includes(mode)))?.volumeMode }
  }
  if (storageClass === undefined)
    return {
      problem: 'PVC spec is missing accessMode and no storageClass to choose profile: name a storage class, or make one the default',
    }
  const set = sets.find((one) => volumeMode === undefined || one.volumeMode === volumeMode)
  if (set !== undefined) return { accessModes: set.accessModes, volumeMode: set.volumeMode }
  return {
    problem:
      volumeMode === undefined
        ? `no accessMode specified in StorageProfile ${name}: name accessModes, or set claimPropertySets in the StorageProfile`
        : `no accessMode specified in StorageProfile ${name} for volumeMode ${volumeMode}: name accessModes`,
  }
}

function sizeOf(
  { spec: { storage, contentType = 'kubevirt' }, settings, profile, copied }: RenderingInput,
  { volumeMode, storageClass }: { readonly volumeMode: string | undefined; readonly storageClass: StorageClass | undefined },
): string | undefined {
  const className = storageClass?.metadata.name
  const asked = storage?.resources?.requests?.['storage']
  const isOnFiles = volumeMode !== 'Block'
  const overhead = isOnFiles && contentType === 'kubevirt' ? settings.overheadOf(className) : 0
  const bytes = asked === undefined ? copiedBytes(copied, isOnFiles, overhead) : inflated(quantityToBytes(parseQuantity(asked)), overhead)
  if (bytes === undefined) return undefined
  const minimum = profile(className ?? '')?.metadata.annotations?.[minimumSizeAnnotation]
  const least = minimum === undefined ? 0n : quantityToBytes(parseQuantity(minimum))
  return formatQuantity(quantityFromBytes(bytes > least ? bytes : least))
}

/** A disk of a device that goes to a file system needs room for the file system. */
function copiedBytes(copied: RenderingInput['copied'], isOnFiles: boolean, overhead: number): bigint | undefined {
  const size = copied?.status?.capacity?.['storage'] ?? copied?.spec?.resources?.requests?.['storage']
  if (size === undefined) return undefined
  const bytes = quantityToBytes(parseQuantity(size))
  return isOnFiles && copied?.spec?.volumeMode === 'Block' ? inflated(bytes, overhead) : bytes
}
