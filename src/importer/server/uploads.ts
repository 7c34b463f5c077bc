import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { type ContentSource, unverified } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import { type Patience, watchedBody } from '../http/watched-body.ts'
import type { Time } from '../time.ts'
import { answerEarly } from './early-answer.ts'
import { fileOfForm } from './form-file.ts'
import { parseUploadRequest, type UploadRequest } from './upload-request.ts'

/** An upload that has begun or continues. Exactly one of `done` and `failed` ends it. */
export interface Upload {
  /** It can be continued. */
  readonly isResumable: boolean
  readonly source: ContentSource
  /** `sha256:…` that the client expects of the whole file. */
  readonly checksum: string | undefined
  /** All bytes have arrived: who does not wait for the disk gets the answer. */
  received(): void
  /** The disk is complete. Resolves when the answer was sent. */
  done(): Promise<void>
  /**
   * Answers with the failure, or where a client that sends parts goes on. False if the answer was
   * given before. `offset`: bytes that are kept.
   */
  failed(error: unknown, offset: number): boolean
}

/** What an earlier request has left on the volume. */
export interface KeptUpload {
  readonly id: string
  /** Bytes that are on the disk and need not be sent again. */
  readonly offset: number
}

/** Takes uploads, one at a time. */
export interface UploadDesk {
  /** Answers a request for one of its paths. */
  serve(request: IncomingMessage, response: ServerResponse): void
  /** Waits for an upload. */
  next(kept: KeptUpload | undefined, signal: AbortSignal): Promise<Upload>
  /** All bytes of an upload are here, from an earlier run. Undefined: of one without a name. */
  has(id: string | undefined): void
  /** Later requests are told that the volume is filled. */
  close(): void
}

/** The upload of the moment. */
interface Running {
  readonly id: string | undefined
  readonly total: number | undefined
  isReceived: boolean
  /** Gives up a connection that its client has left or is about to leave. */
  interrupt(): void
}

/** Milliseconds for what arrived to get to the disk, when a client asks how much it is. */
const settleMs = 20_000
/** Milliseconds after the answer to a part, until the next one can be taken. */
const partMs = 2_000
const prefix = 'upload:'

/** Returns what is left of an upload by the identity that its source has given. Pure. */
export function keptUpload(validator: string | undefined, offset: number): KeptUpload | undefined {
  return validator?.startsWith(prefix) === true ? { id: validator.slice(prefix.length), offset } : undefined
}

/** Creates a desk. Clients are told to come back while no upload is waited for. */
export function createUploadDesk(patience: Patience, time: Time): UploadDesk {
  let waiting: ((upload: Upload) => void) | undefined
  let kept: KeptUpload | undefined
  let running: Running | undefined
  let isClosed = false
  let watchers: (() => void)[] = []

  const changed = (): void => {
    const told = watchers
    watchers = []
    for (const tell of told) tell()
  }
  const nextChange = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref()
      watchers.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })

  /** Tells where a client goes on with its upload. */
  const tellOffset = async (id: string, response: ServerResponse): Promise<void> => {
    if (running?.id === id && !running.isReceived) {
      const settled = nextChange(settleMs)
      running.interrupt()
      await settled
    }
    if (running?.isReceived === true && running.id === id)
      return answerOffset(response, { isComplete: true, ...(running.total === undefined ? {} : { offset: running.total }) })
    if (isClosed) return answer(response, 409, '')
    if (waiting === undefined) return answer(response, 503, '')
    answerOffset(response, { isComplete: false, offset: kept?.id === id ? kept.offset : 0 })
  }

  const begin = (asked: UploadRequest, request: IncomingMessage, response: ServerResponse): void => {
    const { method, id, offset, total } = asked
    if (isClosed) return refuse(request, response, 409, 'The volume is filled already')
    const take = waiting
    if (take === undefined) return refuse(request, response, 503, 'Another upload is under way')
    const here = kept !== undefined && kept.id === id ? kept.offset : 0
    if (method === 'PATCH' && offset !== here) {
      response.setHeader('upload-offset', here)
      return refuse(request, response, 409, `The upload goes on at offset ${here}, and not at ${offset}`)
    }
    waiting = undefined
    const current: Running = { id, total, isReceived: false, interrupt: () => void request.destroy() }
    running = current
    const onReceived = (): void => {
      current.isReceived = true
      changed()
    }
    take(createUpload(asked, request, response, { patience, time, onReceived }))
  }

  return {
    serve(request, response) {
      const asked = parseUploadRequest(request)
      if ('status' in asked) return refuse(request, response, asked.status, asked.text)
      const { method, id } = asked
      if (method === 'HEAD') return id === undefined ? answer(response, 200, '') : void tellOffset(id, response)
      // The client of a part has its answer a moment before the next one is waited for.
      if (id !== undefined && running?.id === id && !running.isReceived) void nextChange(partMs).then(() => begin(asked, request, response))
      else begin(asked, request, response)
    },
    async next(left, signal) {
      signal.throwIfAborted()
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          waiting = undefined
          reject(signal.reason as Error)
        }
        signal.addEventListener('abort', onAbort, { once: true })
        waiting = (upload) => {
          signal.removeEventListener('abort', onAbort)
          resolve(upload)
        }
        kept = left
        running = undefined
        changed()
      })
    },
    has(id) {
      running = { id, total: undefined, isReceived: true, interrupt: () => {} }
    },
    close() {
      isClosed = true
      waiting = undefined
      changed()
    },
  }
}

interface UploadContext {
  readonly patience: Patience
  readonly time: Time
  readonly onReceived: () => void
}

function createUpload(
  { id, offset, isAsync, isForm, isLast, total, checksum }: UploadRequest,
  request: IncomingMessage,
  response: ServerResponse,
  { patience, time, onReceived }: UploadContext,
): Upload {
  return {
    isResumable: id !== undefined,
    // Of a part there is nothing to compare.
    checksum: isLast ? checksum : undefined,
    source: {
      async open(from, signal) {
        if (offset > 0 && (from?.validator !== `${prefix}${id}` || from.offset !== offset))
          throw new ImportFailure('SourceInterrupted', 'What was sent before is not here: send the file from its start')
        const body = isForm ? await fileOfForm(request) : request
        return {
          start: offset,
          total,
          validator: id === undefined ? undefined : `${prefix}${id}`,
          chunks: uploadedBytes({ body, isWhole: () => isForm || request.complete, isLast }, patience, time, signal),
          verify: unverified,
        }
      },
    },
    received() {
      onReceived()
      if (isAsync) answer(response, 200, '')
    },
    done() {
      answer(response, 200, '')
      return response.closed ? Promise.resolve() : new Promise((resolve) => response.once('close', resolve))
    },
    failed(error, here) {
      if (response.headersSent) return false
      if (error instanceof PartReceived) {
        answerOffset(response, { isComplete: false, offset: here })
        return true
      }
      const isOfContent = error instanceof ImportFailure && error.fatal
      const message = error instanceof ImportFailure ? error.message : 'an unexpected error; see the log of the worker'
      const isTooLarge = error instanceof ImportFailure && error.reason === 'VolumeTooSmall'
      const prefix = isTooLarge ? 'effective image size is larger than the reported available storage: ' : ''
      refuse(request, response, isOfContent ? 400 : 500, `Saving stream failed: ${prefix}${message}`)
      return true
    },
  }
}

/** A part of the file has arrived, which is not its end. */
class PartReceived extends ImportFailure {
  constructor() {
    super('SourceInterrupted', 'The rest of the file has not been sent yet', { fatal: false })
  }
}

interface UploadedBody {
  readonly body: Readable
  /** Asked at its end. */
  readonly isWhole: () => boolean
  readonly isLast: boolean
}

async function* uploadedBytes(
  { body, isWhole, isLast }: UploadedBody,
  patience: Patience,
  time: Time,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    yield* watchedBody({ body, sender: 'The client of the upload', isKept: true }, patience, time, signal)
    if (!isWhole()) throw new ImportFailure('SourceInterrupted', 'The upload ended too early: upload the file again')
    if (!isLast) throw new PartReceived()
  } catch (error) {
    if (signal.aborted || error instanceof ImportFailure) throw error
    throw new ImportFailure('SourceInterrupted', `The upload ended too early (${(error as Error).message}): upload the file again`, {
      cause: error,
    })
  }
}

function answerOffset(response: ServerResponse, { isComplete, offset }: { readonly isComplete: boolean; readonly offset?: number }): void {
  if (response.headersSent) return
  response.writeHead(204, {
    'upload-complete': isComplete ? '?1' : '?0',
    'cache-control': 'no-store',
    ...(offset === undefined ? {} : { 'upload-offset': offset }),
  })
  response.end()
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return
  response.writeHead(status, text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' })
  response.end(text)
}

/** Answers before the body was read. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  if (!response.headersSent) answerEarly(request, response, status, text)
}
