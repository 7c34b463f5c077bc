import { mkdir, readdir, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { CloudInitNoCloudSource, Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { imageVolumeDirectory, type LauncherPaths } from '#features/launcher/index.ts'
import { claimNameOf, diskVolume, kernelBootVolume } from '#features/vmi/index.ts'
import { createDiskImage, createOverlay, inspectDiskImage } from '#qemu/index.ts'
import { makeNoCloudSeed } from './cloud-init.ts'
import type { VolumeFile } from '../domain/disks.ts'
import type { GuestFiles } from '../domain/guest-files.ts'
import { prepareFirmware, prepareTpm } from './firmware-state.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Host } from '../node/host.ts'
import { prepareClaim, prepareHostDisk } from './persistent-volumes.ts'

/** Paths and host for the preparation. */
export interface PrepareOptions {
  readonly paths: LauncherPaths
  readonly host: Host
  /** Socket of swtpm. */
  readonly tpmSocket: string
}

/**
 * Creates the files of the guest's volumes and locates its kernel. Idempotent after a crash: a file
 * gets its name when it is complete. @throws UnsupportedGuest
 */
export async function prepareGuestFiles(vmi: VirtualMachineInstance, place: PrepareOptions, signal: AbortSignal): Promise<GuestFiles> {
  const { paths, host, tpmSocket: socket } = place
  const directory = join(paths.privateDirectory, 'disks')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const shown = new Set((vmi.spec.domain.devices.disks ?? []).map((disk) => disk.name))
  const volumes = new Map<string, VolumeFile>()
  for (const volume of vmi.spec.volumes ?? []) {
    if (!shown.has(volume.name)) continue
    const isCdrom = vmi.spec.domain.devices.disks?.some((disk) => disk.name === volume.name && disk.cdrom !== undefined) === true
    volumes.set(volume.name, await prepareVolume(volume, { vmi, paths, directory, isCdrom, signal }))
  }
  const kernel = await findKernel(vmi, paths)
  const firmware = await prepareFirmware(vmi, paths, host)
  const tpmCommand = await prepareTpm(vmi, { paths, socket }, host)
  return {
    volumes,
    ...(kernel === undefined ? {} : { kernel }),
    ...(firmware === undefined ? {} : { firmware }),
    ...(tpmCommand === undefined ? {} : { tpmCommand }),
  }
}

interface Place {
  readonly vmi: VirtualMachineInstance
  readonly paths: LauncherPaths
  readonly directory: string
  readonly isCdrom: boolean
  readonly signal: AbortSignal
}

function prepareVolume(volume: Volume, place: Place): Promise<VolumeFile> {
  if (volume.containerDisk !== undefined) return prepareContainerDisk(volume.name, volume.containerDisk.path, place)
  if (volume.emptyDisk !== undefined) return prepareEmptyDisk(volume.name, volume.emptyDisk.capacity, place)
  if (volume.cloudInitNoCloud !== undefined) return prepareNoCloud(volume.name, volume.cloudInitNoCloud, place)
  if (claimNameOf(volume) !== undefined) return prepareClaim(volume, place.vmi, place.paths)
  if (volume.hostDisk !== undefined) return prepareHostDisk(volume.name, volume.hostDisk, place.paths)
  const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'nothing'
  throw new UnsupportedGuest(
    `volume "${volume.name}" must be a claim, a containerDisk, an emptyDisk, a hostDisk or cloudInitNoCloud: ${kind} is not supported yet`,
  )
}

/** Creates an overlay, which lives as long as the pod. The image itself is shared by its users. */
async function prepareContainerDisk(name: string, path: string | undefined, place: Place): Promise<VolumeFile> {
  const root = imageVolumeDirectory(place.paths, diskVolume(name))
  const image = path === undefined || path === '' ? await findDiskImage(root) : await resolveInside(root, path)
  const format = await formatOf(image, name, place.signal)
  if (place.isCdrom) return { path: image, format, readOnly: true }
  const overlay = join(place.directory, `${name}.qcow2`)
  await makeOnce(overlay, (temporary) => createOverlay(temporary, image, format, place.signal))
  return { path: overlay, format: 'qcow2', readOnly: false }
}

async function prepareNoCloud(name: string, source: CloudInitNoCloudSource, place: Place): Promise<VolumeFile> {
  const path = join(place.directory, `${name}.iso`)
  const seed = makeNoCloudSeed(place.vmi, name, source)
  await makeOnce(path, (temporary) => writeFile(temporary, seed, { mode: 0o600 }))
  return { path, format: 'raw', readOnly: true }
}

async function formatOf(image: string, volume: string, signal: AbortSignal): Promise<'raw' | 'qcow2'> {
  const { format } = await inspectDiskImage(image, signal)
  if (format === 'raw') return 'raw'
  if (format === 'qcow2') return 'qcow2'
  throw new UnsupportedGuest(`the image of volume "${volume}" must be raw or qcow2, and is ${format}`)
}

async function prepareEmptyDisk(name: string, capacity: string | number, place: Place): Promise<VolumeFile> {
  const path = join(place.directory, `${name}.qcow2`)
  const bytes = Number(quantityToBytes(parseQuantity(capacity)))
  await makeOnce(path, (temporary) => createDiskImage(temporary, bytes, place.signal))
  return { path, format: 'qcow2', readOnly: false }
}

async function makeOnce(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
  if (await exists(path)) return
  await make(`${path}.new`)
  await rename(`${path}.new`, path)
}

/** Finds the image in `/disk`, as KubeVirt's containerDisks have it. */
async function findDiskImage(root: string): Promise<string> {
  const names = await readdir(join(root, 'disk')).catch(() => [])
  const images = names.filter((name) => !name.startsWith('.')).toSorted()
  const image = images.find((name) => /\.(qcow2|img|raw)$/.test(name)) ?? images[0]
  if (image === undefined) throw new UnsupportedGuest('a containerDisk image must have its disk in /disk, and has none')
  return resolveInside(root, join('disk', image))
}

async function findKernel(vmi: VirtualMachineInstance, paths: LauncherPaths): Promise<GuestFiles['kernel']> {
  const container = vmi.spec.domain.firmware?.kernelBoot?.container
  if (container === undefined) return undefined
  const root = imageVolumeDirectory(paths, kernelBootVolume)
  if (container.kernelPath === undefined) throw new UnsupportedGuest('kernelBoot must have a kernelPath')
  const kernelPath = await resolveInside(root, container.kernelPath)
  if (container.initrdPath === undefined) return { kernelPath }
  return { kernelPath, initrdPath: await resolveInside(root, container.initrdPath) }
}

/** Resolves a path of the image or the VM. Links must not lead to files of the host. */
async function resolveInside(root: string, path: string): Promise<string> {
  const [realRoot, realPath] = await Promise.all([root, join(root, path)].map((each) => realpath(each).catch(() => undefined)))
  if (realRoot === undefined || realPath === undefined) throw new UnsupportedGuest(`there is no file "${path}" in the image`)
  if (!realPath.startsWith(realRoot + sep)) throw new UnsupportedGuest(`"${path}" leads out of the image`)
  return realPath
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
