import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand, findOnPath } from '../kubectl.ts'
import { cacheFolder } from '../cache.ts'

const suite = 'bookworm'

/** What Debian's own cloud images consist of, as far as the tests need it. */
const packages = [
  ['systemd-sysv', 'systemd-resolved', 'udev', 'dbus', 'libpam-systemd'],
  ['linux-image-cloud-amd64', 'initramfs-tools', 'zstd', 'kmod'],
  ['cloud-init', 'cloud-guest-utils', 'fdisk', 'qemu-guest-agent'],
  ['openssh-server', 'sudo', 'iproute2', 'netbase', 'procps'],
].flat()

/** Programs of the build, and the packages that have them. */
const programs = {
  mmdebstrap: 'mmdebstrap',
  mke2fs: 'e2fsprogs',
  sfdisk: 'fdisk',
  mformat: 'mtools',
  'grub-mkimage': 'grub-common',
} as const

/** A user of the image, as in Debian's own: cloud-init makes it at the first boot. */
export const cloudUser = 'debian'

/** Why tests with a cloud image are skipped, or false. */
export const noCloudImage: string | false = findObstacle()

/** Where partitions begin, in sectors. That of the system is the last on the disk, and can grow. */
const sectors = { bios: 2_048, efi: 8_192, root: 40_960, end: 2_097_152 } as const
const sectorSize = 512

const rootId = '8b0a4a35-5a0e-4a0e-9d30-5a9b1c4f1d72'

/**
 * The kernel that Debian's links name, from a disk that is found by its file system, wherever it is
 * connected.
 */
const menu = `search --no-floppy --fs-uuid --set=root ${rootId}
linux /vmlinuz root=UUID=${rootId} ro quiet console=tty0 console=ttyS0
initrd /initrd.img
boot
`

/**
 * Makes a system out of the packages in the folder $1, as makers of images do. Modules of
 * cloud-init and timers that no test needs are left out, and time-outs are long: guests are
 * emulated, on machines with more to do.
 */
const prepare = `
set -eu
cd "$1"
rm -f etc/ssh/ssh_host_* var/lib/dbus/machine-id var/lib/systemd/random-seed
: >etc/machine-id
echo localhost >etc/hostname
echo 'UUID=${rootId} / ext4 rw,discard,errors=remount-ro 0 1' >etc/fstab
cat >etc/cloud/cloud.cfg.d/10_image.cfg <<END
ssh_genkeytypes: [ed25519]
cloud_config_modules: [set-passwords, runcmd]
cloud_final_modules: [scripts-user, final-message]
END
mkdir -p etc/systemd/system.conf.d boot/grub
cat >etc/systemd/system.conf.d/emulated.conf <<END
[Manager]
DefaultTimeoutStartSec=30min
DefaultDeviceTimeoutSec=30min
END
chroot . systemctl -q enable systemd-networkd
chroot . systemctl -q mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
`

/**
 * Builds a cloud image of Debian from its packages, unless that is done: a qcow2 disk with GRUB for
 * BIOS and UEFI, systemd, cloud-init, an SSH server and the QEMU guest agent. Returns its path.
 */
export async function buildCloudImage(): Promise<string> {
  const recipe = JSON.stringify([suite, packages, sectors, menu, prepare])
  const name = createHash('sha256').update(recipe).digest('hex').slice(0, 12)
  const image = join(cacheFolder, 'cloud-image', `debian-${name}.qcow2`)
  if (existsSync(image)) return image
  await mkdir(join(cacheFolder, 'cloud-image'), { recursive: true })
  const work = await mkdtemp(join(cacheFolder, 'cloud-image', 'build-'))
  try {
    const root = await makeRoot(work)
    const disk = join(work, 'disk.raw')
    await partition(disk)
    await Promise.all([makeFileSystem(root, work), makeBootPartition(work)])
    for (const [file, at] of [
      ['esp.img', sectors.efi],
      ['root.img', sectors.root],
    ] as const)
      await copyTo(disk, join(work, file), at)
    await installForBios(disk, work)
    const made = join(work, 'disk.qcow2')
    await run('qemu-img', ['convert', '-c', '-f', 'raw', '-O', 'qcow2', disk, made])
    // Tests that build at the same time make the same.
    await rename(made, image)
    return image
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function makeRoot(work: string): Promise<string> {
  const [archive, root] = [join(work, 'root.tar'), join(work, 'root')]
  const without = ['doc', 'man', 'locale'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`)
  const options = ['--variant=minbase', '--components=main', '--dpkgopt=force-unsafe-io', ...without]
  await run('mmdebstrap', ['--quiet', ...options, `--include=${packages.join()}`, suite, archive])
  await mkdir(root)
  await run('tar', ['-xpf', archive, '-C', root, '--numeric-owner'])
  await run('sh', ['-c', prepare, 'sh', root])
  await writeFile(join(root, 'boot/grub/grub.cfg'), menu)
  return root
}

async function partition(disk: string): Promise<void> {
  const types = {
    bios: '21686148-6449-6E6F-744E-656564454649',
    efi: 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B',
    root: '4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709',
  }
  const table = [
    'label: gpt',
    `part14 : start=${sectors.bios}, size=${sectors.efi - sectors.bios}, type=${types.bios}`,
    `part15 : start=${sectors.efi}, size=${sectors.root - sectors.efi}, type=${types.efi}`,
    `part1 : start=${sectors.root}, size=${sectors.end - sectors.root}, type=${types.root}`,
  ]
  // The second table of a GPT is at the end of the disk.
  await run('truncate', ['-s', String((sectors.end + 2_048) * sectorSize), disk])
  await run('sfdisk', ['--quiet', disk], `${table.join('\n')}\n`)
}

async function makeFileSystem(root: string, work: string): Promise<void> {
  const size = `${((sectors.end - sectors.root) * sectorSize) / 1_024}k`
  await run('mke2fs', ['-q', '-t', 'ext4', '-L', 'root', '-U', rootId, '-d', root, join(work, 'root.img'), size])
}

/** An EFI system partition whose boot loader is found without an entry in the firmware. */
async function makeBootPartition(work: string): Promise<void> {
  const [partitionFile, loader] = [join(work, 'esp.img'), join(work, 'bootx64.efi')]
  await makeLoader('x86_64-efi', loader, { work, modules: ['efi_gop', 'fat'] })
  await run('truncate', ['-s', String((sectors.root - sectors.efi) * sectorSize), partitionFile])
  await run('mformat', ['-i', partitionFile, '-v', 'EFI', '::'])
  await run('mmd', ['-i', partitionFile, '::/EFI', '::/EFI/BOOT'])
  await run('mcopy', ['-i', partitionFile, loader, '::/EFI/BOOT/BOOTX64.EFI'])
}

/**
 * Writes what `grub-install` would: a boot sector that loads the first sector of the BIOS boot
 * partition, which loads the others.
 */
async function installForBios(disk: string, work: string): Promise<void> {
  const loader = join(work, 'core.img')
  await makeLoader('i386-pc', loader, { work, modules: ['biosdisk'] })
  const core = await readFile(loader)
  // The list of sectors to load is at the end of the first, and begins with the one after it.
  core.writeBigUInt64LE(BigInt(sectors.bios + 1), sectorSize - 12)
  const boot = (await readFile(join(grubFolder('i386-pc'), 'boot.img'))).subarray(0, 440)
  boot.writeBigUInt64LE(BigInt(sectors.bios), 0x5c)
  await writeFile(join(work, 'boot.part'), boot)
  await writeFile(join(work, 'core.part'), core)
  await copyTo(disk, join(work, 'boot.part'), 0)
  await copyTo(disk, join(work, 'core.part'), sectors.bios)
}

interface LoaderParts {
  readonly work: string
  readonly modules: readonly string[]
}

async function makeLoader(platform: string, output: string, { work, modules }: LoaderParts): Promise<void> {
  const config = join(work, `${platform}.cfg`)
  await writeFile(config, `search.fs_uuid ${rootId} root\nset prefix=($root)/boot/grub\n`)
  const common = ['normal', 'configfile', 'linux', 'part_gpt', 'ext2', 'search', 'search_fs_uuid', 'boot', 'echo']
  await run('grub-mkimage', ['-O', platform, '-p', '/boot/grub', '-c', config, '-o', output, ...common, ...modules])
}

async function copyTo(disk: string, file: string, sector: number): Promise<void> {
  const { size } = await stat(file)
  const block = size % 1_048_576 === 0 ? 1_048_576 : sectorSize
  const seek = `seek=${sector * sectorSize}`
  await run('dd', [`if=${file}`, `of=${disk}`, `bs=${block}`, 'oflag=seek_bytes', seek, 'conv=notrunc,sparse', 'status=none'])
}

async function run(program: string, args: readonly string[], input?: string): Promise<void> {
  const { code, stdout, stderr } = await runCommand(program, args, { timeoutMs: 900_000, ...(input === undefined ? {} : { input }) })
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
}

function grubFolder(platform: string): string {
  return `/usr/lib/grub/${platform}`
}

function findObstacle(): string | false {
  if (process.getuid?.() !== 0) return 'only root can unpack a Debian system with its users'
  const missing: string[] = Object.entries(programs).flatMap(([program, name]) => (findOnPath(program) === undefined ? [name] : []))
  const platforms = { 'i386-pc': 'grub-pc-bin', 'x86_64-efi': 'grub-efi-amd64-bin' }
  missing.push(...Object.entries(platforms).flatMap(([platform, name]) => (existsSync(grubFolder(platform)) ? [] : [name])))
  return missing.length > 0 && `a cloud image cannot be built without ${missing.join(', ')}: run "node tools/setup.mjs --test"`
}
