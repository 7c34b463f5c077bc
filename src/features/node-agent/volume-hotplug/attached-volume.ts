import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { inspectLauncher, type LauncherPaths } from '#features/launcher/index.ts'
import { guestSockets } from '../domain/domain.ts'
import type { VolumeFile } from '../domain/disks.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Ports } from '../guest/ports.ts'
import { onNode, type FilePlace } from '../volumes/file-place.ts'
import { imageName, prepareClaim } from '../volumes/persistent-volumes.ts'

/** The content of a volume that a pod has attached to this node. */
export interface AttachedVolume extends AsyncDisposable {
  readonly file: VolumeFile
  readonly handle: FileHandle
}

/** A volume, and the pod that has attached it. */
export interface AttachedSource {
  readonly volume: Volume
  readonly podUid: string
  readonly readOnly: boolean
  readonly isShareable: boolean
  /** Whether its image may be made larger. Default: if it can be written to. */
  readonly grows?: boolean
}

/** Returns the view of a pod that attaches a volume; undefined before its process runs. */
export async function attachedPlace(
  { host, isolation }: Pick<Ports, 'host' | 'isolation'>,
  vmi: VirtualMachineInstance,
  paths: LauncherPaths,
): Promise<FilePlace | undefined> {
  const { view } = paths
  const place = { view, host, tpmSocket: guestSockets(view.run).tpm }
  // The image stays that of the VM's user, who opens it at a start without hotplug.
  if (!view.isContained)
    return { ...place, root: '', ...(isolation === undefined ? {} : { owner: isolation.userOf(vmi), covered: isolation.covered }) }
  const process = await inspectLauncher(paths)
  if (process.kind !== 'running') return undefined
  const { uid, gid } = await stat(paths.sharedDirectory)
  return { ...place, root: `/proc/${process.identity.pid}/root`, owner: { uid, gid } }
}

/**
 * Opens the image or device of a volume in the view of the pod that has attached it. Creates an
 * image where there is none. Undefined when the pod does not run yet. @throws UnsupportedGuest
 */
export async function openAttached(
  ports: Pick<Ports, 'host' | 'isolation' | 'guests'>,
  vmi: VirtualMachineInstance,
  { volume, podUid, readOnly, isShareable, grows = !readOnly }: AttachedSource,
): Promise<AttachedVolume | undefined> {
  const place = await attachedPlace(ports, vmi, ports.guests.pathsOf(podUid))
  if (place === undefined) return undefined
  const file = await prepareClaim(volume, vmi, { ...place, grows, isShareable })
  // A device is a link to the machine's own where pods have no mounts; an image is never a link.
  const follow = file.path.endsWith(`/${imageName}`) ? constants.O_NOFOLLOW : 0
  const access = readOnly || file.readOnly ? constants.O_RDONLY : constants.O_RDWR
  // Another pod with the claim may have put something else in place of the image, such as a pipe.
  const handle = await open(onNode(place, file.path), access | follow | constants.O_NONBLOCK)
  const found = await handle.stat()
  if (found.isFile() || found.isBlockDevice()) return { file, handle, [Symbol.asyncDispose]: () => handle.close() }
  await handle.close()
  throw new UnsupportedGuest(`the image of volume "${volume.name}" must be a file or a device`)
}
