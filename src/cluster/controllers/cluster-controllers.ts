import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createRecorder, type Recorder } from '#runtime/recorder/recorder.ts'
import { createScheduler } from '../scheduler/index.ts'
import { createSigningController, type SigningControllerOptions } from './certificates/signing-controller.ts'
import type { ControllerOptions } from './controller-options.ts'
import { createDisruptionController } from './disruption/disruption-controller.ts'
import { createEndpointsController } from './services/endpoints/endpoints-controller.ts'
import { createGarbageCollector } from './garbage-collector/garbage-collector.ts'
import { createNamespaceController, type NamespaceControllerOptions } from './namespaces/namespace/namespace-controller.ts'
import { createKubernetesServiceController } from './services/kubernetes-service/kubernetes-service-controller.ts'
import { createNetworkPolicyController } from './services/network-policy/network-policy-controller.ts'
import { createPodNetworkController, type PodNetworkControllerOptions } from './services/pod-network/pod-network-controller.ts'
import { createScrapeTargetsController, type ScrapeTargetsOptions } from './services/scrape-targets/scrape-targets-controller.ts'
import { createLocalVolumeController } from './volumes/provisioner/local-volume-controller.ts'
import { localProvisioner } from './volumes/provisioner/provisioned-volume.ts'
import { createVolumeStore } from './volumes/provisioner/volume-store.ts'
import { createNodeLifecycleController } from './nodes/lifecycle/node-lifecycle-controller.ts'
import { createEndedPodsController } from './nodes/pod-gc/ended-pods-controller.ts'
import { createPodGcController } from './nodes/pod-gc/pod-gc-controller.ts'
import type { ResourceCatalog } from './resource-catalog.ts'
import { createResourceQuotaController } from './namespaces/resource-quota/resource-quota-controller.ts'
import { createServiceAccountController } from './namespaces/service-account/service-account-controller.ts'
import { createTokenSecretController } from './namespaces/service-account/token-secret-controller.ts'
import { defineStateMetrics } from './state-metrics/state-metrics.ts'
import { createVolumeBinder } from './volumes/binder/volume-binder-controller.ts'
import { createClaimProtectionController } from './volumes/protection/claim-protection-controller.ts'
import { createVolumeProtectionController } from './volumes/protection/volume-protection-controller.ts'
import { createWorkloadControllers } from './workloads/workload-controllers.ts'
import { createTaintEvictionController } from './nodes/taint-eviction/taint-eviction-controller.ts'

/**
 * Dependencies of the controllers of an embedded cluster. The caller runs the informers, as a
 * cache.
 */
export interface ClusterControllersOptions extends ControllerOptions {
  readonly catalog: ResourceCatalog
  /** Empties a namespace of objects of other API servers. Default: there are none. */
  readonly collectRemoteContent?: NonNullable<NamespaceControllerOptions['collectRemoteContent']>
  /** PEM of the authority that signed the API server's certificate. */
  readonly clusterCa?: () => string
  /** Port of the API server. Without it the service `kubernetes` is not maintained. */
  readonly apiPort?: number
  /**
   * Reads the authority that signs CertificateSigningRequests. Without it none are signed.
   */
  readonly signingAuthority?: SigningControllerOptions['authority']
  /** Folder for the data of volumes. Without it none are made. */
  readonly volumes?: string
  /** Network of pods. Default: there is none. */
  readonly podNetwork?: Pick<PodNetworkControllerOptions, 'directory' | 'prefix'>
  /** Where the state of objects is reported. */
  readonly metrics?: Pick<Metrics, 'gaugeFrom' | 'counterFrom'>
  /** Folder of Prometheus, and namespace of what it reads. Default: it is told of nothing. */
  readonly monitoring?: Pick<ScrapeTargetsOptions, 'directory' | 'namespace'>
}

/**
 * Everything that Kubernetes' own control plane does for us in machine mode: scheduler and
 * controllers. Each runs by itself.
 */
export function createClusterControllers(options: ClusterControllersOptions): readonly Runnable[] {
  if (options.metrics !== undefined) defineStateMetrics(options.metrics, options.informers)
  return [
    createScheduler(withRecorder(options, 'default-scheduler')),
    createGarbageCollector(withRecorder(options, 'garbage-collector-controller')),
    createNamespaceController(options),
    createNodeLifecycleController(options),
    createServiceAccountController(options),
    createTokenSecretController(options),
    createPodGcController(options),
    createEndedPodsController(options),
    createEndpointsController(options),
    ...podNetworkControllers(options),
    ...(options.monitoring === undefined ? [] : [createScrapeTargetsController({ ...options, ...options.monitoring })]),
    ...createWorkloadControllers(options),
    ...(options.apiPort === undefined ? [] : [createKubernetesServiceController({ ...options, apiPort: options.apiPort })]),
    createDisruptionController(withRecorder(options, 'controllermanager')),
    createTaintEvictionController(withRecorder(options, 'taint-eviction-controller')),
    createResourceQuotaController(options),
    createClaimProtectionController(options),
    createVolumeProtectionController(options),
    ...(options.signingAuthority === undefined ? [] : [createSigningController({ ...options, authority: options.signingAuthority })]),
    ...createVolumeBinder({ ...withRecorder(options, 'persistentvolume-controller'), provisioner: localProvisioner }),
    ...(options.volumes === undefined
      ? []
      : createLocalVolumeController({ ...withRecorder(options, localProvisioner), volumes: createVolumeStore(options.volumes) })),
  ]
}

function podNetworkControllers(options: ClusterControllersOptions): readonly Runnable[] {
  const { podNetwork } = options
  if (podNetwork === undefined) return []
  return [
    createPodNetworkController({ ...options, ...podNetwork }),
    createNetworkPolicyController({ ...withRecorder(options, 'network-policy-controller'), ...podNetwork }),
  ]
}

/** Adds a recorder whose events name Kubernetes' component. */
function withRecorder<T extends ControllerOptions>(options: T, component: string): T & { readonly recorder: Recorder } {
  const { client, clock, log } = options
  return { ...options, recorder: createRecorder({ client, component, clock, log }) }
}
