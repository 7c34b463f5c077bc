import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { TransportError } from '#client/client.ts'
import type { Gate } from './simulated-api.fixture.ts'

interface Waiting {
  readonly process: string
  readonly isWrite: boolean
  readonly go: () => void
  readonly die: () => void
}

/**
 * Interleaves the requests of several processes one by one. Any request may kill its process,
 * before or after it was served.
 */
export class Schedule {
  readonly #random: (below: number) => number
  /** One of this many requests kills its process; 0 for none. */
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

  /** Serves one request at a time until all processes have ended. */
  async run(processes: readonly Promise<void>[]): Promise<void> {
    let ended = false
    const end = Promise.all(processes).finally(() => (ended = true))
    // Failures are reported at the end.
    end.catch(() => {})
    for (;;) {
      // Lets the process run up to its next request.
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
