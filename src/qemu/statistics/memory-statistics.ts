import type { QmpConnection } from '../qmp/connection.ts'
import { unlessRefused } from '../qmp/refusal.ts'

/** Memory of a guest. What the guest itself says is absent until its balloon driver has said it. */
export interface MemoryStatistics {
  /** Memory that the guest was given, without what the balloon has taken. */
  readonly domainBytes: number
  /** The same less the balloon. Absent without a balloon. */
  readonly balloonBytes?: number
  readonly totalBytes?: number
  readonly freeBytes?: number
  readonly availableBytes?: number
  readonly cachedBytes?: number
  readonly swapInBytes?: number
  readonly swapOutBytes?: number
  readonly majorFaults?: number
  readonly minorFaults?: number
}

/** Path of the balloon that {@link buildArguments} adds. */
const balloon = '/machine/peripheral/balloon0'

/** Names of the balloon's statistics. */
const guestStatistics = {
  totalBytes: 'stat-total-memory',
  freeBytes: 'stat-free-memory',
  availableBytes: 'stat-available-memory',
  cachedBytes: 'stat-disk-caches',
  swapInBytes: 'stat-swap-in',
  swapOutBytes: 'stat-swap-out',
  majorFaults: 'stat-major-faults',
  minorFaults: 'stat-minor-faults',
} as const

/** Reads how much memory a guest has, and how it uses it. */
export async function readMemoryStatistics(qmp: QmpConnection): Promise<MemoryStatistics> {
  const [size, actual, guest] = await Promise.all([
    qmp.execute('query-memory-size-summary') as Promise<{ readonly 'base-memory': number; readonly 'plugged-memory'?: number }>,
    unlessRefused(qmp.execute('query-balloon') as Promise<{ readonly actual: number }>),
    unlessRefused(qmp.execute('qom-get', { path: balloon, property: 'guest-stats' }) as Promise<GuestStatistics>),
  ])
  return {
    domainBytes: size['base-memory'] + (size['plugged-memory'] ?? 0),
    ...(actual === undefined ? {} : { balloonBytes: actual.actual }),
    ...(guest === undefined ? {} : knownStatistics(guest)),
  }
}

/**
 * Has the balloon ask the guest for its statistics every few seconds; 0 ends that. A guest without
 * a balloon is left alone. QEMU forgets it in a migration.
 */
export async function pollGuestMemory(qmp: QmpConnection, intervalSeconds: number): Promise<void> {
  await unlessRefused(qmp.execute('qom-set', { path: balloon, property: 'guest-stats-polling-interval', value: intervalSeconds }))
}

interface GuestStatistics {
  readonly 'last-update': number
  readonly stats: Readonly<Record<string, number>>
}

function knownStatistics(guest: GuestStatistics): Partial<MemoryStatistics> {
  if (guest['last-update'] === 0) return {}
  return Object.fromEntries(
    Object.entries(guestStatistics).flatMap(([name, key]) => {
      const value = guest.stats[key]
      // The guest's driver leaves out what it does not know: all bits are set then.
      return value === undefined || value >= Number.MAX_SAFE_INTEGER ? [] : [[name, value]]
    }),
  )
}
