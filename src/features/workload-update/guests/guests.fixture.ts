import type { GuestFacts, Observed, Settings } from './facts.ts'

/** A guest on `n1` that runs in the image `v1`, and can be moved. */
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

/** A guest that an eviction stops, and that cannot be moved. */
export function stoppable(key: string, changes: Partial<GuestFacts> = {}): GuestFacts {
  return guest(key, { evictionOutcome: 'shutdown', notMigratable: 'DisksNotLiveMigratable', ...changes })
}

/**
 * A observedState whose wanted image is `v2`, with two nodes that have it, in which guests have been moved
 * before.
 */
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

/** Settings in which everything is allowed. */
export const settings: Settings = {
  methods: ['LiveMigrate', 'Evict'],
  batchSize: 3,
  batchIntervalMs: 60_000,
  maxPerCluster: 4,
  maxOutboundPerNode: 2,
  windows: [],
  isPaused: false,
}

/** A record of attempts that failed at these times; of the oldest nothing is kept. */
export function attemptsOfFailures(failures: readonly number[]): GuestFacts['attempts'] {
  return { failures: failures.slice(-5), lastReason: failures.length === 0 ? '' : 'the target said no' }
}
