import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'

const virtDefaultAnnotation = 'storageclass.kubevirt.io/is-default-virt-class'
const defaultAnnotation = 'storageclass.kubernetes.io/is-default-class'

/** Reports whether a class is the default one of disks of guests. */
export function isVirtDefault({ metadata }: StorageClass): boolean {
  return metadata.annotations?.[virtDefaultAnnotation] === 'true'
}

/** Reports whether a class is Kubernetes' default one. */
export function isDefault({ metadata }: StorageClass): boolean {
  return metadata.annotations?.[defaultAnnotation] === 'true'
}

/**
 * Returns the class of claims that name none: that for disks of guests, or else Kubernetes'.
 * Archives are no disks. Of several the newest counts, and then the first by name. Pure.
 */
export function defaultStorageClass(classes: readonly StorageClass[], contentType: string = 'kubevirt'): StorageClass | undefined {
  const usable = classes.filter((one) => !isBeingDeleted(one)).toSorted(byAge)
  const ofGuests = contentType === 'kubevirt' ? usable.find(isVirtDefault) : undefined
  return ofGuests ?? usable.find(isDefault)
}

function byAge({ metadata: a }: StorageClass, { metadata: b }: StorageClass): number {
  const [older, newer] = [a.creationTimestamp ?? '', b.creationTimestamp ?? '']
  return newer.localeCompare(older) || (a.name ?? '').localeCompare(b.name ?? '')
}
