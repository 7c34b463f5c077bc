import type { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { HostPort } from '#apiserver/services/endpoint-finder.ts'
import type { RemoteApi } from '../api-services/api-services.ts'

/** Client certificate that extension API servers trust to set identity headers. PEM. */
export interface ProxyClient {
  readonly cert: string
  readonly key: string
}

/** An extension API server gave no answer, or an invalid one. */
export class BackendFailure extends Error {
  override readonly name = 'BackendFailure'
}

/** Headers in order, with lower-case names that may repeat. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** A request to a backend. */
export interface BackendRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: HeaderList
  /** Undefined: none. */
  readonly body?: Readable | undefined
  /** Aborts the request. */
  readonly signal: AbortSignal
}

/** Answer of a backend. */
export interface BackendAnswer {
  readonly status: number
  readonly headers: HeaderList
  /** Must be read or destroyed. */
  readonly body: Readable
}

/** Expected name in the certificate of a service. */
export function serverNameOf({ service }: RemoteApi): string {
  return `${service.name}.${service.namespace}.svc`
}

/** Returns the TLS options for a backend. */
export function tlsOptions(
  api: RemoteApi,
  address: HostPort,
  client: ProxyClient | undefined,
  protocols: readonly string[],
): ConnectionOptions {
  return {
    host: address.host,
    port: address.port,
    servername: serverNameOf(api),
    ALPNProtocols: [...protocols],
    rejectUnauthorized: !api.insecure,
    ...(api.ca === '' ? {} : { ca: api.ca }),
    ...client,
  }
}

/** Converts headers of a Node message to a list. */
export function headerList(headers: Readonly<Record<string, string | readonly string[] | number | undefined>>): HeaderList {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || name.startsWith(':')) return []
    return [value].flat().map((each) => [name, String(each)] as const)
  })
}
