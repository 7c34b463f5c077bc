import type { Disk as VmiDisk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { claimNameOf, isHotpluggable } from '#features/vmi/index.ts'
import type { PluggedDisks, PluggedPlace } from '#qemu/index.ts'

/** A volume that the guest is to have, with its disk. */
export interface RequestedVolume {
  readonly name: string
  readonly volume: Volume
  readonly disk: VmiDisk
  /** UID of the pod that has attached it to this node. Absent: it is not there yet. */
  readonly podUid?: string
}

/** Observed disks of a running guest. */
export interface ObservedVolumes {
  readonly plugged: Pick<PluggedDisks, 'disks' | 'open' | 'media' | 'scsiBus'>
  /** Drives for media that change. */
  readonly drives: ReadonlySet<string>
  /** Hotplug ports without a device, the lowest first. */
  readonly freePorts: readonly number[]
  /** Ids that are taken on the bus of the SCSI controller. */
  readonly scsiIds: ReadonlySet<number>
  /** True during a migration: the target is started with the disks of that moment. */
  readonly isMoving: boolean
}

/** Changes of disks to make now, and why others are impossible. */
export interface VolumeDecision {
  readonly plug: readonly { readonly volume: RequestedVolume; readonly place: PluggedPlace }[]
  /** Port for a SCSI controller, which has to be there first. */
  readonly controllerPort?: number
  /** Media to put into the drives of their names. */
  readonly insert: readonly RequestedVolume[]
  /** Disks that the guest is asked to release. */
  readonly unplug: readonly string[]
  readonly eject: readonly string[]
  /** Disks that no device shows any more: QEMU closes them. */
  readonly close: readonly string[]
  /** Reasons by the name of the volume. */
  readonly refused: ReadonlyMap<string, string>
}

/** Ids on the bus of a SCSI controller. */
const scsiPlaces = 256

/** Name of the bus of a SCSI controller that has to be plugged in first. */
export const newScsiBus = ''

/**
 * Returns the volumes of a VMI that are plugged in while it runs, but for those that its guest was
 * started with: pods of earlier releases have them. Pure.
 */
export function requestedVolumes(
  { spec, status }: VirtualMachineInstance,
  launched: readonly { readonly name: string }[],
): RequestedVolume[] {
  const disks = new Map((spec.domain.devices.disks ?? []).map((disk) => [disk.name, disk]))
  const fixed = new Set(launched.map(({ name }) => name))
  return (spec.volumes ?? []).flatMap((volume) => {
    const { name } = volume
    const disk = disks.get(name)
    if (disk === undefined || fixed.has(name) || !isHotpluggable(volume, spec.domain.devices.disks)) return []
    const podUid = status?.volumeStatus?.find((one) => one.name === name)?.hotplugVolume?.attachPodUID
    return [{ name, volume, disk, ...(podUid === undefined ? {} : { podUid }) }]
  })
}

/** Reports whether QEMU has opened another claim under the name of a volume. Pure. */
export function isOfOtherClaim({ name, volume }: RequestedVolume, open: PluggedDisks['open']): boolean {
  const { source } = open.get(name) ?? {}
  return source !== undefined && source !== claimNameOf(volume)
}

/** Decides which disks to plug, unplug and close, and which media to change. Pure. */
export function decideVolumes(requested: readonly RequestedVolume[], observed: ObservedVolumes): VolumeDecision {
  const { plugged, drives, isMoving } = observed
  // A disk of that name that was opened for another claim has to go first.
  const wanted = new Set(requested.filter((one) => !isOfOtherClaim(one, plugged.open)).map(({ name }) => name))
  const present = new Set(plugged.disks.map(({ name }) => name))
  const inserted = new Set(plugged.media.values())
  const missing = requested.filter(
    ({ name, podUid }) => wanted.has(name) && podUid !== undefined && !present.has(name) && !inserted.has(name),
  )
  const unplug = [...present].filter((name) => !wanted.has(name))
  const eject = [...plugged.media].flatMap(([drive, name]) => (wanted.has(name) ? [] : [drive]))
  if (isMoving) {
    const message = 'the guest is being moved to another node'
    const names = [...missing.map(({ name }) => name), ...unplug, ...eject]
    return { plug: [], insert: [], unplug: [], eject: [], close: [], refused: new Map(names.map((name) => [name, message])) }
  }
  const media = missing.filter(({ disk }) => disk.cdrom !== undefined)
  const disks = missing.filter(({ disk }) => disk.cdrom === undefined)
  const { plug, refused, controllerPort } = placesFor(disks, observed)
  return {
    plug,
    ...(controllerPort === undefined ? {} : { controllerPort }),
    insert: media.filter(({ name }) => drives.has(name)),
    unplug,
    eject,
    close: [...plugged.open.keys()].filter((name) => !wanted.has(name) && !present.has(name) && !inserted.has(name)),
    refused: new Map([
      ...media.flatMap(({ name }) => (drives.has(name) ? [] : [[name, 'it was started without the drive: restart the VM'] as const])),
      ...refused,
    ]),
  }
}

function placesFor(
  disks: readonly RequestedVolume[],
  { plugged: { scsiBus }, freePorts, scsiIds }: ObservedVolumes,
): Pick<VolumeDecision, 'plug' | 'refused' | 'controllerPort'> {
  const ports = [...freePorts]
  const ids = new Set(scsiIds)
  const plug: { volume: RequestedVolume; place: PluggedPlace }[] = []
  const refused = new Map<string, string>()
  let controllerPort: number | undefined
  for (const volume of disks) {
    if (volume.disk.disk?.bus === 'virtio') {
      const port = ports.shift()
      if (port === undefined) refused.set(volume.name, noPort)
      else plug.push({ volume, place: { port } })
      continue
    }
    if (scsiBus === undefined) controllerPort ??= ports.shift()
    const scsiId = Array.from({ length: scsiPlaces }, (_, id) => id).find((id) => !ids.has(id))
    if (scsiBus === undefined && controllerPort === undefined) refused.set(volume.name, noPort)
    else if (scsiId === undefined) refused.set(volume.name, `the SCSI controller has no free place: ${scsiPlaces} disks are on it`)
    else {
      ids.add(scsiId)
      plug.push({ volume, place: { scsiBus: scsiBus ?? newScsiBus, scsiId } })
    }
  }
  return { plug, refused, ...(controllerPort === undefined ? {} : { controllerPort }) }
}

const noPort = 'the guest has no free port: restart the VM'
