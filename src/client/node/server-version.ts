import type { HttpTransportConfig } from './http-config.ts'
import { createHttpTransport } from './http-transport.ts'

/** Answer of `/version`. */
export interface ServerVersion {
  /** `v1.33.1`. */
  readonly gitVersion: string
}

/** `/version` was answered with an error. */
export class VersionUnavailable extends Error {
  override readonly name = 'VersionUnavailable'
}

/**
 * Asks the API server for its version. @throws VersionUnavailable, TransportError
 */
export async function readServerVersion(http: HttpTransportConfig, signal?: AbortSignal): Promise<ServerVersion> {
  using transport = createHttpTransport(http)
  const request = { method: 'GET', path: '/version', headers: {}, streaming: false } as const
  const response = await transport.request(signal === undefined ? request : { ...request, signal })
  const text = await response.text()
  if (response.status !== 200)
    throw new VersionUnavailable(`the API server answers /version with ${response.status}: ${text.slice(0, 200)}`)
  return JSON.parse(text) as ServerVersion
}
