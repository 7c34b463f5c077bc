import { componentNamespace } from '#api/access/component-users.ts'
import { virtualMachineInstancePresets } from '#api/kubevirt/v1/resources.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { readServerVersion } from '#client/node/server-version.ts'
import { certificateNames, createServingSource, firstCertificate, followCertificate } from '#features/certificates/index.ts'
import {
  createComponentEndpoint,
  createLiveConfig,
  defineReadiness,
  followLogVerbosity,
  kubeVirtKey,
  kubeVirtsIn,
} from '#features/cluster-config/index.ts'
import { convertVersion } from '#features/instancetype/index.ts'
import { createForeignCdi } from '#features/foreign-cdi/index.ts'
import { createServedVersionsController } from '#features/api-versions/index.ts'
import { createAgentDialer, createConnectionMetrics, subresourcesGroup } from '#features/subresources/index.ts'
import { createExportProxy } from '#features/vm-export/proxy/index.ts'
import { defineCreationMetrics } from '#features/vm-metrics/index.ts'
import { createUploadProxy, createUploadTokens, uploadGroup } from '#features/volume-upload/index.ts'
import { createAdmissionHandlers, checkBelieved, reviewSchema } from '#features/virt-api/index.ts'
import { thisRelease } from '#machine/release/release.ts'
import { VIRT_API_SERVICE } from '#machine/control-plane/static-pods.ts'
import { aborted } from '#runtime/clock/abort.ts'
import { createAggregatedApi, type RequestHandler } from '#runtime/aggregated/aggregated-api.ts'
import { createAggregatedStreams } from '#runtime/aggregated/streams.ts'
import { createFrontProxySource } from '#runtime/aggregated/front-proxy-source.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { withoutUpdateEntries } from '#runtime/cache/managed-fields.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { startHealthServer, type HealthServerOptions } from '#runtime/health/health-server.ts'
import { trimIdleHeap } from '#runtime/process/idle-heap.ts'
import { createMetricsAccess } from '#runtime/metrics/metrics-access.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createAggregatedMetrics } from '#runtime/metrics/aggregated-metrics.ts'
import { createClientMetrics } from '#runtime/metrics/client-metrics.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { createWebhookMetrics } from '#runtime/metrics/webhook-metrics.ts'
import { createOutage } from '#runtime/clock/outage.ts'
import { runProcess } from '#runtime/process/process.ts'
import { startTracing, traceExchange } from '#runtime/tracing/tracing.ts'
import { startAdmissionServer, type AdmissionServerOptions, type ServerCertificate } from '#runtime/webhook/admission-server.ts'
import type { WebhookEndpoint } from '#runtime/webhook/webhook-configuration.ts'
import { healthAddress, kubeconfigAt, parseFlags } from './flags.ts'
import { createProcessLog } from './process-log.ts'

// Serves admission webhooks and the subresources of VMs to the API server over HTTPS.
const log = createProcessLog('virt-api')
const REGISTER_RETRY_MS = 200
/** Path of the API of upload tokens. */
const uploadGroupPath = '/apis/upload.cdi.kubevirt.io'
/** Path of the conversion webhook of instance types and preferences. */
const CONVERT_PATH = '/instancetypes-convert'
/** Milliseconds that clients may need to apply a new CA bundle. */
const SETTLE_MS = 5_000
/**
 * Presets are deprecated and their CRD may have been removed: their cache is awaited only for a
 * while.
 */
const PRESETS_PATIENCE_MS = 2_000

await runProcess(
  async (signal) => {
    await using _tracing = await startTracing('virt-api', thisRelease().version, process.env)
    void trimIdleHeap({ clock: systemClock, log }, signal)
    const flags = parseFlags(process.argv.slice(2), ['kubeconfig?', 'address', 'port', 'health-port'])
    const { http } = await loadKubeconfig({ ...kubeconfigAt(flags['kubeconfig?']), env: process.env })
    const metrics = createMetrics()
    using client = createNodeClient(http, { observe: createClientMetrics(metrics, http.server), trace: traceExchange })
    const informers = createInformerSet({ client, clock: systemClock, log, transform: withoutUpdateEntries })
    const live = createLiveConfig({ informers, log })
    const kubevirts = kubeVirtsIn(informers)
    using _verbosity = followLogVerbosity(kubevirts, log, { component: 'virtAPI' })
    const presets = informers.informer(virtualMachineInstancePresets)
    const source = createServingSource(informers, componentNamespace)
    const certificates = createServingSource(informers, componentNamespace, {
      serving: certificateNames.apiClient,
      authority: certificateNames.authority,
    })
    await using _watching = running(informers)
    // Requests wait for the configuration: defaults may differ from it.
    const patience = systemClock.sleep(PRESETS_PATIENCE_MS, signal)
    await Promise.all([live.synced(signal), Promise.race([presets.synced(signal), patience])])
    const { config } = live
    const first = await firstCertificate(source, signal)
    let { certificate, key, bundle } = first
    const endpoint = (): WebhookEndpoint => ({
      service: { namespace: componentNamespace, name: VIRT_API_SERVICE },
      caBundle: Buffer.from(bundle).toString('base64'),
    })
    let proxyAuthority = ''
    const tls = (): ServerCertificate => ({ certificate, key, proxyAuthority, limits: config().tls })
    const reload = (): void => server.reloadTls(tls())
    const connections = createConnectionMetrics(metrics, () => systemClock.now())
    const agents = createAgentDialer({ client, namespace: componentNamespace, certificates })
    const group = subresourcesGroup({ client, config, version: thisRelease().version, agents, connections })
    const frontProxy = createFrontProxySource({
      client,
      clock: systemClock,
      log,
      onChange: ({ authority = '' }) => {
        proxyAuthority = authority
        reload()
      },
    })
    let isBelieved = false
    defineReadiness(metrics, 'virt-api', () => isBelieved)
    const health: HealthServerOptions = {
      address: healthAddress(flags),
      checks: { healthz: {}, readyz: { webhooks: () => (isBelieved ? undefined : 'the API server does not believe its certificate yet') } },
      metrics,
      metricsAccess: createMetricsAccess({ client, clock: systemClock }),
    }
    // Tokens that an earlier key has signed hold until they expire.
    let formerKey = key
    const tokens = createUploadTokens({ keys: () => (formerKey === key ? [key] : [key, formerKey]), now: () => systemClock.now() })
    const uploads = createUploadProxy({ client, tokens, certificates, clock: systemClock, log })
    const aggregated = { group, client, proxy: () => frontProxy.current(), log, observe: createAggregatedMetrics(metrics) }
    const foreignCdi = createForeignCdi({ client, clock: systemClock })
    await using server = await startAdmissionServer({
      host: flags.address,
      port: Number(flags.port),
      tls: tls(),
      handlers: createAdmissionHandlers({
        client,
        presets,
        clock: systemClock,
        log,
        config,
        foreignCdi,
        onCreated: defineCreationMetrics(metrics),
      }),
      converters: { [CONVERT_PATH]: convertVersion },
      schemaOf: reviewSchema,
      otherwise: byGroup(createAggregatedApi(aggregated), {
        [uploadGroupPath]: createAggregatedApi({ ...aggregated, group: uploadGroup({ client, tokens }) }),
      }),
      transfers: firstOf(uploads, createExportProxy({ client, log })),
      upgrades: createAggregatedStreams(aggregated),
      endpoints: createComponentEndpoint({ kubevirts, version: () => readServerVersion(http), health }),
      log,
      observe: createWebhookMetrics(metrics),
    })
    using _settings = live.wake(() => [kubeVirtKey]).start(reload)
    await using _health = await startHealthServer(health)
    const served = createServedVersionsController({
      client,
      informers,
      live,
      clock: systemClock,
      log,
      webhook: () => ({ service: { ...endpoint().service, path: CONVERT_PATH, port: 443 }, caBundle: endpoint().caBundle }),
    })
    await using _serving = running(served)
    await using _following = running(frontProxy)
    await Promise.all([untilDone(() => checkBelieved(client, endpoint()), signal), frontProxy.synced(signal)])
    isBelieved = true
    const rotation = {
      source,
      first,
      publish: async (authorities: string) => {
        bundle = authorities
        served.wake()
        await untilDone(() => checkBelieved(client, endpoint()), signal)
      },
      use: (next: { readonly certificate: string; readonly key: string }) => {
        formerKey = key
        ;({ certificate, key } = next)
        reload()
        log.info({}, 'A new certificate is in use')
      },
      clock: systemClock,
      settleMs: SETTLE_MS,
    }
    await using _rotating = running({ run: (stop) => followCertificate(rotation, stop) })
    log.info({ port: server.port }, 'ready')
    await aborted(signal)
    return 0
  },
  (error) => log.error({ err: error }, 'virt-api ended'),
)

type Transfers = NonNullable<AdmissionServerOptions['transfers']>

/** Serves what one of several handles. */
function firstOf(...all: readonly Transfers[]): Transfers {
  return {
    handles: (request) => all.some((one) => one.handles(request)),
    serve: async (request, response) => all.find((one) => one.handles(request))?.serve(request, response),
  }
}

/** Sends requests below the path of a group to its API. */
function byGroup(otherwise: RequestHandler, apis: Readonly<Record<string, RequestHandler>>): RequestHandler {
  return (request, response) => {
    const { url = '' } = request
    const found = Object.entries(apis).find(([path]) => url === path || url.startsWith(`${path}/`))
    return (found?.[1] ?? otherwise)(request, response)
  }
}

/** Runs a part until the program ends; it would keep the process alive otherwise. */
function running(part: Runnable): AsyncDisposable {
  const stop = new AbortController()
  const ended = part.run(stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await ended
    },
  }
}

/** Repeats a request until it succeeds. */
async function untilDone(ask: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const outage = createOutage({ clock: systemClock, log })
  while (!signal.aborted) {
    try {
      return await ask()
    } catch (error) {
      outage.failed({ error }, 'The API server would not believe the certificate yet: looking again')
      await systemClock.sleep(REGISTER_RETRY_MS, signal)
    }
  }
}
