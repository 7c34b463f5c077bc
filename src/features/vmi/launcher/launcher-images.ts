import type { Container } from '#api/core/v1/container.ts'
import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import type { ContainerDiskSource } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { mountPoints } from '#features/launcher/index.ts'
import { diskVolume, kernelBootVolume, toolsVolume } from './launcher-volumes.ts'

/** Fields of a launcher pod by which QEMU reads container disks and kernels. */
export interface ImageFields {
  readonly volumes: readonly Volume[]
  readonly mounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly: true }[]
  /** Copy the files of the images, where the cluster has no image volumes. */
  readonly initContainers: readonly Container[]
  /** Secrets of the registries. */
  readonly pullSecrets: readonly LocalObjectReference[]
}

/** Options of {@link imageFields}. */
export interface ImageOptions {
  /** True if the cluster mounts images as volumes. */
  readonly hasImageVolumes: boolean
  /** Image of the launcher, which has the program that copies. */
  readonly launcherImage: string
  /** Fields of each container, such as its security context. */
  readonly container: Partial<Container>
}

/** An image with files of the guest. */
interface GuestImage {
  /** Name of the pod's volume, and of the init container. */
  readonly name: string
  readonly reference: string
  readonly pullPolicy: string | undefined
  readonly pullSecret: string | undefined
  /** Absolute paths of the files or folders that the guest needs. */
  readonly paths: readonly string[]
}

/**
 * Returns the volumes of the guest's images. Without image volumes each is an emptyDir at the same
 * mount point, into which an init container of the image copies what the guest needs: it needs no
 * shell in the image, and no privilege, but space on the node for each guest.
 */
export function imageFields({ spec }: VirtualMachineInstance, options: ImageOptions): ImageFields {
  const images = guestImages(spec)
  const mounts = images.map(({ name }) => ({ name, mountPath: mountPoints.image(name), readOnly: true as const }))
  const pullSecrets = pullSecretsOf(images)
  if (images.length === 0 || options.hasImageVolumes) return { volumes: images.map(imageVolume), mounts, initContainers: [], pullSecrets }
  return {
    volumes: [{ name: toolsVolume, emptyDir: {} }, ...images.map(({ name }) => ({ name, emptyDir: {} }))],
    mounts,
    pullSecrets,
    initContainers: [installTools(spec, options), ...images.map((image) => copyFiles(image, spec, options))],
  }
}

function guestImages({ volumes = [], domain }: VirtualMachineInstanceSpec): GuestImage[] {
  const disks = volumes.flatMap(({ name, containerDisk: disk }): GuestImage[] =>
    disk === undefined ? [] : [{ name: diskVolume(name), ...imageOf(disk), paths: [absolute(disk.path ?? 'disk')] }],
  )
  const boot = domain.firmware?.kernelBoot?.container
  if (boot === undefined) return disks
  const paths = [boot.kernelPath, boot.initrdPath].flatMap((path) => (path === undefined ? [] : [absolute(path)]))
  return [...disks, { name: kernelBootVolume, ...imageOf(boot), paths }]
}

function imageOf(
  source: Pick<ContainerDiskSource, 'image' | 'imagePullPolicy' | 'imagePullSecret'>,
): Pick<GuestImage, 'reference' | 'pullPolicy' | 'pullSecret'> {
  return { reference: source.image, pullPolicy: source.imagePullPolicy, pullSecret: source.imagePullSecret }
}

/** Pull secrets belong to the pod: each is tried for all images of its registry. */
function pullSecretsOf(images: readonly GuestImage[]): LocalObjectReference[] {
  const names = images.flatMap(({ pullSecret }) => (pullSecret === undefined || pullSecret === '' ? [] : [pullSecret]))
  return [...new Set(names)].map((name) => ({ name }))
}

function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`
}

function imageVolume({ name, reference, pullPolicy }: GuestImage): Volume {
  return { name, image: { reference, ...policyOf(pullPolicy, 'pullPolicy') } }
}

function policyOf<Key extends string>(policy: string | undefined, key: Key): { readonly [K in Key]?: 'Always' } {
  return policy === undefined ? {} : ({ [key]: policy } as { readonly [K in Key]: 'Always' })
}

const toolsFolder = '/run/steadyvm-tools'
const busybox = `${toolsFolder}/busybox`

/** Copies the static program that works in any image. */
function installTools(spec: VirtualMachineInstanceSpec, { launcherImage, container }: ImageOptions): Container {
  return {
    ...container,
    name: 'tools',
    image: launcherImage,
    command: ['/bin/busybox', 'cp', '/bin/busybox', busybox],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    resources: resourcesOf(spec),
    volumeMounts: [{ name: toolsVolume, mountPath: toolsFolder }],
  }
}

/** Arguments: busybox, the folder to copy to, paths to copy. Keeps the paths below the folder. */
const copyScript = 'b=$1 to=$2; shift 2; for path; do "$b" mkdir -p "$to${path%/*}" && "$b" cp -RL "$path" "$to${path%/*}/" || exit 1; done'

function copyFiles({ name, reference, pullPolicy, paths }: GuestImage, spec: VirtualMachineInstanceSpec, options: ImageOptions): Container {
  const target = mountPoints.image(name)
  return {
    ...options.container,
    name,
    image: reference,
    ...policyOf(pullPolicy, 'imagePullPolicy'),
    command: [busybox, 'sh', '-c', copyScript, 'copy', busybox, target, ...paths],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    resources: resourcesOf(spec),
    volumeMounts: [
      { name: toolsVolume, mountPath: toolsFolder, readOnly: true },
      { name, mountPath: target },
    ],
  }
}

/** With limits as well when the launcher has them: a quota, or the class Guaranteed, needs them. */
function resourcesOf({ domain }: VirtualMachineInstanceSpec): NonNullable<Container['resources']> {
  const requests = { cpu: '100m', memory: '64Mi' }
  return { requests, ...(domain.resources?.limits === undefined ? {} : { limits: requests }) }
}
