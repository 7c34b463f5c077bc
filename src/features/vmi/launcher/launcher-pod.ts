import { createHash } from 'node:crypto'
import type { Affinity } from '#api/core/v1/affinity.ts'
import type { ContainerPort } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { kvmResource, mountPoints, persistentStateVolume, preStopCommand, tunResource } from '#features/launcher/index.ts'
import { networkAnnotations } from '#features/network-attachment/index.ts'
import { inContainer } from './contained-pod.ts'
import { claimVolumes } from '../storage/claim-volumes.ts'
import { guestSizeOf, launcherLimits, launcherRequests, type LauncherConfig } from './launcher-resources.ts'
import { probesOf } from './launcher-probes.ts'
import { imageFields } from './launcher-images.ts'
import { objectVolumes, podVolumeOf } from './object-volumes.ts'
import { privateVolume } from './launcher-volumes.ts'
import { names } from '../names.ts'
import { persistentStateClaimName, wantsPersistentState } from '../storage/persistent-state.ts'

/** Seconds for a guest to power off when its VMI sets none. */
export const defaultGracePeriodSeconds = 30

/**
 * Seconds that the pod's grace period exceeds the guest's, so that the kubelet never kills a guest
 * early.
 */
const podGraceMarginSeconds = 30

/** Options of {@link launcherPodOf}. */
export interface LauncherPodOptions {
  /** Image of the launcher, with version. */
  readonly image: string
  readonly config: LauncherConfig
  /** True if the kubelet runs containers. Machine mode's runs processes, with its own user. */
  readonly inContainer: boolean
  /** True if the cluster mounts images as volumes. Default: true. */
  readonly imageVolumes?: boolean
  /** True if the container requests /dev/kvm. Default: false. */
  readonly kvm?: boolean
  /** State of the guest's claims. Default: the VMI's status. */
  readonly volumes?: readonly VolumeStatus[]
  /** The migration that the pod is the target of. */
  readonly migration?: PodMigration
}

/** Facts of a migration that go into its target pod. */
export interface PodMigration {
  readonly name: string
  readonly uid: string
  /** Additional labels that the node must have. */
  readonly nodeSelector: Readonly<Record<string, string>>
}

/**
 * Builds the launcher pod, which becomes the guest's QEMU. The name is derived from the VMI's UID,
 * so that a controller that was killed, or has a stale cache, does not create a second pod.
 */
export function launcherPodOf(vmi: VirtualMachineInstance, options: LauncherPodOptions): Pod {
  const { name = '', namespace = '', uid = '', labels, annotations } = vmi.metadata
  const { spec } = vmi
  const { migration } = options
  const claims = claimVolumes(vmi, options.volumes ?? vmi.status?.volumeStatus ?? [], migration !== undefined)
  const objects = objectVolumes(spec)
  const contained = options.inContainer ? inContainer : undefined
  const images = imageFields(vmi, {
    hasImageVolumes: options.imageVolumes !== false,
    launcherImage: options.image,
    container: contained?.container ?? {},
  })
  const hostname = hostnameOf(vmi)
  const affinity = migration === undefined ? spec.affinity : awayFrom(uid, spec.affinity)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: migration === undefined ? launcherPodName(vmi) : podName(name, migration.uid),
      generateName: namePrefix(name),
      namespace,
      labels: {
        ...labels,
        [names.appLabel]: names.launcherApp,
        [names.createdByLabel]: uid,
        [names.vmNameLabel]: hostname,
        [names.vmiIdLabel]: vmiIdOf(name),
        ...(migration === undefined ? {} : { [names.migrationJobLabel]: migration.uid }),
      },
      annotations: {
        ...inherited(annotations),
        [names.domainAnnotation]: name,
        [names.mountsAnnotation]: 'none',
        ...(options.inContainer ? {} : { [names.podNetworkAnnotation]: name }),
        ...networkAnnotations(vmi),
        [names.guestSizeAnnotation]: guestSizeOf(spec),
        [names.evictOnlyAnnotation]: '',
        ...(migration === undefined ? {} : { [names.migrationJobAnnotation]: migration.name }),
      },
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachineInstance',
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      ...contained?.spec,
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: (spec.terminationGracePeriodSeconds ?? defaultGracePeriodSeconds) + podGraceMarginSeconds,
      hostname,
      ...(spec.subdomain === undefined ? {} : { subdomain: spec.subdomain }),
      ...(spec.schedulerName === undefined ? {} : { schedulerName: spec.schedulerName }),
      ...(affinity === undefined ? {} : { affinity }),
      ...(spec.tolerations === undefined ? {} : { tolerations: spec.tolerations }),
      ...(spec.priorityClassName === undefined ? {} : { priorityClassName: spec.priorityClassName }),
      nodeSelector: {
        ...migration?.nodeSelector,
        ...spec.nodeSelector,
        [names.schedulableLabel]: 'true',
        ...(spec.architecture === undefined ? {} : { 'kubernetes.io/arch': spec.architecture }),
      },
      ...(images.pullSecrets.length === 0 ? {} : { imagePullSecrets: [...images.pullSecrets] }),
      ...(images.initContainers.length === 0 ? {} : { initContainers: [...images.initContainers] }),
      containers: [
        {
          name: 'compute',
          image: options.image,
          // QEMU's last output is the reason why it ended.
          terminationMessagePolicy: 'FallbackToLogsOnError',
          resources: {
            requests: launcherRequests(spec, options.config),
            ...limitsOf(spec, { kvm: options.kvm === true, tun: options.inContainer && hasCards(spec) }),
          },
          ...contained?.container,
          ...portsOf(spec),
          ...probesOf(spec),
          // Deleting the pod powers the guest off first: the node agent sees the deletion, and the
          // hook waits for it.
          lifecycle: { preStop: { exec: { command: [...preStopCommand] } } },
          volumeMounts: [
            { name: privateVolume, mountPath: mountPoints.private },
            ...(contained?.mounts ?? []),
            ...images.mounts,
            ...claims.mounts,
            ...objects.map(({ podVolume: name }) => ({ name, mountPath: mountPoints.object(name), readOnly: true })),
            ...stateMounts(vmi),
          ],
          ...(claims.devices.length === 0 ? {} : { volumeDevices: claims.devices }),
        },
      ],
      volumes: [
        { name: privateVolume, emptyDir: {} },
        ...(contained?.volumes ?? []),
        ...images.volumes,
        ...claims.volumes,
        ...objects.map(podVolumeOf),
        ...stateVolumes(vmi),
      ],
    },
  }
}

/** Lists the ports of interfaces, so that Services find them by their names. */
function portsOf({ domain }: VirtualMachineInstanceSpec): { ports?: ContainerPort[] } {
  const listed = (domain.devices.interfaces ?? []).flatMap(({ ports = [] }) => ports)
  if (listed.length === 0) return {}
  return {
    ports: listed.map(({ name, port, protocol }) => ({
      ...(name === undefined || name === '' ? {} : { name }),
      containerPort: port,
      protocol: protocol === undefined || protocol === '' ? 'TCP' : protocol,
    })),
  }
}

/** Reports whether QEMU opens tap devices. */
function hasCards({ domain }: VirtualMachineInstanceSpec): boolean {
  return (domain.devices.interfaces ?? []).length > 0
}

function limitsOf(
  spec: VirtualMachineInstanceSpec,
  { kvm, tun }: { readonly kvm: boolean; readonly tun: boolean },
): { limits?: Record<string, string | number> } {
  const limits = { ...launcherLimits(spec), ...(kvm ? { [kvmResource]: '1' } : {}), ...(tun ? { [tunResource]: '1' } : {}) }
  return Object.keys(limits).length === 0 ? {} : { limits }
}

/** Returns the name of the launcher pod that a VMI starts in. */
export function launcherPodName(vmi: VirtualMachineInstance): string {
  return podName(vmi.metadata.name ?? '', vmi.metadata.uid ?? '')
}

/**
 * Derives a pod name from the UID of its VMI or migration, so that a retry creates no second pod.
 */
function podName(name: string, uid: string): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
  const digest = createHash('sha256').update(uid).digest()
  const suffix = Array.from(digest.subarray(0, 5), (byte) => alphabet[byte % alphabet.length]).join('')
  return `${namePrefix(name)}${suffix}`
}

/** Adds anti-affinity: two pods of a guest never share a node. */
function awayFrom(vmiUid: string, affinity: Affinity | undefined): Affinity {
  const others = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const own = { labelSelector: { matchLabels: { [names.createdByLabel]: vmiUid } }, topologyKey: 'kubernetes.io/hostname' }
  return {
    ...affinity,
    podAntiAffinity: { ...affinity?.podAntiAffinity, requiredDuringSchedulingIgnoredDuringExecution: [...others, own] },
  }
}

/** Returns the VMI's name, cut to leave room for the suffix. */
function namePrefix(name: string): string {
  return `${`virt-launcher-${name}`.slice(0, 247)}-`
}

/** Returns the host name of a guest: by default its name up to the first dot, as one DNS label. */
export function hostnameOf({ spec, metadata: { name = '' } }: VirtualMachineInstance): string {
  return spec.hostname ?? (name.split('.')[0] ?? '').slice(0, 63).replace(/-+$/, '')
}

function stateVolumes(vmi: VirtualMachineInstance): Volume[] {
  if (!wantsPersistentState(vmi.spec)) return []
  return [{ name: persistentStateVolume, persistentVolumeClaim: { claimName: persistentStateClaimName(vmi.metadata.name ?? '') } }]
}

function stateMounts(vmi: VirtualMachineInstance): { name: string; mountPath: string }[] {
  return stateVolumes(vmi).map(({ name }) => ({ name, mountPath: mountPoints.persistentState }))
}

/** Removes annotations that kubectl writes for the VMI itself. */
function inherited(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== 'kubectl.kubernetes.io/last-applied-configuration'))
}

/** Returns the label value by which Services of `virtctl expose` select a guest, as KubeVirt. */
function vmiIdOf(name: string): string {
  return name.length <= 63 ? name : `${name.slice(0, 54)}-${createHash('sha1').update(name).digest('hex').slice(0, 8)}`
}
