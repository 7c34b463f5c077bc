import type { QmpConnection } from '../qmp/connection.ts'
import { readMemoryDevices } from './memory.ts'
import { readVcpus, type Vcpu } from './vcpus.ts'

/** Devices hotplugged since the start of the guest. */
export interface Hotplugged {
  readonly cpus: readonly PluggedCpu[]
  readonly memory: readonly { readonly id: string; readonly requestedBytes: number }[]
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
  const [cpus, memory] = await Promise.all([readVcpus(qmp), readMemoryDevices(qmp)])
  return {
    // Those that were there from the start have no name.
    cpus: cpus.filter(({ id }) => id !== undefined),
    memory: memory.map(({ id, requestedBytes }) => ({ id, requestedBytes })),
  }
}
