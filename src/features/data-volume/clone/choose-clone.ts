import type { FillWait } from '../fill/decide-fill.ts'

/** What is copied. */
export interface CloneSource {
  readonly kind: 'pvc' | 'snapshot'
  /** Provisioner of its storage class, or driver of the snapshot. */
  readonly driver: string | undefined
  /** Undefined where a snapshot does not say. */
  readonly volumeMode: string | undefined
  readonly bytes: bigint | undefined
}

/** What decides how a volume is copied. */
export interface CloneQuestion {
  readonly source: CloneSource
  readonly target: {
    readonly driver: string | undefined
    readonly volumeMode: string
    readonly bytes: bigint
    /** The storage class allows expansion. */
    readonly isExpandable: boolean
    /** No pod is waited for, and the class binds its volumes to their first pod. */
    readonly needsConsumer: boolean
  }
  /** `copy`, `snapshot` or `csi-clone`; undefined when neither CDI nor the StorageProfile say. */
  readonly strategy: string | undefined
  /** There is a VolumeSnapshotClass of the target's driver. */
  readonly hasSnapshotClass: boolean
  readonly isSameNamespace: boolean
}

/** Who copies a volume. `reason`: why it is not the driver, which would be faster. */
export type CloneChoice =
  | { readonly by: 'driver'; readonly type: 'csi-clone' | 'snapshot'; readonly bytes: bigint }
  | { readonly by: 'worker'; readonly reason?: FillWait }

/** Reasons and messages of CDI, where it has them. */
const reasons = {
  NoVolumeSnapshotClass: 'No compatible volumesnapshotclass found',
  NoProvisionerMatch: 'The storageclass provisioner does not match the volumesnapshotcontent driver',
  NoVolumeExpansion: 'No volume expansion is possible',
  IncompatibleVolumeModes: 'The volume modes of source and target are incompatible',
  IncompatibleProvisioners: 'Provisioners are incompatible',
  SnapshotCloneNotServed:
    'PVCs are not cloned by way of snapshots: set cloneStrategy csi-clone in the StorageProfile if the driver can clone',
  CrossNamespaceClone: 'Drivers clone within a namespace only',
  NoFirstConsumer: 'The volume is bound at once, and only a worker can be its first pod',
} as const

/** Chooses who copies a volume, by the rules of CDI. Pure. */
export function chooseClone({ source, target, strategy = 'snapshot', hasSnapshotClass, isSameNamespace }: CloneQuestion): CloneChoice {
  if (source.kind === 'pvc') {
    if (strategy === 'copy') return { by: 'worker' }
    if (strategy !== 'csi-clone') return worker(hasSnapshotClass ? 'SnapshotCloneNotServed' : 'NoVolumeSnapshotClass')
  }
  const isSameDriver = source.driver !== undefined && source.driver === target.driver
  if (!isSameDriver) return worker(source.kind === 'snapshot' ? 'NoProvisionerMatch' : 'IncompatibleProvisioners')
  if (source.volumeMode !== undefined && source.volumeMode !== target.volumeMode) return worker('IncompatibleVolumeModes')
  const bytes = source.bytes ?? target.bytes
  if (bytes < target.bytes && !target.isExpandable) return worker('NoVolumeExpansion')
  if (!isSameNamespace) return worker('CrossNamespaceClone')
  if (target.needsConsumer) return worker('NoFirstConsumer')
  return { by: 'driver', type: source.kind === 'pvc' ? 'csi-clone' : 'snapshot', bytes }
}

function worker(reason: keyof typeof reasons): CloneChoice {
  return { by: 'worker', reason: { reason, message: reasons[reason] } }
}
