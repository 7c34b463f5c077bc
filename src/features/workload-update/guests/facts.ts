import type { Window } from '#features/cluster-config/index.ts'
import type { Attempts } from '#features/evacuation/index.ts'
import type { EvictionOutcome } from '#features/eviction/index.ts'

/** What is known of a running guest. Times are milliseconds since the epoch. */
export interface GuestFacts {
  /** `namespace/name` of its VMI. */
  readonly key: string
  readonly node: string
  /** Image of the launcher that it runs in. */
  readonly image: string
  readonly startedAt: number
  /** What decides whether one QEMU takes a guest from another: machine and processor. */
  readonly hardware: string
  /** Whether something that was plugged into it waits for a migration. */
  readonly isPlugging: boolean
  /** Whether its owner wants it left alone. */
  readonly isOptedOut: boolean
  /** What an eviction of its pod would come to. */
  readonly evictionOutcome: EvictionOutcome
  /** Why it cannot be moved; undefined when it can. */
  readonly notMigratable: string | undefined
  /** The migration that is not over. */
  readonly migration: { readonly isOurs: boolean; readonly isEarly: boolean } | undefined
  /** How updates of it to the wanted image have gone so far. */
  readonly attempts: Attempts
}

/** What is known of a node. */
export interface NodeFacts {
  readonly name: string
  /** Whether guests may start there. */
  readonly isSchedulable: boolean
  /**
   * Whether its agent is of the wanted release: an older one does not take guests of a newer
   * launcher.
   */
  readonly isUpdated: boolean
}

/** How updates of guests that are alike have gone. */
export interface ClassRecord {
  readonly successes: number
  /** Failures since the last success, of all guests of the class together. */
  readonly failures: number
  readonly lastReason: string
  readonly inFlight: number
}

/** What is known when guests are chosen. */
export interface Observed {
  /** Image that guests should run in. */
  readonly image: string
  readonly guests: readonly GuestFacts[]
  readonly nodes: readonly NodeFacts[]
  readonly classes: ReadonlyMap<string, ClassRecord>
  /** Migrations that are not over, whoever has asked for them, by the node that they leave. */
  readonly outgoingByNode: ReadonlyMap<string, number>
  /** When the last batch for this image was evicted. */
  readonly lastBatchAt: number | undefined
}

/** What the administrator has chosen. */
export interface Settings {
  readonly methods: readonly ('LiveMigrate' | 'Evict')[]
  readonly batchSize: number
  readonly batchIntervalMs: number
  readonly maxPerCluster: number
  readonly maxOutboundPerNode: number
  /** When guests may be updated; none: always. */
  readonly windows: readonly Window[]
  readonly isPaused: boolean
}

/** The guests that are alike: what goes well, or wrong, with one of them will with the others. */
export function compatibilityClass({ hardware, image }: GuestFacts): string {
  return `${hardware} from ${image}`
}
