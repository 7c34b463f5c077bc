import { isExpired, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { groupResourceOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { TransportError } from '#client/client.ts'
import type { Client, Selection, WatchEvent } from '#client/client.ts'
import { compareResourceVersions } from '#client/resource-version.ts'
import { backoffMs } from '../clock/backoff.ts'
import type { Clock } from '../clock/clock.ts'
import type { Logger } from '../process/log.ts'
import { createOutage, type Outage } from '../clock/outage.ts'
import type { Random } from '../process/random.ts'

/** The part of the client that a reflector needs. */
export type ReflectorClient = Pick<Client, 'list' | 'watch'>

/** Receives lists and watch events. */
export interface ReflectorTarget<T> {
  /**
   * A complete list. `restored`: the server's version is lower than one seen before, so its past
   * has changed.
   */
  replace(items: readonly T[], restored: boolean): void
  upsert(object: T): void
  remove(object: T): void
}

/** Dependencies and options of a reflector. */
export interface ReflectorOptions<T extends KubeObject> {
  readonly client: ReflectorClient
  readonly resource: ResourceType<T>
  readonly selection: Selection
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  readonly target: ReflectorTarget<T>
}

/**
 * State of a reflector:
 * ```
 * list ──────────► watch ──► watch …   the server ends a watch every few minutes: resume from the
 *  ▲  ▲              │ │               last resourceVersion
 *  │  └── 410, gap ──┘ └── broken: back off, then resume from the last resourceVersion
 *  └───── failed: back off, then list again
 * ```
 */
type State = { readonly kind: 'list' } | { readonly kind: 'watch'; readonly from: string }

/**
 * Next state, and the health of this step: only a watch that delivered something resets the
 * back-off. Successful lists between failing watches must not hide that there is no progress.
 */
interface Step {
  readonly next: State
  readonly outcome: 'progress' | 'neutral' | 'failed'
}

const pageSize = 500
/**
 * The server ends a watch after 5 to 10 minutes, randomized so that clients do not reconnect at
 * once.
 */
const watchTimeoutSeconds = { least: 300, spread: 300 }
/** Milliseconds after the announced end at which a watch is aborted. */
const overtimeMs = 30_000
/** An empty watch that ended sooner counts as failed. */
const shortWatchMs = 1_000
/** A watch that lived longer proves that the server is well. */
const healthyWatchMs = 5_000
const backoff = { initialMs: 50, maxMs: 10_000 }

/**
 * Keeps a target in step with the server until the signal aborts. Survives everything that a server
 * or network may do.
 */
export async function runReflector<T extends KubeObject>(options: ReflectorOptions<T>, signal: AbortSignal): Promise<void> {
  await new Reflector(options).run(signal)
}

class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>
  readonly #log: Logger
  readonly #outage: Outage
  /** Newest version that the target reflects. */
  #version: string | undefined

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    this.#log = options.log.child({ resource: groupResourceOf(options.resource) })
    this.#outage = createOutage({ clock: options.clock, log: this.#log })
  }

  async run(signal: AbortSignal): Promise<void> {
    let state: State = { kind: 'list' }
    let failures = 0
    while (!signal.aborted) {
      const step: Step = state.kind === 'list' ? await this.#list(signal) : await this.#watch(state.from, signal)
      if (signal.aborted) return
      state = step.next
      if (step.outcome === 'progress') {
        failures = 0
        this.#outage.ended()
      }
      if (step.outcome !== 'failed') continue
      failures++
      await this.#pause(backoffMs(failures, backoff, this.#options.random), signal)
    }
  }

  async #list(signal: AbortSignal): Promise<Step> {
    try {
      const { items, version } = await this.#allPages(signal)
      const restored = (compareResourceVersions(version, this.#version) ?? 0) < 0
      if (restored) this.#log.warn({ version, seen: this.#version }, 'The server has gone back in time: taking its state as it is')
      this.#version = version
      this.#options.target.replace(items, restored)
      return { next: { kind: 'watch', from: version }, outcome: 'neutral' }
    } catch (error) {
      if (!signal.aborted) this.#outage.failed({ error }, 'Listing failed: trying again')
      return { next: { kind: 'list' }, outcome: 'failed' }
    }
  }

  /** Pages show one version. When it expires between two pages, the caller starts over. */
  async #allPages(signal: AbortSignal): Promise<{ items: T[]; version: string }> {
    const { client, resource, selection } = this.#options
    const items: T[] = []
    for (let token: string | undefined; ;) {
      const page = await client.list<T>(resource, {
        ...selection,
        limit: pageSize,
        ...(token === undefined ? {} : { continue: token }),
        signal,
      })
      items.push(...page.items)
      token = page.metadata.continue
      if (token === undefined || token === '') return { items, version: page.metadata.resourceVersion ?? '' }
    }
  }

  async #watch(from: string, signal: AbortSignal): Promise<Step> {
    const { clock } = this.#options
    const start = clock.now()
    const progress = { events: 0 }
    try {
      await this.#follow(from, progress, signal)
      const healthy = progress.events > 0 || clock.now() - start >= shortWatchMs
      return { next: this.#resume(), outcome: healthy ? 'progress' : 'failed' }
    } catch (error) {
      if (signal.aborted) return { next: this.#resume(), outcome: 'neutral' }
      const relist = needsList(error)
      // A resourceVersion may expire at any time: list at once, unless that has just happened.
      const healthy = progress.events > 0 || clock.now() - start >= healthyWatchMs
      if (healthy) this.#log.debug({ error, relist }, 'A watch broke')
      else this.#outage.failed({ error, relist }, 'Watching failed: trying again')
      return { next: relist ? { kind: 'list' } : this.#resume(), outcome: healthy ? 'progress' : 'failed' }
    }
  }

  async #follow(from: string, progress: { events: number }, outer: AbortSignal): Promise<void> {
    const { client, resource, selection, clock, random } = this.#options
    const timeoutSeconds = Math.round(watchTimeoutSeconds.least + watchTimeoutSeconds.spread * random())
    const overtime = new AbortController()
    using _timer = clock.after(timeoutSeconds * 1000 + overtimeMs, () =>
      overtime.abort(new TransportError('The server did not end the watch in time')),
    )
    const signal = AbortSignal.any([outer, overtime.signal])
    const options = { ...selection, resourceVersion: from, allowWatchBookmarks: true, timeoutSeconds, signal }
    for await (const event of client.watch<T>(resource, options)) {
      if (outer.aborted) return
      const before = this.#version
      this.#apply(event)
      if (this.#version !== before) progress.events++
    }
    if (!outer.aborted) overtime.signal.throwIfAborted()
  }

  #apply(event: WatchEvent<T>): void {
    const version = event.object.metadata?.resourceVersion
    const order = compareResourceVersions(version, this.#version)
    if (event.type === 'BOOKMARK') {
      if (order !== undefined && order < 0) throw new WentBack(`A bookmark says version "${version}" after "${this.#version}"`)
    } else if (event.type === 'DELETED') this.#options.target.remove(event.object)
    else this.#options.target.upsert(event.object)
    if (version !== undefined && (order === undefined || order > 0)) this.#version = version
  }

  #resume(): State {
    return this.#version === undefined ? { kind: 'list' } : { kind: 'watch', from: this.#version }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(ms, signal).catch(() => {})
  }
}

/**
 * The server's versions are lower than before: a backup was restored, and the future we knew never
 * was.
 */
class WentBack extends Error {
  override readonly name = 'WentBack'
}

function needsList(error: unknown): boolean {
  if (error instanceof WentBack || isExpired(error)) return true
  return error instanceof StatusError && (error.status.details?.causes ?? []).some((cause) => cause.reason === 'ResourceVersionTooLarge')
}
