import type { HardwareFactChange } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { compareLaunches, TooManyDevices } from '#qemu/index.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Host } from '../node/host.ts'
import { dryRunArguments } from './dry-run-launch.ts'

/** Where a guest would be started. */
export interface LaunchTarget {
  readonly accelerator: Host['accelerator']
  /**
   * What a guest of this kind of machine has now: `pc-q35-7.2`. Absent: nobody knows what a name
   * without version will mean.
   */
  readonly machineType?: string
}

/**
 * What a guest would see that it does not see now, by the settings of its command line: no QEMU is
 * asked, so that this can be told for thousands, anywhere. Also tells what nobody wrote, such as a
 * card that moves to another slot. Undefined for guests that cannot be built. Pure.
 */
export function predictedChanges(
  before: VirtualMachineInstance,
  after: VirtualMachineInstance,
  place: LaunchTarget,
): HardwareFactChange[] | undefined {
  const host = obligingHost([before, after], place)
  try {
    return withoutDetails(compareLaunches(dryRunArguments(before, host), dryRunArguments(after, host)).filter(({ visible }) => visible))
  } catch (error) {
    if (error instanceof UnsupportedGuest || error instanceof TooManyDevices) return undefined
    throw error
  }
}

/** Of a device that comes or goes, that it does is enough. */
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

/** A host that has whatever the guests ask for. What it is made of they cannot see. */
function obligingHost(guests: readonly VirtualMachineInstance[], { accelerator, machineType }: LaunchTarget): Host {
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
    cpuModels: all(({ cpu }) => [cpu?.model ?? '']),
    cpuFeatures: all(({ cpu }) => (cpu?.features ?? []).map(({ name }) => name)),
    deviceModels: [],
    firmware: [],
    tpmEmulator: undefined,
  }
}
