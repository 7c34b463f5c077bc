import { isIPv4, isIPv6 } from 'node:net'
import type { StatusCause } from '#apimachinery/errors.ts'
import type { DHCPOptions, Interface, Port, PortRange } from '#api/kubevirt/v1/domain/interface.ts'
import type { Network } from '#api/kubevirt/v1/network.ts'
import { duplicateValue, invalidValue, requiredValue, unsupportedValue } from '../cause.ts'

/** What the rules of an interface depend on. */
export interface InterfacePlace {
  /** Network of the interface. */
  readonly network: Network | undefined
  /** True if it is the network that the pod has by default. */
  readonly isDefault: boolean
  readonly featureGates: readonly string[]
  /** True if cards may be bridged to the pod network. */
  readonly permitsPodBridge: boolean
  /** Path of the spec of the VMI. */
  readonly base: string
}

/** Causes by rule, as KubeVirt checks one rule after the other. */
export type InterfaceCauses = Readonly<Record<'discontinued' | 'state' | 'binding' | 'fields', readonly StatusCause[]>>

/** Validates an interface. `path`: of the interface. */
export function validateInterface(nic: Interface, path: string, place: InterfacePlace): InterfaceCauses {
  return {
    discontinued: validateDiscontinued(nic, path),
    state: validateState(nic, path, place.isDefault),
    binding: validateBinding(nic, path, place),
    fields: [
      ...validateName(nic, path),
      ...validateModel(nic, path),
      ...validateMac(nic, path),
      ...validatePciAddress(nic, path),
      ...(place.network?.pod === undefined ? [] : validatePorts(nic.ports ?? [], `${path}.ports`)),
      ...validatePortRanges(nic, path, place),
      ...(nic.dhcpOptions === undefined ? [] : validateDhcp(nic.dhcpOptions, path, place.base)),
    ],
  }
}

function validateDiscontinued({ slirp, passt, macvtap }: Interface, path: string): StatusCause[] {
  return [
    ...(slirp === undefined ? [] : [invalidValue(`${path}.slirp`, 'Slirp interface support has been discontinued since v1.3')]),
    ...(passt === undefined ? [] : [invalidValue(`${path}.passt`, 'Passt network binding has been discontinued since v1.3')]),
    ...(macvtap === undefined ? [] : [invalidValue(`${path}.macvtap`, 'Macvtap network binding has been discontinued since v1.3')]),
  ]
}

function validateState({ name, state = '', sriov, bridge }: Interface, path: string, isDefault: boolean): StatusCause[] {
  const refuse = (message: string): StatusCause => invalidValue(`${path}.state`, message)
  const told = `"${name}" interface's state "${state}" is`
  return [
    ...(['', 'absent', 'down', 'up'].includes(state) ? [] : [refuse(`logical ${name} interface state value is unsupported: ${state}`)]),
    ...(sriov !== undefined && ['down', 'up'].includes(state) ? [refuse(`${told} not supported for SR-IOV NICs`)] : []),
    ...(state === 'absent' && bridge === undefined ? [refuse(`${told} supported only for bridge binding`)] : []),
    ...(state === 'absent' && isDefault ? [refuse(`${told} not supported on default networks`)] : []),
  ]
}

/** Address of the bridge in a pod, which guests may not have. */
const bridgeMac = '02:00:00:00:00:00'

function validateBinding(nic: Interface, path: string, { network, featureGates, permitsPodBridge }: InterfacePlace): StatusCause[] {
  const { name, bridge, masquerade, sriov, passtBinding, binding, macAddress } = nic
  const count = [bridge, masquerade, sriov, passtBinding, binding].filter((method) => method !== undefined).length
  const isOnPod = network?.pod !== undefined
  return [
    ...(count === 1 ? [] : [invalidValue(path, `logical ${name} interface must have exactly one binding method or binding plugin`)]),
    ...(bridge !== undefined && isOnPod && !permitsPodBridge
      ? [invalidValue(`${path}.name`, 'Bridge on pod network configuration is not enabled under kubevirt-config')]
      : []),
    ...(masquerade !== undefined && !isOnPod
      ? [invalidValue(`${path}.name`, 'Masquerade interface only implemented with pod network')]
      : []),
    ...(masquerade !== undefined && macAddress === bridgeMac
      ? [invalidValue(`${path}.macAddress`, 'The requested MAC address is reserved for the in-pod bridge. Please choose another one.')]
      : []),
    ...(passtBinding !== undefined && !featureGates.includes('PasstBinding')
      ? [invalidValue(`${path}.name`, 'PasstBinding feature gate is not enabled')]
      : []),
    ...(passtBinding !== undefined && !isOnPod
      ? [invalidValue(`${path}.name`, 'PasstBinding interface only implemented with pod network')]
      : []),
  ]
}

/** The name becomes part of QEMU's arguments. */
function validateName({ name }: Interface, path: string): StatusCause[] {
  if (/^[A-Za-z0-9_-]+$/.test(name)) return []
  const message = 'Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)'
  return [invalidValue(`${path}.name`, message)]
}

const models: readonly string[] = ['', 'e1000', 'e1000e', 'igb', 'ne2k_pci', 'pcnet', 'rtl8139', 'virtio']

function validateModel({ model = '' }: Interface, path: string): StatusCause[] {
  return models.includes(model)
    ? []
    : [unsupportedValue(`${path}.model`, `interface ${path}.name uses model ${model} that is not supported.`)]
}

/** Bytes of a MAC address in one of Go's notations: 48, 64 or 160 bits. Undefined: in none. */
function macLength(mac: string): number | undefined {
  const pairs = /^([0-9a-fA-F]{2})(([:-])[0-9a-fA-F]{2})(\3[0-9a-fA-F]{2})*$/.test(mac) ? (mac.length + 1) / 3 : undefined
  const dotted = /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/.test(mac) ? ((mac.length + 1) / 5) * 2 : undefined
  const length = pairs ?? dotted
  return length !== undefined && [6, 8, 20].includes(length) ? length : undefined
}

function validateMac({ macAddress = '' }: Interface, path: string): StatusCause[] {
  const length = macAddress === '' ? 6 : macLength(macAddress)
  if (length === 6) return []
  const what = length === undefined ? 'malformed' : 'too long'
  return [invalidValue(`${path}.macAddress`, `interface ${path}.name has ${what} MAC address (${macAddress}).`)]
}

function validatePciAddress({ pciAddress = '' }: Interface, path: string): StatusCause[] {
  if (pciAddress === '' || /^[\da-fA-F]{4}:[\da-fA-F]{2}:[\da-fA-F]{2}\.[0-7]$/.test(pciAddress)) return []
  return [invalidValue(`${path}.pciAddress`, `interface ${path}.name has malformed PCI address (${pciAddress}).`)]
}

/** Rules of Kubernetes for a name of a port. */
const isPortName = (name: string): boolean =>
  name.length <= 15 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) && /[a-z]/.test(name) && !name.includes('--')

const protocolMessage = 'Unknown protocol, only TCP or UDP allowed'
const isPort = (port: number): boolean => port > 0 && port < 65_536

function validatePorts(ports: readonly Port[], path: string): StatusCause[] {
  const nameCauses = ports.flatMap(({ name = '' }, index) => {
    if (name === '') return []
    const isRepeated = ports.findIndex((other) => other.name === name) < index
    return [
      ...(isRepeated ? [duplicateValue(`${path}[${index}].name`, `Duplicate name of the port: ${name}`)] : []),
      ...(isPortName(name) ? [] : [invalidValue(`${path}[${index}].name`, `Invalid name of the port: ${name}`)]),
    ]
  })
  const others = ports.flatMap(({ port, protocol = '' }, index) => [
    ...(port === 0 ? [requiredValue(`${path}[${index}].port`, 'Port field is mandatory.')] : []),
    ...(port === 0 || isPort(port) ? [] : [invalidValue(`${path}[${index}].port`, 'Port field must be in range 0 < x < 65536.')]),
    ...(['', 'TCP', 'UDP'].includes(protocol) ? [] : [invalidValue(`${path}[${index}].protocol`, protocolMessage)]),
  ])
  return [...nameCauses, ...others]
}

function validatePortRanges(nic: Interface, path: string, { network, featureGates }: InterfacePlace): StatusCause[] {
  const { portRanges, ports, masquerade } = nic
  if (portRanges === undefined || portRanges.length === 0) return []
  if (!featureGates.includes('PortRangesSpec'))
    return [invalidValue(`${path}.name`, 'portRanges is specified on interface but the PortRangesSpec feature gate is not enabled')]
  if (network?.pod === undefined) return []
  return [
    ...(ports === undefined ? [] : [invalidValue(`${path}.name`, 'Cannot define both ports and portRanges on interface')]),
    ...(masquerade === undefined ? [invalidValue(`${path}.name`, 'portRanges are only supported on masquerade interfaces')] : []),
    ...validateRanges(portRanges, `${path}.portRanges`),
  ]
}

function validateRanges(ranges: readonly PortRange[], path: string): StatusCause[] {
  if (ranges.length > 10) return [invalidValue(path, 'No more than 10 portRanges are allowed')]
  const causes = ranges.map((range, index) => rangeCause(range, `${path}[${index}]`))
  const valid = Map.groupBy(
    ranges.filter((_, index) => causes[index] === undefined),
    ({ protocol }) => protocol,
  )
  const overlaps = [...valid].flatMap(([protocol, own]) => {
    const sorted = own.toSorted((a, b) => a.start - b.start || a.end - b.end)
    return sorted.flatMap((range, index) => {
      const before = sorted[index - 1]
      if (before === undefined || range.start > before.end) return []
      const message = `${protocol} portRanges [${before.start}-${before.end}] and [${range.start}-${range.end}] overlap`
      return [invalidValue(path, message)]
    })
  })
  return [...causes.filter((cause) => cause !== undefined), ...overlaps]
}

function rangeCause({ protocol, start, end }: PortRange, path: string): StatusCause | undefined {
  if (protocol !== 'TCP' && protocol !== 'UDP') return invalidValue(`${path}.protocol`, protocolMessage)
  if (!isPort(start)) return invalidValue(`${path}.start`, 'Start must be a valid port number, 0 < x < 65536')
  if (!isPort(end)) return invalidValue(`${path}.end`, 'End must be a valid port number, 0 < x < 65536')
  return start > end ? invalidValue(`${path}.start`, 'Start must be less than or equal to end') : undefined
}

/**
 * Causes of options name the whole spec, as upstream does. An IPv4 address may be written as IPv6.
 */
function validateDhcp({ privateOptions = [], ntpServers = [] }: DHCPOptions, path: string, base: string): StatusCause[] {
  const numbers = privateOptions.map(({ option }) => option)
  return [
    ...(new Set(numbers).size < numbers.length
      ? [invalidValue(base, 'Found Duplicates: you have provided duplicate DHCPPrivateOptions')]
      : []),
    ...numbers
      .filter((number) => number < 224 || number > 254)
      .map(() => invalidValue(base, 'provided DHCPPrivateOptions are out of range, must be in range 224 to 254')),
    ...ntpServers.flatMap((server, index) =>
      isIPv4(server) || (isIPv6(server) && /^::ffff:/i.test(server))
        ? []
        : [invalidValue(`${path}.dhcpOptions.ntpServers[${index}]`, 'NTP servers must be a list of valid IPv4 addresses.')],
    ),
  ]
}
