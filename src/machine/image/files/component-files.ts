import { join } from 'node:path'
import { entriesWithout, type LayerEntry } from '../oci/layer-entry.ts'
import { IMAGE_NODE, IMAGE_ROOT, type SharedLayer } from '../component-images.ts'
import { filesOfMachine } from './machine-files.ts'
import type { QemuFiles } from './qemu-files.ts'
import { nameServiceLibraries, sharedLibrariesOf } from './needed-libraries.ts'
import { systemFiles } from './system-files.ts'

/**
 * Programs of the launcher beside QEMU: what its script, its preStop hook and commands before QEMU
 * run, and what helps to look around in a pod. dash and these need half the space of a static
 * busybox, and dash is the shell that the script is tested with.
 */
const SHELL = '/bin/dash'
const TOOLS = ['cat', 'chmod', 'ln', 'ls', 'mkdir', 'mkfifo', 'mv', 'readlink', 'rm', 'sleep'].map((name) => `/bin/${name}`)

/** The node agent mounts the directories that it hands over to launchers. */
const MOUNT = ['/bin/mount', '/bin/umount']

/** Layers with files of this machine. */
export type MachineLayer = Exclude<SharedLayer, 'release'>

/**
 * Collects programs with exactly their shared libraries. A library is in the lowest layer of all
 * images that need it, once. @throws MachineFileMissing
 */
export async function componentFiles(node: string, qemu: QemuFiles): Promise<Readonly<Record<MachineLayer, readonly LayerEntry[]>>> {
  const [nodeLibraries, qemuLibraries, shellLibraries, mountLibraries] = await Promise.all(
    [[node], qemu.binaries, [SHELL, ...TOOLS], MOUNT].map((files) => sharedLibrariesOf(files)),
  )
  const shared = nodeLibraries?.filter((path) => qemuLibraries?.includes(path)) ?? []
  const common = [...shared, ...(await nameServiceLibraries(shared))]
  const [base, libraries, nodeFiles, qemuFiles, shellFiles, mountFiles] = await Promise.all([
    systemFiles(),
    filesOfMachine(common),
    filesOfMachine(nodeLibraries ?? []),
    filesOfMachine([...qemu.binaries, ...qemu.data, ...(qemuLibraries ?? [])]),
    filesOfMachine([SHELL, ...TOOLS, ...(shellLibraries ?? [])]),
    filesOfMachine([...MOUNT, ...(mountLibraries ?? [])]),
  ])
  const system = [...base, ...libraries]
  const program: LayerEntry = { kind: 'copy', path: join(IMAGE_ROOT, IMAGE_NODE).slice(1), from: node, mode: 0o755 }
  const shell: LayerEntry = { kind: 'link', path: 'usr/bin/sh', target: 'dash' }
  return {
    system,
    node: [program, ...entriesWithout(nodeFiles, system)],
    qemu: entriesWithout(qemuFiles, system),
    mount: entriesWithout(mountFiles, [...system, ...nodeFiles, ...qemuFiles]),
    shell: [shell, ...entriesWithout(shellFiles, [...system, ...qemuFiles])],
  }
}
