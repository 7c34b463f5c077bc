import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { Views } from '../views.ts'

/** Output of a watch for one change, to be emitted once its entries are in the watched version. */
export interface WatchStep {
  readonly definition: ResourceDefinition
  readonly entries: readonly Entry[]
  /**
   * True if the change precedes the watch. Replayed changes arrive all at once and do not count
   * against the backlog limit.
   */
  readonly isReplay: boolean
  /** Emits the event. */
  readonly show: (definition: ResourceDefinition) => void
}

/** Callbacks of a {@link WatchSequence}. */
export interface WatchSequenceEvents {
  /** Conversion failed. Nothing is emitted afterwards. */
  readonly onError: (error: unknown) => void
  /** More changes wait than the limit allows. Nothing is emitted afterwards. */
  readonly onOverflow: () => void
}

/**
 * Keeps the events of one watch in order while a conversion webhook runs. A step that needs no
 * conversion is emitted at once unless an earlier one waits; steps that arrive during a conversion
 * form the next batch. Each watch has its own sequence, so that none waits for another.
 */
export class WatchSequence {
  readonly #views: Views
  readonly #limit: number
  readonly #events: WatchSequenceEvents
  #waiting: WatchStep[] = []
  #running = false
  #ended = false

  constructor(views: Views, limit: number, events: WatchSequenceEvents) {
    this.#views = views
    this.#limit = limit
    this.#events = events
  }

  /** True if every step has been emitted. */
  get isIdle(): boolean {
    return !this.#running
  }

  push(step: WatchStep): void {
    if (this.#ended) return
    if (this.#running) return this.#queue(step)
    const converting = this.#views.prepare(step.definition, step.entries)
    if (converting === undefined) return step.show(step.definition)
    this.#running = true
    void this.#run([step], converting)
  }

  end(): void {
    this.#ended = true
    this.#waiting = []
  }

  #queue(step: WatchStep): void {
    if (step.isReplay || this.#waiting.length < this.#limit) return void this.#waiting.push(step)
    this.end()
    this.#events.onOverflow()
  }

  async #run(first: readonly WatchStep[], converting: Promise<void>): Promise<void> {
    try {
      await converting
      this.#showAll(first)
      while (this.#waiting.length > 0) {
        const steps = this.#waiting
        this.#waiting = []
        for (const [definition, entries] of entriesByDefinition(steps)) await this.#views.prepare(definition, entries)
        this.#showAll(steps)
      }
    } catch (error) {
      if (!this.#ended) this.#events.onError(error)
      this.end()
    } finally {
      this.#running = false
    }
  }

  #showAll(steps: readonly WatchStep[]): void {
    for (const { definition, show } of steps) {
      if (this.#ended) return
      show(definition)
    }
  }
}

/**
 * Groups by definition: an updated CustomResourceDefinition has a new one, and each step is shown
 * by the definition of its time.
 */
function entriesByDefinition(steps: readonly WatchStep[]): Map<ResourceDefinition, Entry[]> {
  const all = new Map<ResourceDefinition, Entry[]>()
  for (const { definition, entries } of steps) {
    const known = all.get(definition)
    if (known === undefined) all.set(definition, [...entries])
    else known.push(...entries)
  }
  return all
}
