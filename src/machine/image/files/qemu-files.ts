import { execFile } from 'node:child_process'
import { access, readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { MachineFileMissing } from './machine-files.ts'

/** Files of one QEMU, on this machine. */
export interface QemuFiles {
  /** Programs and modules, whose libraries are needed, too. */
  readonly binaries: readonly string[]
  /** Firmware and other data. */
  readonly data: readonly string[]
  /** What guests cannot have since it is not installed, with the remedy. */
  readonly missing: readonly string[]
}

/** Firmware of x86 machines and their cards in QEMU's data folders. */
const DATA = /^(bios.*\.bin|vgabios.*\.bin|kvmvapic\.bin|(linux|multi)boot.*\.bin|pvh\.bin|qboot\.rom|(efi|pxe)-.*\.rom|keymaps)$/
/** Modules that an x86 guest may need. Others are displays and audio of a desktop. */
const MODULES = ['accel-tcg-x86_64', 'hw-display-virtio-gpu', 'hw-display-virtio-gpu-pci', 'hw-display-virtio-vga', 'hw-usb-redirect']
/** Folders in which a distribution keeps modules, relative to QEMU's folder. */
const MODULE_FOLDERS = ['lib/x86_64-linux-gnu/qemu', 'lib/aarch64-linux-gnu/qemu', 'lib64/qemu', 'lib/qemu']
/** Descriptors of UEFI firmware, where the node agent looks for them. */
const DESCRIPTORS = '/usr/share/qemu/firmware'

/**
 * Finds the files of the QEMU in a folder (`/usr`): programs, modules, firmware, and the TPM
 * emulator. Optional parts that are not installed are returned in `missing`.
 * @throws MachineFileMissing
 */
export async function findQemuFiles(folder: string): Promise<QemuFiles> {
  const emulator = join(folder, 'bin', 'qemu-system-x86_64')
  await required(emulator, 'qemu-system-x86')
  // A QEMU of its own folder may come without tools, which work with images of any version.
  const images = (await isThere(join(folder, 'bin', 'qemu-img'))) ? join(folder, 'bin', 'qemu-img') : '/usr/bin/qemu-img'
  await required(images, 'qemu-utils')
  const [modules, data, firmware, tpm] = await Promise.all([findModules(folder), findData(emulator), findFirmwareFiles(), isThere(TPM)])
  if (!data.some((path) => path.endsWith('/bios-256k.bin')))
    throw new MachineFileMissing(`"${emulator}" has no SeaBIOS in its data folders: install it with "apt-get install seabios"`)
  return {
    binaries: [emulator, images, ...modules, ...(tpm ? [TPM] : [])],
    data: [...data, ...firmware],
    missing: [
      ...(firmware.length === 0 ? ['UEFI firmware, without which guests with UEFI do not start: "apt-get install ovmf"'] : []),
      ...(tpm ? [] : ['swtpm, without which guests with a TPM do not start: "apt-get install swtpm"']),
      ...(data.some((path) => path.endsWith('.rom')) ? [] : ['network boot roms: "apt-get install ipxe-qemu"']),
    ],
  }
}

const TPM = '/usr/bin/swtpm'

async function findModules(folder: string): Promise<string[]> {
  for (const each of MODULE_FOLDERS) {
    const names: string[] = await readdir(join(folder, each)).catch(() => [])
    if (names.length > 0) return MODULES.filter((name) => names.includes(`${name}.so`)).map((name) => join(folder, each, `${name}.so`))
  }
  // Compiled in.
  return []
}

/** Asks QEMU for its data folders, and takes the firmware of x86 machines from them. */
async function findData(emulator: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(emulator, ['-L', 'help']).catch((cause: Error) => {
    throw new MachineFileMissing(`Cannot ask "${emulator}" for its data folders: ${cause.message.trim()}`, { cause })
  })
  const folders = stdout.split('\n').filter((line) => line !== '')
  const found = await Promise.all(folders.map(async (folder) => [resolve(folder), await readdir(folder).catch(() => [])] as const))
  return found.flatMap(([folder, names]) => names.filter((name) => DATA.test(name)).map((name) => join(folder, name))).toSorted()
}

interface Descriptor {
  readonly mapping?: {
    readonly executable?: { readonly filename?: string }
    readonly 'nvram-template'?: { readonly filename?: string }
  }
  readonly targets?: readonly { readonly architecture?: string }[]
}

/** Finds the descriptors of UEFI firmware for x86-64, with the files that they name. */
async function findFirmwareFiles(): Promise<string[]> {
  const names = (await readdir(DESCRIPTORS).catch(() => [])).filter((name) => name.endsWith('.json')).toSorted()
  const found = await Promise.all(
    names.map(async (name) => {
      const file = join(DESCRIPTORS, name)
      const { mapping, targets = [] } = JSON.parse(await readFile(file, 'utf8')) as Descriptor
      const files = [mapping?.executable?.filename, mapping?.['nvram-template']?.filename].filter((path) => path !== undefined)
      const isUsable = targets.some(({ architecture }) => architecture === 'x86_64') && files.length > 0
      return isUsable && (await Promise.all(files.map(isThere))).every(Boolean) ? [file, ...files] : []
    }),
  )
  return [...new Set(found.flat())]
}

async function required(path: string, debianPackage: string): Promise<void> {
  if (await isThere(path)) return
  throw new MachineFileMissing(
    `Cannot build images without "${path}": install it with "apt-get install ${debianPackage}", or name the folder of another QEMU with --qemu (looked in ${dirname(path)})`,
  )
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
