import { backoffMs } from '#runtime/clock/backoff.ts'
import type { Ports } from '../../reconcile/ports.ts'

const retries = { initialMs: 1_000, maxMs: 60_000 } as const

/** Attempt that has failed. */
interface Failure {
  readonly count: number
  readonly error: string
  readonly isFinal: boolean
  readonly retryAt: number
}

/** Spaces the attempts of steps that fail, and remembers why. Lost with the process. */
export class Attempts {
  readonly #failures = new Map<string, Failure>()
  readonly #ports: Pick<Ports, 'clock' | 'random'>

  constructor(ports: Pick<Ports, 'clock' | 'random'>) {
    this.#ports = ports
  }

  /** Returns the last failure of a step while its next attempt is not due. */
  pending(step: string): Failure | undefined {
    const failure = this.#failures.get(step)
    return failure !== undefined && failure.retryAt > this.#ports.clock.now() ? failure : undefined
  }

  fail(step: string, error: unknown, isFinal: boolean): Failure {
    const { clock, random } = this.#ports
    const count = (this.#failures.get(step)?.count ?? 0) + 1
    const text = error instanceof Error ? error.message : String(error)
    const failure = { count, error: text, isFinal, retryAt: clock.now() + backoffMs(count, retries, random) }
    this.#failures.set(step, failure)
    return failure
  }

  succeed(step: string): void {
    this.#failures.delete(step)
  }

  /** Milliseconds until the next attempt; undefined for none. */
  waitMs(): number | undefined {
    const now = this.#ports.clock.now()
    // A step that is due and was not attempted is not needed any more.
    const times = [...this.#failures.values()].flatMap(({ retryAt }) => (retryAt > now ? [retryAt - now] : []))
    return times.length === 0 ? undefined : Math.min(...times)
  }
}
