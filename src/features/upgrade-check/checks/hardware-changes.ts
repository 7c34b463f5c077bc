import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { hardwarePolicyOf } from '#features/hardware-record/index.ts'
import { mergePatch, type Finding } from '../finding.ts'
import { guestObject, excludeFromUpdates, runningGuests, guestUpdateOf } from '../guest-update.ts'
import type { QemuFacts } from '../release-facts.ts'
import { kubevirtPlace, type UpgradeInventory } from '../inventory.ts'

/** QEMU of the installed and of the new release. */
export interface Qemus {
  /** Undefined when the installed one is unknown. */
  readonly present: QemuFacts | undefined
  readonly next: QemuFacts
}

/** Reports whether a QEMU has a machine type or alias. Pure. */
export function knows({ machineTypes, machineAliases }: QemuFacts, type: string): boolean {
  return machineTypes.includes(type) || Object.hasOwn(machineAliases, type)
}

/**
 * Finds VMs whose machine alias means another machine type at their next start. VMs that never ran
 * are skipped. Pure.
 */
export function changeFindings(inventory: UpgradeInventory, qemus: Qemus): Finding[] {
  const cluster = inventory.config.machineTypes['amd64'] ?? ''
  const preferred = preferredMachines(inventory)
  const running = new Set(runningGuests(inventory).map(({ metadata }) => placeOf(metadata)))
  const affected = inventory.vms.flatMap((vm): Affected[] => {
    const { metadata, status } = vm
    const hasRun = status?.steadyvm?.hardware !== undefined || running.has(placeOf(metadata))
    const named = typeOf(vm) || preferred(vm)
    const change = hasRun ? changeOf(named || cluster, qemus) : undefined
    return change === undefined || hardwarePolicyOf(vm, inventory.kubevirt) === 'Allow' ? [] : [{ vm, isUnnamed: named === '', ...change }]
  })
  const unnamed = affected.filter(({ isUnnamed }) => isUnnamed)
  const { object, namespace } = kubevirtPlace(inventory)
  const pin = (type: string): object => ({ spec: { configuration: { architectureConfiguration: { amd64: { machineType: type } } } } })
  return [
    ...unnamed.slice(0, 1).map(({ was }) => changeFinding(inventory, object, unnamed, mergePatch(object, namespace, pin(was)))),
    ...affected.flatMap((one) => (one.isUnnamed ? [] : [changeFinding(inventory, vmObject(one.vm), [one], pinned(one))])),
  ]
}

/** A VM whose machine type changes under the same name. */
interface Affected {
  readonly vm: VirtualMachine
  /** True if the alias is the default of the cluster. */
  readonly isUnnamed: boolean
  readonly was: string
  readonly is: string
}

/** Returns undefined when the machine type is the same or no longer exists. */
function changeOf(alias: string, { present, next }: Qemus): Pick<Affected, 'was' | 'is'> | undefined {
  const [was, is] = [present?.machineAliases[alias], next.machineAliases[alias]]
  return was === undefined || is === undefined || was === is || !knows(next, was) ? undefined : { was, is }
}

function changeFinding(inventory: UpgradeInventory, object: string, affected: readonly Affected[], command: string): Finding {
  const refused = affected.filter(({ vm }) => hardwarePolicyOf(vm, inventory.kubevirt) === 'Refuse').length
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
 * Returns the machine of a VM's preference, or an empty string. The captured revision mostly has
 * the same value and is not read.
 */
function preferredMachines({ preferences }: Pick<UpgradeInventory, 'preferences'>): (vm: VirtualMachine) => string {
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
 * Finds guests that an older QEMU cannot take back. Stable updates of one release are compatible.
 * Pure.
 */
export function returnFindings(inventory: UpgradeInventory, { present, next }: Qemus): Finding[] {
  if (present === undefined || !isOlder(next.version, present.version)) return []
  return runningGuests(inventory)
    .filter(
      (guest) =>
        guestUpdateOf(guest, inventory) === 'move' && guest.status?.launcherContainerImageVersion?.endsWith(`:${inventory.to}`) !== true,
    )
    .map((guest) => ({
      id: 'GuestCannotGoBack',
      severity: 'warning',
      object: guestObject(guest),
      what: `The guest may run in QEMU ${present.version}, and ${inventory.to} has QEMU ${next.version}, which takes none from a newer one`,
      why: 'It stays in its launcher until its VM is restarted; the command says that this is all right',
      command: excludeFromUpdates(guest),
    }))
}

function isOlder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number))
  const [major, minor] = [0, 1].map((index) => (a?.[index] ?? 0) - (b?.[index] ?? 0))
  return (major || minor || 0) < 0
}
