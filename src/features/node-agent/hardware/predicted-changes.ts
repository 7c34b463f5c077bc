import type { HardwareFactChange } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { compareLaunches, TooManyDevices } from '#qemu/index.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Host } from '../node/host.ts'
import { dryRunArguments } from './dry-run-launch.ts'

/** Node that would start the guest. */
export interface LaunchTarget {
  readonly accelerator: Host['accelerator']
  /**
   * Versioned machine type of the running guest, such as `pc-q35-7.2`. Without it, an alias stays
   * unresolved.
   */
  readonly machineType?: string
}

/**
 * Predicts hardware changes by comparing command lines, without QEMU, so that it scales to
 * thousands of guests. Includes side effects, such as a card that moves to another slot. Undefined
 * for guests that cannot be built. Pure.
 */
export function predictedChanges(
  before: VirtualMachineInstance,
  after: VirtualMachineInstance,
  place: LaunchTarget,
): HardwareFactChange[] | undefined {
  const host = permissiveHost([before, after], place)
  try {
    return withoutDetails(compareLaunches(dryRunArguments(before, host), dryRunArguments(after, host)).filter(({ visible }) => visible))
  } catch (error) {
    if (error instanceof UnsupportedGuest || error instanceof TooManyDevices) return undefined
    throw error
  }
}

/** Drops the properties of devices that are added or removed. */
function withoutDetails(changes: readonly HardwareFactChange[]): HardwareFactChange[] {
  const isPartial = ({ before, after }: HardwareFactChange): boolean => before === undefined || after === undefined
  const whole = new Set(changes.filter((change) => isPartial(change) && change.name.endsWith(': type')).map(({ name }) => titleOf(name)))
  return changes
    .filter(
      (change) =>
        !(isPartial(change) && (change.name.startsWith('blockdev ') || whole.has(titleOf(change.name)))) || change.name.endsWith(': type'),
    )
    .map(({ name, before, after }) => ({ name, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }))
}

function titleOf(name: string): string {
  return name.slice(0, name.lastIndexOf(': '))
}

/** Returns a host that supports every requested feature. */
function permissiveHost(guests: readonly VirtualMachineInstance[], { accelerator, machineType }: LaunchTarget): Host {
  const all = <T>(what: (domain: VirtualMachineInstance['spec']['domain']) => readonly T[]): T[] =>
    guests.flatMap(({ spec }) => what(spec.domain))
  const meaning = (prefix: string): string => (machineType?.startsWith(prefix) === true ? machineType : `${prefix}of-its-node`)
  const machineAliases = { q35: meaning('pc-q35-'), pc: meaning('pc-i440fx-') }
  return {
    accelerator,
    acceleratorReason: '',
    qemuBinary: '',
    version: '',
    machineAliases,
    machineTypes: [...Object.values(machineAliases), ...all(({ machine }) => [machine?.type ?? ''])],
    deprecatedMachineTypes: [],
    cpuModels: all(({ cpu }) => [cpu?.model ?? '']),
    cpuFeatures: all(({ cpu }) => (cpu?.features ?? []).map(({ name }) => name)),
    deviceModels: [],
    firmware: [],
    tpmEmulator: undefined,
  }
}
