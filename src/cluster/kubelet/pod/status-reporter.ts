import { isConflict, isInvalid, isNotFound } from '#apimachinery/errors.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { Pod, PodStatus } from '#api/core/v1/pod.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import { sameOwnStatus } from './own-status.ts'

/** The object in the API that shows a pod's status. For a static pod that is its mirror. */
export interface StatusTarget {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Writes one pod's status: one patch per real change, one at a time, the newest state only. */
export interface StatusReporter extends Disposable {
  /** Sets the status that the API should show. */
  report(status: PodStatus): void
  /** Accepts the pod as a watch or a list delivers it, and makes it the target. */
  observe(pod: Pod): void
  /** The target is gone. */
  forget(): void
  /** Status that was reported last, or the one in the API at first. */
  readonly last: PodStatus | undefined
  /** Resolves when nothing waits to be written. */
  flushed(): Promise<void>
}

/** Dependencies of a reporter. */
export interface StatusReporterOptions {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
}

const initialRetryMs = 100
const maximumRetryMs = 5_000

/** Creates a reporter without target. */
export function createStatusReporter(options: StatusReporterOptions): StatusReporter {
  return new Reporter(options)
}

class Reporter implements StatusReporter {
  readonly #options: StatusReporterOptions
  readonly #closed = new AbortController()
  #target: StatusTarget | undefined
  #shown: PodStatus | undefined
  #shownVersion = 0
  #wanted: PodStatus | undefined
  #writing: Promise<void> | undefined

  constructor(options: StatusReporterOptions) {
    this.#options = options
  }

  get last(): PodStatus | undefined {
    return this.#wanted ?? this.#shown
  }

  report(status: PodStatus): void {
    this.#wanted = status
    this.#write()
  }

  observe(pod: Pod): void {
    const { namespace = '', name = '', uid = '', resourceVersion = '0' } = pod.metadata
    if (this.#target?.uid !== uid) {
      this.#target = { namespace, name, uid }
      this.#shownVersion = 0
    }
    // The watch may lag behind our own write.
    if (Number(resourceVersion) <= this.#shownVersion) return
    this.#show(pod)
    this.#write()
  }

  forget(): void {
    this.#target = undefined
    this.#shown = undefined
    this.#shownVersion = 0
  }

  async flushed(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  [Symbol.dispose](): void {
    this.#closed.abort()
  }

  #show(pod: Pod): void {
    this.#shown = pod.status
    this.#shownVersion = Number(pod.metadata.resourceVersion ?? '0')
  }

  get #isBehind(): boolean {
    if (this.#target === undefined || this.#wanted === undefined || this.#closed.signal.aborted) return false
    return !sameOwnStatus(this.#shown, this.#wanted)
  }

  #write(): void {
    if (this.#isBehind) this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined))
  }

  async #writeAll(): Promise<void> {
    let retryMs = initialRetryMs
    while (this.#isBehind) {
      const target = this.#target
      const status = this.#wanted
      if (target === undefined || status === undefined) return
      try {
        await this.#patch(target, status)
        retryMs = initialRetryMs
      } catch (error) {
        if (this.#closed.signal.aborted) return
        if (isNotFound(error) || isConflict(error)) return this.#lose(target)
        this.#options.log.warn({ ...target, error }, 'pod status could not be written')
        if (isInvalid(error)) return this.#lose(target)
        await this.#options.clock.sleep(retryMs, this.#closed.signal).catch(() => {})
        retryMs = Math.min(maximumRetryMs, retryMs * 2)
      }
    }
  }

  /** The uid in the patch makes it fail on a namesake that took the pod's place. */
  async #patch(target: StatusTarget, status: PodStatus): Promise<void> {
    const body = { metadata: { uid: target.uid }, status }
    const { signal } = this.#closed
    const key = { namespace: target.namespace, name: target.name }
    const patched = await this.#options.client.patch(pods, key, { type: 'strategic', body }, { subresource: 'status', signal })
    if (this.#target?.uid !== target.uid) return
    this.#show(patched)
    // The server has accepted it, whatever it stored: it is written again only after a change.
    this.#shown = status
  }

  #lose(target: StatusTarget): void {
    if (this.#target?.uid === target.uid) this.#target = undefined
  }
}
