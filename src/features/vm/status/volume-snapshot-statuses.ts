import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachine, VolumeSnapshotStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import { claimNameOf } from '#features/vmi/index.ts'

/**
 * Returns which volumes of a VM a snapshot includes, and KubeVirt's reasons for the others. A
 * volume whose driver takes no snapshots is copied, so that each claim counts. Pure.
 */
export function volumeSnapshotStatuses(
  { spec }: Pick<VirtualMachine, 'spec'>,
  claim: (name: string) => PersistentVolumeClaim | undefined,
): VolumeSnapshotStatus[] {
  return (spec.template.spec.volumes ?? []).map((volume) => {
    const { name } = volume
    const claimName = claimNameOf(volume)
    if (claimName === undefined || volume.memoryDump !== undefined)
      return { name, enabled: false, reason: `Snapshot is not supported for this volumeSource type [${name}]` }
    return claim(claimName) === undefined ? { name, enabled: false, reason: 'PVC not found' } : { name, enabled: true }
  })
}
