import { deepEqual } from '#apimachinery/equality.ts'
import type { DiscoveredResource, DiscoveredVersion } from '#apiserver/discovery/api-groups.ts'
import type { HostPort } from '#apiserver/services/endpoint-finder.ts'
import type { ApiServices, RemoteApi } from '../api-services/api-services.ts'
import { fetchDocument } from '../backend/backend-documents.ts'
import { BackendFailure } from '../backend/backend.ts'
import type { BackendPool } from '../backend/backend-pool.ts'
import { type Definitions, definitionsOf } from './remote-definitions.ts'
import { fromAggregated, fromLegacy } from './parse-discovery.ts'

/** A version of a group of an extension API server. */
export interface RemoteVersion extends DiscoveredVersion {
  readonly group: string
}

/** Cached discovery of extension API servers. */
export interface RemoteDiscovery {
  versions(): readonly RemoteVersion[]
  /** Paths of OpenAPI v3 documents with their hashes, by `apis/<group>/<version>`. */
  openApiPaths(): ReadonlyMap<string, string>
  /** Schemas of their kinds; the same object until they change. */
  definitions(): Definitions
  /** Fetches discovery from a reachable address; without one, the cache is stale. Never rejects. */
  refresh(api: RemoteApi, address: HostPort | undefined): Promise<void>
  /** Increments with every change. */
  readonly generation: number
}

interface Known {
  readonly groupVersion: string
  readonly freshness: 'Current' | 'Stale'
  readonly resources: readonly DiscoveredResource[]
  readonly etag: string
  readonly openApiPath: string | undefined
  readonly definitions: Definitions
}

const aggregatedTypes = ['v2', 'v2beta1'].map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
const accept = [...aggregatedTypes, 'application/json'].join(',')

/** Caches what extension API servers serve, so that no discovery request waits for them. */
export function createRemoteDiscovery(services: ApiServices, pool: BackendPool): RemoteDiscovery {
  const known = new Map<string, Known>()
  let generation = 0
  let merged: { readonly parts: readonly Definitions[]; readonly definitions: Definitions } = { parts: [], definitions: {} }

  const keep = (name: string, next: Known): void => {
    if (deepEqual(known.get(name), next)) return
    known.set(name, next)
    generation += 1
  }
  services.onChange((name) => {
    if (services.remotes().some((api) => api.name === name)) return
    if (known.delete(name)) generation += 1
  })

  const fetchResources = async (
    api: RemoteApi,
    address: HostPort,
    before: Known | undefined,
  ): Promise<{ resources: readonly DiscoveredResource[]; etag: string }> => {
    const { group, version } = api
    const condition = before === undefined || before.etag === '' ? [] : [['if-none-match', before.etag] as const]
    const all = await fetchDocument(pool, api, address, '/apis', { headers: [['accept', accept], ...condition] })
    if (all.status === 304 && before !== undefined) return before
    if (all.status === 200 && all.contentType.includes('as=APIGroupDiscoveryList')) {
      const resources = fromAggregated(all.body, group, version)
      if (resources !== undefined) return { resources, etag: all.etag }
    }
    const legacy = await fetchDocument(pool, api, address, `/apis/${group}/${version}`)
    if (legacy.status !== 200) throw new BackendFailure(`bad status of /apis/${group}/${version}: ${legacy.status}`)
    return { resources: fromLegacy(legacy.body, group, version), etag: '' }
  }

  const fetchOpenApiPath = async (api: RemoteApi, address: HostPort): Promise<string | undefined> => {
    try {
      const { status, body } = await fetchDocument(pool, api, address, '/openapi/v3')
      if (status !== 200) return undefined
      const { paths } = JSON.parse(body.toString()) as { paths?: Record<string, { serverRelativeURL?: string } | undefined> }
      return paths?.[`apis/${api.group}/${api.version}`]?.serverRelativeURL
    } catch {
      return undefined
    }
  }

  const fetchDefinitions = async (api: RemoteApi, address: HostPort): Promise<Definitions> => {
    try {
      const { status, body } = await fetchDocument(pool, api, address, '/openapi/v2')
      return status === 200 ? definitionsOf(body, api.group, api.version) : {}
    } catch {
      return {}
    }
  }

  return {
    versions: () =>
      services.remotes().map(({ name, group, version }) => {
        const found = known.get(name)
        const fits = found !== undefined && found.groupVersion === `${group}/${version}`
        return { group, version, freshness: fits ? found.freshness : 'Stale', resources: fits ? found.resources : [] }
      }),
    openApiPaths() {
      const paths = new Map<string, string>()
      for (const { name, group, version } of services.remotes()) {
        const path = known.get(name)?.openApiPath
        if (path !== undefined) paths.set(`apis/${group}/${version}`, path)
      }
      return paths
    },
    definitions() {
      const parts = [...known.values()].map((each) => each.definitions)
      if (parts.length !== merged.parts.length || parts.some((part, index) => part !== merged.parts[index]))
        merged = { parts, definitions: Object.assign({}, ...parts) as Definitions }
      return merged.definitions
    },
    async refresh(api, address) {
      const groupVersion = `${api.group}/${api.version}`
      const found = known.get(api.name)
      const before = found?.groupVersion === groupVersion ? found : undefined
      const stale = (): void => {
        if (before !== undefined) keep(api.name, { ...before, freshness: 'Stale' })
      }
      if (address === undefined) return stale()
      try {
        const [{ resources, etag }, openApiPath] = await Promise.all([fetchResources(api, address, before), fetchOpenApiPath(api, address)])
        // The document is large, so it is fetched only after another change.
        const isKnown = before !== undefined && before.freshness === 'Current' && deepEqual(before.resources, resources)
        const definitions = isKnown ? before.definitions : await fetchDefinitions(api, address)
        keep(api.name, { groupVersion, freshness: 'Current', resources, etag, openApiPath, definitions })
      } catch {
        stale()
      }
    },
    get generation() {
      return generation
    },
  }
}
