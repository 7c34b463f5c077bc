import type { Client } from '#client/client.ts'
import type { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'
import { SimulatedCache } from '../revision-upgrade/simulated-cache.fixture.ts'
import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'

/** Work of a process. */
export interface Work {
  /** Kind of work, for observers. */
  readonly kind: string
  readonly run: (process: Process) => Promise<unknown>
  /** Key of exclusive work. A process has many workers, but one per key. */
  readonly alone?: string
}

/** A process that can be slow, and that can be killed between any two requests. */
export interface Process {
  readonly client: Client
  readonly cache: SimulatedCache
  /** Start time of the current request. */
  since: number | undefined
  /** The kind of the work in hand. */
  doing: string
  alone: string | undefined
  isDead: boolean
}

interface Waiting {
  readonly process: Process
  readonly go: () => void
}

/** Processes with pending API requests, of which one at a time is served. */
export class Processes {
  now: number = Date.UTC(2026, 0, 1)
  readonly #api: SimulatedApi
  readonly #random: SeededRandom
  readonly #waiting: Waiting[] = []
  #failure: Error | undefined

  constructor(api: SimulatedApi, random: SeededRandom) {
    this.#api = api
    this.#random = random
  }

  /** Reports whether a request is pending. */
  get isBusy(): boolean {
    return this.#waiting.length > 0
  }

  /** Starts a process with a current cache. */
  spawn(): Process {
    const process: Process = {
      client: this.#api.client({
        get process() {
          return process.doing
        },
        before: () =>
          new Promise((go) => {
            // The dead do not even fail.
            if (!process.isDead) this.#waiting.push({ process, go })
          }),
        after: () => {},
      }),
      cache: new SimulatedCache(this.#api),
      since: undefined,
      doing: '',
      alone: undefined,
      isDead: false,
    }
    return process
  }

  /** Kills a process. Its pending requests are lost. */
  kill(process: Process): void {
    process.isDead = true
    const left = this.#waiting.filter((waiting) => waiting.process !== process)
    this.#waiting.splice(0, this.#waiting.length, ...left)
  }

  /** Serves one pending request, and runs the continuations. */
  async step(): Promise<void> {
    const [next] = this.#waiting.splice(this.#random.below(this.#waiting.length), 1)
    next?.go()
    await settled()
  }

  /** Begins a work, up to its first request. */
  async start(process: Process, work: Work): Promise<void> {
    process.since = this.now
    process.doing = work.kind
    process.alone = work.alone
    work
      .run(process)
      .catch((error: unknown) => {
        // Answers of the API are part of life, and so is a revision of an earlier VM that is about
        // to be collected.
        if (!(error instanceof Error && ['StatusError', 'UnexpectedRevision'].includes(error.name))) this.fail(error)
      })
      .finally(() => {
        process.since = undefined
        process.alone = undefined
      })
    await settled()
  }

  /** Runs work to its end. */
  async finish(process: Process, work: Work): Promise<void> {
    await this.start(process, work)
    while (process.since !== undefined) await this.step()
    this.verify()
  }

  /** Ends the simulation at the next check. */
  fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new TypeError(String(error))
  }

  /** @throws a recorded error */
  verify(): void {
    if (this.#failure !== undefined) throw this.#failure
  }
}

/** Settles all promises. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
