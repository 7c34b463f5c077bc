import { chmod, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import { ContainerConfigError } from '../environment/configuration-source.ts'
import { expandVariables } from '../environment/expansion.ts'
import type { PodDirectory } from '../pod/pod-directory.ts'
import { volumePath } from './prepare-volumes.ts'

/**
 * With the value `none` on a pod: its processes find their volumes below POD_DIR, and need no
 * mounts.
 */
export const mountsAnnotation = 'steadyvm.io/mounts'

/** Something that a container shall see at a path of its own. */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly readOnly: boolean
}

/**
 * Resolves the mounts of a container and creates the directories of sub paths. @throws
 * ContainerConfigError
 */
export async function containerMounts(
  pod: Pod,
  container: Container,
  directory: PodDirectory,
  environment: Readonly<Record<string, string>>,
): Promise<readonly Mount[]> {
  const mounts: Mount[] = []
  for (const mount of container.volumeMounts ?? []) {
    const volume = volumeOf(pod, mount.name)
    const subPath = mount.subPathExpr === undefined ? (mount.subPath ?? '') : expandVariables(mount.subPathExpr, environment)
    const target = isAbsolute(mount.mountPath) ? mount.mountPath : join('/', mount.mountPath)
    const readOnly = mount.readOnly === true || volume.persistentVolumeClaim?.readOnly === true
    mounts.push({ source: await insideOf(volumePath(directory, volume), subPath), target, readOnly })
  }
  // A raw volume is a file, and a file is what its device path shows.
  for (const { name, devicePath } of container.volumeDevices ?? []) {
    const volume = volumeOf(pod, name)
    mounts.push({ source: volumePath(directory, volume), target: devicePath, readOnly: volume.persistentVolumeClaim?.readOnly === true })
  }
  // A mount inside of another one is made after it, or it would be hidden.
  return mounts.toSorted((a, b) => a.target.split('/').length - b.target.split('/').length)
}

function volumeOf(pod: Pod, name: string): Volume {
  const found = pod.spec.volumes?.find((volume) => volume.name === name)
  if (found === undefined) throw new ContainerConfigError(`volume "${name}" of a mount is not among the pod's`)
  return found
}

const setGroupId = 0o2000

/** Resolves a path inside a volume, symbolic links included. @throws ContainerConfigError */
async function insideOf(volume: string, subPath: string): Promise<string> {
  if (subPath === '') return volume
  if (isAbsolute(subPath) || normalize(subPath).startsWith('..')) {
    throw new ContainerConfigError(`subPath "${subPath}" must be relative and stay inside the volume`)
  }
  const root = await realpath(volume)
  const assertInside = (path: string): void => {
    if (path !== root && !path.startsWith(`${root}${sep}`)) throw new ContainerConfigError(`subPath "${subPath}" leaves the volume`)
  }
  const path = join(root, subPath)
  if ((await stat(path).catch(() => undefined)) === undefined) {
    // Root creates the directory: a link in the volume must not lead it elsewhere.
    assertInside(await realpath(await existingAncestor(path)))
    await mkdir(path, { recursive: true, mode: 0o750 })
    // The volume of an unprivileged pod passes its group on.
    if (((await stat(root)).mode & setGroupId) !== 0) await chmod(path, 0o2770)
  }
  const real = await realpath(path)
  assertInside(real)
  return real
}

async function existingAncestor(path: string): Promise<string> {
  const parent = dirname(path)
  return (await stat(parent).catch(() => undefined)) === undefined ? existingAncestor(parent) : parent
}
