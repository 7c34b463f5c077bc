import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { DiscoveredResource } from '#apiserver/discovery/api-groups.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { EndpointFinder, HostPort } from '#apiserver/services/endpoint-finder.ts'
import type { ApiServices, RemoteApi } from '../api-services/api-services.ts'
import { BackendFailure } from '../backend/backend.ts'
import { type BackendDocument, fetchDocument } from '../backend/backend-documents.ts'
import type { BackendPool } from '../backend/backend-pool.ts'
import { pickAddress } from '../proxy/proxy.ts'
import type { RemoteDiscovery } from './remote-discovery.ts'

/** Remaining objects of extension API servers in a terminating namespace. */
export interface RemoteContent {
  readonly remainders: readonly { readonly resource: string; readonly count: number; readonly finalizers: ReadonlyMap<string, number> }[]
  /** `flunders.example.test: reason`, for resources that could not be deleted. */
  readonly failures: readonly string[]
}

/** Deletes the objects of extension API servers in a namespace, and reports what remains. */
export type RemoteContentCollector = (namespace: string) => Promise<RemoteContent>

/** Options of {@link createRemoteContentCollector}. */
export interface RemoteContentOptions {
  readonly services: ApiServices
  readonly discovery: RemoteDiscovery
  readonly pool: BackendPool
  readonly find: EndpointFinder
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  /** Called when a server could not be reached, to check its availability. */
  readonly onUnreachable: (api: RemoteApi) => void
}

const collector: UserInfo = { username: 'system:serviceaccount:kube-system:namespace-controller', groups: ['system:masters'] }
/** Objects per round. */
const pageSize = 500

function isCollectable({ namespaced, verbs }: DiscoveredResource): boolean {
  return namespaced && verbs.includes('list') && (verbs.includes('deletecollection') || verbs.includes('delete'))
}

/** Skips servers that do not answer: one dead APIService must not block every namespace. */
export function createRemoteContentCollector({
  services,
  discovery,
  pool,
  find,
  random,
  onUnreachable,
}: RemoteContentOptions): RemoteContentCollector {
  const ask = async (api: RemoteApi, address: HostPort, method: string, path: string): Promise<BackendDocument> => {
    const answer = await fetchDocument(pool, api, address, path, { method, user: collector })
    if (answer.status >= 300 && answer.status !== 404) throw new BackendFailure(`${method} ${path} was answered with ${answer.status}`)
    return answer
  }
  const list = async (api: RemoteApi, address: HostPort, path: string): Promise<readonly KubeObject[]> => {
    const { status, body } = await ask(api, address, 'GET', `${path}?limit=${pageSize}`)
    return status === 404 ? [] : ((JSON.parse(body.toString()) as { items?: KubeObject[] | null }).items ?? [])
  }

  const empty = async (
    api: RemoteApi,
    address: HostPort,
    resource: DiscoveredResource,
    namespace: string,
  ): Promise<readonly KubeObject[]> => {
    const path = `/apis/${api.group}/${api.version}/namespaces/${namespace}/${resource.plural}`
    const objects = await list(api, address, path)
    if (objects.length === 0) return []
    const alive = objects.filter((object) => !isBeingDeleted(object))
    if (resource.verbs.includes('deletecollection')) await ask(api, address, 'DELETE', `${path}?propagationPolicy=Background`)
    else
      for (const { metadata } of alive)
        await ask(api, address, 'DELETE', `${path}/${encodeURIComponent(metadata?.name ?? '')}?propagationPolicy=Background`)
    return list(api, address, path)
  }

  return async (namespace) => {
    const remainders: RemoteContent['remainders'][number][] = []
    const failures: string[] = []
    const done = new Set<string>()
    for (const { group, version, freshness, resources } of discovery.versions()) {
      const api = services.remote(group, version)
      const address = api?.available === true && freshness === 'Current' ? pickAddress(find, api, random) : undefined
      if (api === undefined || address === undefined) continue
      for (const resource of resources.filter(isCollectable)) {
        const name = `${resource.plural}.${group}`
        // Other versions serve the same objects.
        if (done.has(name)) continue
        done.add(name)
        try {
          const left = await empty(api, address, resource, namespace)
          if (left.length > 0) remainders.push({ resource: name, count: left.length, finalizers: countFinalizers(left) })
        } catch (error) {
          onUnreachable(api)
          failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
        }
      }
    }
    return { remainders, failures }
  }
}

function countFinalizers(objects: readonly KubeObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { metadata } of objects)
    for (const finalizer of metadata?.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1)
  return counts
}
