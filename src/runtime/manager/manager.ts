import { aborted } from '../clock/abort.ts'
import type { Clock } from '../clock/clock.ts'
import type { LeaderElector } from '../leader-election/elector.ts'
import type { Logger } from '../process/log.ts'
import type { Runnable } from './runnable.ts'

/**
 * Start order. `caches` start first and stop last; `servers` and other work that every replica does
 * come next; `controllers` start when this process leads, and stop first.
 */
export type Stage = 'caches' | 'servers' | 'controllers'

/** Runs the parts of a process together. */
export interface Manager extends Runnable {
  /** Default stage: controllers. Must be called before the start. */
  add(runnable: Runnable, stage?: Stage): void
}

/** Dependencies and options of a manager. */
export interface ManagerOptions {
  readonly log: Logger
  readonly clock: Clock
  /** Without one, this process always leads. */
  readonly elector?: LeaderElector
  /**
   * Milliseconds that one stage may take to stop before the next one is stopped. Default 20 000.
   */
  readonly stopWithinMs?: number
}

/**
 * Creates an empty manager. Its `run` ends when the signal aborts or when any runnable fails; then
 * everything else is stopped in order, and the failure is thrown. Losing the leadership is a
 * failure: a new process campaigns again.
 */
export function createManager(options: ManagerOptions): Manager {
  return new StagedManager(options)
}

class StagedManager implements Manager {
  readonly #options: ManagerOptions
  readonly #runnables: Record<Stage, Runnable[]> = { caches: [], servers: [], controllers: [] }

  constructor(options: ManagerOptions) {
    this.#options = options
  }

  add(runnable: Runnable, stage: Stage = 'controllers'): void {
    this.#runnables[stage].push(runnable)
  }

  async run(signal: AbortSignal): Promise<void> {
    const failed = new AbortController()
    let failure: { readonly error: unknown } | undefined
    const onFailure = (error: unknown): void => {
      failure ??= { error }
      failed.abort(error)
    }
    const caches = startStage((stop) => this.#runAll('caches', stop), onFailure)
    const servers = startStage((stop) => this.#runAll('servers', stop), onFailure)
    const controllers = startStage((stop) => this.#lead(stop), onFailure)
    await aborted(AbortSignal.any([signal, failed.signal]))
    for (const [name, stage] of Object.entries({ controllers, servers, caches })) await this.#stop(name, stage)
    // Read through a function: the compiler does not see that callbacks assign it.
    const cause = ((): { readonly error: unknown } | undefined => failure)()
    if (cause !== undefined) throw cause.error
  }

  #lead(stop: AbortSignal): Promise<void> {
    const { elector } = this.#options
    if (elector === undefined) return this.#runAll('controllers', stop)
    return elector.run(stop, (signal) => this.#runAll('controllers', signal))
  }

  async #runAll(stage: Stage, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#runnables[stage].map((runnable) => runnable.run(signal)))
  }

  async #stop(name: string, stage: RunningStage): Promise<void> {
    const { clock, stopWithinMs = 20_000, log } = this.#options
    stage.controller.abort()
    const late = Promise.withResolvers<void>()
    using _timer = clock.after(stopWithinMs, () => {
      log.warn({ stage: name, stopWithinMs }, 'A stage does not stop: going on without it')
      late.resolve()
    })
    await Promise.race([stage.ended, late.promise])
  }
}

interface RunningStage {
  readonly controller: AbortController
  readonly ended: Promise<void>
}

function startStage(run: (stop: AbortSignal) => Promise<void>, onFailure: (error: unknown) => void): RunningStage {
  const controller = new AbortController()
  return { controller, ended: run(controller.signal).catch(onFailure) }
}
