import type { StatusCause } from '#apimachinery/errors.ts'
import type { Network } from '#api/kubevirt/v1/network.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isGateOpen, type ClusterConfig } from '#features/cluster-config/index.ts'
import { duplicateValue, invalidValue, requiredValue } from '../cause.ts'
import { validateInterface } from './interfaces.ts'

/** Validates networks and interfaces, with KubeVirt's messages in KubeVirt's order. */
export function validateNetworks(
  spec: VirtualMachineInstanceSpec,
  base: string,
  { featureGates, permitsPodBridge }: Pick<ClusterConfig, 'featureGates' | 'permitsPodBridge'>,
): StatusCause[] {
  const [networksPath, interfacesPath] = [`${base}.networks`, `${base}.domain.devices.interfaces`]
  const networks = spec.networks ?? []
  const interfaces = spec.domain.devices.interfaces ?? []
  const found = interfaces.map((nic, index) =>
    validateInterface(nic, `${interfacesPath}[${index}]`, {
      network: networks.findLast(({ name }) => name === nic.name),
      isDefault: networks.find(isDefault)?.name === nic.name,
      featureGates,
      permitsPodBridge,
      base,
    }),
  )
  return [
    ...found.flatMap(({ discontinued }) => discontinued),
    ...defaultNetworks(networks, base),
    ...networks.flatMap((network, index) => validateSource(network, `${networksPath}[${index}]`)),
    ...namelessNetwork(networks, networksPath),
    ...found.flatMap(({ state }) => state),
    ...found.flatMap(({ binding }) => binding),
    ...repeatedNames(networks).map(([index, name]) =>
      duplicateValue(`${networksPath}[${index}].name`, `Network with name "${name}" already exists, every network must have a unique name`),
    ),
    ...claimedNetworks(networks, networksPath, featureGates),
    ...withoutCounterpart(networksPath, networks, interfaces, requiredValue),
    ...repeatedNames(interfaces).map(([index]) =>
      duplicateValue(`${interfacesPath}[${index}].name`, 'Only one interface can be connected to one specific network'),
    ),
    ...withoutCounterpart(interfacesPath, interfaces, networks, invalidValue),
    ...found.flatMap(({ fields }) => fields),
  ]
}

interface Named {
  readonly name: string
}

const isDefault = ({ pod, multus }: Network): boolean => pod !== undefined || multus?.default === true

function claimedNetworks(networks: readonly Network[], path: string, featureGates: readonly string[]): StatusCause[] {
  if (!networks.some(({ resourceClaim }) => resourceClaim !== undefined)) return []
  if (!isGateOpen('NetworkDevicesWithDRA', featureGates))
    return [invalidValue(path, 'vmi.spec.networks contains DRA networks but NetworkDevicesWithDRA feature gate is not enabled')]
  if (!networks.some(({ multus }) => multus !== undefined)) return []
  return [invalidValue(path, 'mixing Multus and DRA resourceClaim networks in the same VMI is not supported')]
}

function withoutCounterpart(
  path: string,
  items: readonly Named[],
  others: readonly Named[],
  cause: (field: string, message: string) => StatusCause,
): StatusCause[] {
  return items.flatMap(({ name }, index) =>
    others.some((other) => other.name === name) ? [] : [cause(`${path}[${index}].name`, `${path}[${index}].name '${name}' not found.`)],
  )
}

function repeatedNames(items: readonly Named[]): readonly (readonly [index: number, name: string])[] {
  return items.flatMap(({ name }, index) => (items.findIndex((other) => other.name === name) < index ? [[index, name] as const] : []))
}

function defaultNetworks(networks: readonly Network[], base: string): StatusCause[] {
  const onPod = networks.filter(({ pod }) => pod !== undefined).length
  const byMultus = networks.filter(({ multus }) => multus?.default === true).length
  const path = `${base}.interfaces`
  return [
    ...(onPod > 1 ? [duplicateValue(path, `more than one interface is connected to a pod network in ${path}`)] : []),
    ...(byMultus > 1 ? [invalidValue(`${base}.networks`, 'Multus CNI should only have one default network')] : []),
    ...(onPod > 0 && byMultus > 0
      ? [invalidValue(`${base}.networks`, 'Pod network cannot be defined when Multus default network is defined')]
      : []),
  ]
}

function validateSource({ pod, multus, resourceClaim }: Network, path: string): StatusCause[] {
  const count = [pod, multus, resourceClaim].filter((source) => source !== undefined).length
  if (count === 1) return []
  return [requiredValue(path, count === 0 ? 'should have a network type' : 'should have only one network type')]
}

/** KubeVirt names only the first one. */
function namelessNetwork(networks: readonly Network[], path: string): StatusCause[] {
  const index = networks.findIndex(({ multus }) => multus?.networkName === '')
  return index === -1 ? [] : [requiredValue(`${path}[${index}]`, 'CNI delegating plugin must have a networkName')]
}
