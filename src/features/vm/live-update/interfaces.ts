import type { Interface } from '#api/kubevirt/v1/domain/interface.ts'
import type { Network } from '#api/kubevirt/v1/network.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Change } from '#features/instancetype/index.ts'
import { isSecondary } from '#features/network-attachment/index.ts'

/** Interfaces of a guest, and their networks. */
export interface GuestInterfaces {
  readonly interfaces: readonly Interface[]
  readonly networks: readonly Network[]
}

/** Path of a change of interfaces that a running guest takes. */
export const interfacesPath = 'spec.domain.devices.interfaces'

/**
 * Returns the interfaces of a running guest as its VM wants them: plugged in, to be unplugged
 * (`absent`), connected or not. Those that the guest has released are left out. As KubeVirt does.
 * Pure.
 */
export function syncInterfaces({ spec, status }: VirtualMachineInstance, wanted: VirtualMachineInstanceSpec): GuestInterfaces {
  const [own, target] = [interfacesOf(spec), interfacesOf(wanted)]
  const shown = new Set((status?.interfaces ?? []).map(({ name }) => name))
  const kept = own.interfaces.map((card) => withState(card, target)).filter(({ name, state }) => state !== 'absent' || shown.has(name))
  const names = new Set(own.interfaces.map(({ name }) => name))
  const added = target.interfaces.filter((card) => !names.has(card.name) && card.state !== 'absent' && isPluggable(card.name, target))
  const interfaces = [...kept, ...added]
  const networks = [...own.networks, ...target.networks.filter(({ name }) => !own.networks.some((network) => network.name === name))]
  return { interfaces, networks: networks.filter(({ name }) => interfaces.some((card) => card.name === name)) }
}

/** Lists what {@link syncInterfaces} changes in a running guest. Pure. */
export function interfaceChanges(vmi: VirtualMachineInstance, wanted: VirtualMachineInstanceSpec): Change[] {
  const [before, after] = [interfacesOf(vmi.spec).interfaces, syncInterfaces(vmi, wanted).interfaces]
  const names = new Set([...before, ...after].map(({ name }) => name))
  return [...names].flatMap((name) => {
    const [old, now] = [before, after].map((cards) => stateOf(cards.find((card) => card.name === name)))
    return old === now ? [] : [{ path: `${interfacesPath}[${name}]`, old, new: now }]
  })
}

/**
 * Returns the interfaces that a guest was given while it ran, and that its VM has no more. Pure.
 */
export function orphanedInterfaces(
  started: VirtualMachineInstanceSpec,
  { spec }: VirtualMachineInstance,
  wanted: VirtualMachineInstanceSpec,
): Change[] {
  const names = new Set([started, wanted].flatMap((one) => interfacesOf(one).interfaces.map(({ name }) => name)))
  return interfacesOf(spec).interfaces.flatMap(({ name, state }) =>
    names.has(name) || state === 'absent' ? [] : [{ path: `${interfacesPath}[${name}]`, old: name, new: undefined }],
  )
}

/**
 * Leaves out the interfaces that can be plugged and unplugged, and the state of others, of what the
 * guest was started from and of what its VM wants: a running guest takes these changes. Pure.
 */
export function withoutLiveInterfaces(
  started: VirtualMachineInstanceSpec,
  vmi: VirtualMachineInstance,
  wanted: VirtualMachineInstanceSpec,
): readonly [started: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec] {
  const [before, live, after] = [started, vmi.spec, wanted].map(interfacesOf) as [GuestInterfaces, GuestInterfaces, GuestInterfaces]
  const isLive = (name: string): boolean => {
    const [inBefore, inLive, inAfter] = [before, live, after].map(({ interfaces }) => interfaces.find((card) => card.name === name))
    if (inAfter === undefined) return inLive === undefined
    return isPluggable(name, after) && (inBefore === undefined || inLive === undefined || inAfter.state === 'absent')
  }
  const strip = (spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec => {
    const { devices, ...domain } = spec.domain
    const { interfaces } = interfacesOf(spec)
    return onlyWith(
      { ...spec, domain: { ...domain, devices: { ...devices, interfaces: interfaces.map(stateless) } } },
      (name) => !isLive(name),
    )
  }
  return [strip(started), strip(wanted)]
}

/** Leaves out the interfaces that a VM wants absent: a guest starts without them. Pure. */
export function withoutAbsentInterfaces(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const absent = new Set(interfacesOf(spec).interfaces.flatMap(({ name, state }) => (state === 'absent' ? [name] : [])))
  return absent.size === 0 ? spec : onlyWith(spec, (name) => !absent.has(name))
}

/** Returns a spec with some of its interfaces, and their networks. */
function onlyWith(spec: VirtualMachineInstanceSpec, isKept: (name: string) => boolean): VirtualMachineInstanceSpec {
  const { interfaces, networks } = interfacesOf(spec)
  const devices = { ...spec.domain.devices, interfaces: interfaces.filter(({ name }) => isKept(name)) }
  return { ...spec, networks: networks.filter(({ name }) => isKept(name)), domain: { ...spec.domain, devices } }
}

/** Returns the interfaces of a spec. */
function interfacesOf({ networks = [], domain }: VirtualMachineInstanceSpec): GuestInterfaces {
  return { interfaces: domain.devices.interfaces ?? [], networks }
}

function isPluggable(name: string, { interfaces, networks }: GuestInterfaces): boolean {
  const isOnMultus = networks.some((network) => network.name === name && isSecondary(network))
  return isOnMultus && interfaces.some((card) => card.name === name && card.bridge !== undefined)
}

/**
 * A card that the guest is to release is not taken back: it is plugged in again once it is gone.
 */
function withState(card: Interface, target: GuestInterfaces): Interface {
  const wanted = target.interfaces.find(({ name }) => name === card.name)
  if (wanted === undefined || card.state === 'absent' || wanted.state === card.state) return card
  if (wanted.state === 'absent' && !isPluggable(card.name, target)) return card
  return wanted.state === undefined ? stateless(card) : { ...card, state: wanted.state }
}

function stateless(card: Interface): Interface {
  const { state: _, ...rest } = card
  return rest
}

function stateOf(card: Interface | undefined): string | undefined {
  return card === undefined ? undefined : card.state === undefined || card.state === '' ? 'up' : card.state
}
