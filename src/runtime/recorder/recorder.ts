import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { CoreEvent } from '#api/core/v1/event.ts'
import { events } from '#api/core/v1/resources.ts'
import { TransportError } from '#client/client.ts'
import type { Client } from '#client/client.ts'
import { timestamp } from '../clock/clock.ts'
import type { Clock } from '../clock/clock.ts'
import type { Logger } from '../process/log.ts'
import { systemRandom } from '../process/random.ts'
import type { Random } from '../process/random.ts'
import { createEventCorrelator } from './correlator.ts'
import type { EventCorrelator, Occurrence } from './correlator.ts'

/** Records events about objects. */
export interface Recorder {
  /**
   * Records an event about an object. Returns at once and never throws: events may be merged,
   * delayed or, under load or without a server, lost. `reason` is one CamelCase word, `message` a
   * sentence. The object must have `apiVersion` and `kind`.
   */
  event(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void
  /** Resolves when everything recorded so far is sent or given up. */
  flush(): Promise<void>
}

/** Dependencies and options of a recorder. */
export interface RecorderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>
  /** Reporting component: `virt-controller`. */
  readonly component: string
  /** Node or replica that reports. */
  readonly host?: string
  readonly clock: Clock
  readonly log: Logger
  /** Maximum number of queued events; more are dropped. Default 1 000. */
  readonly queueLimit?: number
  /** For the names of events. */
  readonly random?: Random
}

/** Creates a recorder. */
export function createRecorder(options: RecorderOptions): Recorder {
  return new ClientRecorder(options)
}

const attempts = 4
const retryMs = 250
/** One object's events must not starve those of others, so that several are sent at once. */
const concurrency = 4

class ClientRecorder implements Recorder {
  readonly #options: RecorderOptions
  readonly #correlator: EventCorrelator
  /** Occurrences with unsent changes, oldest first. */
  readonly #dirty = new Set<Occurrence>()
  readonly #sending = new Set<Occurrence>()
  #dropped = 0
  #idlers: (() => void)[] = []

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#correlator = createEventCorrelator(options.clock, options.random ?? systemRandom)
  }

  event(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const occurrence = this.#correlator.observe(object, type, reason, message)
    if (occurrence === undefined) return
    if (this.#dirty.size >= (this.#options.queueLimit ?? 1_000) && !this.#dirty.has(occurrence)) {
      if (this.#dropped++ === 0) this.#options.log.warn({}, 'Too many events: dropping some')
      return
    }
    this.#dirty.add(occurrence)
    this.#pump()
  }

  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#idlers.push(resolve)
      this.#tellIdle()
    })
  }

  #pump(): void {
    for (const occurrence of this.#dirty) {
      if (this.#sending.size >= concurrency) return
      // A repetition during the request is sent afterwards, in one write.
      if (this.#sending.has(occurrence)) continue
      this.#dirty.delete(occurrence)
      this.#sending.add(occurrence)
      void this.#deliver(occurrence).finally(() => {
        this.#sending.delete(occurrence)
        this.#pump()
        this.#tellIdle()
      })
    }
  }

  #tellIdle(): void {
    if (this.#dirty.size + this.#sending.size > 0) return
    this.#dropped = 0
    const idlers = this.#idlers
    this.#idlers = []
    for (const idler of idlers) idler()
  }

  async #deliver(occurrence: Occurrence): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(occurrence)
      } catch (error) {
        if (!(error instanceof TransportError) || attempt === attempts) {
          this.#options.log.debug({ error, reason: occurrence.reason }, 'Could not record an event')
          return
        }
        await this.#options.clock.sleep(retryMs * attempt)
      }
    }
  }

  async #send(occurrence: Occurrence): Promise<void> {
    const { client, component } = this.#options
    if (occurrence.storedName === undefined) return this.#create(occurrence)
    const body = { count: occurrence.count, lastTimestamp: timestamp(occurrence.lastMs), message: occurrence.message }
    try {
      const key = { namespace: occurrence.namespace, name: occurrence.storedName }
      await client.patch(events, key, { type: 'merge', body }, { fieldManager: component })
    } catch (error) {
      if (!isNotFound(error)) throw error
      // Events expire: begin a new one.
      await this.#create(occurrence)
    }
  }

  async #create(occurrence: Occurrence): Promise<void> {
    const { client, component } = this.#options
    const event = this.#compose(occurrence)
    await client.create<CoreEvent>(events, event, { fieldManager: component })
    occurrence.stored(event.metadata.name ?? '')
  }

  #compose(occurrence: Occurrence): CoreEvent {
    const { component, host } = this.#options
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: occurrence.namespace, name: occurrence.newName() },
      involvedObject: { ...occurrence.reference },
      type: occurrence.type,
      reason: occurrence.reason,
      message: occurrence.message,
      source: { component, ...(host === undefined ? {} : { host }) },
      reportingComponent: component,
      reportingInstance: host ?? '',
      firstTimestamp: timestamp(occurrence.firstMs),
      lastTimestamp: timestamp(occurrence.lastMs),
      count: occurrence.count,
    }
  }
}
