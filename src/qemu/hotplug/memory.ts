import type { QmpConnection } from '../qmp/connection.ts'
import { QmpCommandError } from '../qmp/errors.ts'

/** Memory that a running guest can be given more or less of. */
export interface MemoryDevice {
  readonly id: string
  /** Size that the guest has accepted. */
  readonly bytes: number
  /** Size offered to the guest: one that boots, or lacks the driver, accepts it later or never. */
  readonly requestedBytes: number
  readonly maxBytes: number
  /** It is given out in multiples of this. */
  readonly blockBytes: number
}

/** All memory of a guest. */
export interface GuestMemory {
  /** Initial memory, which cannot be removed. */
  readonly baseBytes: number
  readonly devices: readonly MemoryDevice[]
}

/** Result of a memory resize. */
export interface MemoryOutcome {
  /** Total memory offered to the guest. */
  readonly requestedBytes: number
  /** Total memory of the guest. */
  readonly bytes: number
  /** Reason why the memory was not offered. */
  readonly refused?: string
}

/** Asks for the memory devices. */
export async function readMemoryDevices(qmp: QmpConnection): Promise<MemoryDevice[]> {
  const devices = (await qmp.execute('query-memory-devices')) as readonly {
    readonly type: string
    readonly data: Readonly<Record<string, number>> & { readonly id?: string }
  }[]
  return devices
    .filter(({ type }) => type === 'virtio-mem')
    .map(({ data }) => ({
      id: data.id ?? '',
      bytes: data['size'] ?? 0,
      requestedBytes: data['requested-size'] ?? 0,
      maxBytes: data['max-size'] ?? 0,
      blockBytes: data['block-size'] ?? 0,
    }))
}

/** Asks for all memory. */
export async function readMemory(qmp: QmpConnection): Promise<GuestMemory> {
  const summary = (await qmp.execute('query-memory-size-summary')) as { readonly 'base-memory': number }
  return { baseBytes: summary['base-memory'], devices: await readMemoryDevices(qmp) }
}

/**
 * Returns the reason why the guest cannot have this total of memory; undefined when it can. Pure.
 */
export function memoryRefusal({ baseBytes, devices: [device] }: GuestMemory, wantedBytes: number): string | undefined {
  if (wantedBytes === baseBytes && device === undefined) return undefined
  if (device === undefined) return 'the guest was started without room for more memory'
  const extra = wantedBytes - baseBytes
  if (extra < 0) return `the guest was started with ${baseBytes} bytes, which it keeps`
  if (extra > device.maxBytes) return `the guest was started with room for ${baseBytes + device.maxBytes} bytes`
  return extra % device.blockBytes === 0 ? undefined : `memory comes in blocks of ${device.blockBytes} bytes on top of ${baseBytes}`
}

/**
 * Offers the guest this amount of memory in total. The guest accepts or releases it asynchronously:
 * poll, or listen to MEMORY_DEVICE_SIZE_CHANGE.
 */
export async function resizeMemory(qmp: QmpConnection, wantedBytes: number): Promise<MemoryOutcome> {
  const before = await readMemory(qmp)
  const [device] = before.devices
  const refuse = (refused: string): MemoryOutcome => ({ ...totals(before), refused })
  const refusal = memoryRefusal(before, wantedBytes)
  if (refusal !== undefined) return refuse(refusal)
  const extra = wantedBytes - before.baseBytes
  if (device !== undefined && extra !== device.requestedBytes) {
    try {
      await qmp.execute('qom-set', { path: `/machine/peripheral/${device.id}`, property: 'requested-size', value: extra })
    } catch (error) {
      if (error instanceof QmpCommandError) return refuse(error.message)
      throw error
    }
  }
  return totals(await readMemory(qmp))
}

function totals({ baseBytes, devices }: GuestMemory): Pick<MemoryOutcome, 'bytes' | 'requestedBytes'> {
  const sum = (of: (device: MemoryDevice) => number): number => devices.reduce((total, device) => total + of(device), baseBytes)
  return { bytes: sum((device) => device.bytes), requestedBytes: sum((device) => device.requestedBytes) }
}
