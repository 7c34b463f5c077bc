import type { Readable, Writable } from 'node:stream'

/** Names in a verified client certificate. */
export interface CertificateSubject {
  readonly commonName: string
  readonly organizations: readonly string[]
}

/** A client certificate. */
export interface PeerCertificate {
  readonly subject: CertificateSubject
  /** True if the CA of client certificates signed it. */
  readonly trusted: boolean
  /**
   * True if the CA of front proxies signed it; its owner may set `X-Remote-User`. Default false.
   */
  readonly isProxy?: boolean
  /** SHA-256 of the certificate in DER, in hexadecimal digits. Undefined: not known. */
  readonly sha256?: string
}

/** Remote end of a connection, determined once per connection. */
export interface Peer {
  readonly address: string
  /** Undefined when the client sent no certificate. */
  readonly certificate: PeerCertificate | undefined
}

/** Request headers with lower-case names, possibly with HTTP/2's pseudo headers. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Response headers with lower-case names. */
export type AnswerHeaders = Record<string, string | readonly string[]>

/** A streamed answer, such as a watch. */
export interface AnswerStream {
  write(chunk: Buffer): void
  /** Bytes written that the network has not accepted. */
  readonly pendingBytes: number
  end(): void
  /** Breaks the stream off, so that the client notices. */
  abort(): void
}

/** One request and its answer over any HTTP version. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Released when a streamed answer begins, as an idle watch would keep them for an hour. */
  readonly headers: RequestHeaders
  readonly peer: Peer
  /**
   * Calls back once when the client has disconnected or has the whole answer; at once when that has
   * happened.
   */
  onGone(callback: () => void): void
  /** Reads the body into memory. @throws StatusError 413 above `limitBytes` */
  readBody(limitBytes: number): Promise<Buffer>
  /** Sends the answer. Does nothing when the client has disconnected. */
  send(status: number, headers: AnswerHeaders, body: Buffer): void
  /** Body as a stream, for a proxy; undefined when there is none. Use it or `readBody`. */
  body(): Readable | undefined
  /**
   * Starts a proxied answer with back-pressure. Undefined when the client has disconnected.
   * Destroying it breaks the answer off.
   */
  relay(status: number, headers: AnswerHeaders): Writable | undefined
  /** Starts a streamed answer. */
  open(status: number, headers: AnswerHeaders): AnswerStream
}

/** Returns the first value of a header. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
