import type { Pod } from '#api/core/v1/pod.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'

type PodSamples = (pod: Pod) => readonly Sample[]

/** Namespace and name, as in all families of pods. */
function keyOf({ metadata }: Pod): { readonly namespace: string; readonly pod: string } {
  return { namespace: metadata.namespace ?? '', pod: metadata.name ?? '' }
}

/** Node of a pod; empty before it has one. */
export const podInfo: PodSamples = (pod) => [[{ ...keyOf(pod), node: pod.spec.nodeName ?? '', host_ip: pod.status?.hostIP ?? '' }, 1]]

/** The phase of a pod; those in which it is not are left out. */
export const podPhase: PodSamples = (pod) => [[{ ...keyOf(pod), phase: pod.status?.phase ?? 'Pending' }, 1]]

/** Whether a pod is ready; before its kubelet has said so, it is not. */
export const podReady: PodSamples = (pod) => {
  const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
  return [[{ ...keyOf(pod), condition: 'true' }, isReady ? 1 : 0]]
}

/** Restarts of each container. */
export const containerRestarts: PodSamples = (pod) =>
  (pod.status?.containerStatuses ?? []).map(({ name, restartCount }) => [{ ...keyOf(pod), container: name }, restartCount])

/** Claims that a pod uses, also by an ephemeral volume. */
export const podClaims: PodSamples = (pod) =>
  (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`)
    return claim === undefined ? [] : [[{ ...keyOf(pod), volume: name, persistentvolumeclaim: claim }, 1] as const]
  })

/** Labels of a resource: `devices.kubevirt.io/kvm` is `devices_kubevirt_io_kvm`. */
export function resourceLabels(resource: string): { readonly resource: string; readonly unit: string } {
  const units: Readonly<Record<string, string>> = { cpu: 'core', memory: 'byte', 'ephemeral-storage': 'byte' }
  return { resource: labelName(resource), unit: units[resource] ?? (resource.startsWith('hugepages-') ? 'byte' : 'integer') }
}

/** Name of a label or resource as Prometheus allows it. */
export function labelName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_]/g, '_')
}
