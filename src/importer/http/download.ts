import type { Content, Position } from '../content.ts'
import { unverified } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import { type Time, waitAfter } from '../time.ts'
import type { HttpAnswer, HttpClient } from './http-client.ts'
import { connectionFailure } from './http-failure.ts'
import { isSameFile, parseContentRange, strongValidator } from './validator.ts'
import { type Patience, watchedBody } from './watched-body.ts'

/** A file to download. */
export interface DownloadRequest {
  readonly url: URL
  /** Headers for the server of `url`: called for each try, since signatures and tokens expire. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>
}

/** What downloads need. */
export interface DownloadPorts {
  readonly client: HttpClient
  readonly time: Time
  readonly patience: Patience
  /** Tries in a row that bring nothing, after which a download is given up. */
  readonly tries: number
}

/** Opens a file of a server at a position, or from the start when it is another one by now. */
export type OpenDownload = (request: DownloadRequest, from: Position | undefined, signal: AbortSignal) => Promise<Content>

/**
 * Creates downloads that survive lost connections: they ask for the rest of the same file, by its
 * ETag or its time, and wait longer after each try that brings nothing.
 */
export function createDownloads(ports: DownloadPorts): OpenDownload {
  return async (request, from, signal) => {
    let answer = await persistently(ports, signal, () => ask(ports, request, from, signal))
    let range = rangeOf(answer)
    if (answer.status === 206 && (range?.start !== from?.offset || !isSameFile(answer.headers, from?.validator))) {
      answer.body.destroy()
      answer = await persistently(ports, signal, () => ask(ports, request, undefined, signal))
      range = undefined
    }
    const length = answer.headers['content-length']
    const total = range?.total ?? (answer.status === 200 && length !== undefined ? Number(length) : undefined)
    const validator = range === undefined ? strongValidator(answer.headers) : from?.validator
    const start = range?.start ?? 0
    return { start, total, validator, chunks: chunksOf(ports, request, { answer, start, total, validator }, signal), verify: unverified }
  }
}

interface OpenFile {
  readonly answer: HttpAnswer
  readonly start: number
  readonly total: number | undefined
  readonly validator: string | undefined
}

/** The bytes from `start` to the end, over as many connections as it takes. */
async function* chunksOf(ports: DownloadPorts, request: DownloadRequest, file: OpenFile, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { time, patience, tries } = ports
  const { total, validator } = file
  let position = file.start
  let answer: HttpAnswer | undefined = file.answer
  for (let failures = 0; ;) {
    const before: number = position
    try {
      answer ??= await ask(ports, request, { offset: position, validator: validator ?? '' }, signal)
      for await (const chunk of restOf(
        answer,
        position,
        { total, validator },
        watchedBody({ body: answer.body, sender: `"${answer.url.host}"` }, patience, time, signal),
      )) {
        position += chunk.length
        if (total !== undefined && position > total) throw changed(request.url)
        yield chunk
      }
      if (total === undefined || position === total) return
      throw new ImportFailure('SourceInterrupted', `"${request.url.host}" ended the connection ${total - position} bytes too early`)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const failure = error instanceof ImportFailure ? error : connectionFailure(request.url, error)
      if (!isWorthATry(failure)) throw failure
      if (validator === undefined)
        throw new ImportFailure(
          'SourceInterrupted',
          `${failure.message}; it gives files neither ETag nor time, so that they cannot be continued`,
        )
      failures = position > before ? 1 : failures + 1
      if (failures >= tries) throw failure
      answer = undefined
      await time.sleep(waitAfter(failures, time.random()), signal)
    }
  }
}

/**
 * The part of an answer from a position on. A server without ranges sends the whole file again; if
 * it is the same, what is there is skipped. @throws ImportFailure
 */
async function* restOf(
  answer: HttpAnswer,
  position: number,
  { total, validator }: Pick<OpenFile, 'total' | 'validator'>,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let skip = 0
  if (answer.status === 206) {
    const range = rangeOf(answer)
    const isRest = range?.start === position && (range.total === undefined || total === undefined || range.total === total)
    if (!isRest || !isSameFile(answer.headers, validator)) throw changed(answer.url)
  } else if (position > 0) {
    if (strongValidator(answer.headers) !== validator) throw changed(answer.url)
    skip = position
  }
  for await (const chunk of chunks) {
    if (skip >= chunk.length) skip -= chunk.length
    else {
      yield skip === 0 ? chunk : chunk.subarray(skip)
      skip = 0
    }
  }
}

function rangeOf({ status, headers }: HttpAnswer): ReturnType<typeof parseContentRange> {
  return status === 206 ? parseContentRange(headers['content-range']) : undefined
}

function changed({ host }: URL): ImportFailure {
  return new ImportFailure('SourceChanged', `The file at "${host}" has changed while it was read: it is read again from the start`)
}

/** Sends one request for the file from a position on. */
async function ask(
  { client }: DownloadPorts,
  request: DownloadRequest,
  from: Position | undefined,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const ranged = from !== undefined && from.offset > 0
  return client.send(
    {
      url: request.url,
      headers: await request.headers(signal),
      ...(ranged ? { publicHeaders: { range: `bytes=${from.offset}-`, 'if-range': from.validator } } : {}),
      accept: ranged ? [200, 206] : [200],
    },
    signal,
  )
}

/** Tries again what may get better, as often as `tries` says. */
async function persistently<T>({ time, tries }: DownloadPorts, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof ImportFailure) || !isWorthATry(error)) throw error
      if (failures >= tries) throw error.reason === 'SourceNotFound' ? missing(error, failures) : error
      await time.sleep(waitAfter(failures, time.random()), signal)
    }
  }
}

function isWorthATry({ reason, fatal }: ImportFailure): boolean {
  return !fatal && reason !== 'SourceRefused' && reason !== 'SourceChanged' && reason !== 'CertificateNotTrusted'
}

/** A file that is still missing after several tries does not come by more of them. */
function missing(cause: ImportFailure, tries: number): ImportFailure {
  return new ImportFailure('SourceNotFound', `${cause.message} (tried ${tries} times)`, { fatal: true, cause })
}
