import type { MemoryWait } from '#features/vmi/index.ts'
import { memoryRefusal, vcpusRefusal, type GuestMemory, type Vcpu } from '#qemu/index.ts'

/** Size that the VMI asks for. */
export interface RequestedSize {
  readonly vcpus: number
  /** Total, including memory from boot. */
  readonly memoryBytes: number
}

/** Observed size of a running guest. */
export interface ObservedSize {
  /** vCPU slots in the order in which they are plugged. */
  readonly places: readonly Vcpu[]
  readonly memory: GuestMemory
  /** Reason why no vCPU can be plugged, even into a free slot. */
  readonly socketsObstacle?: string
  readonly runState: string
  /** Why the pod of the guest does not allow the requested memory yet. */
  readonly memoryWait?: MemoryWait
  /** True during a migration: the target was started with the size of that moment. */
  readonly isMoving: boolean
}

/** Changes to make now, and why the rest is impossible. */
export interface PlugDecision {
  /** Total number of vCPUs after the plug. */
  readonly vcpus?: number
  /** Total bytes to offer. */
  readonly memoryBytes?: number
  readonly refused: { readonly sockets?: string; readonly memory?: string }
  /** Why memory is plugged later. */
  readonly wait?: MemoryWait
}

/** Decides which vCPUs and how much memory to plug. Pure. */
export function decidePlug(wanted: RequestedSize, observed: ObservedSize): PlugDecision {
  const { places, memory, socketsObstacle, runState, isMoving, memoryWait } = observed
  const wantsVcpus = wanted.vcpus !== places.filter(({ plugged }) => plugged).length
  const wantsMemory = wanted.memoryBytes !== offeredBytes(memory)
  if (!wantsVcpus && !wantsMemory) return { refused: {} }
  const obstacle = obstacleNow(runState, isMoving)
  const sockets = wantsVcpus ? (obstacle ?? socketsObstacle ?? vcpusRefusal(places, wanted.vcpus)) : undefined
  const bytes = wantsMemory ? (obstacle ?? memoryRefusal(memory, wanted.memoryBytes)) : undefined
  const canHaveMemory = wantsMemory && bytes === undefined
  const wait = canHaveMemory && wanted.memoryBytes > offeredBytes(memory) ? memoryWait : undefined
  return {
    ...(wantsVcpus && sockets === undefined ? { vcpus: wanted.vcpus } : {}),
    ...(canHaveMemory && wait === undefined ? { memoryBytes: wanted.memoryBytes } : {}),
    ...(wait === undefined ? {} : { wait }),
    refused: { ...(sockets === undefined ? {} : { sockets }), ...(bytes === undefined ? {} : { memory: bytes }) },
  }
}

/** Returns the total bytes that the guest has been offered. */
export function offeredBytes({ baseBytes, devices }: GuestMemory): number {
  return devices.reduce((total, { requestedBytes }) => total + requestedBytes, baseBytes)
}

function obstacleNow(runState: string, isMoving: boolean): string | undefined {
  if (isMoving) return 'it is being moved to another node'
  return runState === 'running' || runState === 'paused' ? undefined : `it is in state "${runState}"`
}
