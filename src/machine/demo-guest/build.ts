import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sshServerEntries } from './ssh-server.ts'
import { packCpio, type ArchiveEntry } from './cpio.ts'
import { openModules } from './kernel-modules.ts'

/** Modules that every guest loads: the virtio bus, disks and cards, and the power button. */
const MODULES = ['virtio_pci', 'virtio_blk', 'virtio_net', 'af_packet', 'button', 'evdev']

/** Modules of disks and CD-ROM drives on a SCSI, SATA or USB bus. */
const SCSI_MODULES = ['sd_mod', 'sr_mod']

/** Modules of optional hardware, by PCI alias, ACPI id or firmware. Missing ones are skipped. */
const MODULES_BY_DEVICE: readonly (readonly [pattern: string, modules: readonly string[]])[] = [
  // A virtio device has another id on a conventional bus than on PCI Express.
  ...['pci:v00001AF4d00001002*', 'pci:v00001AF4d00001045*'].map((pattern) => [pattern, ['virtio_balloon']] as const),
  ...['pci:v00001AF4d00001003*', 'pci:v00001AF4d00001043*'].map((pattern) => [pattern, ['virtio_console']] as const),
  ...['pci:v00001AF4d00001004*', 'pci:v00001AF4d00001048*'].map((pattern) => [pattern, ['virtio_scsi', ...SCSI_MODULES]] as const),
  ...['pci:v00001AF4d00001005*', 'pci:v00001AF4d00001044*'].map((pattern) => [pattern, ['virtio_rng']] as const),
  ['pci:v00008086d000010D3*', ['e1000e']],
  ['pci:v00008086d0000100E*', ['e1000']],
  ['pci:v000010ECd00008139*', ['8139cp']],
  ['pci:v000010ECd00008029*', ['ne2k-pci']],
  ['pci:v00001022d00002000*', ['pcnet32']],
  ['pci:v*bc01sc06i01*', ['ahci', ...SCSI_MODULES]],
  ['pci:v*bc0Csc03i30*', ['xhci-pci', 'usb-storage', 'hid-generic', 'usbhid', ...SCSI_MODULES]],
  ['pci:v00001AF4d00001052*', ['virtio_input']],
  ['pci:v00001AF4d00001058*', ['virtio_mem']],
  ['pci:v00001B36d00000011*', ['pvpanic-pci']],
  // A panic device on the ISA bus.
  ['acpi:QEMU0001', ['pvpanic-mmio']],
  ['pci:v00008086d000025AB*', ['i6300esb']],
  ['efi', ['efivarfs']],
]

/** busybox applets that the guest links. */
const COMMANDS = (
  'sh ash basename cat cut dd echo grep head hostname insmod ip kill ls mkdir mount poweroff readlink reboot sed seq setsid cttyhack sleep sort stty sync tail tr uniq umount uname wc ' +
  'awk cmp date df dmesg env find free halt hexdump httpd id ifconfig ln lsmod md5sum mke2fs mknod mv nc nproc nslookup od ping ps pwd rm rmdir route sha256sum sysctl tee test ' +
  'time timeout top touch true false udhcpc uevent uptime usleep vi watch wget which yes'
).split(' ')

/** Inputs of {@link buildDemoGuest}. */
export interface DemoGuestSources {
  /** Unpacked Debian kernel package, with boot/vmlinuz-* and lib/modules/*. */
  readonly kernelDirectory: string
  /** A statically linked busybox. */
  readonly busybox: string
  /** Unpacked Debian packages of an SSH server. When it is absent, the image has no initrd-ssh. */
  readonly sshDirectory: string
  /** The repository's guest/ folder. */
  readonly guestDirectory: string
}

/** A build input is missing. The message names the command that installs it. */
export class GuestSourceMissing extends Error {
  override readonly name = 'GuestSourceMissing'
}

/**
 * Builds the demo guest as an image directory (boot/vmlinuz, boot/initrd, boot/initrd-ssh) at
 * `target`, in about 1 s. Does nothing when the image was built from the same sources. @throws
 * GuestSourceMissing
 */
export async function buildDemoGuest(sources: DemoGuestSources, target: string): Promise<{ readonly built: boolean }> {
  const kernel = await findKernel(sources.kernelDirectory)
  const busybox = await readSource(sources.busybox, 'apt-get install busybox-static')
  const scripts = await Promise.all(
    ['init', 'drivers', 'report', 'dhcp'].map(async (name) => ({ name, content: await readFile(join(sources.guestDirectory, name)) })),
  )
  const stamp = createHash('sha256').update(kernel.version).update(busybox)
  for (const script of scripts) stamp.update(script.content)
  const sshScript = await readFile(join(sources.guestDirectory, 'ssh-server'))
  stamp.update(sshScript).update(String(existsSync(sources.sshDirectory)))
  const wanted = stamp.update(JSON.stringify([MODULES, MODULES_BY_DEVICE, COMMANDS])).digest('hex')
  if ((await readFile(join(target, 'build-stamp'), 'utf8').catch(() => '')) === wanted) return { built: false }

  const directory = await openModules(kernel.modulesDirectory)
  const always = await directory.resolve(MODULES)
  const others = MODULES_BY_DEVICE.map(([pattern, names]) => [pattern, names.filter((name) => directory.has(name))] as const)
  const byDevice = await Promise.all(others.map(async ([pattern, names]) => [pattern, await directory.resolve(names)] as const))
  const modules = new Map([...always, ...byDevice.flatMap(([, found]) => found)].map((module) => [module.name, module]))
  const archive = packCpio([
    ...['bin', 'dev', 'proc', 'sys', 'tmp', 'mnt', 'etc', 'lib', 'lib/modules', 'run'].map((path) => ({
      kind: 'directory' as const,
      path,
    })),
    { kind: 'file', path: 'bin/busybox', content: busybox, executable: true },
    ...COMMANDS.map((command): ArchiveEntry => ({ kind: 'link', path: `bin/${command}`, target: 'busybox' })),
    ...(await Promise.all(
      [...modules.values()].map(async (module): Promise<ArchiveEntry> => {
        return { kind: 'file', path: `lib/modules/${module.name}.ko`, content: await readFile(module.path), executable: false }
      }),
    )),
    {
      kind: 'file',
      path: 'lib/modules/load-order',
      content: Buffer.from(always.map((module) => `${module.name}.ko\n`).join('')),
      executable: false,
    },
    {
      kind: 'file',
      path: 'lib/modules/by-device',
      content: Buffer.from(
        byDevice.map(([pattern, found]) => `${[pattern, ...found.map(({ name }) => `${name}.ko`)].join(' ')}\n`).join(''),
      ),
      executable: false,
    },
    ...scripts.map(({ name, content }): ArchiveEntry => ({
      kind: 'file',
      path: name === 'init' ? 'init' : `bin/${name}`,
      content,
      executable: true,
    })),
  ])
  const ssh = await sshServerEntries(sources.sshDirectory, sshScript, directory)
  const staging = `${target}.new-${process.pid}`
  await rm(staging, { recursive: true, force: true })
  await mkdir(join(staging, 'boot'), { recursive: true })
  await copyFile(kernel.image, join(staging, 'boot', 'vmlinuz'))
  const initrd = gzipSync(archive, { level: 6 })
  await writeFile(join(staging, 'boot', 'initrd'), initrd)
  // The kernel unpacks archives that follow each other.
  if (ssh !== undefined)
    await writeFile(join(staging, 'boot', 'initrd-ssh'), Buffer.concat([initrd, gzipSync(packCpio(ssh), { level: 6 })]))
  await writeFile(join(staging, 'build-stamp'), wanted)
  await mkdir(dirname(target), { recursive: true })
  await rm(target, { recursive: true, force: true })
  try {
    await rename(staging, target)
  } catch (error) {
    // Another process has just renamed its build, of the same sources, to this path.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await rm(staging, { recursive: true, force: true })
    return { built: false }
  }
  return { built: true }
}

async function findKernel(directory: string): Promise<{ version: string; image: string; modulesDirectory: string }> {
  const files = await readdir(join(directory, 'boot')).catch(() => [])
  const image = files.find((name) => name.startsWith('vmlinuz-'))
  if (image === undefined)
    throw new GuestSourceMissing(`Cannot find a guest kernel in "${directory}": run "npm start" or "node tools/setup.mjs"`)
  const version = image.slice('vmlinuz-'.length)
  return { version, image: join(directory, 'boot', image), modulesDirectory: join(directory, 'lib', 'modules', version) }
}

async function readSource(path: string, remedy: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new GuestSourceMissing(`Cannot read "${path}": run "${remedy}"`, { cause })
  }
}
