import type { Duplex } from 'node:stream'

/** Opens a connection to a port of the pod. Rejects with words for the user. */
export type ConnectPort = (port: number) => Promise<Duplex>
