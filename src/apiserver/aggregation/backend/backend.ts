import type { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { HostPort } from '#apiserver/services/endpoint-finder.ts'
import type { RemoteApi } from '../api-services/api-services.ts'

/**
 * The certificate by which servers behind an APIService know us; they believe the identity headers
 * of whoever has it. PEM.
 */
export interface ProxyClient {
  readonly cert: string
  readonly key: string
}

/** A server behind an APIService gave no answer, or not the one that it owes. */
export class BackendFailure extends Error {
  override readonly name = 'BackendFailure'
}

/** A header and its value, names in lower case. The same name may come again. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** What to ask a backend. */
export interface BackendRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: HeaderList
  /** Undefined: none. */
  readonly body?: Readable | undefined
  /** Gives up. */
  readonly signal: AbortSignal
}

/** What a backend answered. */
export interface BackendAnswer {
  readonly status: number
  readonly headers: HeaderList
  /** Must be read or destroyed. */
  readonly body: Readable
}

/** Name that the certificate of a service must carry. */
export function serverNameOf({ service }: RemoteApi): string {
  return `${service.name}.${service.namespace}.svc`
}

/** How to reach a backend with TLS. */
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

/** Headers of a message as Node gives them, as a list. */
export function headerList(headers: Readonly<Record<string, string | readonly string[] | number | undefined>>): HeaderList {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || name.startsWith(':')) return []
    return [value].flat().map((each) => [name, String(each)] as const)
  })
}
