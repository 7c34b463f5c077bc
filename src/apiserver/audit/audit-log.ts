import type { AuditEvent, AuditSink, RecordedBodies } from './audit-event.ts'
import { RotatingFile, type RotatingFileOptions } from './rotating-file.ts'
import { withBodies } from './with-bodies.ts'

/** Options of {@link openAuditLog}. */
export interface AuditLogOptions extends RotatingFileOptions {
  /** Called when events cannot be written, and with undefined when they can again. */
  readonly onFailure: (failure: { readonly error: unknown; readonly lost: number } | undefined) => void
}

/** Writes events as lines of JSON. Disposal writes pending ones. */
export interface AuditLog extends AsyncDisposable {
  readonly write: AuditSink
  /** Resolves when all events so far are written or lost. */
  flush(): Promise<void>
}

interface Waiting {
  readonly event: AuditEvent
  readonly bodies: RecordedBodies
}

/**
 * Limit of pending events. More are dropped and counted, as a slow disk must neither stop the
 * server nor fill its memory.
 */
const maxWaiting = 10_000
const maxWaitingBytes = 32 * 1024 * 1024
const eventBytes = 1024

function sizeOf({ bodies }: Waiting): number {
  return eventBytes + (bodies.request?.bytes.length ?? 0) + (bodies.response?.length ?? 0)
}

/** Opens an audit log. The file is created with the first event. */
export function openAuditLog(options: AuditLogOptions): AuditLog {
  const file = new RotatingFile(options)
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let lost = 0
  let isFailing = false
  let writing: Promise<void> | undefined

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      waitingBytes = 0
      try {
        const lines: string[] = []
        for (const { event, bodies } of batch) lines.push(`${JSON.stringify(await withBodies(event, bodies))}\n`)
        await file.append(Buffer.from(lines.join('')))
        if (isFailing && lost === 0) {
          isFailing = false
          options.onFailure(undefined)
        }
        lost = 0
      } catch (error) {
        lost += batch.length
        if (!isFailing) options.onFailure({ error, lost })
        isFailing = true
      }
    }
  }
  const start = (): void => {
    // Deferred, so that events of one turn share a write.
    writing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(writeAll).finally(() => {
      writing = undefined
      if (waiting.length > 0) start()
    })
  }
  const flush = async (): Promise<void> => {
    while (writing !== undefined) await writing
  }

  return {
    write(event, bodies) {
      const entry = { event, bodies }
      const size = sizeOf(entry)
      if (waiting.length >= maxWaiting || waitingBytes + size > maxWaitingBytes) {
        lost += 1
        if (!isFailing) options.onFailure({ error: new Error('the disk is too slow for the audit log'), lost })
        isFailing = true
        return
      }
      waiting.push(entry)
      waitingBytes += size
      start()
    },
    flush,
    async [Symbol.asyncDispose]() {
      await flush()
      await file[Symbol.asyncDispose]()
    },
  }
}
