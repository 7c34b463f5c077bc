import { isConflict } from '#apimachinery/errors.ts'
import type { InformerSet } from '../cache/informer-set.ts'
import type { Clock } from '../clock/clock.ts'
import { LeadershipLost } from '../leader-election/leadership-lost.ts'
import type { Logger } from '../process/log.ts'
import type { Runnable } from '../manager/runnable.ts'
import { createRateLimiter } from '../workqueue/rate-limiter.ts'
import type { RateLimits } from '../workqueue/rate-limiter.ts'
import { createWorkqueue } from '../workqueue/workqueue.ts'
import type { Workqueue } from '../workqueue/workqueue.ts'
import type { ControllerMetrics, ControllerMetricsFactory, ReconcileOutcome } from './controller-metrics.ts'
import { tracing } from '../tracing/tracing.ts'
import { TerminalError } from './reconcile.ts'
import type { Reconciler, Request } from './reconcile.ts'
import type { Source } from './source.ts'

/** Dependencies and options of a controller. */
export interface ControllerOptions {
  /** For logs and metrics: `virtualmachine`. */
  readonly name: string
  readonly reconciler: Reconciler
  readonly sources: readonly Source[]
  /** Requests handled at once; one key is never handled twice at once. Default 1. */
  readonly concurrency?: number
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: ControllerMetricsFactory
  /** Waiting times after errors. */
  readonly rateLimits?: RateLimits
  /**
   * Milliseconds that running reconciles may take after the stop; then their signal aborts. Default
   * 10 000.
   */
  readonly stopWithinMs?: number
}

/** Options that the controllers of a process have in common. */
export interface SharedControllerOptions extends Pick<ControllerOptions, 'concurrency' | 'clock' | 'log' | 'metrics'> {
  /** Caches of the process. A controller requests those that it needs when it is created. */
  readonly informers: InformerSet
}

/** Queue, workers and reconciler of one kind. Starts to work when all its sources have synced. */
export function createController(options: ControllerOptions): Runnable {
  return { run: (signal) => new Controller(options).run(signal) }
}

class Controller {
  readonly #options: ControllerOptions
  readonly #log: Logger
  readonly #metrics: ControllerMetrics | undefined
  readonly #queue: Workqueue<Request>
  readonly #work = new AbortController()
  #active = 0

  constructor(options: ControllerOptions) {
    this.#options = options
    this.#log = options.log.child({ controller: options.name })
    this.#metrics = options.metrics?.(options.name)
    this.#queue = createWorkqueue<Request>({
      clock: options.clock,
      keyOf: (request) => `${request.namespace}/${request.name}`,
      rateLimiter: createRateLimiter(options.clock, options.rateLimits),
      ...(this.#metrics === undefined ? {} : { metrics: this.#metrics.queue }),
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    using sources = new DisposableStack()
    for (const source of this.#options.sources) sources.use(source.start((request, options) => this.#queue.add(request, options)))
    try {
      await Promise.all(this.#options.sources.map((source) => source.synced(signal)))
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    await this.#runWorkers(signal)
  }

  async #runWorkers(signal: AbortSignal): Promise<void> {
    const { clock, stopWithinMs = 10_000 } = this.#options
    using stack = new DisposableStack()
    const stop = (): void => {
      this.#queue.shutDown()
      // Another replica may lead already, so that work in progress must not write any more.
      if (signal.reason instanceof LeadershipLost) this.#work.abort(signal.reason)
      stack.use(clock.after(stopWithinMs, () => this.#work.abort(signal.reason)))
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    await Promise.all(Array.from({ length: this.#options.concurrency ?? 1 }, () => this.#worker()))
  }

  async #worker(): Promise<void> {
    for (let request = await this.#queue.take(); request !== undefined; request = await this.#queue.take()) {
      try {
        await this.#handle(request)
      } finally {
        this.#queue.done(request)
      }
    }
  }

  async #handle(request: Request): Promise<void> {
    const start = this.#options.clock.now()
    this.#metrics?.active(++this.#active)
    const outcome = await this.#reconcile(request)
    this.#metrics?.active(--this.#active)
    const ms = this.#options.clock.now() - start
    this.#metrics?.reconciled(outcome, ms)
    this.#log.debug({ namespace: request.namespace, name: request.name, outcome, ms }, 'Reconciled')
  }

  async #reconcile(request: Request): Promise<ReconcileOutcome> {
    try {
      const { requeueAfterMs } = await tracing().span(`reconcile ${this.#options.name}`, attributesOf(request), () =>
        this.#options.reconciler(request, { signal: this.#work.signal }),
      )
      this.#queue.forget(request)
      if (requeueAfterMs === undefined) return 'success'
      this.#queue.add(request, { afterMs: requeueAfterMs })
      return 'requeue_after'
    } catch (error) {
      return this.#onError(request, error)
    }
  }

  #onError(request: Request, error: unknown): ReconcileOutcome {
    const fields = { namespace: request.namespace, name: request.name, error }
    if (error instanceof TerminalError) {
      this.#queue.forget(request)
      this.#log.error(fields, 'Reconciling failed for good: waiting for a change')
      return 'terminal_error'
    }
    this.#queue.addRateLimited(request)
    if (this.#work.signal.aborted) {
      this.#log.debug(fields, 'Reconciling was cancelled')
      return 'error'
    }
    if (isConflict(error)) {
      this.#log.debug(fields, 'The object has changed meanwhile: trying again')
      return 'error'
    }
    this.#log.warn({ ...fields, failures: this.#queue.failures(request) }, 'Reconciling failed: trying again')
    return 'error'
  }
}

function attributesOf({ namespace, name }: Request): Readonly<Record<string, string>> {
  return { 'k8s.namespace.name': namespace, 'steadyvm.object.name': name }
}
