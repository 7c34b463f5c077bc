import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { activeMigration } from '#features/vmi/index.ts'
import {
  countIdleVcpus,
  plugVcpus,
  QmpClosed,
  readMemory,
  readVcpus,
  resizeMemory,
  type GuestMemory,
  type QmpConnection,
} from '#qemu/index.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'
import { memoryWait } from './memory-limit.ts'
import { decidePlug, offeredBytes, type PlugDecision, type ObservedSize, type RequestedSize } from './requested-size.ts'
import { socketsObstacle } from '../domain/headroom.ts'

/** Size of a running guest. Memory is in bytes. */
export interface GuestSize {
  readonly sockets: number
  /** Plugged vCPUs that the guest has not started. */
  readonly idleVcpus: number
  readonly memory: {
    /** Memory from boot. */
    readonly atBootBytes: number
    /** Total memory offered. */
    readonly requestedBytes: number
    /** Total memory that the guest has taken. */
    readonly bytes: number
  }
  /** Reason why the guest has less than its VMI requests. */
  readonly refused: PlugDecision['refused']
  /** Reason why it gets memory later. */
  readonly wait?: PlugDecision['wait']
}

interface MeasuredSize extends ObservedSize {
  readonly idleVcpus: number
}

interface Running {
  readonly guest: Guest
  readonly record: LaunchRecord
  readonly vmi: VirtualMachineInstance
  /** Pod of the guest. */
  readonly pod: Pod | undefined
  readonly runState: string
}

/**
 * Limit in milliseconds for reading the size. Short, because a QEMU that hangs must not outlive the
 * grace period of its guest by much: no other step of the guest is taken meanwhile.
 */
const observeTimeoutMs = 5_000
/**
 * Limit in milliseconds for one batch of hotplug commands; plugging a vCPU is slow under emulation.
 */
const plugTimeoutMs = 20_000

/**
 * Plugs what the VMI asks for and returns the resulting size; undefined when QEMU does not answer.
 * Reads everything from QEMU, so that a restarted agent continues a partial plug.
 */
export async function resizeGuest(ports: Pick<Ports, 'recorder'>, running: Running): Promise<GuestSize | undefined> {
  const { guest, vmi } = running
  const observed = await ask(guest, (qmp) => observeSize(qmp, running), observeTimeoutMs)
  if (observed === undefined) return undefined
  const decision = decidePlug(wantedSize(running), observed)
  const { vcpus, memoryBytes } = decision
  if (vcpus === undefined && memoryBytes === undefined) return sizeOf(running, observed, decision)
  // Plugging changes the hardware. Clear the fingerprint first: an agent that dies in between must
  // not leave a stale one.
  await guest.clearFingerprint()
  const failed = await ask(guest, (qmp) => plug(qmp, decision), plugTimeoutMs)
  const now = failed === undefined ? undefined : await ask(guest, (qmp) => observeSize(qmp, running), plugTimeoutMs)
  if (failed === undefined || now === undefined) return undefined
  const size = sizeOf(running, now, { ...decision, refused: { ...decision.refused, ...failed } })
  if (memoryBytes !== undefined && failed.memory === undefined) {
    const { guest: amount = '' } = vmi.spec.domain.memory ?? {}
    ports.recorder.event(vmi, 'Normal', 'MemoryOffered', `The running guest was offered ${amount} of memory.`)
  }
  return size
}

/** Undefined when QEMU is not connected, exits or exceeds the limit. */
async function ask<T>(guest: Guest, command: (qmp: QmpConnection) => Promise<T>, timeoutMs: number): Promise<T | undefined> {
  try {
    return await guest.query(command, timeoutMs)
  } catch (error) {
    if (error instanceof QmpClosed) return undefined
    throw error
  }
}

async function observeSize(qmp: QmpConnection, running: Running): Promise<MeasuredSize> {
  const { guest, record, vmi, pod, runState } = running
  const [places, memory] = await Promise.all([readVcpus(qmp), readMemory(qmp)])
  const plugged = places.filter(({ id }) => id !== undefined).length
  // A reboot resets vCPUs for a moment; they are not checked again.
  const idleVcpus = plugged > guest.startedVcpus ? await countIdleVcpus(qmp) : 0
  if (idleVcpus === 0) guest.startedVcpus = plugged
  const obstacle = socketsObstacle(record)
  const wait = memoryWait(vmi, pod, wantedSize(running).memoryBytes)
  return {
    places,
    memory,
    idleVcpus,
    ...(obstacle === undefined ? {} : { socketsObstacle: obstacle }),
    ...(wait === undefined ? {} : { memoryWait: wait }),
    runState,
    isMoving: activeMigration(vmi) !== undefined,
  }
}

async function plug(qmp: QmpConnection, { vcpus, memoryBytes }: PlugDecision): Promise<PlugDecision['refused']> {
  const sockets = vcpus === undefined ? undefined : (await plugVcpus(qmp, vcpus)).refused
  const memory = memoryBytes === undefined ? undefined : (await resizeMemory(qmp, memoryBytes)).refused
  return { ...(sockets === undefined ? {} : { sockets }), ...(memory === undefined ? {} : { memory }) }
}

function wantedSize({ record, vmi }: Running): RequestedSize {
  const { cpu, memory } = vmi.spec.domain
  const { cores, threads } = record.domain.cpu
  const memoryBytes = memory?.guest === undefined ? record.domain.memory.bytes : Number(quantityToBytes(parseQuantity(memory.guest)))
  return { vcpus: (cpu?.sockets || 1) * cores * threads, memoryBytes }
}

function sizeOf(
  { record }: Running,
  { places, memory, idleVcpus }: MeasuredSize,
  { refused, wait }: Pick<PlugDecision, 'refused' | 'wait'>,
): GuestSize {
  const { cores, threads } = record.domain.cpu
  const count = places.filter(({ plugged }) => plugged).length
  return {
    // Only complete sockets count.
    sockets: Math.floor(count / (cores * threads)),
    idleVcpus,
    memory: { atBootBytes: memory.baseBytes, requestedBytes: offeredBytes(memory), bytes: takenBytes(memory) },
    refused,
    ...(wait === undefined ? {} : { wait }),
  }
}

function takenBytes({ baseBytes, devices }: GuestMemory): number {
  return devices.reduce((total, { bytes }) => total + bytes, baseBytes)
}
