import { readdir, stat } from 'node:fs/promises'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { inspectLauncher } from '#features/launcher/index.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'
import { openAttached, type AttachedVolume } from '../volume-hotplug/attached-volume.ts'

/**
 * Opens the image of a volume that a guest was started with, for reading. Undefined unless it has
 * the size of the disk, and is the file that QEMU has open: another pod with the claim may have put
 * another one in its place.
 */
export async function openSource(
  ports: Pick<Ports, 'host' | 'isolation' | 'guests'>,
  { guest, vmi }: { readonly guest: Pick<Guest, 'podUid' | 'paths'>; readonly vmi: VirtualMachineInstance },
  disk: { readonly volume: string; readonly bytes: number },
): Promise<AttachedVolume | undefined> {
  const volume = vmi.spec.volumes?.find(({ name }) => name === disk.volume)
  if (volume === undefined) return undefined
  const source = { volume, podUid: guest.podUid, readOnly: true, isShareable: false }
  const opened = await openAttached(ports, vmi, source).catch((error: unknown) => {
    if (error instanceof UnsupportedGuest) return undefined
    throw error
  })
  if (opened === undefined) return undefined
  const found = await opened.handle.stat()
  if (found.isFile() && found.size === disk.bytes && (await isOpenIn(guest, found))) return opened
  await opened[Symbol.asyncDispose]()
  return undefined
}

/** Reports whether the QEMU of a guest has a file open. False if this process may not know. */
async function isOpenIn({ paths }: Pick<Guest, 'paths'>, file: { readonly dev: number; readonly ino: number }): Promise<boolean> {
  const launcher = await inspectLauncher(paths)
  if (launcher.kind !== 'running') return false
  const folder = `/proc/${launcher.identity.pid}/fd`
  for (const name of await readdir(folder).catch(() => [])) {
    const open = await stat(`${folder}/${name}`).catch(() => undefined)
    if (open?.ino === file.ino && open.dev === file.dev) return true
  }
  return false
}
