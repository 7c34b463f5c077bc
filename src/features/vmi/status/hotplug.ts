import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { formatQuantity, parseQuantity, quantityFromBytes } from '#apimachinery/quantity.ts'
import type {
  VirtualMachineInstance,
  VirtualMachineInstanceCondition,
  VirtualMachineInstanceStatus,
} from '#api/kubevirt/v1/virtual-machine-instance.ts'

/**
 * Reason of a HotVCPUChange that nobody is at: until the guest starts again, it may be changed once
 * more.
 */
const waits = 'NotPluggedYet'
/** Reason of a HotMemoryChange or HotVCPUChange that only the guest can end. */
const offered = 'OfferedToGuest'

/** What can be plugged into a guest. */
export type Pluggable = 'sockets' | 'memory'

type Status = Pick<VirtualMachineInstanceStatus, 'conditions'> | undefined

/**
 * Ours: that a running guest cannot be given what its VMI says that it may be. It gets it with its
 * next start.
 */
export const pluggableCondition = 'steadyvm.io/Pluggable'

const reasons = { sockets: 'NoRoomForSockets', memory: 'NoRoomForMemory' } as const

/**
 * The condition of a guest that lacks room, by what it is for and with what is to be said of it;
 * undefined when it lacks none.
 */
export function hotplugCapacityCondition({
  sockets,
  memory,
}: Readonly<Partial<Record<Pluggable, string>>>): VirtualMachineInstanceCondition | undefined {
  if (sockets === undefined && memory === undefined) return undefined
  const reason = sockets === undefined ? reasons.memory : memory === undefined ? reasons.sockets : 'NoRoom'
  const message = [
    ...(sockets === undefined ? [] : [`the guest cannot be given sockets while it runs: ${sockets}`]),
    ...(memory === undefined ? [] : [`the guest cannot be given memory while it runs: ${memory}`]),
  ].join('; ')
  return { type: pluggableCondition, status: 'False', reason, message, lastProbeTime: null }
}

/**
 * Why something cannot be plugged into a running guest; undefined when it can. Agents of former
 * releases plug nothing, and say so in the same condition.
 */
export function hotplugObstacle(status: Status, what: Pluggable): string | undefined {
  const lack = findCondition(status?.conditions, pluggableCondition)
  if (lack?.status !== 'False' || lack.reason === reasons[what === 'sockets' ? 'memory' : 'sockets']) return undefined
  return lack.message ?? ''
}

/**
 * Why sockets that are added to a running guest reach it only later: what the owner of the VM and
 * the reader of a plan are told.
 */
export function pendingSocketsMessage(running: number, why: string): string {
  const has = running === 1 ? '1 socket' : `${running} sockets`
  return `the guest has ${has} until it starts again: ${why}`
}

/** Sockets that QEMU has plugged in, and vCPUs of them that the guest does not run yet. */
interface PluggedSockets {
  readonly plugged: number
  readonly idleVcpus: number
}

/**
 * Returns KubeVirt's HotVCPUChange while the guest does not run the sockets that its VMI asks for.
 */
export function pendingSocketsCondition(
  { spec }: Pick<VirtualMachineInstance, 'spec'>,
  { plugged, idleVcpus }: PluggedSockets,
  why: string,
): VirtualMachineInstanceCondition | undefined {
  const condition = { type: 'HotVCPUChange', status: 'True', lastProbeTime: null } as const
  if ((spec.domain.cpu?.sockets || 1) !== plugged) return { ...condition, reason: waits, message: pendingSocketsMessage(plugged, why) }
  if (idleVcpus === 0) return undefined
  const vcpus = idleVcpus === 1 ? '1 plugged vCPU' : `${idleVcpus} plugged vCPUs`
  const message = `the guest has not brought ${vcpus} online yet: in Linux, udev or "echo 1 >/sys/devices/system/cpu/cpuN/online" does it`
  return { ...condition, reason: offered, message }
}

/** Reports whether the guest has been given sockets that it has not brought online. */
export function waitsForGuest(conditions: NonNullable<Status>['conditions']): boolean {
  return findCondition(conditions, 'HotVCPUChange')?.reason === offered
}

/** Memory of a guest, in bytes: what it was offered, and what it has taken of that. */
export interface OfferedMemory {
  readonly requestedBytes: number
  readonly bytes: number
}

/**
 * KubeVirt's sign that a guest has not the memory yet that its VMI asks for, or will not get it
 * while it runs; undefined when it has it.
 */
export function pendingMemoryCondition(
  { requestedBytes, bytes }: OfferedMemory,
  refused?: string,
): VirtualMachineInstanceCondition | undefined {
  const type = 'HotMemoryChange'
  if (refused !== undefined) return { type, status: 'False', reason: 'Memory Hotplug Failed', message: refused, lastProbeTime: null }
  if (requestedBytes === bytes) return undefined
  const [wanted, has] = [requestedBytes, bytes].map((amount) => formatQuantity(quantityFromBytes(BigInt(amount))))
  const message = `the guest was offered ${wanted} and has ${has} by now: it takes the rest, or gives it back, in its own time, with its driver for virtio-mem`
  return { type, status: 'True', reason: offered, message, lastProbeTime: null }
}

/** Whether sockets wait for somebody to plug them in: by a migration, as in KubeVirt. */
export function isPluggingSockets({ status }: VirtualMachineInstance): boolean {
  return (
    isTrue(status?.conditions, 'HotVCPUChange') &&
    ![waits, offered].includes(findCondition(status?.conditions, 'HotVCPUChange')?.reason ?? '')
  )
}

/** The same of memory: what has been offered is the guest's to take. */
export function isPluggingMemory({ status }: VirtualMachineInstance): boolean {
  return isTrue(status?.conditions, 'HotMemoryChange') && findCondition(status?.conditions, 'HotMemoryChange')?.reason !== offered
}

/** Whether the guest itself has the size that its VMI asks for, as far as its node has told. */
export function hasRequestedSize({ spec, status }: VirtualMachineInstance): boolean {
  const { cpu, memory } = spec.domain
  const sockets = status?.currentCPUTopology?.sockets
  const requested = status?.memory?.guestRequested
  const isSame = (a: string | number, b: string | number): boolean => parseQuantity(a).nanos === parseQuantity(b).nanos
  return (
    (sockets === undefined || sockets === (cpu?.sockets || 1)) &&
    (requested === undefined || memory?.guest === undefined || isSame(requested, memory.guest))
  )
}
