import { pipeline, type Writable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import { notAcceptable, StatusError, type Status } from '#apimachinery/errors.ts'
import { parseExactJson } from '#apimachinery/json/long-integers.ts'
import type { AuditTrail } from '#apiserver/audit/audit-trail.ts'
import type { Flow } from '#apiserver/flow-control/flow-control.ts'
import { answerTypes, wantsPretty } from '#apiserver/request/content-negotiation.ts'
import { type AnswerHeaders, type AnswerStream, type Exchange, headerOf } from '../http/exchange.ts'
import { sliceBytes, writeSlices } from '../http/write-slices.ts'

/** Smaller bodies are not worth compressing on a loopback. */
const gzipFromBytes = 128 * 1024
/**
 * Characters of all warnings. As in kube-apiserver, longer sets are truncated: each warning to the
 * second number, then to as many as fit.
 */
const warningsLimit = 4096
const longWarningLimit = 256

const compress = promisify(gzip)
const lineFeed = Buffer.from('\n')

/** Formats a `Warning` header. Header values are bytes, so text is encoded as UTF-8. */
function warningHeader(text: string): string {
  const printable = text.replace(/\p{Cc}+/gu, ' ')
  const quoted = printable.replace(/["\\]/g, (character) => `\\${character}`)
  return Buffer.from(`299 - "${quoted}"`, 'utf8').toString('latin1')
}

/** Collects headers and warnings of one answer, and writes it. */
export class Reply {
  readonly auditId: string
  readonly #exchange: Exchange
  readonly #query: URLSearchParams
  /** Created with the first warning, as most answers have none. */
  #warnings: Set<string> | undefined
  /** Audit record of the answer, where there is one. */
  trail: AuditTrail | undefined
  /** FlowSchema and priority level of the request, once they are known. */
  flow: Flow | undefined
  /** Status code, once answered. */
  code: number = 0
  /** Bytes of the body, before compression. */
  bytes: number = 0

  constructor(exchange: Exchange, query: URLSearchParams, auditId: string) {
    this.#exchange = exchange
    this.#query = query
    this.auditId = auditId
  }

  /** Adds a warning; duplicates are dropped. */
  warn(text: string): void {
    if (text === '') return
    this.#warnings ??= new Set()
    this.#warnings.add(text)
  }

  #headers(contentType: string, extra: AnswerHeaders): AnswerHeaders {
    const headers: AnswerHeaders = {
      'audit-id': this.auditId,
      'cache-control': 'no-cache, private',
      'content-type': contentType,
      ...extra,
    }
    this.#addFlow(headers)
    if (this.#warnings !== undefined) {
      const texts = [...this.#warnings]
      const total = texts.reduce((sum, text) => sum + text.length, 0)
      headers['warning'] =
        total > warningsLimit
          ? texts.slice(0, warningsLimit / longWarningLimit).map((text) => warningHeader(text.slice(0, longWarningLimit)))
          : texts.map(warningHeader)
    }
    return headers
  }

  #addFlow(headers: AnswerHeaders): void {
    if (this.flow === undefined) return
    headers['x-kubernetes-pf-flowschema-uid'] = this.flow.schemaUid
    headers['x-kubernetes-pf-prioritylevel-uid'] = this.flow.levelUid
  }

  /** Sends bytes unchanged. */
  send(code: number, contentType: string, body: Buffer, extra: AnswerHeaders = {}): void {
    this.code = code
    this.bytes = body.length
    if (this.trail?.wantsResponse === true && extra['content-encoding'] === undefined) this.trail.response(body)
    this.#exchange.send(code, this.#headers(contentType, extra), body)
  }

  /** Sends JSON that is already encoded, without a line feed. */
  async sendJson(code: number, parts: readonly Buffer[], extra: AnswerHeaders = {}): Promise<void> {
    if (wantsPretty(this.#query.get('pretty'), headerOf(this.#exchange.headers, 'user-agent'))) {
      const value = parseExactJson(Buffer.concat(parts).toString())
      return this.sendCompressed(code, 'application/json', Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`), extra)
    }
    const length = parts.reduce((sum, part) => sum + part.length, lineFeed.length)
    if (length > sliceBytes && this.trail?.wantsResponse !== true && this.#exchange.method === 'GET') {
      return this.#sendInSlices(code, 'application/json', [...parts, lineFeed], length, extra)
    }
    const body = Buffer.concat([...parts, lineFeed], length)
    if (length <= gzipFromBytes) return this.send(code, 'application/json', body, extra)
    return this.sendCompressed(code, 'application/json', body, extra)
  }

  /**
   * Sends a large body in slices with back-pressure, so that a list of all objects is never in
   * memory twice.
   */
  #sendInSlices(code: number, contentType: string, parts: readonly Buffer[], length: number, extra: AnswerHeaders): void {
    this.code = code
    this.bytes = length
    const compressed = this.#acceptsGzip()
    const encoding = compressed ? { 'content-encoding': 'gzip', vary: 'Accept-Encoding' } : { 'content-length': String(length) }
    const answer = this.#exchange.relay(code, this.#headers(contentType, { ...extra, ...encoding }))
    if (answer === undefined) return
    if (!compressed) return void writeSlices(parts, answer)
    const small = createGzip({ level: 1, chunkSize: sliceBytes })
    pipeline(small, answer, () => {})
    void writeSlices(parts, small)
  }

  #acceptsGzip(): boolean {
    return headerOf(this.#exchange.headers, 'accept-encoding')?.includes('gzip') === true
  }

  /** Compresses a large answer to a GET when the client accepts it. */
  async sendCompressed(code: number, contentType: string, body: Buffer, extra: AnswerHeaders = {}): Promise<void> {
    if (!this.#acceptsGzip() || body.length <= gzipFromBytes || this.#exchange.method !== 'GET')
      return this.send(code, contentType, body, extra)
    if (this.trail?.wantsResponse === true) this.trail.response(body)
    const small = await compress(body, { level: 1 })
    this.send(code, contentType, small, { ...extra, 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  }

  /** Sends a value as JSON or YAML. */
  async sendValue(code: number, format: 'json' | 'yaml', value: unknown, extra: AnswerHeaders = {}): Promise<void> {
    if (format === 'json') return this.sendJson(code, [Buffer.from(JSON.stringify(value))], extra)
    const { toYaml } = await import('#apimachinery/json/yaml.ts')
    return this.sendCompressed(code, 'application/yaml', Buffer.from(toYaml(value)), extra)
  }

  /** Sends a Status, always as JSON. */
  fail(status: Status): void {
    const code = status.code ?? 500
    // client-go retries at once, up to ten times, for a Retry-After of 0.
    const retryAfter = status.details?.retryAfterSeconds || undefined
    const pretty = wantsPretty(this.#query.get('pretty'), headerOf(this.#exchange.headers, 'user-agent'))
    const body = Buffer.from(`${JSON.stringify(status, undefined, pretty ? 2 : undefined)}\n`)
    this.send(code, 'application/json', body, {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(code === 401 ? { 'www-authenticate': 'Bearer realm="steadyvm"' } : {}),
    })
  }

  /** Starts a proxied answer with its headers. Undefined when the client has disconnected. */
  relay(code: number, headers: AnswerHeaders): Writable | undefined {
    this.code = code
    const own: AnswerHeaders = { ...headers, 'audit-id': this.auditId }
    this.#addFlow(own)
    return this.#exchange.relay(code, own)
  }

  /** Starts a streamed answer. */
  open(contentType: string): AnswerStream {
    this.code = 200
    this.trail?.started(200)
    return this.#exchange.open(200, this.#headers(contentType, {}))
  }
}

/** 406 with the supported media types. */
export function noAcceptableAnswer(): StatusError {
  return notAcceptable(answerTypes)
}
