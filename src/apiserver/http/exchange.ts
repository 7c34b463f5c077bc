import type { Readable, Writable } from 'node:stream'

/** Names that a verified client certificate carries. */
export interface CertificateSubject {
  readonly commonName: string
  readonly organizations: readonly string[]
}

/** A client certificate. */
export interface PeerCertificate {
  readonly subject: CertificateSubject
  /** Whether the authority of our users signed it. */
  readonly trusted: boolean
  /**
   * Whether the authority of front proxies signed it: who comes with it may speak for others.
   * Default false.
   */
  readonly isProxy?: boolean
}

/**
 * The other end of a connection. Found once per connection, since a certificate cannot change under
 * it.
 */
export interface Peer {
  readonly address: string
  /** Undefined when no certificate was shown. */
  readonly certificate: PeerCertificate | undefined
}

/** Request headers with lower-case names. HTTP/2's pseudo headers may be among them. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Answer headers with lower-case names. */
export type AnswerHeaders = Record<string, string | readonly string[]>

/** A long answer, such as a watch. */
export interface AnswerStream {
  write(chunk: Buffer): void
  /** Bytes that were written and that the network has not taken yet. */
  readonly pendingBytes: number
  end(): void
  /** Breaks the answer off, so that the client notices. */
  abort(): void
}

/** One request and its answer, whatever HTTP version carries it. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Forgotten once a long answer has begun: a watch lives for an hour and needs them no more. */
  readonly headers: RequestHeaders
  readonly peer: Peer
  /**
   * Calls back once when the client has gone, or has its whole answer; at once when that is so
   * already.
   */
  onGone(callback: () => void): void
  /** Reads the body, and never keeps more than `limitBytes` of it. @throws StatusError 413 */
  readBody(limitBytes: number): Promise<Buffer>
  /** Answers at once. Does nothing when the client has gone. */
  send(status: number, headers: AnswerHeaders, body: Buffer): void
  /**
   * The body as it comes, for whoever hands it on; undefined when there is none. Instead of
   * `readBody`, not besides it.
   */
  body(): Readable | undefined
  /**
   * Starts an answer that is handed on as it comes, with back-pressure. Undefined when the client
   * has gone. Destroying it breaks the answer off.
   */
  relay(status: number, headers: AnswerHeaders): Writable | undefined
  /** Starts a long answer. */
  open(status: number, headers: AnswerHeaders): AnswerStream
}

/** A header's value, the first one when it was sent several times. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
