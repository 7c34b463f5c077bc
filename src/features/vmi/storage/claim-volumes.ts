import { dirname } from 'node:path'
import type { Container } from '#api/core/v1/container.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { mountPoints } from '#features/launcher/index.ts'
import { diskVolume } from '../launcher/launcher-volumes.ts'
import { isHotpluggable } from '../attachment/hotplug-volumes.ts'
import { claimNameOf } from './volume-status.ts'

/** Volumes, mounts and devices of a launcher pod for storage that outlives it. */
export interface ClaimVolumes {
  readonly volumes: readonly Volume[]
  readonly mounts: NonNullable<Container['volumeMounts']>
  readonly devices: NonNullable<Container['volumeDevices']>
}

/**
 * Returns claims and host paths as the guest's disks need them. `known` is the state of the claims;
 * raw block volumes become devices. `isTarget`: the guest comes from another pod, by a migration.
 */
export function claimVolumes({ spec }: VirtualMachineInstance, known: readonly VolumeStatus[], isTarget = false): ClaimVolumes {
  const isBlock = (name: string): boolean =>
    known.some((status) => status.name === name && status.persistentVolumeClaimInfo?.volumeMode === 'Block')
  // Hotpluggable volumes have pods of their own, also from the start. A guest that an earlier
  // release has started with them moves with them.
  const wasMounted = (name: string): boolean =>
    isTarget && known.some((status) => status.name === name && status.hotplugVolume === undefined)
  const fixed = (spec.volumes ?? []).filter((volume) => !isHotpluggable(volume, spec.domain.devices.disks) || wasMounted(volume.name))
  const parts = fixed.flatMap((volume) => {
    const claimName = claimNameOf(volume)
    const name = diskVolume(volume.name)
    const readOnly = volume.persistentVolumeClaim?.readOnly === true ? { readOnly: true } : {}
    const mount = { name, mountPath: mountPoints.claim(volume.name), ...readOnly }
    if (claimName !== undefined) {
      const claim: Volume = { name, persistentVolumeClaim: { claimName, ...readOnly } }
      return [
        isBlock(volume.name) ? { volume: claim, device: { name, devicePath: mountPoints.device(volume.name) } } : { volume: claim, mount },
      ]
    }
    if (volume.hostDisk === undefined) return []
    const { path, type } = volume.hostDisk
    const hostPath = { path: dirname(path), type: type === 'DiskOrCreate' ? 'DirectoryOrCreate' : 'Directory' }
    return [{ volume: { name, hostPath }, mount }]
  })
  return {
    volumes: parts.map(({ volume }) => volume),
    mounts: parts.flatMap(({ mount }) => mount ?? []),
    devices: parts.flatMap(({ device }) => device ?? []),
  }
}
