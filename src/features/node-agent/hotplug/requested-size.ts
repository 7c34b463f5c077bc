import { memoryRefusal, vcpusRefusal, type GuestMemory, type Vcpu } from '#qemu/index.ts'

/** A size of a guest. */
export interface RequestedSize {
  readonly vcpus: number
  /** In all. */
  readonly memoryBytes: number
}

/** What is known of a running guest. */
export interface ObservedSize {
  /** Places for CPUs, those that are taken first. */
  readonly places: readonly Vcpu[]
  readonly memory: GuestMemory
  /** Why it can be given no processors, whatever places it has. */
  readonly socketsObstacle?: string
  readonly runState: string
  /** Whether it is on its way to another node, whose QEMU was told what it has. */
  readonly isMoving: boolean
}

/** What to plug now, and why the rest cannot be. */
export interface PlugDecision {
  /** Number of CPUs that the guest is to have in all. */
  readonly vcpus?: number
  /** Bytes that the guest is to be offered in all. */
  readonly memoryBytes?: number
  readonly refused: { readonly sockets?: string; readonly memory?: string }
}

/** Decides what a running guest is given. Pure. */
export function decidePlug(wanted: RequestedSize, { places, memory, socketsObstacle, runState, isMoving }: ObservedSize): PlugDecision {
  const wantsVcpus = wanted.vcpus !== places.filter(({ plugged }) => plugged).length
  const wantsMemory = wanted.memoryBytes !== offeredBytes(memory)
  if (!wantsVcpus && !wantsMemory) return { refused: {} }
  const obstacle = obstacleNow(runState, isMoving)
  const sockets = wantsVcpus ? (obstacle ?? socketsObstacle ?? vcpusRefusal(places, wanted.vcpus)) : undefined
  const bytes = wantsMemory ? (obstacle ?? memoryRefusal(memory, wanted.memoryBytes)) : undefined
  return {
    ...(wantsVcpus && sockets === undefined ? { vcpus: wanted.vcpus } : {}),
    ...(wantsMemory && bytes === undefined ? { memoryBytes: wanted.memoryBytes } : {}),
    refused: { ...(sockets === undefined ? {} : { sockets }), ...(bytes === undefined ? {} : { memory: bytes }) },
  }
}

/** Bytes that a guest has been offered in all. */
export function offeredBytes({ baseBytes, devices }: GuestMemory): number {
  return devices.reduce((total, { requestedBytes }) => total + requestedBytes, baseBytes)
}

function obstacleNow(runState: string, isMoving: boolean): string | undefined {
  if (isMoving) return 'it is being moved to another node'
  return runState === 'running' || runState === 'paused' ? undefined : `it is in state "${runState}"`
}
