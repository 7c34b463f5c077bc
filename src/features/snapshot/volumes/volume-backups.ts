import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { claimNameOf } from '#features/vmi/index.ts'
import { backupName } from '../names.ts'

/** What the backups of a VM's volumes depend on. */
export interface BackupSource {
  readonly vm: VirtualMachine
  readonly isRunning: boolean
  readonly claim: (name: string) => PersistentVolumeClaim | undefined
  /** Whether the driver of a storage class takes snapshots. */
  readonly takesSnapshots: (storageClassName: string | undefined) => boolean
}

/** Returns the volumes whose content outlives the guest. Images have theirs elsewhere. */
export function volumesWithData(volumes: readonly Volume[] = []): Volume[] {
  return volumes.filter(({ persistentVolumeClaim, dataVolume }) => persistentVolumeClaim !== undefined || dataVolume !== undefined)
}

/**
 * Returns the volumes that a snapshot includes, and how: by VolumeSnapshots if all drivers take
 * them, else by copies, so that all volumes are at one instant. Claims without a volume are
 * excluded, as in KubeVirt, and so are volumes of a running guest that are no disks. Pure.
 */
export function backupsOf({ metadata }: VirtualMachineSnapshot, { vm, isRunning, claim, takesSnapshots }: BackupSource): VolumeBackup[] {
  const { volumes, domain } = vm.spec.template.spec
  const disks = new Set((domain.devices.disks ?? []).map(({ name }) => name))
  const found = volumesWithData(volumes).flatMap((volume) => {
    const bound = claim(claimNameOf(volume) ?? '')
    if (bound?.status?.phase !== 'Bound' || (isRunning && !disks.has(volume.name))) return []
    return [{ volumeName: volume.name, bound }]
  })
  const bySnapshots = found.every(({ bound }) => takesSnapshots(bound.spec?.storageClassName))
  return found.map(({ volumeName, bound }) => {
    const name = backupName(metadata.uid ?? '', volumeName)
    const kept = { volumeName, persistentVolumeClaim: keptClaim(bound) }
    return bySnapshots ? { ...kept, volumeSnapshotName: name } : { ...kept, steadyvm: { copyClaimName: name } }
  })
}

/** The claim with the size that it has, without fields of controllers. */
function keptClaim({ metadata, spec, status }: PersistentVolumeClaim): VolumeBackup['persistentVolumeClaim'] {
  const { name, namespace, uid, labels, annotations, ownerReferences } = metadata
  const kept = { name, namespace, uid, labels, annotations, ownerReferences }
  const storage = status?.capacity?.['storage'] ?? spec?.resources?.requests?.['storage']
  const { volumeName: _volume, dataSource: _source, dataSourceRef: _reference, ...asked } = spec ?? {}
  return {
    metadata: Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
    spec: { ...asked, ...(storage === undefined ? {} : { resources: { requests: { storage } } }) },
  }
}
