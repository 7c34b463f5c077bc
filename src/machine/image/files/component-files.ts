import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { entriesWithout, type LayerEntry } from '#oci/image/layer-entry.ts'
import { IMAGE_NODE, IMAGE_ROOT, type SharedLayer } from '../component-images.ts'
import { filesOfMachine, MachineFileMissing } from './machine-files.ts'
import { libguestfsEntries, type Libguestfs } from './libguestfs.ts'
import type { QemuFiles } from './qemu-files.ts'
import { nameServiceLibraries, sharedLibrariesOf } from './needed-libraries.ts'
import { systemFiles } from './system-files.ts'

/** The shell of the launcher's script, with which it is tested. */
const SHELL = '/bin/dash'
/**
 * Runs the commands of the script, of the preStop hook and before QEMU, and those that help to look
 * around in a pod. Static: init containers copy it into images that may be empty.
 */
const BUSYBOX = '/bin/busybox'
const COMMANDS = ['cat', 'chmod', 'ln', 'ls', 'mkdir', 'mkfifo', 'mv', 'readlink', 'rm', 'sleep']

/**
 * Programs of the node agent: it mounts the directories that it hands over to launchers, and
 * connects guests to the pod network. By the Debian package that has them.
 */
const NODE_TOOLS: Readonly<Record<string, readonly string[]>> = {
  mount: ['/bin/mount', '/bin/umount'],
  'util-linux': ['/usr/bin/nsenter'],
  iproute2: ['/bin/ip'],
  nftables: ['/usr/sbin/nft'],
  'dnsmasq-base': ['/usr/sbin/dnsmasq'],
}

/**
 * Programs of workers that fill volumes: they limit qemu-img and unpackers, unpack xz, and allocate
 * blocks.
 */
const IMPORT_TOOLS: Readonly<Record<string, readonly string[]>> = {
  'util-linux': ['/usr/bin/prlimit', '/usr/bin/fallocate'],
  'xz-utils': ['/usr/bin/xz'],
}

/** Programs of tasks: they run commands in guests, and make keys. */
const TASK_TOOLS: Readonly<Record<string, readonly string[]>> = {
  'openssh-client': ['/usr/bin/ssh', '/usr/bin/ssh-keygen'],
}

/** Layers with files of this machine. */
export type MachineLayer = Exclude<SharedLayer, 'release'>

/**
 * Collects programs with exactly their shared libraries. A library is in the lowest layer of all
 * images that need it, once. @throws MachineFileMissing
 */
export async function componentFiles(
  node: string,
  qemu: QemuFiles,
  libguestfs?: Libguestfs,
): Promise<Readonly<Record<MachineLayer, readonly LayerEntry[]>>> {
  if ((await sharedLibrariesOf([BUSYBOX])).length > 0)
    throw new MachineFileMissing(`"${BUSYBOX}" needs shared libraries: install "busybox-static" instead`)
  const [tools, importTools, taskTools] = await Promise.all([
    requireTools(NODE_TOOLS),
    requireTools(IMPORT_TOOLS),
    requireTools(TASK_TOOLS),
  ])
  const [nodeLibraries, qemuLibraries, shellLibraries, toolLibraries, importLibraries, taskLibraries] = await Promise.all(
    [[node], qemu.binaries, [SHELL], [SHELL, ...tools], importTools, taskTools].map((files) => sharedLibrariesOf(files)),
  )
  const shared = nodeLibraries?.filter((path) => qemuLibraries?.includes(path)) ?? []
  const common = [...shared, ...(await nameServiceLibraries(shared))]
  const [base, libraries, nodeFiles, qemuFiles, shellFiles, toolFiles, importFiles, taskFiles] = await Promise.all([
    systemFiles(),
    filesOfMachine(common),
    filesOfMachine(nodeLibraries ?? []),
    filesOfMachine([...qemu.binaries, ...qemu.data, ...(qemuLibraries ?? [])]),
    filesOfMachine([SHELL, BUSYBOX, ...(shellLibraries ?? [])]),
    filesOfMachine([SHELL, ...tools, ...(toolLibraries ?? [])]),
    filesOfMachine([...importTools, ...(importLibraries ?? [])]),
    filesOfMachine([...taskTools, ...(taskLibraries ?? [])]),
  ])
  const system = [...base, ...libraries]
  const diskFiles = libguestfs === undefined ? [] : await libguestfsEntries(libguestfs)
  const program: LayerEntry = { kind: 'copy', path: join(IMAGE_ROOT, IMAGE_NODE).slice(1), from: node, mode: 0o755 }
  const commands = COMMANDS.map((name): LayerEntry => ({ kind: 'link', path: `usr/bin/${name}`, target: 'busybox' }))
  const shell: LayerEntry = { kind: 'link', path: 'usr/bin/sh', target: 'dash' }
  return {
    system,
    node: [program, ...entriesWithout(nodeFiles, system)],
    qemu: entriesWithout(qemuFiles, system),
    'node-tools': [shell, ...entriesWithout(toolFiles, [...system, ...nodeFiles, ...qemuFiles])],
    'import-tools': entriesWithout(importFiles, [...system, ...nodeFiles, ...qemuFiles]),
    'task-tools': entriesWithout(taskFiles, [...system, ...nodeFiles, ...qemuFiles]),
    libguestfs: entriesWithout(diskFiles, [...system, ...nodeFiles, ...qemuFiles, ...taskFiles]),
    shell: [shell, ...commands, ...entriesWithout(shellFiles, [...system, ...qemuFiles])],
  }
}

/** Returns programs by the Debian packages that have them. @throws MachineFileMissing */
async function requireTools(tools: Readonly<Record<string, readonly string[]>>): Promise<string[]> {
  for (const [name, paths] of Object.entries(tools))
    for (const path of paths)
      await access(path).catch(() => {
        throw new MachineFileMissing(`Cannot build images without "${path}": install it with "apt-get install ${name}"`)
      })
  return Object.values(tools).flat()
}
