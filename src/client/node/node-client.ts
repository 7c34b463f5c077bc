import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../client.ts'
import { createRestClient } from '../rest-client.ts'
import type { RestClientOptions } from '../rest-client.ts'
import type { HttpTransportConfig } from './http-config.ts'
import { createHttpTransport } from './http-transport.ts'

/** A client with the connections it holds; dispose of it to close them. */
export type NodeClient = Client & Disposable

/** A client of the API server at the given place. Connects on first use. */
export function createNodeClient(config: HttpTransportConfig, options: RestClientOptions = {}): NodeClient {
  const transport = createHttpTransport(config)
  const wait = async (ms: number, signal?: AbortSignal): Promise<void> => sleep(ms, undefined, signal === undefined ? {} : { signal })
  const client = createRestClient(transport, { sleep: wait, now: () => performance.now(), ...options })
  return Object.assign(client, { [Symbol.dispose]: () => transport[Symbol.dispose]() })
}
