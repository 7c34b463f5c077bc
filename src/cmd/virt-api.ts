import { readFile } from 'node:fs/promises'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import { virtualMachineInstancePresets } from '#api/kubevirt/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { found } from '#client/found.ts'
import { createLiveConfig } from '#features/cluster-config/index.ts'
import { convertVersion } from '#features/instancetype/index.ts'
import { createServedVersionsController } from '#features/served-versions/index.ts'
import { subresourcesApiServices, subresourcesGroup } from '#features/subresources/index.ts'
import { createAdmissionHandlers, webhookConfigurations } from '#features/virt-api/index.ts'
import { thisRelease } from '#machine/release.ts'
import { SYSTEM_NAMESPACE } from '#machine/static-pods.ts'
import { VIRT_API_SERVICE } from '#machine/virt-api-service.ts'
import { aborted } from '#runtime/abort.ts'
import { createAggregatedApi } from '#runtime/aggregated/aggregated-api.ts'
import { createFrontProxySource } from '#runtime/aggregated/front-proxy-source.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { systemClock } from '#runtime/clock.ts'
import { startHealthServer } from '#runtime/health/health-server.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createAggregatedMetrics } from '#runtime/metrics/aggregated-metrics.ts'
import { createClientMetrics } from '#runtime/metrics/client-metrics.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { createWebhookMetrics } from '#runtime/metrics/webhook-metrics.ts'
import { createOutage } from '#runtime/outage.ts'
import { runProcess } from '#runtime/process.ts'
import { startAdmissionServer } from '#runtime/webhook/admission-server.ts'
import { parseFlags } from './flags.ts'
import { createProcessLog } from './process-log.ts'

// Admission of VMs, VMIs, instance types and preferences, and the subresources of VMs, both asked by the API server over HTTPS.
const log = createProcessLog('virt-api')
const REGISTER_RETRY_MS = 200
/** Where the API server has instance types and preferences converted. */
const CONVERT_PATH = '/instancetypes-convert'
/** Presets are deprecated: somebody may have removed the kind, which is no reason to answer nothing at all. */
const PRESETS_PATIENCE_MS = 2_000

await runProcess(
  async (signal) => {
    const flags = parseFlags(process.argv.slice(2), ['kubeconfig', 'port', 'health-port', 'tls-certificate', 'tls-key', 'ca'])
    const { http } = await loadKubeconfig({ path: flags.kubeconfig, env: process.env })
    const metrics = createMetrics()
    using client = createNodeClient(http, { observe: createClientMetrics(metrics, http.server) })
    const [certificate, key, ca] = await Promise.all(
      [flags['tls-certificate'], flags['tls-key'], flags.ca].map((file) => readFile(file, 'utf8')),
    )
    const informers = createInformerSet({ client, clock: systemClock, log })
    const live = createLiveConfig({ informers, log })
    const presets = informers.informer(virtualMachineInstancePresets)
    await using _watching = running(informers)
    // Nothing is answered by defaults that the administrator has changed.
    const patience = systemClock.sleep(PRESETS_PATIENCE_MS, signal)
    await Promise.all([live.synced(signal), Promise.race([presets.synced(signal), patience])])
    const { config } = live
    const tls = { certificate: certificate ?? '', key: key ?? '' }
    const group = subresourcesGroup({ client, config, version: thisRelease().version })
    const frontProxy = createFrontProxySource({
      client,
      clock: systemClock,
      log,
      onChange: ({ authority = '' }) => server.reloadTls({ ...tls, proxyAuthority: authority }),
    })
    await using server = await startAdmissionServer({
      host: '127.0.0.1',
      port: Number(flags.port),
      tls: { ...tls, proxyAuthority: '' },
      handlers: createAdmissionHandlers({ client, presets, clock: systemClock, log, config }),
      converters: { [CONVERT_PATH]: convertVersion },
      otherwise: createAggregatedApi({
        group,
        client,
        proxy: () => frontProxy.current(),
        log,
        observe: createAggregatedMetrics(metrics),
      }),
      log,
      observe: createWebhookMetrics(metrics),
    })
    let registered = false
    await using _health = await startHealthServer({
      address: { host: '127.0.0.1', port: Number(flags['health-port']) },
      checks: { healthz: {}, readyz: { webhooks: () => (registered ? undefined : 'webhooks are not registered yet') } },
      metrics,
    })
    const endpoint = { url: `https://127.0.0.1:${server.port}`, caBundle: Buffer.from(ca ?? '').toString('base64') }
    const webhook = { url: `${endpoint.url}${CONVERT_PATH}`, caBundle: endpoint.caBundle }
    await using _serving = running(createServedVersionsController({ client, informers, live, clock: systemClock, log, webhook }))
    await using _following = running(frontProxy)
    await Promise.all([register(client, endpoint, signal), frontProxy.synced(signal)])
    registered = true
    log.info({ port: server.port }, 'ready')
    await aborted(signal)
    return 0
  },
  (error) => log.error({ err: error }, 'virt-api ended'),
)

/** Runs a part until the program ends, in whatever way: it would keep the process alive. */
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

/** Tells the API server whom to ask. The API server may not be there yet: tried until it is. */
async function register(client: Client, endpoint: { url: string; caBundle: string }, signal: AbortSignal): Promise<void> {
  const { mutating, validating } = webhookConfigurations(endpoint)
  const outage = createOutage({ clock: systemClock, log })
  for (;;) {
    try {
      await ensure(client, mutatingWebhookConfigurations, mutating, 'webhooks')
      await ensure(client, validatingWebhookConfigurations, validating, 'webhooks')
      const service = { namespace: SYSTEM_NAMESPACE, name: VIRT_API_SERVICE, caBundle: endpoint.caBundle }
      for (const apiService of subresourcesApiServices(service)) await ensure(client, apiServices, apiService, 'spec')
      return
    } catch (error) {
      outage.failed({ error }, 'Cannot register the webhooks and subresources: trying again')
      await systemClock.sleep(REGISTER_RETRY_MS, signal)
    }
  }
}

/** Creates the object, or brings the field that matters to what it should be. */
async function ensure<F extends 'webhooks' | 'spec', T extends KubeObject & { [key in F]?: unknown }>(
  client: Client,
  resource: ResourceType<T>,
  wanted: T,
  field: F,
): Promise<void> {
  const key = { name: wanted.metadata?.name ?? '' }
  const present = await found(client.get(resource, key))
  if (present === undefined) {
    await client.create(resource, wanted).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  } else if (!semanticEqual(present[field], wanted[field])) {
    await client.patch(resource, key, { type: 'merge', body: { [field]: wanted[field] } })
  }
}
