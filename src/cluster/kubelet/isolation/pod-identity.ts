import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ProcessUser } from '#runtime/isolation/process-user.ts'
import { rangeSize } from '#runtime/isolation/uid-ranges.ts'
import { allContainers } from '../pod/container-view.ts'

/** Label by which PodSecurity and this kubelet know that a namespace may do everything. */
export const enforceLabel = 'pod-security.kubernetes.io/enforce'

/**
 * On whose behalf the processes of a pod run.
 *
 *     system     static pods and pods of privileged namespaces: the kubelet's own user
 *     launcher   guests: the kubelet's own user, until QEMU becomes one of its own, and the
 *                namespace's for `kubectl exec`
 *     namespace  all others: the namespace's Unix users, from `first` on
 */
export type PodIdentity =
  | { readonly kind: 'system' }
  | { readonly kind: 'launcher' }
  | { readonly kind: 'namespace'; readonly first: number }

/** Kind of a pod's identity. `labels` are those of its namespace. Pure. */
export function identityKind(
  pod: Pod,
  isStatic: boolean,
  systemNamespaces: readonly string[],
  labels: () => Readonly<Record<string, string>>,
): PodIdentity['kind'] {
  if (isStatic || systemNamespaces.includes(pod.metadata.namespace ?? '')) return 'system'
  // Admission reserves these for virt-controller: machine/control-plane/admission-policies.ts.
  if (['virt-launcher', 'hotplug-disk'].includes(pod.metadata.labels?.['kubevirt.io'] ?? '')) return 'launcher'
  return labels()[enforceLabel] === 'privileged' ? 'system' : 'namespace'
}

/** Lists the fields of a pod that require root of the machine; empty for an ordinary pod. Pure. */
export function machineRights(pod: Pod): readonly string[] {
  const { spec } = pod
  const userOf = (container: Container): number | undefined => container.securityContext?.runAsUser ?? spec.securityContext?.runAsUser
  const containers = allContainers(pod).flatMap((container) => [
    ...(container.securityContext?.privileged === true ? [`container "${container.name}" must not set privileged`] : []),
    ...(userOf(container) === 0 ? [`container "${container.name}" must not run as user 0`] : []),
  ])
  const volumes = (spec.volumes ?? []).flatMap(({ name, hostPath }) =>
    hostPath === undefined ? [] : [`volume "${name}" must not be a hostPath`],
  )
  const shared = (['hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true).map((field) => `the pod must not set ${field}`)
  return [...shared, ...containers, ...volumes]
}

/**
 * Credentials of a container; undefined: those of the kubelet. Ids of the pod count from the first
 * id of its namespace, as in a user namespace. All containers share the group of the namespace, so
 * that containers with different users share volumes. Pure.
 */
export function userOf(identity: PodIdentity, pod: Pod, container: Container | undefined): ProcessUser | undefined {
  if (identity.kind !== 'namespace') return undefined
  const { first } = identity
  const own = container?.securityContext
  const { runAsUser = 0, runAsGroup = 0, fsGroup, supplementalGroups = [] } = { ...pod.spec.securityContext, ...defined(own) }
  const groups = [0, ...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])].map((id) => idIn(first, id))
  return { uid: idIn(first, runAsUser), gid: idIn(first, runAsGroup), groups: [...new Set(groups)] }
}

/**
 * Owner and group of files that the kubelet writes for a pod's containers; undefined: its own.
 * Pure.
 */
export function volumeGroupOf(identity: PodIdentity, pod: Pod): number | undefined {
  return identity.kind === 'namespace' ? idIn(identity.first, pod.spec.securityContext?.fsGroup ?? 0) : undefined
}

function idIn(first: number, id: number): number {
  return id >= first && id < first + rangeSize ? id : first + (id % rangeSize)
}

function defined(context: Container['securityContext']): { readonly runAsUser?: number; readonly runAsGroup?: number } {
  const { runAsUser, runAsGroup } = context ?? {}
  return { ...(runAsUser === undefined ? {} : { runAsUser }), ...(runAsGroup === undefined ? {} : { runAsGroup }) }
}
