import type { Consumer } from '../worker/consumer-node.ts'
import type { DataVolumeSource, DataVolumeSourceObject } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'

/** A claim to fill, and with what. Made of a DataVolume, or of the annotations of a claim. */
export interface FillOrder {
  readonly claim: PersistentVolumeClaim
  readonly source: DataVolumeSource
  readonly contentType: 'kubevirt' | 'archive'
  readonly preallocation: boolean
  /** Owner of the worker. */
  readonly owner: OwnerReference
  /** Annotations of the owner that go to the pod. */
  readonly annotations: Readonly<Record<string, string>>
  readonly priorityClassName?: string
  readonly serviceAccountName?: string
  /** Seconds after which a worker that has not ended is stopped. */
  readonly deadlineSeconds?: number
  /** The claim that is copied. */
  readonly copied?: PersistentVolumeClaim
  /** Its name, also while a worker copies it. */
  readonly copiedFrom?: DataVolumeSourceObject
  /** No pod may be able to have both volumes. */
  readonly isApart?: boolean
}

/** Reports whether another pod serves the claim that is copied. Pure. */
export function isRemote({ claim, copied, isApart = false }: Pick<FillOrder, 'claim' | 'copied' | 'isApart'>): boolean {
  return copied !== undefined && (isApart || copied.metadata.namespace !== claim.metadata.namespace)
}

/**
 * Marks a copy whose volumes may be of different nodes: that of the target is given by the pod that
 * waits for it, also while it is not known, and that of the source by what wrote to it. Folders are
 * not served. Pure.
 */
export function forConsumer(order: FillOrder, consumer: Consumer | undefined): FillOrder {
  const isShared = order.copied?.spec?.accessModes?.some((mode) => mode !== 'ReadWriteOnce' && mode !== 'ReadWriteOncePod') === true
  return { ...order, isApart: consumer !== undefined && !isShared && order.contentType === 'kubevirt' }
}
