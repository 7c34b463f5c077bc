import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Peer } from './exchange.ts'

/** Receives the HTTP/1.1 requests that ask for a protocol upgrade. */
export interface UpgradeHandler {
  /**
   * Reports whether the request will be taken over. Others are answered as if they had not asked
   * for an upgrade.
   */
  accepts(request: IncomingMessage): boolean
  /** Must not throw. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer, peer: Peer): void
}
