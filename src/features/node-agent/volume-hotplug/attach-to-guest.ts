import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { claimNameOf } from '#features/vmi/index.ts'
import { openDisk, type Disk, type QmpConnection } from '#qemu/index.ts'
import { guestDiskOf } from '../domain/disks.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Ports } from '../guest/ports.ts'
import { openAttached } from './attached-volume.ts'
import type { RequestedVolume } from './requested-volumes.ts'

/** The guest that gets a volume. */
export interface Receiver {
  readonly record: LaunchRecord
  readonly vmi: VirtualMachineInstance
}

/** How a volume is shown, once QEMU has it open. */
export interface Showing {
  readonly qmp: QmpConnection
  readonly show: (disk: Omit<Disk, 'path'>) => Promise<string | undefined>
  /** Default: the image of a disk grows with its claim. */
  readonly grows?: boolean
}

/**
 * Opens a volume in QEMU and shows it to the guest. Idempotent. Returns `waits` before the pod of
 * the volume runs, and otherwise the reason why it is impossible.
 */
export async function attachToGuest(
  ports: Pick<Ports, 'host' | 'isolation' | 'guests'>,
  { record, vmi }: Receiver,
  requested: RequestedVolume,
  { qmp, show, grows }: Showing,
): Promise<string | undefined> {
  const { volume, disk: vmiDisk, podUid = '' } = requested
  const readOnly = vmiDisk.cdrom !== undefined || vmiDisk.disk?.readonly === true || volume.persistentVolumeClaim?.readOnly === true
  try {
    const source = { volume, podUid, readOnly, isShareable: vmiDisk.shareable === true, ...(grows === undefined ? {} : { grows }) }
    await using attached = await openAttached(ports, vmi, source)
    if (attached === undefined) return waits
    const { sockets, cores, threads } = record.domain.cpu
    const ioThread = ioThreadOf(requested, record)
    const disk = guestDiskOf(vmiDisk, vmi.spec, { file: attached.file, ioThread, vcpus: sockets * cores * threads })
    return (await openDisk(qmp, disk, { descriptor: attached.handle.fd, source: claimNameOf(volume) ?? '' })) ?? (await show(disk))
  } catch (error) {
    if (error instanceof UnsupportedGuest) return error.message
    throw error
  }
}

/** The pod of a volume does not run yet. */
export const waits = 'waits'

/** A thread of its own is made with the disk; others share one that the guest was started with. */
function ioThreadOf({ name, disk }: RequestedVolume, { domain }: LaunchRecord): string | undefined {
  if (disk.disk?.bus !== 'virtio') return undefined
  return disk.dedicatedIOThread === true ? name : domain.ioThreads.find((thread) => thread.startsWith('pool.'))
}
