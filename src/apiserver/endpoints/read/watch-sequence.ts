import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { Views } from '../views.ts'

/**
 * What a watch shows of one change, once the entries that it looks at are in the version that is
 * watched.
 */
export interface WatchStep {
  readonly definition: ResourceDefinition
  readonly entries: readonly Entry[]
  /**
   * Whether the change is from before the watch: such come all at once, and are bounded by the
   * history that the store keeps.
   */
  readonly isReplay: boolean
  /** Shows it. */
  readonly show: (definition: ResourceDefinition) => void
}

/** What a sequence tells its watch. */
export interface WatchSequenceEvents {
  /** Conversion failed; nothing is shown any more. */
  readonly onError: (error: unknown) => void
  /** More changes wait than the limit; nothing is shown any more. */
  readonly onOverflow: () => void
}

/**
 * Keeps the steps of one watch in order although some have to wait for a conversion webhook. A step
 * that need not wait, and before which none waits, is shown at once; those that come during a
 * conversion wait together for the next one. Watches wait for themselves only: each has its own
 * sequence.
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

  /** Whether everything that came was shown. */
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
 * A changed CustomResourceDefinition is another definition: each step is shown by the one of its
 * time.
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
