import type { Verbs } from '#apiserver/request/api-request.ts'
import type { RemoteGroups } from '#apiserver/discovery/discovery-catalog.ts'
import type { ResourceCall } from '#apiserver/front/resources/resource-handler.ts'
import type { RouteCall } from '#apiserver/front/routes.ts'
import type { UpgradeRoute } from '#apiserver/front/upgrade/upgrade-handler.ts'
import type { RemoteOpenApi } from '#apiserver/openapi/openapi-handler.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { RequestInfo } from '#apiserver/request/request-info.ts'
import type { EndpointFinder } from '#apiserver/services/endpoint-finder.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { followApiServices, type RemoteApi } from './api-services/api-services.ts'
import { watchAvailability } from './availability/availability.ts'
import type { ProxyClient } from './backend/backend.ts'
import { createBackendPool } from './backend/backend-pool.ts'
import { registerLocalApiServices } from './api-services/local-api-services.ts'
import { createProxy } from './proxy/proxy.ts'
import { createRemoteContentCollector, type RemoteContentCollector } from './discovery/remote-content.ts'
import { createRemoteDiscovery } from './discovery/remote-discovery.ts'
import { createUpgradeProxy } from './proxy/upgrade-proxy.ts'

/** What {@link createAggregator} works with. */
export interface AggregatorOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  /** Group versions that are served without being stored. */
  readonly virtual: readonly { readonly group: string; readonly version: string }[]
  readonly find: EndpointFinder
  /** Without one, backends cannot know that it is us. */
  readonly proxyClient: () => ProxyClient | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Yields numbers in [0, 1). */
  readonly random: () => number
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
  readonly onError: (error: unknown) => void
}

/** Puts the APIs of other servers beside our own: `APIService`. */
export interface Aggregator extends Disposable {
  /** Whether another server answers such a request. */
  isRemote(info: RequestInfo): boolean
  /** Hands a request for a resource on; undefined when it is ours to answer. */
  handleResource(call: ResourceCall): Promise<void> | undefined
  /** Hands a request for discovery or OpenAPI on; undefined when it is ours to answer. */
  handlePath(call: RouteCall): Promise<void> | undefined
  readonly upgrades: UpgradeRoute
  readonly groups: RemoteGroups
  readonly openApi: RemoteOpenApi
  /** Empties namespaces that are to go. */
  readonly collect: RemoteContentCollector
  /** Resolves when the APIServices tell what is served here. */
  settled(): Promise<void>
}

/**
 * Follows APIServices: registers our own group versions, looks after those of others, and hands
 * requests on to these.
 */
export function createAggregator(options: AggregatorOptions): Aggregator {
  const { store, registry, verbs, virtual, find, proxyClient, now, random, stopping, onError } = options
  using held = new DisposableStack()
  const services = held.use(followApiServices(store))
  const pool = held.use(createBackendPool(proxyClient))
  const discovery = createRemoteDiscovery(services, pool)
  const availability = held.use(
    watchAvailability({
      store,
      registry,
      verbs,
      services,
      find,
      pool,
      now,
      onChecked: (api, address) => discovery.refresh(api, address),
      onError,
    }),
  )
  const local = held.use(registerLocalApiServices({ store, registry, verbs, virtual, onError }))
  const onUnreachable = (api: RemoteApi): void => availability.recheck(api)
  const proxy = createProxy({ pool, find, random, onUnreachable, stopping })

  const remoteAt = (path: string): RemoteApi | undefined => {
    const segments = path.split('/').filter((segment) => segment !== '')
    const [prefix, group = '', version = ''] = path.startsWith('/openapi/v3/') ? segments.slice(2) : segments
    return prefix === 'apis' ? services.remote(group, version) : undefined
  }
  const remoteFor = (info: RequestInfo): RemoteApi | undefined =>
    info.kind === 'resource' ? services.remote(info.group, info.version) : remoteAt(info.path)

  const owned = held.move()
  return {
    isRemote: (info) => remoteFor(info) !== undefined,
    handleResource(call) {
      const api = services.remote(call.info.group, call.info.version)
      return api === undefined ? undefined : proxy(api, call)
    },
    handlePath({ exchange, reply, path, user }) {
      const api = remoteAt(path)
      const info: RequestInfo = { kind: 'nonResource', verb: exchange.method.toLowerCase(), path }
      return api === undefined ? undefined : proxy(api, { exchange, reply, info, user })
    },
    upgrades: createUpgradeProxy({ services, pool, find, random, onUnreachable }),
    groups: {
      versions: () => discovery.versions(),
      priorities: services.priorities,
      get generation() {
        return `${services.generation} ${discovery.generation}`
      },
    },
    collect: createRemoteContentCollector({ services, discovery, pool, find, random, onUnreachable }),
    openApi: { paths: () => discovery.openApiPaths(), definitions: () => discovery.definitions() },
    settled: () => local.settled(),
    [Symbol.dispose]: () => owned.dispose(),
  }
}
