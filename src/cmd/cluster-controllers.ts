import { componentNamespace } from '#api/access/component-users.ts'
import type { EmbeddedApi } from '#apiserver/embedded-api.ts'
import type { Client } from '#client/client.ts'
import { createClusterControllers, createRegistryCatalog } from '#cluster/controllers/index.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { createManager } from '#runtime/manager/manager.ts'
import type { createProcessLog } from './process-log.ts'

/** Dependencies of {@link runClusterControllers}. */
export interface ClusterControllersOptions {
  readonly api: EmbeddedApi
  readonly client: Client
  /** Returns the PEM of the CAs that verify the API server's certificate. Called for each use. */
  readonly clusterCa: () => string
  /** Reads the authority that signs certificates for users and kubelets. */
  readonly signingAuthority: NonNullable<Parameters<typeof createClusterControllers>[0]['signingAuthority']>
  /** Folder of volumes; empty without volumes. */
  readonly volumes: string
  /** Folder and first two numbers of the pod network: `/run/…,10.115`. Empty without one. */
  readonly podNetwork: string
  /** Folder of Prometheus; empty without one. */
  readonly monitoring: string
  readonly metrics: Metrics
  readonly log: ReturnType<typeof createProcessLog>
}

/** Runs the workload controllers of machine mode in the API server's process until the signal. */
export async function runClusterControllers(options: ClusterControllersOptions, signal: AbortSignal): Promise<void> {
  const { api, client, clusterCa, signingAuthority, volumes, podNetwork, monitoring, metrics, log } = options
  const [directory = '', prefix = ''] = podNetwork.split(',')
  const informers = createInformerSet({ client, clock: systemClock, log })
  const manager = createManager({ log, clock: systemClock })
  manager.add(informers, 'caches')
  const controllers = createClusterControllers({
    client,
    informers,
    clock: systemClock,
    log,
    metrics,
    catalog: createRegistryCatalog(api.registry, systemClock),
    clusterCa,
    signingAuthority,
    collectRemoteContent: api.server.collectRemoteContent,
    apiPort: api.server.port,
    ...(volumes === '' ? {} : { volumes }),
    ...(podNetwork === '' ? {} : { podNetwork: { directory, prefix } }),
    ...(monitoring === '' ? {} : { monitoring: { directory: monitoring, namespace: componentNamespace } }),
  })
  for (const controller of controllers) manager.add(controller)
  await manager.run(signal)
}
