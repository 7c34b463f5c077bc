import type { Namespace } from '#api/core/v1/namespace.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '#api/networking/v1/network-policy.ts'
import type { PolicyFacts } from './compile/compile-policies.ts'

/** An attempt to connect. */
export interface Connection {
  readonly from: string
  readonly to: string
  readonly protocol: 'TCP' | 'UDP'
  readonly port: number
}

/** A guest whose pod runs. */
export function guestPod(address: string, namespace: string, labels: Record<string, string>, ports: Record<string, number> = {}): Pod {
  const listed = Object.entries(ports).map(([name, containerPort]) => ({
    name,
    containerPort,
    protocol: name.startsWith('u') ? 'UDP' : 'TCP',
  }))
  return {
    metadata: { name: `virt-launcher-${address}`, namespace, labels },
    spec: { containers: [{ name: 'compute', ports: listed }] },
    status: { phase: 'Running', podIP: address },
  }
}

/** A namespace with labels. */
export function namespaceOf(name: string, labels: Record<string, string> = {}): Namespace {
  return { metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } } }
}

/** A policy with a spec. */
export function policyOf(namespace: string, name: string, spec: NonNullable<NetworkPolicy['spec']>): NetworkPolicy {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { namespace, name, uid: `${namespace}/${name}` }, spec }
}

/**
 * Reports whether a connection is allowed, object by object, as Kubernetes' page on network
 * policies says it.
 */
export function isAllowed({ policies, pods, namespaces, prefix }: PolicyFacts, connection: Connection): boolean {
  if (connection.from === connection.to) return true
  const [source, destination] = [connection.from, connection.to].map((address) => pods.find(({ status }) => status?.podIP === address))
  const isGuest = (address: string): boolean => address.startsWith(`${prefix}.`)
  if (source === undefined || (destination === undefined && isGuest(connection.to))) return false
  const labelsOf = (name: string): Record<string, string> =>
    namespaces.find(({ metadata }) => metadata.name === name)?.metadata.labels ?? {}

  const isPeer = (policy: NetworkPolicy, peer: NetworkPolicyPeer, address: string, pod: Pod | undefined): boolean => {
    if (peer.ipBlock !== undefined)
      return contains(peer.ipBlock.cidr, address) && !(peer.ipBlock.except ?? []).some((block) => contains(block, address))
    if (pod === undefined) return false
    const namespace = pod.metadata.namespace ?? ''
    const isThere =
      peer.namespaceSelector === undefined ? namespace === policy.metadata.namespace : matches(peer.namespaceSelector, labelsOf(namespace))
    return isThere && matches(peer.podSelector ?? {}, pod.metadata.labels ?? {})
  }
  const isPort = ({ protocol = 'TCP', port, endPort }: NetworkPolicyPort): boolean => {
    if (protocol !== connection.protocol) return false
    if (port === undefined) return true
    if (typeof port === 'number') return connection.port >= port && connection.port <= (endPort ?? port)
    return (destination?.spec.containers ?? []).some(({ ports = [] }) =>
      ports.some((own) => own.name === port && own.protocol === protocol && own.containerPort === connection.port),
    )
  }
  const passes = (pod: Pod | undefined, type: 'Ingress' | 'Egress', address: string, other: Pod | undefined): boolean => {
    if (pod === undefined) return true
    const selecting = policies.filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace &&
        matches(spec?.podSelector ?? {}, pod.metadata.labels ?? {}) &&
        (spec?.policyTypes ?? ['Ingress', ...((spec?.egress ?? []).length > 0 ? ['Egress'] : [])]).includes(type),
    )
    if (selecting.length === 0) return true
    return selecting.some((policy) => {
      const rules =
        type === 'Egress'
          ? (policy.spec?.egress ?? []).map(({ to = [], ports = [] }) => ({ peers: to, ports }))
          : (policy.spec?.ingress ?? []).map(({ from = [], ports = [] }) => ({ peers: from, ports }))
      return rules.some(
        ({ peers, ports }) =>
          (peers.length === 0 || peers.some((peer) => isPeer(policy, peer, address, other))) && (ports.length === 0 || ports.some(isPort)),
      )
    })
  }
  return passes(source, 'Egress', connection.to, destination) && passes(destination, 'Ingress', connection.from, source)
}

function matches({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key]
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      return (value !== undefined && values.includes(value)) === (operator === 'In')
    })
  )
}

function contains(cidr: string, address: string): boolean {
  const [base = '', length = ''] = cidr.split('/')
  if (base.includes(':')) return false
  const bits = (text: string): string =>
    text
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('')
  return bits(base).slice(0, Number(length)) === bits(address).slice(0, Number(length))
}
