import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { Client } from '#client/client.ts'
import type { HttpTransportConfig } from '#client/node/http-config.ts'
import { readServerVersion } from '#client/node/server-version.ts'
import { chooseKubeVirt, createComponentEndpoint, toClusterConfig } from '#features/cluster-config/index.ts'
import type { ServingSource } from '#features/certificates/index.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { createAuthority, type Issued } from '#runtime/certificates/authority.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { startHealthServer, type HealthServerOptions } from '#runtime/health/health-server.ts'
import { createMetricsAccess } from '#runtime/metrics/metrics-access.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Logger } from '#runtime/process/log.ts'
import { startAdmissionServer, type AdmissionServer, type ServerCertificate } from '#runtime/webhook/admission-server.ts'
import { healthAddress } from './flags.ts'

/** Dependencies of {@link startComponentServers}. */
export interface ComponentServersOptions {
  readonly flags: Readonly<Record<'address' | 'port' | 'health-port', string>>
  readonly http: HttpTransportConfig
  readonly client: Client
  readonly kubevirts: Informer<KubeVirt>
  readonly checks: HealthServerOptions['checks']
  readonly metrics: Metrics
  readonly log: Logger
  /**
   * Certificate of the installation, with which probes are answered over HTTPS, too. Until there is
   * one, and by default: a certificate that the process signs itself.
   */
  readonly source?: ServingSource
}

/** Longer than a process lives. */
const lifetimeMs = 10 * 365 * 24 * 3_600_000

/**
 * Starts the servers of a component without webhooks: one for the probes of the kubelet, and one
 * for clients that find `/healthz` and `/metrics` over HTTPS as in KubeVirt
 * (docs/decisions/0056-health-and-metrics-over-https.md).
 */
export async function startComponentServers(options: ComponentServersOptions): Promise<AsyncDisposable> {
  const { flags, http, client, kubevirts, checks, metrics, log, source } = options
  const health = { address: healthAddress(flags), checks, metrics, metricsAccess: createMetricsAccess({ client, clock: systemClock }) }
  await using stack = new AsyncDisposableStack()
  if (source === undefined) stack.use(await startHealthServer(health))
  const own = await issueCertificate(flags.address)
  const certificate = (): Issued => {
    const { certificate: issued, key } = source?.current() ?? own
    return { certificate: issued, key }
  }
  const tls = (): ServerCertificate => ({ ...certificate(), limits: toClusterConfig(chooseKubeVirt(kubevirts.list())).tls })
  let current = tls()
  const endpoints = createComponentEndpoint({ kubevirts, version: () => readServerVersion(http), health })
  const ports = source === undefined ? [flags.port] : [flags.port, flags['health-port']]
  const start = (port: string): Promise<AdmissionServer> =>
    startAdmissionServer({ host: flags.address, port: Number(port), tls: current, handlers: {}, endpoints, log })
  const servers = await Promise.all(ports.map(start))
  for (const server of servers) stack.use(server)
  const reload = (): void => {
    const next = tls()
    if (deepEqual(next, current)) return
    current = next
    for (const server of servers) server.reloadTls(next)
  }
  source?.onChange(reload)
  stack.use(kubevirts.onEvent(reload))
  return stack.move()
}

async function issueCertificate(address: string): Promise<Issued> {
  const nowMs = systemClock.now()
  const authority = await createAuthority({ commonName: 'component', nowMs, lifetimeMs })
  return authority.issue({ subject: 'CN=component', usage: 'server', names: [{ type: 'ip', value: address }], nowMs, lifetimeMs })
}
