import type { CDI } from '#api/cdi/v1beta1/cdi.ts'
import type { StorageProfile } from '#api/cdi/v1beta1/storage-profile.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import { volumeSnapshotClasses } from '#api/snapshot-storage/v1/resources.ts'
import type { Quantity } from '#api/scalars.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { cloneStrategyOf } from '#features/storage-profile/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { chooseClone, type CloneChoice, type CloneSource } from './choose-clone.ts'
import type { SnapshotSource } from './snapshot-source.ts'

/** Dependencies of {@link observeClone}. */
export interface ClonePorts {
  readonly client: Pick<Client, 'list'>
  readonly classes: Pick<Lister<StorageClass>, 'get'>
  readonly profiles: Pick<Lister<StorageProfile>, 'get'>
  readonly installations: Pick<Lister<CDI>, 'list'>
}

/** A copy that is to be made. */
export interface WantedClone {
  readonly copied?: PersistentVolumeClaim
  readonly snapshot?: SnapshotSource
  /** The claim as it was asked for. */
  readonly spec: PersistentVolumeClaimSpec
  readonly namespace: string
  /** No pod is waited for. */
  readonly bindsAtOnce: boolean
}

/** Finds out who copies a volume. Undefined if nothing is copied. */
export async function observeClone(
  { client, classes, profiles, installations }: ClonePorts,
  { copied, snapshot, spec, namespace, bindsAtOnce }: WantedClone,
): Promise<CloneChoice | undefined> {
  const source = sourceOf(classes, copied, snapshot)
  if (source === undefined) return undefined
  const { storageClassName = '', volumeMode = 'Filesystem', resources } = spec
  const storageClass = classes.get('', storageClassName)
  const byClass = storageClass === undefined ? undefined : cloneStrategyOf(profiles.get('', storageClassName), storageClass)
  const strategy = installations.list()[0]?.spec.cloneStrategyOverride ?? byClass
  const needsSnapshots = copied !== undefined && (strategy ?? 'snapshot') === 'snapshot'
  const driver = storageClass?.provisioner
  return chooseClone({
    source,
    target: {
      driver,
      volumeMode,
      bytes: bytesOf(resources?.requests?.['storage']) ?? 0n,
      isExpandable: storageClass?.allowVolumeExpansion === true,
      needsConsumer: bindsAtOnce && storageClass?.volumeBindingMode === 'WaitForFirstConsumer',
    },
    strategy,
    hasSnapshotClass: needsSnapshots && (await hasSnapshotClass(client, driver)),
    isSameNamespace: (copied?.metadata.namespace ?? snapshot?.namespace) === namespace,
  })
}

function sourceOf(
  classes: ClonePorts['classes'],
  copied: PersistentVolumeClaim | undefined,
  snapshot: SnapshotSource | undefined,
): CloneSource | undefined {
  if (copied !== undefined) {
    const { spec, status } = copied
    return {
      kind: 'pvc',
      driver: classes.get('', spec?.storageClassName ?? '')?.provisioner,
      volumeMode: spec?.volumeMode ?? 'Filesystem',
      bytes: bytesOf(status?.capacity?.['storage'] ?? spec?.resources?.requests?.['storage']),
    }
  }
  if (snapshot === undefined) return undefined
  const { driver, volumeMode, restoreSize } = snapshot
  return { kind: 'snapshot', driver, volumeMode, bytes: bytesOf(restoreSize) }
}

function bytesOf(size: Quantity | undefined): bigint | undefined {
  return size === undefined ? undefined : quantityToBytes(parseQuantity(size))
}

async function hasSnapshotClass(client: Pick<Client, 'list'>, driver: string | undefined): Promise<boolean> {
  const classes = await found(client.list(volumeSnapshotClasses))
  return classes?.items.some((one) => one.driver === driver) === true
}
