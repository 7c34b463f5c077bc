import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from '#api/networking/v1/network-policy.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { isWithin, parseIpBlock } from '#apimachinery/ip/ip-address.ts'
import { oneOf, portName, portNumber, requiredField } from '../checks/field-checks.ts'
import { forbiddenField } from '../checks/immutable-field.ts'
import { labelSelectorFaults } from '../checks/label-selector-faults.ts'

const protocols = ['TCP', 'UDP', 'SCTP']
const types = ['Ingress', 'Egress']
const blockMessage = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

/** A rule of either direction, and its path. */
interface Rule {
  readonly ports: readonly NetworkPolicyPort[]
  readonly peers: readonly NetworkPolicyPeer[]
  readonly field: string
  readonly peersField: string
}

/** Validates the spec of a NetworkPolicy, with Kubernetes' messages. */
export function validateNetworkPolicySpec(spec: NetworkPolicySpec): readonly FieldError[] {
  return [
    ...labelSelectorFaults(spec.podSelector ?? {}, 'spec.podSelector'),
    ...rulesOf(spec).flatMap(ruleFaults),
    ...typeFaults(spec.policyTypes ?? []),
  ]
}

/** Returns the blocks of IPv6 addresses, by their paths. */
export function ipv6Blocks(spec: NetworkPolicySpec): readonly (readonly [field: string, cidr: string])[] {
  return rulesOf(spec).flatMap(({ peers, peersField }) =>
    peers.flatMap(({ ipBlock }, index) =>
      ipBlock?.cidr.includes(':') === true ? [[`${peersField}[${index}].ipBlock.cidr`, ipBlock.cidr] as const] : [],
    ),
  )
}

function rulesOf({ ingress = [], egress = [] }: NetworkPolicySpec): readonly Rule[] {
  return [
    ...ingress.map(({ ports = [], from = [] }, index) => {
      const field = `spec.ingress[${index}]`
      return { ports, peers: from, field, peersField: `${field}.from` }
    }),
    ...egress.map(({ ports = [], to = [] }, index) => {
      const field = `spec.egress[${index}]`
      return { ports, peers: to, field, peersField: `${field}.to` }
    }),
  ]
}

function ruleFaults({ ports, peers, field, peersField }: Rule): FieldError[] {
  return [
    ...ports.flatMap((port, index) => portFaults(port, `${field}.ports[${index}]`)),
    ...peers.flatMap((peer, index) => peerFaults(peer, `${peersField}[${index}]`)),
  ]
}

function typeFaults(found: string[]): FieldError[] {
  if (found.length > types.length) return [invalidValue('spec.policyTypes', found, 'may not specify more than two policyTypes')]
  return found.flatMap((type, index) => oneOf(`spec.policyTypes[${index}]`, type, types))
}

function portFaults({ protocol, port, endPort }: NetworkPolicyPort, field: string): FieldError[] {
  const faults = oneOf(`${field}.protocol`, protocol, protocols)
  const endFault = (why: string): FieldError[] => (endPort === undefined ? [] : [invalidValue(`${field}.endPort`, endPort, why)])
  if (port === undefined) return [...faults, ...endFault('may not be specified when `port` is not specified')]
  if (typeof port === 'string')
    return [...faults, ...endFault('may not be specified when `port` is non-numeric'), ...portName(`${field}.port`, port)]
  return [
    ...faults,
    ...portNumber(`${field}.port`, port),
    ...(endPort !== undefined && endPort < port ? endFault('must be greater than or equal to `port`') : []),
    ...(endPort === undefined ? [] : portNumber(`${field}.endPort`, endPort)),
  ]
}

function peerFaults({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, field: string): FieldError[] {
  const selectsPods = podSelector !== undefined || namespaceSelector !== undefined
  if (!selectsPods && ipBlock === undefined) return [requiredField(field, 'must specify a peer')]
  return [
    ...(podSelector === undefined ? [] : labelSelectorFaults(podSelector, `${field}.podSelector`)),
    ...(namespaceSelector === undefined ? [] : labelSelectorFaults(namespaceSelector, `${field}.namespaceSelector`)),
    ...(ipBlock === undefined ? [] : blockFaults(ipBlock, `${field}.ipBlock`)),
    ...(selectsPods && ipBlock !== undefined ? [forbiddenField(field, 'may not specify both ipBlock and another peer')] : []),
  ]
}

function blockFaults({ cidr, except = [] }: IPBlock, field: string): FieldError[] {
  if (cidr === '') return [requiredField(`${field}.cidr`)]
  const block = parseIpBlock(cidr)
  if (block === undefined) return [invalidValue(`${field}.cidr`, cidr, blockMessage)]
  return except.flatMap((text, index) => {
    const place = `${field}.except[${index}]`
    const hole = parseIpBlock(text)
    if (hole === undefined) return [invalidValue(place, text, blockMessage)]
    const isPart = isWithin(hole.address, block.address, block.length) && hole.length > block.length
    return isPart ? [] : [invalidValue(place, text, 'must be a strict subset of `cidr`')]
  })
}
