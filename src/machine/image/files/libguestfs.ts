import { execFile } from 'node:child_process'
import { access, constants, mkdir, readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LayerEntry } from '#oci/image/layer-entry.ts'
import { APPLIANCE } from '../component-images.ts'
import { filesOfMachine } from './machine-files.ts'
import { sharedLibrariesOf } from './needed-libraries.ts'

const run = promisify(execFile)

/** libguestfs of this machine, with the system that it starts. */
export interface Libguestfs {
  /** Kernel of this machine. */
  readonly kernel: string
  /** Folder with the initrd and the root disk. */
  readonly appliance: string
  /** Debian packages whose files are on the root disk. */
  readonly packages: readonly string[]
}

/** What is missing, on one line. */
export const libguestfsMissing =
  'libguestfs, which disk-virt-customize and disk-virt-sysprep start: "apt-get install --no-install-recommends libguestfs-tools linux-image-cloud-amd64"'

/** The last two are started by libguestfs: to ask QEMU for its features, and to clean up. */
const PROGRAMS = ['/usr/bin/virt-customize', '/usr/bin/virt-sysprep', '/bin/dash', '/bin/rm']
/** Builds the system out of files of this machine. */
const BUILDER = '/usr/bin/supermin'
/**
 * Shrink the file system, since a layer keeps no holes: 1 GiB would be written on each node. The
 * last one reads a file in it.
 */
const [CHECK, RESIZE, READ] = ['/sbin/e2fsck', '/sbin/resize2fs', '/sbin/debugfs']
/** Bytes that stay free in the file system, which is also the /tmp of the running system. */
const FREE_BYTES = 128 << 20
/** Folder in which a distribution describes the system. */
const DESCRIPTIONS = ['/usr/lib/x86_64-linux-gnu/guestfs/supermin.d', '/usr/lib64/guestfs/supermin.d', '/usr/lib/guestfs/supermin.d']

/**
 * Builds the system that libguestfs starts, as `libguestfs-make-fixed-appliance` does, into a
 * folder: an image has no packages of which libguestfs could build it itself. Needs no root, and
 * starts no virtual machine. Undefined where this machine has no libguestfs, or no kernel that can
 * be read.
 */
export async function buildLibguestfs(appliance: string): Promise<Libguestfs | undefined> {
  const [description, kernel] = await Promise.all([firstOf(DESCRIPTIONS), findKernel()])
  const isThere = await Promise.all([...PROGRAMS, BUILDER, CHECK, RESIZE, READ].map((path) => canRead(path)))
  if (description === undefined || kernel === undefined || !isThere.every(Boolean)) return undefined
  await mkdir(appliance, { recursive: true })
  const build = [
    '--build',
    '--format',
    'ext2',
    '--host-cpu',
    'x86_64',
    '--size',
    '1G',
    description,
    '--include-packagelist',
    '-o',
    appliance,
  ]
  const settings = { SUPERMIN_KERNEL: kernel.path, SUPERMIN_MODULES: kernel.modules }
  await run(BUILDER, build, { env: { ...process.env, LC_ALL: 'C', ...settings } })
  const disk = join(appliance, 'root')
  await run(CHECK, ['-f', '-y', disk]).catch((error: unknown) => {
    // 1: something was repaired, as supermin leaves folders that can be smaller.
    if ((error as { code?: unknown }).code !== 1) throw error
  })
  await run(RESIZE, ['-M', disk])
  await truncate(disk, (await stat(disk)).size + FREE_BYTES)
  await run(RESIZE, [disk])
  const { stdout } = await run(READ, ['-R', 'cat /packagelist', disk], { maxBuffer: 1 << 24 })
  return { kernel: kernel.path, appliance, packages: parsePackageList(stdout) }
}

/** Parses the list of supermin: `libc6_2.36-9_amd64`. */
export function parsePackageList(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^([a-z0-9][a-z0-9+.-]*)_[^_]+_[^_]+$/.exec(line)?.[1] ?? [])
}

/** Returns the files of libguestfs in an image. @throws MachineFileMissing */
export async function libguestfsEntries({ kernel, appliance }: Libguestfs): Promise<readonly LayerEntry[]> {
  const copy = (name: string, from: string): LayerEntry => ({ kind: 'copy', path: join(APPLIANCE, name).slice(1), from, mode: 0o644 })
  return [
    ...(await filesOfMachine([...PROGRAMS, ...(await sharedLibrariesOf(PROGRAMS))])),
    { kind: 'link', path: 'usr/bin/sh', target: 'dash' },
    copy('kernel', kernel),
    ...['initrd', 'root'].map((name) => copy(name, join(appliance, name))),
    // By this file, libguestfs knows that it must not build the system.
    { kind: 'file', path: join(APPLIANCE, 'README.fixed').slice(1), mode: 0o644, content: Buffer.from('Built by steadyvm image build.\n') },
  ]
}

/** Finds the newest kernel with its modules. */
async function findKernel(): Promise<{ readonly path: string; readonly modules: string } | undefined> {
  const names = (await readdir('/boot').catch(() => [])).filter((name) => name.startsWith('vmlinuz-'))
  const newest = names.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  for (const name of newest) {
    const [path, modules] = [join('/boot', name), join('/lib/modules', name.slice('vmlinuz-'.length))]
    if ((await canRead(path)) && (await canRead(modules))) return { path, modules }
  }
  return undefined
}

async function firstOf(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await canRead(path)) return path
  return undefined
}

function canRead(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
}
