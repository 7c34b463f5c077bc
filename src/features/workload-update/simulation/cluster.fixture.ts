import type { EvictionOutcome } from '#features/eviction/index.ts'
import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { attemptsOfFailures } from '../guests/guests.fixture.ts'
import { compatibilityClass, type ClassRecord, type GuestFacts, type Observed } from '../guests/facts.ts'

/** A guest, with properties that only an attempt reveals. */
export interface SimulatedGuest extends GuestFacts {
  node: string
  image: string
  isPlugging: boolean
  migration: GuestFacts['migration']
  attempts: GuestFacts['attempts']
  /**
   * Milliseconds since the epoch at which it runs again after an eviction; undefined while it runs.
   */
  backAt: number | undefined
}

/** An active migration. */
export interface SimulatedMigration {
  readonly guest: SimulatedGuest
  readonly source: string
  readonly target: string
  readonly endsAt: number
  readonly isOurs: boolean
  readonly forImage: boolean
  readonly className: string
  readonly willFail: boolean
}

/** Simulated nodes and guests on a virtual clock, generated from a seed. */
export class SimulatedCluster {
  readonly image = 'launcher:v2'
  nowMs = Date.parse('2026-11-20T22:00:00Z')
  readonly nodes: { name: string; isSchedulable: boolean; isUpdated: boolean; updatedAt: number }[]
  readonly guests: SimulatedGuest[]
  readonly migrations = new Set<SimulatedMigration>()
  readonly classes = new Map<string, { successes: number; failures: number; lastReason: string; inFlight: number }>()
  lastBatchAt: number | undefined
  readonly #seeded: SeededRandom

  constructor(seeded: SeededRandom, size: { readonly nodes: number; readonly guests: number }) {
    this.#seeded = seeded
    // Agents are updated one after the other; the last ones become ready late.
    this.nodes = Array.from({ length: size.nodes }, (_, index) => ({
      name: `n${index}`,
      isSchedulable: index % 25 !== 24,
      isUpdated: false,
      updatedAt: this.nowMs + (index % 25 === 24 ? 3_600_000 : index * 10_000),
    }))
    this.guests = Array.from({ length: size.guests }, (_, index) => this.#newGuest(index))
  }

  /**
   * Some guests cannot be migrated, and some of those must not be shut down; migrations of one
   * class always fail, of others sometimes.
   */
  #newGuest(index: number): SimulatedGuest {
    const unmovable = this.#seeded.chance(0.06) ? 'DisksNotLiveMigratable' : undefined
    const outcome: EvictionOutcome = unmovable === undefined ? 'migrate' : this.#seeded.chance(0.5) ? 'shutdown' : 'block'
    return {
      key: `ns/vm${index}`,
      node: this.nodes[index % this.nodes.length]?.name ?? '',
      image: index % 3 === 0 ? 'launcher:v0' : 'launcher:v1',
      startedAt: this.nowMs - this.#seeded.below(1e9),
      hardware: index % 50 === 7 ? 'q35-9.9/Cursed' : index % 2 === 0 ? 'q35-7.2/Skylake' : 'q35-7.2/EPYC',
      isPlugging: false,
      isOptedOut: index % 200 === 199,
      evictionOutcome: outcome,
      notMigratable: unmovable,
      migration: undefined,
      attempts: { failures: [], lastReason: '' },
      backAt: undefined,
    }
  }

  observed(): Observed {
    const leaving = new Map<string, number>()
    for (const { source } of this.migrations) leaving.set(source, (leaving.get(source) ?? 0) + 1)
    const { image, nodes, classes, lastBatchAt } = this
    return { image, nodes, classes, lastBatchAt, outgoingByNode: leaving, guests: this.guests.filter(({ backAt }) => backAt === undefined) }
  }

  /** Migrates a guest, for the controller or for its user. */
  move(guest: SimulatedGuest, isOurs: boolean): SimulatedMigration | undefined {
    const forImage = isOurs && !guest.isPlugging
    const targets = this.nodes.filter(
      ({ name, isSchedulable, isUpdated }) => name !== guest.node && isSchedulable && (!forImage || isUpdated),
    )
    const target = targets[this.#seeded.below(targets.length)]
    if (target === undefined) return undefined
    const migration = {
      guest,
      source: guest.node,
      target: target.name,
      endsAt: this.nowMs + 20_000 + this.#seeded.below(80_000),
      isOurs,
      forImage,
      className: compatibilityClass(guest),
      willFail: guest.hardware.endsWith('Cursed') || this.#seeded.chance(0.03),
    }
    guest.migration = { isOurs, isEarly: false }
    this.migrations.add(migration)
    if (forImage) this.#record(migration.className).inFlight++
    return migration
  }

  evict(guest: SimulatedGuest): void {
    guest.backAt = this.nowMs + 15_000
  }

  /** Advances to `nowMs`, and completes migrations and restarts that are due. */
  pass(nowMs: number): void {
    this.nowMs = nowMs
    for (const node of this.nodes) {
      if (node.isUpdated || node.updatedAt > nowMs) continue
      node.isUpdated = true
      node.isSchedulable = true
    }
    for (const migration of this.migrations) if (migration.endsAt <= nowMs) this.#end(migration)
    for (const guest of this.guests) if (guest.backAt !== undefined && guest.backAt <= nowMs) this.#comeBack(guest)
  }

  #end(migration: SimulatedMigration): void {
    const { guest, forImage, willFail } = migration
    this.migrations.delete(migration)
    guest.migration = undefined
    const record = forImage ? this.#record(migration.className) : undefined
    if (record !== undefined) record.inFlight--
    if (willFail) {
      if (migration.isOurs) guest.attempts = attemptsOfFailures([...guest.attempts.failures, this.nowMs])
      if (record !== undefined) Object.assign(record, { failures: record.failures + 1, lastReason: 'the target said no' })
      return
    }
    guest.node = migration.target
    guest.isPlugging = false
    guest.attempts = attemptsOfFailures([])
    // A target pod runs in the image of its node's release.
    if (this.nodes.find(({ name }) => name === migration.target)?.isUpdated === true) guest.image = this.image
    if (record !== undefined) Object.assign(record, { successes: record.successes + 1, failures: 0 })
  }

  #comeBack(guest: SimulatedGuest): void {
    guest.backAt = undefined
    guest.image = this.image
  }

  #record(className: string): { -readonly [K in keyof ClassRecord]: ClassRecord[K] } {
    return this.classes.getOrInsertComputed(className, () => ({ successes: 0, failures: 0, lastReason: '', inFlight: 0 }))
  }
}
