import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { pageBytes } from './journal-schema.ts'
import type { Journal } from './journal.ts'

/** Request to the thread. */
export type CheckpointRequest = 'PASSIVE' | 'TRUNCATE'

/** Answer: frames in the log and frames copied (-1: another checkpoint was running). */
export type CheckpointReply = { readonly frames: number; readonly copied: number } | { readonly error: string }

/** Sizes and times of checkpoints. */
export const checkpointPolicy = {
  /** Below this size the log is not copied: reading it at start takes milliseconds. */
  startBytes: 4_194_304,
  /**
   * From this size on the writer completes the checkpoint itself, as the thread never catches up
   * under steady load.
   */
  restartBytes: 33_554_432,
  /** An idle log file is truncated from this size on. */
  truncateBytes: 16_777_216,
  /** Writers wait for a checkpoint from this size on. */
  holdBytes: 536_870_912,
  intervalMs: 200,
  /** Idle time after which the log file is truncated and the thread ends. */
  idleMs: 10_000,
} as const

/**
 * Keeps the write-ahead log short with a thread that exists only while there is something to copy.
 */
export class Checkpointer {
  readonly #journal: Journal
  readonly #after: (ms: number, callback: () => void) => Disposable
  readonly #onError: (error: unknown) => void
  readonly #onRelief: () => void
  #worker: Worker | undefined
  #timer: Disposable | undefined
  #running: CheckpointRequest | undefined
  #newBytes = 0
  /** True if the timer runs with the short interval, which commits must not postpone. */
  #soon = false
  #closed = false

  /** @param onRelief called when writers may continue */
  constructor(
    journal: Journal,
    after: (ms: number, callback: () => void) => Disposable,
    onError: (error: unknown) => void,
    onRelief: () => void,
  ) {
    this.#journal = journal
    this.#after = after
    this.#onError = onError
    this.#onRelief = onRelief
  }

  /** True if writers must wait because the log grows faster than it can be copied. */
  get holds(): boolean {
    return this.#running !== undefined && this.#newBytes > checkpointPolicy.holdBytes
  }

  /** Records the bytes that a commit added to the log. */
  note(bytes: number): void {
    this.#newBytes += bytes
    if (this.#running !== undefined || this.#newBytes < checkpointPolicy.startBytes) return
    if (this.#worker === undefined) this.#run('PASSIVE')
    else if (!this.#soon) this.#schedule(checkpointPolicy.intervalMs)
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.[Symbol.dispose]()
    const worker = this.#worker
    if (worker === undefined) return
    const exit = once(worker, 'exit')
    worker.ref()
    worker.postMessage('CLOSE')
    await exit
  }

  #schedule(ms: number): void {
    this.#timer?.[Symbol.dispose]()
    this.#soon = ms === checkpointPolicy.intervalMs
    this.#timer = this.#after(ms, () => this.#wake())
  }

  #wake(): void {
    this.#soon = false
    if (this.#running !== undefined || this.#closed) return
    if (this.#newBytes >= checkpointPolicy.startBytes) return this.#run('PASSIVE')
    if (this.#journal.sizes().walBytes > checkpointPolicy.truncateBytes) return this.#run('TRUNCATE')
    this.#worker?.postMessage('CLOSE')
    this.#worker = undefined
  }

  #run(request: CheckpointRequest): void {
    this.#running = request
    this.#newBytes = 0
    this.#worker ??= this.#start()
    this.#worker.postMessage(request)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), {
      workerData: this.#journal.path,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    })
    worker.unref()
    worker.on('message', (reply: CheckpointReply) => this.#finish(reply))
    worker.on('error', (error) => this.#onError(error))
    worker.on('exit', () => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      if (this.#running !== undefined) this.#finish({ error: 'the checkpoint thread has ended' })
    })
    return worker
  }

  #finish(reply: CheckpointReply): void {
    const request = this.#running
    this.#running = undefined
    if ('error' in reply) this.#onError(new CheckpointFailed(reply.error))
    else if (request === 'PASSIVE' && reply.frames * pageBytes >= checkpointPolicy.restartBytes) this.#catchUp()
    this.#onRelief()
    if (this.#closed) return
    this.#schedule(this.#newBytes >= checkpointPolicy.startBytes ? checkpointPolicy.intervalMs : checkpointPolicy.idleMs)
  }

  /**
   * Copies the last frames between two commits. Only a completely copied log is restarted from its
   * beginning.
   */
  #catchUp(): void {
    try {
      this.#journal.checkpoint('PASSIVE')
      this.#newBytes = 0
    } catch (error) {
      this.#onError(error)
    }
  }
}

/** A checkpoint failed. It is repeated. */
export class CheckpointFailed extends Error {
  override readonly name = 'CheckpointFailed'
}
