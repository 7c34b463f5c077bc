import { join } from 'node:path'
import { USERS } from './files/system-files.ts'

/** Folder of the release in images, with the layout of a release folder. */
export const IMAGE_ROOT = '/usr/lib/steadyvm'
/** The launcher's script, relative to a release. */
export const LAUNCHER_SCRIPT = 'src/features/launcher/virt-launcher.sh'
/** Node in images and in releases. */
export const IMAGE_NODE = 'bin/node'

/** Image of the tasks that start libguestfs. */
const DISK_TASKS = 'steadyvm-tasks-disk-virt'
/** Folder of the system that libguestfs starts in a virtual machine of its own. */
export const APPLIANCE: string = join(IMAGE_ROOT, 'appliance')

/** Components whose image has a Node program. */
export const NODE_PROGRAMS = [
  'virt-operator',
  'virt-api',
  'virt-controller',
  'virt-handler',
  'virt-importer',
  'virt-exportserver',
  'hyperconverged-operator',
  'steadyvm-tasks',
] as const

/** Layers that images share, lowest first. */
export type SharedLayer = 'system' | 'node' | 'qemu' | 'node-tools' | 'import-tools' | 'task-tools' | 'libguestfs' | 'shell' | 'release'

/** Contents and settings of one image. */
export interface ImagePlan {
  readonly name: string
  /** Program of the layer that is not shared. */
  readonly program: string
  readonly title: string
  /** Shared layers, lowest first; the image's own one is on top. */
  readonly shared: readonly SharedLayer[]
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly path: string
  /** Environment variables beside PATH. */
  readonly environment: readonly string[]
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Programs that have QEMU, with the layer of the other programs that they start. */
const TOOLS: Readonly<Partial<Record<string, SharedLayer>>> = {
  'virt-handler': 'node-tools',
  'virt-importer': 'import-tools',
  'steadyvm-tasks': 'task-tools',
}

/**
 * Plans the images of all components. The node agent has the QEMU of the launcher, since it asks it
 * for its features, and workers that fill volumes and tasks have its qemu-img. The launcher has no
 * Node: it is a shell script that becomes QEMU. The module that waits for the API server of machine
 * mode is in none. Tasks that start libguestfs have an image of their own, also where this machine
 * has no libguestfs: a task says itself what is missing. Pure.
 */
export function componentImages(qemuFolder: string, { hasLibguestfs }: { readonly hasLibguestfs: boolean }): readonly ImagePlan[] {
  const withQemu = qemuFolder === '/usr' ? PATH : `${join(qemuFolder, 'bin')}:${PATH}`
  const programs = NODE_PROGRAMS.map((name): ImagePlan => {
    const tools = TOOLS[name]
    return {
      name,
      program: name,
      title: `steadyvm ${name}`,
      shared: ['system', 'node', ...(tools === undefined ? [] : (['qemu', tools] as const)), 'release'],
      // Disks belong to QEMU's user from the start.
      user: userOf(name === 'virt-importer' ? USERS.qemu : USERS.component),
      entrypoint: [join(IMAGE_ROOT, IMAGE_NODE), join(IMAGE_ROOT, programPath(name))],
      path: tools === undefined ? PATH : withQemu,
      environment: [],
    }
  })
  const disks = programs
    .filter(({ program }) => program === 'steadyvm-tasks')
    .map((tasks): ImagePlan => ({
      ...tasks,
      name: DISK_TASKS,
      title: `${tasks.title}, with libguestfs`,
      shared: tasks.shared.flatMap((layer) => (layer === 'release' && hasLibguestfs ? (['libguestfs', layer] as const) : [layer])),
      environment: [`LIBGUESTFS_PATH=${APPLIANCE}`, `LIBGUESTFS_HV=${join(qemuFolder, 'bin/qemu-system-x86_64')}`],
    }))
  const launcher: ImagePlan = {
    name: 'virt-launcher',
    program: 'virt-launcher',
    title: 'steadyvm virt-launcher, with QEMU',
    shared: ['system', 'qemu', 'shell'],
    user: userOf(USERS.qemu),
    entrypoint: ['/bin/sh', join(IMAGE_ROOT, LAUNCHER_SCRIPT)],
    path: withQemu,
    environment: [],
  }
  return [...programs, ...disks, launcher]
}

/** Returns the bundle of a program, relative to the release. */
export function programPath(name: string): string {
  return `programs/${name}.mjs`
}

function userOf(id: number): string {
  return `${id}:${id}`
}
