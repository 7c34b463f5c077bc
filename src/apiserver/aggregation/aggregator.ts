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

/** Options of {@link createAggregator}. */
export interface AggregatorOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  /** Group versions that are served without being stored. */
  readonly virtual: readonly { readonly group: string; readonly version: string }[]
  readonly find: EndpointFinder
  /** Client certificate of the proxy. Without it, backends cannot trust the identity headers. */
  readonly proxyClient: () => ProxyClient | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  /** Aborted at shutdown. */
  readonly stopping: AbortSignal
  readonly onError: (error: unknown) => void
}

/** Serves the APIs of extension API servers (`APIService`) next to the built-in ones. */
export interface Aggregator extends Disposable {
  /** Reports whether an extension API server answers the request. */
  isRemote(info: RequestInfo): boolean
  /** Proxies a request for a resource; undefined when it is local. */
  handleResource(call: ResourceCall): Promise<void> | undefined
  /** Proxies a request for discovery or OpenAPI; undefined when it is local. */
  handlePath(call: RouteCall): Promise<void> | undefined
  readonly upgrades: UpgradeRoute
  readonly groups: RemoteGroups
  readonly openApi: RemoteOpenApi
  /** Deletes the remote content of a terminating namespace. */
  readonly collect: RemoteContentCollector
  /** Resolves when the APIServices match what is served locally. */
  settled(): Promise<void>
}

/**
 * Follows APIServices: registers local group versions, checks the availability of remote ones, and
 * proxies their requests. It is the entry point of this package.
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
