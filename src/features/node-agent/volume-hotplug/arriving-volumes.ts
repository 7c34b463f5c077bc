import { insertMedium, plugDisk, plugScsiController, readPluggedDisks, type PluggedStorage, type QmpConnection } from '#qemu/index.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Ports } from '../guest/ports.ts'
import { attachToGuest, waits, type Receiver } from './attach-to-guest.ts'
import type { RequestedVolume } from './requested-volumes.ts'

/**
 * Plugs into a QEMU that waits for a guest what the guest has, at the same places: the stream names
 * each device. Idempotent. Reports whether all is there; the pods of the volumes may not run yet.
 * @throws UnsupportedGuest
 */
export async function plugArriving(
  ports: Pick<Ports, 'host' | 'isolation' | 'guests'>,
  receiver: Receiver,
  { disks, media, controllerPort }: PluggedStorage,
  qmp: QmpConnection,
): Promise<boolean> {
  const { machine } = receiver.record.domain
  const present = await readPluggedDisks(qmp, [])
  if (controllerPort !== undefined) insist('the SCSI controller', await plugScsiController(qmp, controllerPort, machine))
  let isComplete = true
  const attach = async (name: string, show: Parameters<typeof attachToGuest>[3]['show']): Promise<void> => {
    const requested = requestedOf(receiver, name)
    if (requested.podUid === undefined) return void (isComplete = false)
    // The source knows the disk with its size.
    const outcome = await attachToGuest(ports, receiver, requested, { qmp, show, grows: false })
    if (outcome === waits) isComplete = false
    else insist(`volume "${name}"`, outcome)
  }
  for (const { name, place } of disks) {
    if (present.disks.some((disk) => disk.name === name)) continue
    await attach(name, (disk) => plugDisk(qmp, disk, place, machine))
  }
  for (const [drive, name] of Object.entries(media)) {
    if (present.media.get(drive) !== name) await attach(name, () => insertMedium(qmp, drive, name))
  }
  return isComplete
}

function requestedOf({ vmi }: Receiver, name: string): RequestedVolume {
  const volume = vmi.spec.volumes?.find((one) => one.name === name)
  const disk = vmi.spec.domain.devices.disks?.find((one) => one.name === name)
  if (volume === undefined || disk === undefined)
    throw new UnsupportedGuest(`the guest has volume "${name}", which was removed from its VMI while it moved`)
  const podUid = vmi.status?.steadyvm?.targetVolumes?.[name]
  return { name, volume, disk, ...(podUid === undefined ? {} : { podUid }) }
}

function insist(what: string, refusal: string | undefined): void {
  if (refusal !== undefined) throw new UnsupportedGuest(`${what} cannot be plugged in: ${refusal}`)
}
