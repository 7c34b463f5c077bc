import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Service, ServicePort } from '#api/core/v1/service.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'

/** A port of a service as one pod serves it. */
export interface OpenPort {
  /** Empty for the only port of a service. */
  readonly name: string
  readonly port: number
  readonly protocol: string
  readonly appProtocol?: string
}

/** A pod behind a service, with what it serves. */
export interface Backend {
  readonly pod: Pod
  readonly address: string
  readonly ports: readonly OpenPort[]
  /**
   * Accepts new requests: the pod is ready and not terminating, or the service publishes addresses
   * that are not ready.
   */
  readonly ready: boolean
  /** Answers, even on its way out. */
  readonly serving: boolean
  readonly terminating: boolean
}

/** Backends of a service, sorted by name, from the pods that its selector matches. Pure. */
export function backendsOf(service: Service, pods: readonly Pod[]): readonly Backend[] {
  const lenient = service.spec?.publishNotReadyAddresses === true
  return (
    pods
      .filter(mayServe)
      .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
      .map((pod) => {
        const serving = isReady(pod)
        const terminating = isBeingDeleted(pod)
        const ports = (service.spec?.ports ?? []).flatMap((port) => openPort(port, pod))
        return { pod, address: pod.status?.podIP ?? '', ports, ready: lenient || (serving && !terminating), serving, terminating }
      })
      // A pod that has none of the named ports serves nothing, unless the service is about pods as
      // such.
      .filter(({ ports }) => ports.length > 0 || (service.spec?.ports ?? []).length === 0)
  )
}

/** Reports whether the service has a selector. Endpoints of others are maintained by users. */
export function hasSelector({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0
}

/** Reports whether the selector of the service matches the pod. */
export function selects({ metadata, spec }: Service, pod: Pod): boolean {
  const labels = pod.metadata.labels ?? {}
  return (
    metadata.namespace === pod.metadata.namespace && Object.entries(spec?.selector ?? {}).every(([key, value]) => labels[key] === value)
  )
}

function mayServe({ status }: Pod): boolean {
  return (status?.podIP ?? '') !== '' && !isPodTerminal({ status })
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true
}

function openPort(service: ServicePort, pod: Pod): OpenPort[] {
  const { name = '', protocol = 'TCP', appProtocol, targetPort = service.port } = service
  const port = typeof targetPort === 'number' ? targetPort : namedPort(targetPort, protocol, pod)
  return port === undefined ? [] : [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }]
}

function namedPort(name: string, protocol: string, { spec }: Pod): number | undefined {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const ports = [...spec.containers, ...sidecars].flatMap((container) => container.ports ?? [])
  return ports.find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)?.containerPort
}
