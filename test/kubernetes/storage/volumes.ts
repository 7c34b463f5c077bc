import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Folders } from '../settings.ts'
import { attachLoopDevice } from './loop-devices.ts'

/** Amount of volumes, and the capacity of each. */
export interface VolumeRequest {
  /** Number of volumes of each kind that can be claimed. */
  readonly count: number
  /** Gibibytes. Block volumes are sparse files; the capacity of file systems is not enforced. */
  readonly gibibytes: number
}

/** A persistent volume: a folder or a loop device of the machine. */
interface Volume {
  readonly name: string
  readonly mode: 'Filesystem' | 'Block'
  /** Node that can use it; all when undefined. */
  readonly node: string | undefined
}

/**
 * Storage classes without a provisioner: volumes of `local` belong to one node, those of `shared`
 * can be used by all nodes at the same time, which live migration needs.
 */
export const storageClasses: readonly object[] = [
  storageClass('local', 'WaitForFirstConsumer', { 'storageclass.kubernetes.io/is-default-class': 'true' }),
  storageClass('shared', 'Immediate', {}),
]

/** Creates the storage of volumes that are not in use, and returns their PersistentVolumes. */
export async function createVolumes(
  folders: Folders,
  nodes: readonly string[],
  { count, gibibytes }: VolumeRequest,
  isUsed: (name: string) => boolean,
): Promise<readonly object[]> {
  const modes = ['Filesystem', 'Block'] as const
  const created: object[] = []
  for (const node of [...nodes, undefined])
    for (const mode of modes) {
      for (let number = 1, free = 0; free < count; number += 1) {
        const name = `${node ?? 'shared'}-${mode.toLowerCase()}-${number}`
        if (isUsed(name)) continue
        free += 1
        const volume: Volume = { name, mode, node }
        await createStorage(folders, volume, gibibytes)
        created.push(persistentVolume(folders, volume, gibibytes))
      }
    }
  return created
}

/** Attaches the loop devices of block volumes, which a restart of the machine has detached. */
export async function attachVolumes(folders: Folders): Promise<void> {
  const folder = join(folders.home, 'volumes')
  if (!existsSync(folder)) return
  for (const name of await readdir(folder)) if (name.endsWith('.img')) await linkDevice(folders, name.slice(0, -'.img'.length))
}

/** Creates an empty folder or device. Contents of a former volume of the name are removed. */
async function createStorage(folders: Folders, { name, mode }: Volume, gibibytes: number): Promise<void> {
  const path = join(folders.home, 'volumes', name)
  if (mode === 'Filesystem') {
    await rm(path, { recursive: true, force: true })
    await mkdir(path, { recursive: true })
    await chmod(path, 0o777)
    return
  }
  await mkdir(join(folders.home, 'volumes'), { recursive: true })
  await writeFile(`${path}.img`, '', { mode: 0o600 })
  await truncate(`${path}.img`, gibibytes * 2 ** 30)
  await linkDevice(folders, name)
}

/** Links the name of a volume to its loop device, whose number can change. */
async function linkDevice(folders: Folders, name: string): Promise<void> {
  const path = join(folders.home, 'volumes', name)
  const device = await attachLoopDevice(`${path}.img`)
  await rm(path, { force: true })
  await symlink(device, path)
}

function storageClass(name: string, volumeBindingMode: string, annotations: object): object {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode,
  }
}

function persistentVolume(folders: Folders, { name, mode, node }: Volume, gibibytes: number): object {
  const affinity =
    node === undefined
      ? { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }
      : { key: 'kubernetes.io/hostname', operator: 'In', values: [node] }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      storageClassName: node === undefined ? 'shared' : 'local',
      accessModes: node === undefined ? ['ReadWriteMany', 'ReadWriteOnce', 'ReadOnlyMany'] : ['ReadWriteOnce'],
      capacity: { storage: `${gibibytes}Gi` },
      volumeMode: mode,
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path: join(folders.home, 'volumes', name) },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [affinity] }] } },
    },
  }
}
