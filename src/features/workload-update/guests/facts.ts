import type { Window } from '#features/cluster-config/index.ts'
import type { Attempts } from '#features/evacuation/index.ts'
import type { EvictionOutcome } from '#features/eviction/index.ts'

/** State of a running guest. Times are milliseconds since the epoch. */
export interface GuestFacts {
  /** `namespace/name` of its VMI. */
  readonly key: string
  readonly node: string
  /** Image of its launcher. */
  readonly image: string
  readonly startedAt: number
  /** Machine type and CPU, which decide whether one QEMU accepts the guest from another. */
  readonly hardware: string
  /** A hotplug waits for a migration. */
  readonly isPlugging: boolean
  /** Its owner has opted out by annotation. */
  readonly isOptedOut: boolean
  /** Outcome of an eviction of its pod. */
  readonly evictionOutcome: EvictionOutcome
  /** Reason why it cannot be migrated; undefined when it can. */
  readonly notMigratable: string | undefined
  /** Its active migration. */
  readonly migration: { readonly isOurs: boolean; readonly isEarly: boolean } | undefined
  /** Earlier attempts to update it to the wanted image. */
  readonly attempts: Attempts
}

/** State of a node. */
export interface NodeFacts {
  readonly name: string
  /** Guests may start there. */
  readonly isSchedulable: boolean
  /** Its agent is of the wanted release: an older one refuses guests of a newer launcher. */
  readonly isUpdated: boolean
}

/** Outcome of earlier updates of a class of guests. */
export interface ClassRecord {
  readonly successes: number
  /** Failures since the last success, of all guests of the class. */
  readonly failures: number
  readonly lastReason: string
  readonly inFlight: number
}

/** Everything that the choice of guests depends on. */
export interface Observed {
  /** Image that guests should run in. */
  readonly image: string
  readonly guests: readonly GuestFacts[]
  readonly nodes: readonly NodeFacts[]
  readonly classes: ReadonlyMap<string, ClassRecord>
  /** Active migrations of any origin, by source node. */
  readonly outgoingByNode: ReadonlyMap<string, number>
  /** Time at which the last batch for this image was evicted. */
  readonly lastBatchAt: number | undefined
}

/** Settings of the administrator. */
export interface Settings {
  readonly methods: readonly ('LiveMigrate' | 'Evict')[]
  readonly batchSize: number
  readonly batchIntervalMs: number
  readonly maxPerCluster: number
  readonly maxOutboundPerNode: number
  /** Maintenance windows; none means always. */
  readonly windows: readonly Window[]
  readonly isPaused: boolean
}

/** Returns the class of a guest. Guests of a class are expected to succeed or fail alike. */
export function compatibilityClass({ hardware, image }: GuestFacts): string {
  return `${hardware} from ${image}`
}
