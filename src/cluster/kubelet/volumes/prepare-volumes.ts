import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import type { Pod } from '#api/core/v1/pod.ts'
import type { KeyToPath, Volume } from '#api/core/v1/volume.ts'
import { makeDirectory } from '#runtime/process/make-directory.ts'
import { pullPolicyOf } from '../images/pull-policy.ts'
import type { ImageResolver, ImageUser, PullPolicy } from '../options.ts'
import { type ConfigurationData, type ConfigurationSource, ContainerConfigError } from '../environment/configuration-source.ts'
import { allContainers } from '../pod/container-view.ts'
import { fieldValue, type NodeFacts } from '../environment/field-reference.ts'
import type { PodDirectory } from '../pod/pod-directory.ts'
import { resourceFieldValue } from '../environment/resource-field.ts'
import { ImagePullError, pullImage } from '../container/pull-image.ts'
import { replaceLink } from './replace-link.ts'
import { type PayloadFile, writePayload } from './atomic-writer.ts'
import type { TokenSource } from './service-account-token.ts'
import { giveToGroup } from './volume-group.ts'

/** Dependencies of volumes. */
export interface VolumePorts {
  readonly source: ConfigurationSource
  readonly tokens: TokenSource
  readonly resolveImage: ImageResolver
  /** Default: nothing is pulled. */
  readonly imageUser?: ((policy: PullPolicy) => ImageUser) | undefined
  readonly node: NodeFacts
  /** Group that reads and writes the volumes; undefined: they stay the kubelet's. */
  readonly group?: number | undefined
}

/** A volume cannot be put in place (now). Worth a retry. */
class VolumeError extends Error {
  override readonly name = 'VolumeError'
}

/**
 * Puts all volumes of a pod in place. May be repeated: what lies in an emptyDir stays. @throws
 * VolumeError, ImagePullError
 */
export async function prepareVolumes(ports: VolumePorts, pod: Pod, directory: PodDirectory): Promise<void> {
  await mkdir(directory.volumes, { recursive: true, mode: 0o700 })
  if (ports.group !== undefined) await allowTraversal(directory)
  for (const volume of pod.spec?.volumes ?? []) {
    try {
      await prepareVolume(ports, pod, directory, volume)
    } catch (cause) {
      if (cause instanceof ImagePullError) throw cause
      const message = cause instanceof Error ? cause.message : String(cause)
      throw new VolumeError(`Volume "${volume.name}": ${message}`, { cause })
    }
  }
}

async function prepareVolume(ports: VolumePorts, pod: Pod, directory: PodDirectory, volume: Volume): Promise<void> {
  const { emptyDir, hostPath, image, persistentVolumeClaim } = volume
  const path = volumePath(directory, volume)
  if (emptyDir !== undefined) await prepareEmptyDir(path, ports.group)
  else if (hostPath !== undefined) await prepareHostPath(path, hostPath)
  else if (persistentVolumeClaim !== undefined) await prepareClaim(ports, pod, path, persistentVolumeClaim.claimName)
  else if (image !== undefined) await prepareImage(ports, path, image)
  else if (!(await refreshVolume(ports, pod, directory, volume))) throw new ContainerConfigError(unsupported(volume))
}

/**
 * Brings a volume that is made of objects up to date with them. False for volumes of other kinds.
 */
export async function refreshVolume(ports: VolumePorts, pod: Pod, directory: PodDirectory, volume: Volume): Promise<boolean> {
  const { configMap, secret, downwardAPI, projected } = volume
  const path = volumePath(directory, volume)
  const write = (files: readonly PayloadFile[]): Promise<void> => writePayload(path, files, ports.group)
  if (configMap !== undefined) await write(await configMapFiles(ports, pod, configMap))
  else if (secret !== undefined) await write(await secretFiles(ports, pod, secret))
  else if (downwardAPI !== undefined) await write(downwardFiles(ports, pod, downwardAPI))
  else if (projected !== undefined) await write(await projectedFiles(ports, pod, projected))
  else return false
  return true
}

const plugins = [
  ['emptyDir', 'empty-dir'],
  ['hostPath', 'host-path'],
  ['configMap', 'configmap'],
  ['secret', 'secret'],
  ['downwardAPI', 'downward-api'],
  ['image', 'image'],
  ['persistentVolumeClaim', 'local-volume'],
  ['projected', 'projected'],
] as const

/** Path of a pod's volume. */
export function volumePath(directory: PodDirectory, volume: Volume): string {
  const plugin = plugins.find(([kind]) => volume[kind] !== undefined)?.[1] ?? 'unknown'
  return directory.volume(`kubernetes.io~${plugin}`, volume.name)
}

function unsupported(volume: Volume): string {
  return `source is not supported: ${Object.keys(volume)
    .filter((key) => key !== 'name')
    .join(', ')}`
}

/** Links the directory or the raw file of the claim's volume. */
async function prepareClaim(ports: VolumePorts, pod: Pod, link: string, name: string): Promise<void> {
  const found = await ports.source.claim(pod.metadata.namespace ?? '', name)
  if (found === undefined) throw new ContainerConfigError(`persistentvolumeclaim "${name}" not found`)
  if (found.path === undefined) throw new ContainerConfigError(`persistentvolumeclaim "${name}" ${found.problem}`)
  if ((await stat(found.path).catch(() => undefined)) === undefined) {
    throw new ContainerConfigError(`persistentvolumeclaim "${name}": there is no "${found.path}" on this machine`)
  }
  // A volume that an administrator created keeps its owner, as hostPath volumes in Kubernetes do.
  if (ports.group !== undefined && found.provisioned) await giveToGroup(found.path, ports.group)
  await replaceLink(link, found.path)
}

/** Makes the volumes of a pod reachable for its users; records and logs stay closed. */
async function allowTraversal({ path, containers, volumes }: PodDirectory): Promise<void> {
  await mkdir(containers, { recursive: true })
  await chmod(containers, 0o700)
  for (const passage of [path, volumes]) await chmod(passage, 0o711)
}

async function prepareEmptyDir(path: string, group: number | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o777 })
  if (group !== undefined) await giveToGroup(path, group)
}

async function prepareHostPath(link: string, hostPath: NonNullable<Volume['hostPath']>): Promise<void> {
  const { path, type = '' } = hostPath
  if (type === 'DirectoryOrCreate') await makeDirectory(path, 0o755)
  if (type === 'FileOrCreate') await writeFile(path, '', { flag: 'a', mode: 0o644 })
  const found = await stat(path).catch(() => undefined)
  // Container runtimes create what is missing when the pod says nothing of it.
  if (type === '' && found === undefined) await makeDirectory(path, 0o755)
  if (type !== '' && !matchesType(type, found)) throw new ContainerConfigError(`host path "${path}" must be a ${type}`)
  await replaceLink(link, path)
}

function matchesType(type: string, found: Awaited<ReturnType<typeof stat>> | undefined): boolean {
  if (found === undefined) return false
  switch (type) {
    case 'Directory':
    case 'DirectoryOrCreate':
      return found.isDirectory()
    case 'File':
    case 'FileOrCreate':
      return found.isFile()
    case 'Socket':
      return found.isSocket()
    case 'CharDevice':
      return found.isCharacterDevice()
    case 'BlockDevice':
      return found.isBlockDevice()
    default:
      return false
  }
}

async function prepareImage(ports: VolumePorts, link: string, { reference, pullPolicy }: NonNullable<Volume['image']>): Promise<void> {
  if (reference === undefined || reference === '') throw new ContainerConfigError('image volume must have a reference')
  const image = await pullImage(ports.resolveImage, reference, ports.imageUser?.(pullPolicyOf(reference, pullPolicy)))
  await replaceLink(link, image.rootDirectory)
}

async function configMapFiles(ports: VolumePorts, pod: Pod, from: NonNullable<Volume['configMap']>): Promise<readonly PayloadFile[]> {
  const name = from.name ?? ''
  const data = await ports.source.configMap(pod.metadata?.namespace ?? '', name)
  return filesOf(data, { ...from, name, object: 'configmap' })
}

async function secretFiles(ports: VolumePorts, pod: Pod, from: NonNullable<Volume['secret']>): Promise<readonly PayloadFile[]> {
  const name = from.secretName ?? ''
  const data = await ports.source.secret(pod.metadata?.namespace ?? '', name)
  return filesOf(data, { ...from, name, object: 'secret' })
}

interface FileSelection {
  readonly object: 'configmap' | 'secret'
  readonly name: string
  readonly items?: readonly KeyToPath[]
  readonly optional?: boolean
  readonly defaultMode?: number
}

function filesOf(data: ConfigurationData | undefined, selection: FileSelection): readonly PayloadFile[] {
  const { object, name, items, optional = false, defaultMode = 0o644 } = selection
  if (data === undefined) {
    if (optional) return []
    throw new ContainerConfigError(`${object} "${name}" not found`)
  }
  if (items === undefined || items.length === 0) return [...data].map(([path, content]) => ({ path, content, mode: defaultMode }))
  return items.flatMap((item) => {
    const content = data.get(item.key)
    if (content !== undefined) return [{ path: item.path, content, mode: item.mode ?? defaultMode }]
    if (optional) return []
    throw new ContainerConfigError(`${object} "${name}" has no key "${item.key}"`)
  })
}

function downwardFiles(
  ports: VolumePorts,
  pod: Pod,
  from: Pick<NonNullable<Volume['downwardAPI']>, 'items' | 'defaultMode'>,
): readonly PayloadFile[] {
  return (from.items ?? []).map((item) => {
    const { fieldRef, resourceFieldRef } = item
    const path = fieldRef?.fieldPath ?? resourceFieldRef?.resource ?? ''
    const container = allContainers(pod).find(({ name }) => name === resourceFieldRef?.containerName)
    const ofResource =
      resourceFieldRef === undefined || container === undefined ? undefined : resourceFieldValue(container, resourceFieldRef, ports.node)
    const value = fieldRef === undefined ? ofResource : fieldValue(pod, path, ports.node)
    if (value === undefined) throw new ContainerConfigError(`field path "${path}" is not one of the downward API`)
    return { path: item.path, content: new TextEncoder().encode(value), mode: item.mode ?? from.defaultMode ?? 0o644 }
  })
}

async function projectedFiles(ports: VolumePorts, pod: Pod, from: NonNullable<Volume['projected']>): Promise<readonly PayloadFile[]> {
  const files: PayloadFile[] = []
  const defaultMode = from.defaultMode ?? 0o644
  for (const source of from.sources ?? []) {
    if (source.configMap !== undefined) files.push(...(await configMapFiles(ports, pod, { defaultMode, ...source.configMap })))
    else if (source.secret !== undefined) {
      const { name = '', ...rest } = source.secret
      files.push(...(await secretFiles(ports, pod, { defaultMode, ...rest, secretName: name })))
    } else if (source.downwardAPI !== undefined) files.push(...downwardFiles(ports, pod, { defaultMode, ...source.downwardAPI }))
    else if (source.serviceAccountToken !== undefined) {
      const { audience, expirationSeconds = 3600, path } = source.serviceAccountToken
      const token = await ports.tokens.token(pod, { audience, expirationSeconds })
      // Only the pod's own user may read the token.
      files.push({ path, content: new TextEncoder().encode(token), mode: 0o600 })
    } else throw new ContainerConfigError(`projected source is not supported: ${Object.keys(source).join(', ')}`)
  }
  return files
}
