import type { Duplex } from 'node:stream'

/** A port cannot be reached, in the words that kubectl shows. */
export class PortForwardError extends Error {
  override readonly name = 'PortForwardError'
}

/** Opens a connection to a port of the pod. Rejects with words for the user. */
export type ConnectPort = (port: number) => Promise<Duplex>
