import type { GuestFacts, Observed, Settings } from './facts.ts'

/** A migratable guest on `n1` that runs in image `v1`. */
export function guest(key: string, changes: Partial<GuestFacts> = {}): GuestFacts {
  return {
    key,
    node: 'n1',
    image: 'v1',
    startedAt: 0,
    hardware: 'q35/Skylake',
    isPlugging: false,
    isOptedOut: false,
    evictionOutcome: 'migrate',
    notMigratable: undefined,
    migration: undefined,
    attempts: { failures: [], lastReason: '' },
    ...changes,
  }
}

/** A guest that an eviction shuts down, and that cannot be migrated. */
export function stoppable(key: string, changes: Partial<GuestFacts> = {}): GuestFacts {
  return guest(key, { evictionOutcome: 'shutdown', notMigratable: 'DisksNotLiveMigratable', ...changes })
}

/** A state with wanted image `v2`, two updated nodes, and an earlier success. */
export function observedState(guests: readonly GuestFacts[], changes: Partial<Observed> = {}): Observed {
  const nodes = ['n1', 'n2'].map((name) => ({ name, isSchedulable: true, isUpdated: true }))
  const proven = { successes: 1, failures: 0, lastReason: '', inFlight: 0 }
  return {
    image: 'v2',
    guests,
    nodes,
    classes: new Map([['q35/Skylake from v1', proven]]),
    outgoingByNode: new Map(),
    lastBatchAt: undefined,
    ...changes,
  }
}

/** Settings that allow everything. */
export const settings: Settings = {
  methods: ['LiveMigrate', 'Evict'],
  batchSize: 3,
  batchIntervalMs: 60_000,
  maxPerCluster: 4,
  maxOutboundPerNode: 2,
  windows: [],
  isPaused: false,
}

/** Returns attempts that failed at these times. */
export function attemptsOfFailures(failures: readonly number[]): GuestFacts['attempts'] {
  return { failures: failures.slice(-5), lastReason: failures.length === 0 ? '' : 'the target said no' }
}
