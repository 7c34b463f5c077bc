import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { failureOf } from '../failure.ts'
import type { HttpTransportConfig } from './http-config.ts'
import { createHttpTransport } from './http-transport.ts'

/** The part of an APIResourceList that is read. */
interface ResourceList {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[]
}

/**
 * Asks the API server for the resource of a kind, by discovery. Undefined: it has none. @throws
 * StatusError, TransportError
 */
export async function findResource(
  http: HttpTransportConfig,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  signal?: AbortSignal,
): Promise<ResourceType<KubeObject> | undefined> {
  const { group, version } = parseApiVersion(apiVersion)
  const path = [...(group === '' ? ['api'] : ['apis', group]), version].map((part) => `/${encodeURIComponent(part)}`).join('')
  using transport = createHttpTransport(http)
  const request = { method: 'GET', path, headers: { accept: 'application/json' }, streaming: false } as const
  const response = await transport.request(signal === undefined ? request : { ...request, signal })
  const text = await response.text()
  if (response.status === 404) return undefined
  if (response.status !== 200) throw failureOf(response.status, text)
  const { resources = [] } = JSON.parse(text) as ResourceList
  const found = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'))
  return found === undefined ? undefined : { group, version, kind, plural: found.name, namespaced: found.namespaced }
}
