import { readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { CloudInitNoCloudSource, Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import {
  claimNameOf,
  credentialVolume,
  diskVolume,
  isHotpluggable,
  kernelBootVolume,
  networkDataVolume,
  userDataVolume,
} from '#features/vmi/index.ts'
import { createDiskImage, createOverlay, inspectDiskImage } from '#qemu/index.ts'
import { makeNoCloudSeed, type SecretCloudInit } from './cloud-init.ts'
import { fitsIsoImage, makeIsoImage } from './iso-image.ts'
import { readObjectFiles, sshKeysIn } from './object-files.ts'
import type { VolumeFile } from '../domain/disks.ts'
import type { GuestFiles } from '../domain/guest-files.ts'
import { prepareFirmware, prepareTpm } from './firmware-state.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import { admitToImage, giveToLauncher, makeDirectory, onNode, resolveInside, type FilePlace } from './file-place.ts'
import { prepareClaim, prepareHostDisk } from './persistent-volumes.ts'

/**
 * Creates the files of the guest's volumes and locates its kernel. Idempotent after a crash: a file
 * gets its name when it is complete. @throws UnsupportedGuest
 */
export async function prepareGuestFiles(vmi: VirtualMachineInstance, place: FilePlace, signal: AbortSignal): Promise<GuestFiles> {
  const { view } = place
  // Devices of a container belong to root.
  if (place.root !== '' && place.host.accelerator === 'kvm') await giveToLauncher(place, '/dev/kvm')
  const directory = join(view.private, 'disks')
  await makeDirectory(place, directory)
  const shown = new Set((vmi.spec.domain.devices.disks ?? []).map((disk) => disk.name))
  const volumes = new Map<string, VolumeFile>()
  for (const volume of vmi.spec.volumes ?? []) {
    if (!shown.has(volume.name) || isHotpluggable(volume, vmi.spec.domain.devices.disks)) continue
    const disk = vmi.spec.domain.devices.disks?.find(({ name }) => name === volume.name)
    const kind = { isCdrom: disk?.cdrom !== undefined, isShareable: disk?.shareable === true }
    volumes.set(volume.name, await prepareVolume(volume, { ...place, ...kind, vmi, directory, signal }))
  }
  const kernel = await findKernel(vmi, place)
  const firmware = await prepareFirmware(vmi, place)
  const tpm = await prepareTpm(vmi, place)
  return {
    volumes,
    folders: [directory, ...(tpm === undefined ? [] : [tpm.folder])],
    ...(kernel === undefined ? {} : { kernel }),
    ...(firmware === undefined ? {} : { firmware }),
    ...(tpm === undefined ? {} : { tpmCommand: tpm.command }),
  }
}

interface Place extends FilePlace {
  readonly vmi: VirtualMachineInstance
  readonly directory: string
  readonly isCdrom: boolean
  readonly isShareable: boolean
  readonly signal: AbortSignal
}

function prepareVolume(volume: Volume, place: Place): Promise<VolumeFile> {
  if (volume.containerDisk !== undefined) return prepareContainerDisk(volume.name, volume.containerDisk.path, place)
  if (volume.emptyDisk !== undefined) return prepareEmptyDisk(volume.name, volume.emptyDisk.capacity, place)
  if (volume.cloudInitNoCloud !== undefined) return prepareNoCloud(volume.name, volume.cloudInitNoCloud, place)
  if (claimNameOf(volume) !== undefined) return prepareClaim(volume, place.vmi, place)
  if (volume.hostDisk !== undefined) return prepareHostDisk(volume.name, volume.hostDisk, place)
  const { secret, configMap } = volume
  if (secret !== undefined) return prepareObject(volume.name, 'secret', secret.volumeLabel, place)
  if (configMap !== undefined) return prepareObject(volume.name, 'configMap', configMap.volumeLabel, place)
  const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'nothing'
  throw new UnsupportedGuest(
    `volume "${volume.name}" must be a claim, a containerDisk, an emptyDisk, a hostDisk, a secret, a configMap or cloudInitNoCloud: ${kind} is not supported yet`,
  )
}

/** Creates an overlay, which lives as long as the pod. The image itself is shared by its users. */
async function prepareContainerDisk(name: string, path: string | undefined, place: Place): Promise<VolumeFile> {
  const root = place.view.image(diskVolume(name))
  const image = path === undefined || path === '' ? await findDiskImage(place, root) : await resolveInside(place, root, path)
  const { format, virtualBytes } = await inspect(onNode(place, image), name, place.signal)
  await admitToImage(place, onNode(place, image), 'read')
  if (place.isCdrom) return { path: image, format, readOnly: true }
  const overlay = join(place.directory, `${name}.qcow2`)
  await makeOnce(place, overlay, (temporary) => createOverlay(temporary, { path: image, format, virtualBytes }, place.signal))
  return { path: overlay, format: 'qcow2', image, readOnly: false }
}

async function prepareNoCloud(name: string, source: CloudInitNoCloudSource, place: Place): Promise<VolumeFile> {
  const path = join(place.directory, `${name}.iso`)
  const seed = makeNoCloudSeed(place.vmi, source, await readSecretCloudInit(name, source, place))
  await makeOnce(place, path, (temporary) => writeFile(temporary, seed, { mode: 0o600 }))
  return { path, format: 'raw', readOnly: true }
}

/** Reads what cloud-init gets from Secrets. @throws UnsupportedGuest when one lacks its key */
async function readSecretCloudInit(name: string, source: CloudInitNoCloudSource, place: Place): Promise<SecretCloudInit> {
  const read = async (podVolume: string, keys: readonly [string, string]): Promise<Buffer> => {
    const files = await readObjectFiles(place, { podVolume, kind: 'secret' })
    const found = files.get(keys[0]) ?? files.get(keys[1])
    if (found === undefined) throw new UnsupportedGuest(`the Secret of volume "${name}" must have the key "${keys[0]}"`)
    return found
  }
  const credentials = (place.vmi.spec.accessCredentials ?? []).flatMap(({ sshPublicKey }) =>
    sshPublicKey?.propagationMethod.noCloud === undefined ? [] : (sshPublicKey.source.secret?.secretName ?? []),
  )
  const sshKeys = await Promise.all(
    credentials.map(async (secret) => sshKeysIn(await readObjectFiles(place, { podVolume: credentialVolume(secret), kind: 'secret' }))),
  )
  return {
    sshKeys: sshKeys.flat(),
    ...(source.secretRef === undefined ? {} : { userData: await read(userDataVolume(name), ['userdata', 'userData']) }),
    ...(source.networkDataSecretRef === undefined
      ? {}
      : { networkData: await read(networkDataVolume(name), ['networkdata', 'networkData']) }),
  }
}

/**
 * Creates a CD with the keys of a Secret or ConfigMap as files, as they are when the guest starts.
 */
async function prepareObject(name: string, kind: 'secret' | 'configMap', label = 'cfgdata', place: Place): Promise<VolumeFile> {
  const path = join(place.directory, `${name}.iso`)
  const found = await readObjectFiles(place, { podVolume: diskVolume(name), kind })
  const files = [...found].map(([key, content]) => ({ name: key, content }))
  if (!fitsIsoImage(files)) throw new UnsupportedGuest(`the files of volume "${name}" are too many, or have too long names, for a CD`)
  await makeOnce(place, path, (temporary) => writeFile(temporary, makeIsoImage(label, files), { mode: 0o600 }))
  return { path, format: 'raw', readOnly: true }
}

async function inspect(image: string, volume: string, signal: AbortSignal): Promise<{ format: 'raw' | 'qcow2'; virtualBytes: number }> {
  const { format, virtualBytes } = await inspectDiskImage(image, signal)
  if (format === 'raw') return { format: 'raw', virtualBytes }
  if (format === 'qcow2') return { format: 'qcow2', virtualBytes }
  throw new UnsupportedGuest(`the image of volume "${volume}" must be raw or qcow2, and is ${format}`)
}

async function prepareEmptyDisk(name: string, capacity: string | number, place: Place): Promise<VolumeFile> {
  const path = join(place.directory, `${name}.qcow2`)
  const bytes = Number(quantityToBytes(parseQuantity(capacity)))
  await makeOnce(place, path, (temporary) => createDiskImage(temporary, bytes, place.signal))
  return { path, format: 'qcow2', readOnly: false }
}

async function makeOnce(place: FilePlace, path: string, make: (temporary: string) => Promise<void>): Promise<void> {
  const file = onNode(place, path)
  if (await exists(file)) return
  await make(`${file}.new`)
  await giveToLauncher(place, `${path}.new`)
  await rename(`${file}.new`, file)
}

/** Finds the image in `/disk`, as KubeVirt's containerDisks have it. */
async function findDiskImage(place: FilePlace, root: string): Promise<string> {
  const names = await readdir(onNode(place, join(root, 'disk'))).catch(() => [])
  const images = names.filter((name) => !name.startsWith('.')).toSorted()
  const image = images.find((name) => /\.(qcow2|img|raw)$/.test(name)) ?? images[0]
  if (image === undefined) throw new UnsupportedGuest('a containerDisk image must have its disk in /disk, and has none')
  return resolveInside(place, root, join('disk', image))
}

async function findKernel(vmi: VirtualMachineInstance, place: FilePlace): Promise<GuestFiles['kernel']> {
  const container = vmi.spec.domain.firmware?.kernelBoot?.container
  if (container === undefined) return undefined
  const root = place.view.image(kernelBootVolume)
  if (container.kernelPath === undefined) throw new UnsupportedGuest('kernelBoot must have a kernelPath')
  const kernelPath = await resolveInside(place, root, container.kernelPath)
  const initrdPath = container.initrdPath === undefined ? undefined : await resolveInside(place, root, container.initrdPath)
  for (const path of [kernelPath, ...(initrdPath === undefined ? [] : [initrdPath])]) await admitToImage(place, onNode(place, path), 'read')
  return { kernelPath, ...(initrdPath === undefined ? {} : { initrdPath }) }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
