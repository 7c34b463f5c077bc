import { constants } from 'node:fs'
import { copyFile, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { chooseFirmware } from '#qemu/index.ts'
import { isOn } from '../domain/cpu.ts'
import { machineTypeOf, wantsSecureBoot } from '../domain/firmware.ts'
import type { FirmwareFiles } from '../domain/guest-files.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import { admitToImage, giveFolderToLauncher, giveToLauncher, makeDirectory, onNode, type FilePlace } from './file-place.ts'

/**
 * Copies the template of UEFI variables once. The copy lives as long as the pod, or as the claim
 * when
 * `persistent` is set. @throws UnsupportedGuest
 */
export async function prepareFirmware(vmi: VirtualMachineInstance, place: FilePlace): Promise<FirmwareFiles | undefined> {
  const { host } = place
  const efi = vmi.spec.domain.firmware?.bootloader?.efi
  if (efi === undefined) return undefined
  const machineType = machineTypeOf(vmi.spec.domain.machine?.type ?? '', host)
  const secureBoot = wantsSecureBoot(vmi)
  const image = chooseFirmware(host.firmware, { machineType, secureBoot })
  if (image === undefined) {
    const what = secureBoot ? 'UEFI firmware with secure boot' : 'UEFI firmware'
    throw new UnsupportedGuest(`this node has no ${what} for ${machineType}: install it with "apt-get install ovmf"`)
  }
  // Separate files: variables created without enrolled keys would silently disable secure boot.
  const variablesPath = join(await stateDirectory(place, efi.persistent === true), secureBoot ? 'nvram-secure.fd' : 'nvram.fd')
  const file = onNode(place, variablesPath)
  if (!(await isThere(file))) {
    await rm(`${file}.new`, { force: true })
    await copyFile(image.variablesTemplate, `${file}.new`, constants.COPYFILE_EXCL)
    await giveToLauncher(place, `${variablesPath}.new`)
    await rename(`${file}.new`, file)
  }
  await admitToImage(place, file, 'own')
  return { codePath: image.codePath, variablesPath }
}

/** Folder of a TPM's state, and the command that starts swtpm. It ends with QEMU. */
interface TpmFiles {
  readonly folder: string
  readonly command: readonly string[]
}

/** Makes the folder of the TPM's state. @throws UnsupportedGuest */
export async function prepareTpm(vmi: VirtualMachineInstance, place: FilePlace): Promise<TpmFiles | undefined> {
  const { host, tpmSocket: socket } = place
  const { tpm } = vmi.spec.domain.devices
  if (!isOn(tpm)) return undefined
  if (host.tpmEmulator === undefined) throw new UnsupportedGuest('this node has no TPM for guests: install it with "apt-get install swtpm"')
  const state = join(await stateDirectory(place, tpm?.persistent === true), 'tpm')
  await makeDirectory(place, state)
  // Older releases ran swtpm as root.
  if (place.covered !== undefined) await giveFolderToLauncher(place, state)
  const command = [
    host.tpmEmulator,
    'socket',
    '--tpm2',
    '--tpmstate',
    `dir=${state}`,
    '--ctrl',
    `type=unixio,path=${socket}`,
    '--terminate',
    '--daemon',
  ]
  return { folder: state, command }
}

async function stateDirectory(place: FilePlace, isPersistent: boolean): Promise<string> {
  const { view } = place
  const directory = isPersistent ? view.persistentState : join(view.private, 'state')
  if (!isPersistent) await makeDirectory(place, directory)
  else if (!(await isThere(onNode(place, directory))))
    throw new UnsupportedGuest('the guest must keep its state in a claim, and its pod has none')
  return directory
}

/** Checks that the node has enough free huge pages. @throws UnsupportedGuest */
export async function checkHugepages(bytes: number, pageBytes: number, root: string = '/sys/kernel/mm/hugepages'): Promise<void> {
  const file = join(root, `hugepages-${pageBytes / 1024}kB`, 'free_hugepages')
  const free = Number(await readFile(file, 'utf8').catch(() => '0'))
  if (free * pageBytes >= bytes) return
  throw new UnsupportedGuest(
    `the guest needs ${Math.ceil(bytes / pageBytes)} free huge pages of ${pageBytes / 1024} KiB, and this node has ${free}`,
  )
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
