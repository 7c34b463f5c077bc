import type { VirtualMachineInstance, VirtualMachineInstanceCondition } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { GuestVolumeState } from './volumes.ts'

/** KubeVirt's reasons. */
const reasons = { ready: 'VolumeReady', mounted: 'VolumeMountedToPod', unmounted: 'VolumeUnMountedFromPod' } as const

/** steadyvm's own condition, while volumes are not as the VMI wants them. */
export const volumesReady = 'steadyvm.io/VolumesReady'

/**
 * Returns the status of a guest's volumes with what the node agent knows: phases from the
 * attachment to the guest on, in KubeVirt's words. Undefined when there is nothing to say. Pure.
 */
export function volumeStatuses(
  vmi: VirtualMachineInstance,
  { plugged, open, refused }: GuestVolumeState,
  sizes: ReadonlyMap<string, number>,
): VolumeStatus[] | undefined {
  const statuses = vmi.status?.volumeStatus?.map((status) => {
    const size = sizes.get(status.name)
    return size === undefined ? status : { ...status, size }
  })
  if (statuses === undefined) return undefined
  const wanted = new Set((vmi.spec.volumes ?? []).map(({ name }) => name))
  return statuses.map((status) => {
    const { name, hotplugVolume, memoryDumpVolume, phase } = status
    // The guest never has the volume of a dump.
    if (hotplugVolume === undefined || memoryDumpVolume !== undefined) return status
    if (!wanted.has(name)) return open.has(name) || plugged.has(name) || !isUsed(phase) ? status : unmounted(status)
    if (plugged.has(name)) return ready(vmi, status)
    const why = refused.get(name)
    return why === undefined || hotplugVolume.attachPodUID === undefined ? status : mounted(status, why)
  })
}

function isUsed(phase: string | undefined): boolean {
  return phase === 'Ready' || phase === 'MountedToPod' || phase === 'AttachedToNode'
}

function ready(vmi: VirtualMachineInstance, status: VolumeStatus): VolumeStatus {
  const message = `Successfully attach hotplugged volume ${status.name} to VM`
  return { ...status, target: targetOf(vmi, status.name), phase: 'Ready', reason: reasons.ready, message }
}

function mounted(status: VolumeStatus, why: string): VolumeStatus {
  return { ...status, target: '', phase: 'MountedToPod', reason: reasons.mounted, message: why }
}

/** Returns the status of a volume that was removed from the VMI, and is used no more. Pure. */
export function unmounted(status: VolumeStatus): VolumeStatus {
  const message = `Volume ${status.name} has been unmounted from virt-launcher pod`
  return { ...status, target: '', phase: 'UnMountedFromPod', reason: reasons.unmounted, message }
}

/** Name that the disk would have if guests named disks in the order of the VMI, as KubeVirt's. */
function targetOf({ spec }: VirtualMachineInstance, name: string): string {
  const disks = (spec.domain.devices.disks ?? []).map((disk) => ({
    name: disk.name,
    prefix: (disk.disk ?? disk.cdrom ?? disk.lun)?.bus === 'virtio' ? 'vd' : 'sd',
  }))
  const { prefix = 'sd' } = disks.find((disk) => disk.name === name) ?? {}
  return prefix + letters(disks.filter((disk) => disk.prefix === prefix).findIndex((disk) => disk.name === name))
}

/** Counts as Linux names disks: a … z, aa, ab … */
function letters(index: number): string {
  const last = String.fromCharCode(97 + (index % 26))
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last
}

/** Returns the condition of a guest whose volumes are not as its VMI wants; undefined: they are. */
export function volumesCondition({ refused }: Pick<GuestVolumeState, 'refused'>): VirtualMachineInstanceCondition | undefined {
  if (refused.size === 0) return undefined
  const message = [...refused].map(([name, why]) => `volume "${name}": ${why}`).join('; ')
  return { type: volumesReady, status: 'False', reason: 'NotAsRequested', message, lastProbeTime: null }
}

/** An event about a volume: its new phase, or its end. */
export interface VolumeEvent {
  readonly reason: string
  readonly message: string
}

/** Returns the events of a change of phases that the node agent makes. Pure. */
export function volumeEvents(before: readonly VolumeStatus[] = [], after: readonly VolumeStatus[] = []): VolumeEvent[] {
  const old = new Map(before.map(({ name, phase }) => [name, phase]))
  return after.flatMap(({ name, phase, reason = '', message = '' }) => {
    if (old.get(name) === phase || phase === 'MountedToPod') return []
    return phase === 'UnMountedFromPod'
      ? [{ reason: 'VolumeUnplugged', message: `Volume ${name} has been unplugged` }]
      : [{ reason, message }]
  })
}
