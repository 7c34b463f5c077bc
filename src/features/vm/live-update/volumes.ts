import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { Change } from '#features/instancetype/index.ts'
import { isHotpluggable } from '#features/vmi/index.ts'

/** Volumes of a guest, and their disks. */
export interface GuestVolumes {
  readonly volumes: readonly Volume[]
  readonly disks: readonly Disk[]
}

/** Path of a change of volumes that a running guest takes. */
export const volumesPath = 'spec.volumes'

/**
 * Returns the volumes of a running guest as its VM wants them. One whose source has changed is
 * removed first, and added when it is gone: until then the VMI has a status for it. The drive of a
 * CD-ROM stays without its volume. As KubeVirt does. Volumes of dumps follow the status of the VM.
 * Pure.
 */
export function syncVolumes({ spec, status }: VirtualMachineInstance, wanted: VirtualMachineInstanceSpec): GuestVolumes {
  const [own, target] = [volumesOf(spec), volumesOf(wanted)]
  const shown = new Set((status?.volumeStatus ?? []).map(({ name }) => name))
  const kept = own.volumes.filter((volume) => {
    if (!isHotpluggable(volume, own.disks) || volume.memoryDump !== undefined) return true
    const after = find(target.volumes, volume.name)
    return after !== undefined && (!isHotpluggable(after, target.disks) || semanticEqual(after, volume))
  })
  const added = target.volumes.filter(
    (volume) =>
      volume.memoryDump === undefined &&
      isHotpluggable(volume, target.disks) &&
      find(own.volumes, volume.name) === undefined &&
      !shown.has(volume.name),
  )
  const volumes = [...kept, ...added]
  const keptDisks = own.disks.filter((disk) => {
    if (find(volumes, disk.name) !== undefined) return true
    const after = find(target.disks, disk.name)
    if (after === undefined) return false
    return find(target.volumes, disk.name) === undefined || (after.cdrom !== undefined && disk.cdrom !== undefined)
  })
  const addedDisks = target.disks.filter((disk) => {
    const volume = find(volumes, disk.name)
    return volume !== undefined && isHotpluggable(volume, target.disks) && find(own.disks, disk.name) === undefined
  })
  return { volumes, disks: [...keptDisks, ...addedDisks] }
}

/** Lists what {@link syncVolumes} changes in a running guest. Pure. */
export function volumeChanges(vmi: VirtualMachineInstance, wanted: VirtualMachineInstanceSpec): Change[] {
  const [before, after] = [volumesOf(vmi.spec), syncVolumes(vmi, wanted)]
  const names = new Set([before, after].flatMap(({ volumes }) => volumes.map(({ name }) => name)))
  return [...names].flatMap((name) => {
    const [old, now] = [before, after].map(({ volumes }) => sourceOf(find(volumes, name)))
    return old === now ? [] : [{ path: `${volumesPath}[${name}]`, old, new: now }]
  })
}

/**
 * Returns two specs without the volumes in which they differ only by what a running guest takes:
 * what remains of a difference needs a restart. Pure.
 */
export function withoutLiveVolumes(
  started: VirtualMachineInstanceSpec,
  { spec }: VirtualMachineInstance,
  wanted: VirtualMachineInstanceSpec,
): readonly [started: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec] {
  const [before, live, after] = [started, spec, wanted].map(volumesOf) as [GuestVolumes, GuestVolumes, GuestVolumes]
  const isLive = (name: string): boolean => {
    const all = [before, live, after].map((each) => ({ volume: find(each.volumes, name), disks: each.disks }))
    // A volume without source is one that the guest does not have, or is not to have.
    if (all.some(({ volume, disks: shown }) => volume !== undefined && !isHotpluggable(volume, shown))) return false
    const disks = [before, live, after].map((each) => find(each.disks, name)).filter((disk) => disk !== undefined)
    const isDrive = disks.some(({ cdrom }) => cdrom !== undefined)
    // A drive is part of the guest's hardware; its medium is not.
    return isDrive ? false : all.some(({ volume }) => volume !== undefined) && areSame(disks)
  }
  const strip = (one: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec => {
    const { volumes, disks } = volumesOf(one)
    const devices = { ...one.domain.devices, disks: disks.filter(({ name }) => !isLive(name)) }
    return { ...one, volumes: volumes.filter((volume) => !isHotpluggable(volume, disks)), domain: { ...one.domain, devices } }
  }
  return [strip(started), strip(wanted)]
}

/** The disk of a plugged volume stays as it is while the volume is there. */
function areSame(disks: readonly Disk[]): boolean {
  const [first, ...others] = disks
  return others.every((disk) => semanticEqual(disk, first))
}

function volumesOf({ volumes = [], domain }: VirtualMachineInstanceSpec): GuestVolumes {
  return { volumes, disks: domain.devices.disks ?? [] }
}

function find<T extends { readonly name: string }>(list: readonly T[], name: string): T | undefined {
  return list.find((one) => one.name === name)
}

function sourceOf(volume: Volume | undefined): string | undefined {
  return volume?.persistentVolumeClaim?.claimName ?? volume?.dataVolume?.name
}
