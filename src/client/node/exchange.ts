import type { Readable } from 'node:stream'
import { TransportError } from '../client.ts'
import type { TransportRequest, TransportResponse } from '../transport.ts'

/**
 * The half-open exchange that a protocol hands over: it ends by `head`, `fail` or the guard's own
 * decision to `cancel`.
 */
export interface Exchange {
  /**
   * The head has arrived; `body` follows. `complete` reports at the end of the body whether it was
   * complete.
   */
  head(status: number, headers: Readonly<Record<string, string>>, body: Readable, complete: () => boolean): void
  /** Ends with an error if no head has arrived yet. Later errors travel in the body. */
  fail(error: Error, unsent?: boolean): void
}

/** The answer was not complete in time. */
export class DeadlineExceeded extends TransportError {}

/**
 * Runs one exchange so that it always ends: by its answer, by an error, by the caller's signal, or
 * by its deadline. The deadline of a stream covers its head; that of other answers also the body.
 */
export function runExchange(
  request: TransportRequest,
  timeoutMs: number,
  begin: (exchange: Exchange) => (reason: Error) => void,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = request
    if (signal?.aborted === true) return reject(signal.reason)
    let cause: Error | undefined
    const cancel = (reason: Error): void => {
      cause ??= reason
      reject(reason)
      stop(reason)
    }
    const onAbort = (): void => cancel(asError(signal?.reason))
    const onDeadline = (): void =>
      cancel(new DeadlineExceeded(`${request.method} ${request.path} got no complete answer within ${timeoutMs} ms`))
    const deadline = setTimeout(onDeadline, timeoutMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    const release = (): void => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', onAbort)
    }
    const stop = begin({
      head(status, headers, body, complete) {
        // A refusal is no stream: it must end like any other answer.
        if (request.streaming && status < 300) clearTimeout(deadline)
        body.once('close', release)
        resolve(toResponse(status, headers, () => readBody(body, complete, () => cause)))
      },
      fail(error, unsent = false) {
        release()
        reject(cause ?? broken(error, unsent))
      },
    })
  })
}

function toResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  read: () => AsyncGenerator<Uint8Array, void, undefined>,
): TransportResponse {
  return {
    status,
    headers,
    body: { [Symbol.asyncIterator]: read },
    async text() {
      const chunks: Uint8Array[] = []
      for await (const chunk of read()) chunks.push(chunk)
      return Buffer.concat(chunks).toString('utf8')
    },
  }
}

async function* readBody(
  body: Readable,
  complete: () => boolean,
  cancelled: () => Error | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body as AsyncIterable<Uint8Array>
  } catch (error) {
    throw cancelled() ?? broken(asError(error), false)
  }
  const cause = cancelled()
  if (cause !== undefined) throw cause
  // Node ends the body of a stream that the peer reset as if it were whole.
  if (!complete()) throw new TransportError('The answer was cut short')
}

function broken(error: Error, unsent: boolean): TransportError {
  return error instanceof TransportError ? error : new TransportError(`The connection broke: ${error.message}`, { cause: error, unsent })
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
