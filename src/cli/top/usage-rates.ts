import type { VirtualMachineInstanceUsage } from '#features/guest-access/index.ts'

/** What a guest uses: rates between two readings, and its memory at the second one. */
export interface UsageRates {
  /** Processors in use: 0.5 is half of one. */
  readonly cores: number
  readonly residentBytes: number
  readonly domainBytes: number
  readonly guestUsedBytes?: number
  /** Each for a second. */
  readonly receivedBytes: number
  readonly transmittedBytes: number
  readonly readBytes: number
  readonly writtenBytes: number
  readonly reads: number
  readonly writes: number
}

/**
 * Returns the rates between two readings of a guest. Undefined if it was started again, or moved to
 * another node, in between: its counters began anew. Pure.
 */
export function ratesBetween(before: VirtualMachineInstanceUsage, after: VirtualMachineInstanceUsage): UsageRates | undefined {
  const seconds = (Date.parse(after.timestamp) - Date.parse(before.timestamp)) / 1000
  if (before.run !== after.run || !(seconds > 0)) return undefined
  const { residentBytes, domainBytes, guestUsedBytes } = after.memory
  const rate = (read: (usage: VirtualMachineInstanceUsage) => number): number => Math.max(0, read(after) - read(before)) / seconds
  // Devices that were plugged in, or unplugged, count with what both readings have of them.
  const common = <K extends 'disks' | 'interfaces'>(list: K, field: (item: VirtualMachineInstanceUsage[K][number]) => number): number => {
    const old = new Map(before[list].map((item) => [item.name, field(item)]))
    const grown = after[list].map((item) => Math.max(0, field(item) - (old.get(item.name) ?? 0)))
    return grown.reduce((sum, one) => sum + one, 0) / seconds
  }
  return {
    cores: rate(({ cpuSeconds }) => cpuSeconds),
    residentBytes,
    domainBytes,
    ...(guestUsedBytes === undefined ? {} : { guestUsedBytes }),
    receivedBytes: common('interfaces', (card) => card.receivedBytes),
    transmittedBytes: common('interfaces', (card) => card.transmittedBytes),
    readBytes: common('disks', (disk) => disk.readBytes),
    writtenBytes: common('disks', (disk) => disk.writtenBytes),
    reads: common('disks', (disk) => disk.reads),
    writes: common('disks', (disk) => disk.writes),
  }
}

/** Adds the usage of guests up. Pure. */
export function sumOf(all: readonly UsageRates[]): UsageRates {
  const total = (read: (usage: UsageRates) => number): number => all.reduce((sum, one) => sum + read(one), 0)
  return {
    cores: total(({ cores }) => cores),
    residentBytes: total(({ residentBytes }) => residentBytes),
    domainBytes: total(({ domainBytes }) => domainBytes),
    receivedBytes: total(({ receivedBytes }) => receivedBytes),
    transmittedBytes: total(({ transmittedBytes }) => transmittedBytes),
    readBytes: total(({ readBytes }) => readBytes),
    writtenBytes: total(({ writtenBytes }) => writtenBytes),
    reads: total(({ reads }) => reads),
    writes: total(({ writes }) => writes),
  }
}
