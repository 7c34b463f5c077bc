import { pathNotFound } from '#apimachinery/errors.ts'
import { createAggregator } from './aggregation/aggregator.ts'
import type { RemoteContentCollector } from './aggregation/discovery/remote-content.ts'
import type { ProxyClient } from './aggregation/backend/backend.ts'
import type { Auditor } from './audit/auditor.ts'
import { createAuthenticator } from './authentication/authenticator.ts'
import { createTokenCheck, type StaticToken } from './authentication/bearer-tokens.ts'
import type { Authorizer } from './authorization/authorizer.ts'
import { ensureBootstrapPolicy } from './authorization/bootstrap/ensure-policy.ts'
import { createNodeAuthorizer } from './authorization/node/node-authorizer.ts'
import { createRbac, type Rbac } from './authorization/rbac.ts'
import { createDiscoveryCatalog, discoveryPaths } from './discovery/discovery-catalog.ts'
import { createDiscoveryRoute } from './discovery/discovery-handler.ts'
import { createHealthRoute, type HealthCheck } from './discovery/health.ts'
import { type HealthChecks, healthChecks } from './discovery/health-checks.ts'
import type { VersionInfo } from './discovery/version.ts'
import type { Verbs } from './request/api-request.ts'
import { listen, type ServerTls } from './http/listener.ts'
import { createPodLogs, type LogSource } from './streaming/pod-logs.ts'
import { createRequestHandler } from './front/request-handler.ts'
import { headerOf } from './http/exchange.ts'
import { withTraceContext } from './request/trace-context.ts'
import { createSampleSubjects, type RequestSample } from './front/request-sample.ts'
import { createResourceHandler } from './front/resources/resource-handler.ts'
import type { Route } from './front/routes.ts'
import { createUpgradeHandler, type UpgradeRoute } from './front/upgrade/upgrade-handler.ts'
import { createWatchHandler } from './front/resources/watch-handler.ts'
import { createWatchHub } from './front/resources/watch-writer.ts'
import { createOpenApiRoute } from './openapi/openapi-handler.ts'
import type { ResourceRegistry } from './registry/resource-definition.ts'
import { createReviews } from './reviews/reviews.ts'
import { issuerRoutes } from './discovery/issuer-documents.ts'
import type { FlowControl } from './flow-control/flow-control.ts'
import type { ServiceAccountTokens } from './service-accounts/service-account-tokens.ts'
import { createEndpointFinder, type EndpointFinder } from './services/endpoint-finder.ts'
import type { StartupWrites } from './startup-writes.ts'
import type { ObjectStore } from './storage/object-store.ts'
import type { NodeStreams } from './streaming/node-streams.ts'
import { createPodProxy, type PodConnector } from './pod-proxy/pod-proxy.ts'
import { createPublishedPaths, type PublishedServer } from './published/published-paths.ts'
import { podStreamRoutes, refusePlainRequest } from './streaming/pod-stream-routes.ts'

/** Logger of the server. The runtime's Logger fits. */
export interface ApiServerLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Prometheus metrics as text. prom-client's Registry fits. */
export interface MetricsSource {
  readonly contentType: string
  metrics(): Promise<string>
}

/** Options of {@link startApiServer}. */
export interface ApiServerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** 0 selects a free port. */
  readonly port: number
  readonly tls: ServerTls
  /** Static bearer tokens. Default none. */
  readonly tokens?: readonly StaticToken[]
  /** Verifies service-account tokens. Default: they are refused. */
  readonly accountTokens?: ServiceAccountTokens
  /** Allowed common names of front proxies. Default: all that `tls.proxyCa` signed. */
  readonly proxyNames?: readonly string[]
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
  readonly store: ObjectStore
  /** RBAC to share with the caller. */
  readonly rbac?: Rbac
  /** Default: RBAC and the node authorizer. */
  readonly authorizer?: Authorizer
  readonly version: VersionInfo
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  readonly log: ApiServerLog
  readonly metrics?: MetricsSource
  /** Runs the server's own writes at start. Default: the start fails when they do. */
  readonly startup?: StartupWrites
  /** Called for every answered request. */
  readonly observe?: (sample: RequestSample) => void
  /** Audit log. Default none. */
  readonly audit?: Auditor
  /** Finds the FlowSchema of a request. Default: answers name none. */
  readonly flows?: Pick<FlowControl, 'classify'>
  /** Additional health checks. */
  readonly healthChecks?: readonly HealthCheck[]
  /** Routes for WebSocket and SPDY, called after authorization. Default none. */
  readonly upgrades?: readonly UpgradeRoute[]
  /** Client certificate towards extension API servers. */
  readonly proxyClient?: ProxyClient
  /** Resolves services. Default: by the store. */
  readonly endpoints?: EndpointFinder
  /** Reads container logs. Default: not served. */
  readonly logs?: LogSource
  /** Streams of exec, attach and port-forward. Default: not served. */
  readonly streams?: NodeStreams
  /** Connects the proxy of pods and services. Default: over the network of this process. */
  readonly connectToPod?: PodConnector
  /** Servers that are published at the address of this one. Default none. */
  readonly published?: readonly PublishedServer[]
  /** Largest number of concurrent requests, watches excluded. Default 400 and 200. */
  readonly limits?: { readonly reading: number; readonly mutating: number }
}

/** A running server. Disposal shuts it down gracefully. */
export interface ApiServer extends AsyncDisposable {
  readonly port: number
  /** `https://127.0.0.1:6443`. */
  readonly url: string
  /** Number of running watches. */
  readonly watches: number
  /** Deletes the remote content of a terminating namespace. */
  readonly collectRemoteContent: RemoteContentCollector
  /** Uses other certificates towards clients and extension API servers. */
  reloadTls(tls: ServerTls, proxyClient?: ProxyClient): void
  /**
   * Ends watches, waits up to `graceMs` (default 5000) for requests, then closes all connections.
   */
  stop(graceMs?: number): Promise<void>
}

/** Serves one path and nothing below it. */
function exactly(path: string, route: Route): Route {
  return async (call) => {
    if (call.path !== path && call.path !== `${path}/`) throw pathNotFound()
    await route(call)
  }
}

function metricsRoute(source: MetricsSource): Route {
  return async ({ reply }) => reply.sendCompressed(200, source.contentType, Buffer.from(await source.metrics()))
}

function versionRoute(version: VersionInfo): Route {
  return async ({ reply }) => reply.sendJson(200, [Buffer.from(JSON.stringify(version))])
}

function indexRoute(paths: () => readonly string[]): Route {
  return async ({ reply }) => reply.sendJson(200, [Buffer.from(JSON.stringify({ paths: paths() }))])
}

/**
 * Serves the Kubernetes API over the verbs, and creates the bootstrap roles. @throws AddressInUse
 */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { registry, store, verbs, now, random, log } = options
  const host = options.host ?? '127.0.0.1'
  const stopping = new AbortController()
  const rbac = options.rbac ?? createRbac(store)
  const authorize = options.authorizer ?? createNodeAuthorizer(store, rbac.authorize)
  const hub = createWatchHub(now)
  const checkToken = createTokenCheck(options.tokens ?? [], options.accountTokens)
  const reviews = createReviews({ authorize, rbac, checkToken, now })
  let address = `${host}:${options.port}`
  let { proxyClient } = options

  const onInternalError = (error: unknown, request: string): void => log.error({ request, error }, 'Request failed')
  const find = options.endpoints ?? createEndpointFinder(store)
  const podProxy = createPodProxy({ verbs, registry, find, random, connect: options.connectToPod, stopping: stopping.signal })
  const aggregator =
    registry.find('apiregistration.k8s.io', 'v1', 'apiservices') === undefined
      ? undefined
      : createAggregator({
          store,
          registry,
          verbs,
          virtual: reviews.resources,
          find,
          proxyClient: () => proxyClient,
          now,
          random,
          stopping: stopping.signal,
          onError: (error) => log.error({ error }, 'APIServices could not be brought forward'),
        })
  const checks = (): HealthChecks =>
    healthChecks({
      storageProblem: () => store.failure?.message,
      isStopping: () => stopping.signal.aborted,
      aggregates: aggregator !== undefined,
      startup: options.startup?.checks ?? [],
      more: options.healthChecks ?? [],
    })
  const catalog = createDiscoveryCatalog(registry, reviews.resources, aggregator?.groups)
  const discovery = createDiscoveryRoute(catalog, () => address)
  const openApi = createOpenApiRoute(registry, options.version, aggregator?.openApi)
  const routes = new Map<string, Route>([
    ['api', discovery],
    ['apis', (call) => aggregator?.handlePath(call) ?? discovery(call)],
    ['openapi', (call) => aggregator?.handlePath(call) ?? openApi(call)],
    ['version', exactly('/version', versionRoute(options.version))],
    ['healthz', createHealthRoute('healthz', () => checks().healthz)],
    ['livez', createHealthRoute('livez', () => checks().livez)],
    ['readyz', createHealthRoute('readyz', () => checks().readyz)],
    ...(options.accountTokens === undefined ? [] : issuerRoutes(options.accountTokens, () => `https://${address}`)),
    ...(options.metrics === undefined ? [] : [['metrics', exactly('/metrics', metricsRoute(options.metrics))] as const]),
  ])
  routes.set(
    '',
    indexRoute(() => [...[...routes.keys()].map((name) => `/${name}`), ...discoveryPaths(catalog)].toSorted()),
  )

  const watch = createWatchHandler({ verbs, hub, now, random, stopping: stopping.signal })
  const resources = createResourceHandler({ registry, verbs, watch, now })
  const podLogs = createPodLogs({ verbs, registry, source: options.logs, now, stopping: stopping.signal })
  const authenticate = createAuthenticator({ checkToken, proxyNames: options.proxyNames ?? [] })
  const handle = createRequestHandler({
    authenticate,
    authorize,
    resources: (call) =>
      aggregator?.handleResource(call) ??
      reviews.handle(call) ??
      podLogs.handle(call) ??
      podProxy.handle(call) ??
      refusePlainRequest(call) ??
      resources(call),
    routes,
    published:
      options.published &&
      createPublishedPaths({ servers: options.published, find, random, onError: onInternalError, stopping: stopping.signal }),
    delegated: (info) => podProxy.serves(info) || aggregator?.isRemote(info) === true,
    now,
    subjectOf: createSampleSubjects(registry),
    observe: options.observe,
    audit: options.audit,
    onInternalError,
    flows: options.flows,
    limits: options.limits ?? { reading: 400, mutating: 200 },
  })
  const upgrades = createUpgradeHandler({
    authenticate,
    authorize,
    routes: [
      ...(aggregator === undefined ? [] : [aggregator.upgrades]),
      ...(options.streams === undefined ? [] : podStreamRoutes({ verbs, registry }, options.streams)),
      ...(options.upgrades ?? []),
    ],
    now,
    audit: options.audit,
    onInternalError,
    stopping: stopping.signal,
  })

  if (options.authorizer === undefined) {
    const write = (): Promise<void> => ensureBootstrapPolicy(verbs, registry, log)
    await (options.startup?.run('rbac/bootstrap-roles', write) ?? write())
  }
  const listener = await listen({
    host,
    port: options.port,
    tls: options.tls,
    // The handler answers its own errors; this is a safeguard.
    handle: (exchange) =>
      void withTraceContext(headerOf(exchange.headers, 'traceparent'), () => handle(exchange)).catch((error: unknown) =>
        onInternalError(error, `${exchange.method} ${exchange.url}`),
      ),
    upgrades,
  })
  address = `${host}:${listener.port}`
  log.info({ address }, 'API server listens')

  let stopped: Promise<void> | undefined
  const stop = (graceMs: number = 5_000): Promise<void> => {
    stopped ??= (async () => {
      stopping.abort()
      await listener.close(graceMs)
      aggregator?.[Symbol.dispose]()
      hub[Symbol.dispose]()
      if (options.rbac === undefined) rbac[Symbol.dispose]()
    })()
    return stopped
  }
  return {
    port: listener.port,
    url: `https://${address}`,
    collectRemoteContent: aggregator?.collect ?? (async () => ({ remainders: [], failures: [] })),
    reloadTls(tls, client = proxyClient) {
      proxyClient = client
      listener.reloadTls(tls)
    },
    get watches() {
      return hub.size
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  }
}
