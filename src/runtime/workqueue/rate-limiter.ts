import type { Clock } from '../clock/clock.ts'

/** Computes the delay before an item is retried. */
export interface RateLimiter {
  /** Counts one more failure of the item and gives its waiting time in milliseconds. */
  delayMs(key: string): number
  /** The item went well: its next failure is its first. */
  forget(key: string): void
  /** Failures since the item last went well. */
  failures(key: string): number
}

/** Limits of the default rate limiter. */
export interface RateLimits {
  /** Milliseconds after an item's first failure; doubles with each. Default 5. */
  readonly initialMs?: number
  /** Default 1 000 000, as in controller-runtime. */
  readonly maxMs?: number
  /** Retries per second over all items, in the long run. Default 10. */
  readonly perSecond?: number
  /** Retries that may happen at once after a quiet time. Default 100. */
  readonly burst?: number
}

/** The maximum of an exponential delay per item and a token bucket over all items. */
export function createRateLimiter(clock: Clock, limits: RateLimits = {}): RateLimiter {
  const { initialMs = 5, maxMs = 1_000_000 } = limits
  const bucket = new TokenBucket(clock, limits.perSecond ?? 10, limits.burst ?? 100)
  const failures = new Map<string, number>()
  return {
    delayMs(key) {
      const count = failures.get(key) ?? 0
      failures.set(key, count + 1)
      return Math.max(Math.min(maxMs, initialMs * 2 ** count), bucket.reserveMs())
    },
    forget: (key) => void failures.delete(key),
    failures: (key) => failures.get(key) ?? 0,
  }
}

/** A token bucket. A reservation may exceed the available tokens, and then waits for the refill. */
export class TokenBucket {
  readonly #clock: Clock
  readonly #perMs: number
  readonly #burst: number
  #tokens: number
  #updatedMs: number

  constructor(clock: Clock, perSecond: number, burst: number) {
    this.#clock = clock
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#tokens = burst
    this.#updatedMs = clock.now()
  }

  /** Takes a token, and gives the milliseconds after which it is there. */
  reserveMs(): number {
    this.#refill()
    this.#tokens -= 1
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs
  }

  /** Takes a token only if it is there now. */
  tryTake(): boolean {
    this.#refill()
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  #refill(): void {
    const now = this.#clock.now()
    // Clocks may be set back: then no tokens for that time.
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, now - this.#updatedMs) * this.#perMs)
    this.#updatedMs = now
  }
}
