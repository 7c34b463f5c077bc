import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { duplicateNames, invalidValue } from './cause.ts'

/** Validates that interfaces and networks match, and that at most one network is the pod's. */
export function validateNetworks(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const [networksPath, interfacesPath] = [`${base}.networks`, `${base}.domain.devices.interfaces`]
  const networks = spec.networks ?? []
  const interfaces = spec.domain.devices.interfaces ?? []
  return [
    ...duplicateNames(networksPath, networks),
    ...duplicateNames(interfacesPath, interfaces),
    ...withoutCounterpart(interfacesPath, interfaces, networks),
    ...withoutCounterpart(networksPath, networks, interfaces),
    ...secondPodNetworks(networksPath, networks),
    ...interfaces.flatMap(({ name }, index) => validateNameFormat(name, `${interfacesPath}[${index}].name`)),
    ...interfaces.flatMap(({ macAddress }, index) => validateMac(macAddress, `${interfacesPath}[${index}].macAddress`)),
  ]
}

interface Named {
  readonly name: string
}

function withoutCounterpart(path: string, items: readonly Named[], others: readonly Named[]): StatusCause[] {
  return items.flatMap(({ name }, index) => {
    if (others.some((other) => other.name === name)) return []
    return [invalidValue(`${path}[${index}].name`, `${path}[${index}].name '${name}' not found.`)]
  })
}

function secondPodNetworks(path: string, networks: NonNullable<VirtualMachineInstanceSpec['networks']>): StatusCause[] {
  const onPod = networks.flatMap((network, index) => (network.pod === undefined ? [] : [index]))
  return onPod
    .slice(1)
    .map((index) => invalidValue(`${path}[${index}]`, `more than one interface is connected to a pod network in ${path}[${index}]`))
}

/** Validates a name that becomes part of QEMU's arguments. */
function validateNameFormat(name: string, field: string): StatusCause[] {
  if (/^[A-Za-z0-9_-]+$/.test(name)) return []
  return [invalidValue(field, 'Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)')]
}

function validateMac(mac: string | undefined, field: string): StatusCause[] {
  if (mac === undefined || /^([0-9a-fA-F]{2}([:-](?!$)|$)){6}$/.test(mac)) return []
  return [invalidValue(field, `interface ${field} has malformed MAC address (${mac}).`)]
}
