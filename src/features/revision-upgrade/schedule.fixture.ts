import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { TransportError } from '#client/client.ts'
import type { Gate } from './simulated-api.fixture.ts'

/** The same numbers for the same seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed % 2_147_483_647 || 1
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

interface Waiting {
  readonly process: string
  readonly isWrite: boolean
  readonly go: () => void
  readonly die: () => void
}

/**
 * Decides which of several processes may make its next request. Between two requests of one, those
 * of all others may come; and each request may be a process's last, before or after it has arrived.
 */
export class Schedule {
  readonly #random: (below: number) => number
  /** One of so many requests kills who makes it; 0: none. */
  deathRate = 0
  readonly #waiting: Waiting[] = []
  readonly #doomed = new Set<string>()
  deaths = 0

  constructor(random: (below: number) => number) {
    this.#random = random
  }

  gate(process: string): Gate {
    return {
      process,
      before: (verb: string, _resource: ResourceType<unknown>) =>
        new Promise<void>((go, fail) => {
          this.#waiting.push({ process, isWrite: verb !== 'get', go, die: () => fail(new TransportError('the process was killed')) })
        }),
      after: () => {
        if (!this.#doomed.delete(process)) return
        throw new TransportError('the process was killed')
      },
    }
  }

  /** Lets requests through, one at a time, until all processes have ended. */
  async run(processes: readonly Promise<void>[]): Promise<void> {
    let ended = false
    const end = Promise.all(processes).finally(() => (ended = true))
    // Whoever fails is heard at the end.
    end.catch(() => {})
    for (;;) {
      // All that a process does between two requests is done by then.
      await new Promise(setImmediate)
      if (ended) break
      const [next] = this.#waiting.splice(this.#random(this.#waiting.length), 1)
      if (next !== undefined) this.#serve(next)
    }
    await end
  }

  #serve({ process, isWrite, go, die }: Waiting): void {
    if (!isWrite || this.deathRate === 0 || this.#random(this.deathRate) !== 0) return go()
    this.deaths += 1
    if (this.#random(2) === 0) return die()
    this.#doomed.add(process)
    go()
  }
}
