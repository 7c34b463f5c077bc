import type { CredentialSource } from './credentials.ts'

/** Address and TLS settings of an API server, and credentials for it. */
export interface HttpTransportConfig {
  /** `https://host:port`, or `http://` for a local proxy; may have a path prefix. */
  readonly server: string
  /** PEM bundle that the server's certificate must chain to. Default: Node's. */
  readonly certificateAuthority?: string
  /** Name to expect in the server's certificate, when it is not the host of `server`. */
  readonly serverName?: string
  /** Default false. */
  readonly insecureSkipTlsVerify?: boolean
  readonly credentials?: CredentialSource
  /** Protocols to offer, best first. Default both. */
  readonly protocols?: readonly ('h2' | 'http/1.1')[]
  /** Milliseconds to a finished TLS handshake. Default 10 000. */
  readonly connectTimeoutMs?: number
  /**
   * Milliseconds from a request to the end of its answer; for streams, to the head of the answer.
   * Default 60 000.
   */
  readonly requestTimeoutMs?: number
  /** Milliseconds between the pings by which a dead peer is noticed. Default 15 000. */
  readonly pingIntervalMs?: number
  /** Time limit of a ping in milliseconds. Default 15 000. */
  readonly pingTimeoutMs?: number
}

/** A config with all defaults filled in. */
export type CompleteHttpConfig = HttpTransportConfig &
  Required<Pick<HttpTransportConfig, 'protocols' | 'connectTimeoutMs' | 'requestTimeoutMs' | 'pingIntervalMs' | 'pingTimeoutMs'>>

/** Fills in the defaults. */
export function completeHttpConfig(config: HttpTransportConfig): CompleteHttpConfig {
  return {
    ...config,
    protocols: config.protocols ?? ['h2', 'http/1.1'],
    connectTimeoutMs: config.connectTimeoutMs ?? 10_000,
    requestTimeoutMs: config.requestTimeoutMs ?? 60_000,
    pingIntervalMs: config.pingIntervalMs ?? 15_000,
    pingTimeoutMs: config.pingTimeoutMs ?? 15_000,
  }
}
