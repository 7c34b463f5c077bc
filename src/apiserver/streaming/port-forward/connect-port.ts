import type { Duplex } from 'node:stream'

/** A port cannot be reached. The message is shown by kubectl. */
export class PortForwardError extends Error {
  override readonly name = 'PortForwardError'
}

/** Connects to a port of the pod. Rejects with a message for users. */
export type ConnectPort = (port: number) => Promise<Duplex>
