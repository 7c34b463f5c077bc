import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { hardwarePolicyOf } from '#features/hardware-record/index.ts'
import { mergePatch, type Finding } from '../finding.ts'
import { guestObject, leaveAlone, runningGuests, wayOf } from '../moving-guest.ts'
import type { QemuFacts } from '../release-facts.ts'
import { kubevirtPlace, type UpgradeWorld } from '../world.ts'

/** The hypervisors of two releases. */
export interface Qemus {
  /** Undefined: not known. */
  readonly present: QemuFacts | undefined
  readonly next: QemuFacts
}

/** Whether a hypervisor has a machine, by its type or by an alias. Pure. */
export function knows({ machineTypes, machineAliases }: QemuFacts, type: string): boolean {
  return machineTypes.includes(type) || Object.hasOwn(machineAliases, type)
}

/**
 * VMs whose machine is named by an alias get another one of the same name at their next start.
 * Those that have never run cannot notice. Pure.
 */
export function changeFindings(world: UpgradeWorld, qemus: Qemus): Finding[] {
  const cluster = world.config.machineTypes['amd64'] ?? ''
  const preferred = preferredMachines(world)
  const running = new Set(runningGuests(world).map(({ metadata }) => placeOf(metadata)))
  const affected = world.vms.flatMap((vm): Affected[] => {
    const { metadata, status } = vm
    const hasRun = status?.steadyvm?.hardware !== undefined || running.has(placeOf(metadata))
    const named = typeOf(vm) || preferred(vm)
    const change = hasRun ? changeOf(named || cluster, qemus) : undefined
    return change === undefined || hardwarePolicyOf(vm, world.kubevirt) === 'Allow' ? [] : [{ vm, isUnnamed: named === '', ...change }]
  })
  const unnamed = affected.filter(({ isUnnamed }) => isUnnamed)
  const { object, namespace } = kubevirtPlace(world)
  const pin = (type: string): object => ({ spec: { configuration: { architectureConfiguration: { amd64: { machineType: type } } } } })
  return [
    ...unnamed.slice(0, 1).map(({ was }) => changeFinding(world, object, unnamed, mergePatch(object, namespace, pin(was)))),
    ...affected.flatMap((one) => (one.isUnnamed ? [] : [changeFinding(world, vmObject(one.vm), [one], pinned(one))])),
  ]
}

/** A VM that gets another machine of the same name. */
interface Affected {
  readonly vm: VirtualMachine
  /** Whether the cluster says which machine it has. */
  readonly isUnnamed: boolean
  readonly was: string
  readonly is: string
}

/** Undefined: it is the same, or cannot be kept. */
function changeOf(alias: string, { present, next }: Qemus): Pick<Affected, 'was' | 'is'> | undefined {
  const [was, is] = [present?.machineAliases[alias], next.machineAliases[alias]]
  return was === undefined || is === undefined || was === is || !knows(next, was) ? undefined : { was, is }
}

function changeFinding(world: UpgradeWorld, object: string, affected: readonly Affected[], command: string): Finding {
  const refused = affected.filter(({ vm }) => hardwarePolicyOf(vm, world.kubevirt) === 'Refuse').length
  const names = affected.slice(0, 3).map(({ vm: { metadata } }) => `${metadata.namespace}/${metadata.name}`)
  const more = affected.length > names.length ? ` and ${affected.length - names.length} more` : ''
  const [{ was, is } = { was: '', is: '' }] = affected
  return {
    id: 'HardwareChanges',
    severity: refused > 0 ? 'forceable' : 'warning',
    object,
    what: `Guests of VMs ${names.join(', ')}${more} would see other hardware: at the next start machine ${is} in place of ${was}`,
    why: `${refused > 0 ? `${refused} of them would not be started: their owners want to be asked` : 'Some operating systems take it for another computer'}. The command keeps the machine that they have`,
    command,
  }
}

function typeOf({ spec }: VirtualMachine): string {
  return spec.template?.spec.domain?.machine?.type ?? ''
}

/**
 * The machine that a VM's preference names; empty when it names none. The copy that the VM has
 * captured of it mostly says the same, and is not read for this.
 */
function preferredMachines({ preferences }: Pick<UpgradeWorld, 'preferences'>): (vm: VirtualMachine) => string {
  const types = new Map(preferences.map(({ metadata, spec }) => [placeOf(metadata), spec.machine?.preferredMachineType ?? '']))
  return ({ spec: { preference }, metadata: { namespace } }) => {
    if (preference?.name === undefined) return ''
    const isNamespaced = /^virtualmachinepreferences?$/i.test(preference.kind ?? '')
    return types.get(placeOf({ name: preference.name, ...(isNamespaced && namespace !== undefined ? { namespace } : {}) })) ?? ''
  }
}

function placeOf({ namespace = '', name = '' }: VirtualMachine['metadata']): string {
  return `${namespace}/${name}`
}

function vmObject({ metadata: { name = '', namespace = '' } }: VirtualMachine): string {
  return `vm/${namespace}/${name}`
}

function pinned({ vm: { metadata }, was }: Affected): string {
  const { name = '', namespace } = metadata
  return mergePatch(`vm/${name}`, namespace, { spec: { template: { spec: { domain: { machine: { type: was } } } } } })
}

/**
 * An older hypervisor does not take guests of a younger one. Stable updates of one release are the
 * same to guests. Pure.
 */
export function returnFindings(world: UpgradeWorld, { present, next }: Qemus): Finding[] {
  if (present === undefined || !isOlder(next.version, present.version)) return []
  return runningGuests(world)
    .filter((guest) => wayOf(guest, world) === 'move' && guest.status?.launcherContainerImageVersion?.endsWith(`:${world.to}`) !== true)
    .map((guest) => ({
      id: 'GuestCannotGoBack',
      severity: 'warning',
      object: guestObject(guest),
      what: `The guest may run in QEMU ${present.version}, and ${world.to} has QEMU ${next.version}, which takes none from a newer one`,
      why: 'It stays in its launcher until its VM is restarted; the command says that this is all right',
      command: leaveAlone(guest),
    }))
}

function isOlder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number))
  const [major, minor] = [0, 1].map((index) => (a?.[index] ?? 0) - (b?.[index] ?? 0))
  return (major || minor || 0) < 0
}
