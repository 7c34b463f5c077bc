import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { formatQuantity, parseQuantity, quantityFromBytes } from '#apimachinery/quantity.ts'
import type {
  VirtualMachineInstance,
  VirtualMachineInstanceCondition,
  VirtualMachineInstanceStatus,
} from '#api/kubevirt/v1/virtual-machine-instance.ts'

/**
 * Reason of a HotVCPUChange that no migration completes: until the next start it may be changed
 * once more.
 */
const waits = 'NotPluggedYet'
/** Reason of a HotMemoryChange or HotVCPUChange that only the guest can end. */
const offered = 'OfferedToGuest'

/** Why memory is plugged later: its pod has a limit. */
export interface MemoryWait {
  /** `WaitsForPod` while the pod is resized; `PodTooSmall` when only a migration helps. */
  readonly reason: typeof waitsForPod | 'PodTooSmall'
  readonly message: string
}

const waitsForPod = 'WaitsForPod'

/** Resources that can be hot-plugged. */
export type Pluggable = 'sockets' | 'memory'

type Status = Pick<VirtualMachineInstanceStatus, 'conditions'> | undefined

/**
 * Condition of steadyvm: False when a running guest cannot be resized within the limits of its VMI.
 * The new size takes effect at its next start.
 */
export const pluggableCondition = 'steadyvm.io/Pluggable'

const reasons = { sockets: 'NoRoomForSockets', memory: 'NoRoomForMemory' } as const

/**
 * Returns the condition of a guest without hotplug capacity, with a message per resource; undefined
 * when it lacks none.
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
 * Returns why a resource cannot be hot-plugged; undefined when it can. Node agents of earlier
 * releases hot-plug nothing and report so in the same condition.
 */
export function hotplugObstacle(status: Status, what: Pluggable): string | undefined {
  const lack = findCondition(status?.conditions, pluggableCondition)
  if (lack?.status !== 'False' || lack.reason === reasons[what === 'sockets' ? 'memory' : 'sockets']) return undefined
  return lack.message ?? ''
}

/** Message about sockets that a running guest gets later, for the VM's status and plans. */
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

/** Guest memory in bytes: offered through virtio-mem, and taken by the guest. */
export interface OfferedMemory {
  readonly requestedBytes: number
  readonly bytes: number
}

/**
 * Returns KubeVirt's condition for memory that is requested but not plugged, or cannot be while the
 * guest runs; undefined when there is none.
 */
export function pendingMemoryCondition(
  { requestedBytes, bytes }: OfferedMemory,
  refused?: string,
  wait?: MemoryWait,
): VirtualMachineInstanceCondition | undefined {
  const type = 'HotMemoryChange'
  if (wait !== undefined) return { type, status: 'True', ...wait, lastProbeTime: null }
  if (refused !== undefined) return { type, status: 'False', reason: 'Memory Hotplug Failed', message: refused, lastProbeTime: null }
  if (requestedBytes === bytes) return undefined
  const [wanted, has] = [requestedBytes, bytes].map((amount) => formatQuantity(quantityFromBytes(BigInt(amount))))
  const message = `the guest was offered ${wanted} and has ${has} by now: it takes the rest, or gives it back, in its own time, with its driver for virtio-mem`
  return { type, status: 'True', reason: offered, message, lastProbeTime: null }
}

/** Reports whether sockets wait to be plugged, by a migration as in KubeVirt. */
export function isPluggingSockets({ status }: VirtualMachineInstance): boolean {
  return (
    isTrue(status?.conditions, 'HotVCPUChange') &&
    ![waits, offered].includes(findCondition(status?.conditions, 'HotVCPUChange')?.reason ?? '')
  )
}

/**
 * Reports whether memory waits to be plugged by a migration. Memory that is offered to the guest,
 * or for which its pod is resized, does not.
 */
export function isPluggingMemory({ status }: VirtualMachineInstance): boolean {
  const reason = findCondition(status?.conditions, 'HotMemoryChange')?.reason ?? ''
  return isTrue(status?.conditions, 'HotMemoryChange') && ![offered, waitsForPod].includes(reason)
}

/**
 * Reports whether the guest has the size that its VMI requests, as far as its node agent has
 * reported.
 */
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
