import { lstat, open, realpath, stat } from 'node:fs/promises'
import { constants } from 'node:fs'
import { basename, join } from 'node:path'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { PersistentVolumeClaimInfo } from '#api/kubevirt/v1/volume-status.ts'
import type { HostDisk, Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { claimNameOf, diskVolume, isSharedClaim } from '#features/vmi/index.ts'
import type { VolumeFile } from '../domain/disks.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import { admitToImage, giveToLauncher, onNode, type FilePlace, type ImageUse } from './file-place.ts'

/** File name of the image in a filesystem claim, as in KubeVirt. */
export const imageName = 'disk.img'
const mebibyte = 1024n * 1024n

/** Place of a claim. */
export interface ClaimPlace extends FilePlace {
  /** Whether its image may be made larger. Default: before the guest starts. */
  readonly grows?: boolean
  /** Whether other guests use the image at the same time. Default: if other nodes see it. */
  readonly isShareable?: boolean
}

/**
 * The file of a claim, made when the claim is a folder without one. Can be repeated. @throws
 * UnsupportedGuest
 */
export async function prepareClaim(volume: Volume, vmi: VirtualMachineInstance, place: ClaimPlace): Promise<VolumeFile> {
  const info = vmi.status?.volumeStatus?.find(({ name }) => name === volume.name)?.persistentVolumeClaimInfo
  const path = place.view.claim({ name: volume.name, podVolume: diskVolume(volume.name) }, info?.volumeMode === 'Block')
  const found = await stat(onNode(place, path)).catch(() => undefined)
  if (found === undefined || info === undefined) {
    throw new UnsupportedGuest(
      `the pod of the guest has no claim "${claimNameOf(volume) ?? ''}": it was made by a release without them; start the guest again`,
    )
  }
  const rest = {
    format: 'raw',
    readOnly: volume.persistentVolumeClaim?.readOnly === true,
    ...(isSharedClaim(info) ? { shared: true as const } : {}),
  } as const
  if (found.isBlockDevice()) {
    // Devices of a container belong to root, in a directory that only root may write to. On a
    // machine QEMU gets a node of its own.
    if (place.covered === undefined) await giveToLauncher(place, path)
    return { path, isHostDevice: true, ...rest }
  }
  const use: ImageUse = rest.readOnly ? 'read' : rest.shared === true || place.isShareable === true ? 'together' : 'own'
  if (!found.isDirectory()) {
    if (place.covered !== undefined) await admitToImage(place, await realpath(onNode(place, path)), use)
    return { path, ...rest }
  }
  const image = join(path, imageName)
  await ensureImage(place, image, {
    bytes: rest.readOnly ? undefined : imageBytes(info),
    volume: volume.name,
    grows: place.grows ?? mayGrow(vmi),
  })
  await admitToImage(place, onNode(place, image), use)
  return { path: image, ...rest }
}

/** The file of a disk on this node. Can be repeated. @throws UnsupportedGuest */
export async function prepareHostDisk(name: string, { path, type, capacity, shared }: HostDisk, place: FilePlace): Promise<VolumeFile> {
  const image = join(place.view.hostDisk({ name, podVolume: diskVolume(name) }), basename(path))
  const bytes = capacity === undefined ? 0n : quantityToBytes(parseQuantity(capacity))
  await ensureImage(place, image, { bytes: type === 'DiskOrCreate' ? bytes : undefined, volume: name, grows: false })
  await admitToImage(place, onNode(place, image), shared === true ? 'together' : 'own')
  return { path: image, format: 'raw', readOnly: false, ...(shared === true ? { shared: true } : {}) }
}

/**
 * Bytes of the image in a claim: what the claim has, without what its file system needs for itself,
 * in whole mebibytes.
 */
export function imageBytes({ capacity, requests, filesystemOverhead = '0' }: PersistentVolumeClaimInfo): bigint {
  const bytes = quantityToBytes(parseQuantity(capacity?.['storage'] ?? requests?.['storage'] ?? '0'))
  const perMille = BigInt(1000 - Math.round(Number(filesystemOverhead) * 1000))
  const usable = (bytes * perMille) / 1000n
  return usable < mebibyte ? usable - (usable % 512n) : usable - (usable % mebibyte)
}

/**
 * Reports whether an image may follow a claim that has grown: only before its guest starts. QEMU
 * and the target of a migration take a disk to keep its size.
 */
function mayGrow({ status }: VirtualMachineInstance): boolean {
  return status?.phase === 'Scheduled'
}

interface ImageRequest {
  /** Undefined when the image must exist. */
  readonly bytes: bigint | undefined
  /** Name for errors. */
  readonly volume: string
  readonly grows: boolean
}

/**
 * Creates a sparse image of `bytes` if missing; without `bytes` it must exist. Safe when two nodes
 * do it at once: an empty file is an unfinished image, and both set the same size. Links are
 * refused, since other pods may write to the claim and could link to any file of the node.
 * @throws UnsupportedGuest
 */
async function ensureImage(place: FilePlace, path: string, { bytes, volume, grows }: ImageRequest): Promise<void> {
  const image = onNode(place, path)
  const found = await lstat(image).catch(() => undefined)
  if (found !== undefined && !found.isFile()) throw new UnsupportedGuest(`the image of volume "${volume}" must be a file, and no link`)
  const isTooSmall = grows && bytes !== undefined && BigInt(found?.size ?? 0) < bytes
  if (found !== undefined && found.size > 0 && !isTooSmall) return
  if (bytes === undefined) {
    const what = found === undefined ? 'there is no file' : 'nothing is in'
    throw new UnsupportedGuest(`volume "${volume}" must have an image: ${what} "${basename(image)}"`)
  }
  if (bytes === 0n) throw new UnsupportedGuest(`volume "${volume}" must have an image, or a capacity to make one of`)
  const file = await open(image, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o660)
  try {
    const { size } = await file.stat()
    if (size === 0 || (isTooSmall && BigInt(size) < bytes)) await file.truncate(Number(bytes))
    if (place.owner !== undefined && found === undefined) await file.chown(place.owner.uid, place.owner.gid)
  } finally {
    await file.close()
  }
}
