import type { QmpConnection } from '../qmp/connection.ts'
import { readCards, type PresentCard } from './cards.ts'
import { readPluggedDisks, type PluggedDisk } from './disks.ts'
import { readMemoryDevices } from './memory.ts'
import { readVcpus, type Vcpu } from './vcpus.ts'

/** Devices hotplugged since the start of the guest. */
export interface Hotplugged {
  readonly cpus: readonly PluggedCpu[]
  readonly memory: readonly { readonly id: string; readonly requestedBytes: number }[]
  /** All network cards that the guest has now. Absent: those that it was started with. */
  readonly cards?: readonly PresentCard[]
  /** Disks and media that the guest has now. Absent: none. */
  readonly storage?: PluggedStorage
}

/** Disks that were plugged in, and media that were put into drives. */
export interface PluggedStorage {
  readonly disks: readonly PluggedDisk[]
  /** The name of the disk in each drive. */
  readonly media: Readonly<Record<string, string>>
  /** Port of the SCSI controller that was plugged in with a disk. */
  readonly controllerPort?: number
}

/** A CPU that was plugged in, as it has to be given to a QEMU that starts with it. */
export type PluggedCpu = Pick<Vcpu, 'type' | 'socket' | 'core' | 'thread'>

/** Nothing was plugged. */
export const nothingPlugged: Hotplugged = { cpus: [], memory: [] }

const idPrefix = 'vcpu-'

/** Name of a plugged CPU. */
export function pluggedCpuId({ socket, core, thread }: PluggedCpu): string {
  return `${idPrefix}${socket}-${core}-${thread}`
}

/** The `-device` value of a plugged CPU. */
export function pluggedCpuDevice(cpu: PluggedCpu): string {
  return `${cpu.type},id=${pluggedCpuId(cpu)},socket-id=${cpu.socket},core-id=${cpu.core},thread-id=${cpu.thread}`
}

/** Reports whether a `-device` value is a hotplugged CPU. */
export function isPluggedCpu(value: string): boolean {
  return new RegExp(`-cpu,id=${idPrefix}\\d`).test(value)
}

/** Asks a running QEMU. */
export async function readHotplugged(qmp: QmpConnection): Promise<Hotplugged> {
  const [cpus, memory, cards, plugged] = await Promise.all([
    readVcpus(qmp),
    readMemoryDevices(qmp),
    readCards(qmp),
    readPluggedDisks(qmp, []),
  ])
  const { disks, media, controllerPort } = plugged
  const storage = { disks, media: Object.fromEntries(media), ...(controllerPort === undefined ? {} : { controllerPort }) }
  return {
    // Those that were there from the start have no name.
    cpus: cpus.filter(({ id }) => id !== undefined),
    memory: memory.map(({ id, requestedBytes }) => ({ id, requestedBytes })),
    cards,
    ...(disks.length + media.size === 0 && controllerPort === undefined ? {} : { storage }),
  }
}
