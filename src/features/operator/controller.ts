import type { Platform } from '#runtime/process/platform.ts'
import { managedSelector } from '#api/access/managed.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import { configMaps, nodes, pods, services } from '#api/core/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '#api/rbac/v1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import { certificateNames } from '#features/certificates/index.ts'
import { chooseKubeVirt, kubeVirtKey, kubeVirtsIn } from '#features/cluster-config/index.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import type { CacheEvent, Informer } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControllerMetricsFactory } from '#runtime/controller/controller-metrics.ts'
import { createController } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { channelSource, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { systemRandom, type Random } from '#runtime/process/random.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { createComponentBudgetReconciler } from './install/component-budgets.ts'
import { defineUpgradeMetrics } from './status/metrics.ts'
import type { ReadReleaseContents } from './install/release-contents.ts'
import { unbundledObjects } from './install/unbundled-objects.ts'
import type { Preflight } from './rollout/preflight.ts'
import { createMonitoringKinds } from './monitoring/monitoring-kinds.ts'
import { createOperatorReconciler } from './reconciler.ts'
import { componentNames } from './manifests/install-strategy.ts'

/** Dependencies and settings of the operator. */
export interface OperatorOptions {
  readonly client: Client
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Logger
  readonly platform: Platform
  /** Version and registry to install when the KubeVirt object names none. */
  readonly own: { readonly version: string; readonly registry: string }
  /** Spreads the renewals of watches. Default: the platform's. */
  readonly random?: Random
  readonly metrics?: ControllerMetricsFactory
  /** Registry of upgrade metrics. Default: none. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom'>
  readonly contents: ReadReleaseContents
  /**
   * Milliseconds for which objects that only older versions need are kept after an upgrade. Default
   * 600 000.
   */
  readonly contractAfterMs?: number
  /** Checks that run before an upgrade. Default: none. */
  readonly preflight?: readonly Preflight[]
  /**
   * Objects that virt-operator applies itself where the Operator Lifecycle Manager has installed
   * it, since a bundle cannot contain them. Default: none.
   */
  readonly unbundled?: readonly KubeObject[]
  /** URL of the page of an alert, with `%s` for its name. Default: pages of the repository. */
  readonly runbookTemplate?: string
  /**
   * Milliseconds that the first new pod must have been ready before others follow. Default 15 000.
   */
  readonly soakMs?: number
  /** Milliseconds that a new pod may take to become ready. Default 30 000. */
  readonly deadlineMs?: number
}

/**
 * Creates the controller that installs all other components, the one that maintains their
 * disruption budgets, and the caches of both.
 */
export function createOperator(options: OperatorOptions): {
  readonly caches: Runnable
  readonly kubevirts: Informer<KubeVirt>
  readonly controller: Runnable
  readonly guard: Runnable
} {
  const {
    client,
    clock,
    log,
    random = systemRandom,
    metrics,
    soakMs = 15_000,
    deadlineMs = 30_000,
    contractAfterMs = 600_000,
    preflight = [],
  } = options
  const { namespace } = kubeVirtKey
  const informers = createInformerSet({ client, clock, log, random })
  // CRDs are megabytes: only metadata is cached, which reveals changes.
  const sketches = createInformerSet({ client, clock, log, random, transform: withoutContent })
  const kubevirts = kubeVirtsIn(informers)
  const managed = { labelSelector: managedSelector }
  const caches = {
    deployments: informers.informer(deployments, { namespace }),
    daemonSets: informers.informer(daemonSets, { namespace }),
    services: informers.informer(services, { namespace }),
    pods: informers.informer(pods, { namespace, labelSelector: `kubevirt.io in (${Object.values(componentNames).join()})` }),
    nodes: informers.informer(nodes),
    clusterRoles: informers.informer(clusterRoles, managed),
    clusterRoleBindings: informers.informer(clusterRoleBindings, managed),
    roles: informers.informer(roles, { namespace, ...managed }),
    roleBindings: informers.informer(roleBindings, { namespace, ...managed }),
    validatingWebhooks: informers.informer(validatingWebhookConfigurations),
    mutatingWebhooks: informers.informer(mutatingWebhookConfigurations),
    apiServices: informers.informer(apiServices),
    definitions: sketches.informer<KubeObject>(customResourceDefinitions),
  }
  if (options.gauges !== undefined) defineUpgradeMetrics(options.gauges, { clock, status: () => chooseKubeVirt(kubevirts.list())?.status })
  const bundles = informers.informer(configMaps, { namespace, fieldSelector: `metadata.name=${certificateNames.authority}` })
  const bundle = (): string | undefined => bundles.get(namespace, certificateNames.authority)?.data?.[certificateNames.bundleKey]
  // The operator reconciles a single object, whatever has changed.
  const wake = (): readonly Request[] => [kubeVirtKey]
  const woken = channelSource()
  const monitoring = createMonitoringKinds({
    client,
    clock,
    log,
    definitions: caches.definitions,
    onChange: () => woken.enqueue(kubeVirtKey),
  })
  const controller = createController({
    name: 'operator',
    reconciler: createOperatorReconciler({
      ...options,
      ...caches,
      monitoring,
      bundle,
      kubevirts,
      namespace,
      soakMs,
      deadlineMs,
      contractAfterMs,
      preflight,
      unbundled: unbundledObjects(options.unbundled ?? []),
    }),
    sources: [
      watchResource(kubevirts, wake),
      watchResource(caches.deployments, wake),
      watchResource(caches.daemonSets, wake),
      watchResource(caches.services, wake),
      watchResource(caches.pods, wake),
      watchResource(caches.clusterRoles, wake),
      watchResource(caches.clusterRoleBindings, wake),
      watchResource(caches.roles, wake),
      watchResource(caches.roleBindings, wake),
      watchResource(caches.validatingWebhooks, wake),
      watchResource(caches.mutatingWebhooks, wake),
      watchResource(caches.apiServices, wake, { predicate: changesSpec }),
      watchResource(caches.definitions, wake, { predicate: changesGeneration }),
      watchResource(bundles, wake),
      woken,
      watchResource(caches.nodes, wake, { predicate: changesReadiness }),
    ],
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
  const budgets = informers.informer(podDisruptionBudgets, { namespace })
  const guard = createController({
    name: 'component-budgets',
    reconciler: createComponentBudgetReconciler({ client, deployments: caches.deployments, budgets }),
    sources: [watchResource(caches.deployments, enqueueSelf), watchResource(budgets, enqueueSelf)],
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
  const all: Runnable = {
    run: async (signal: AbortSignal) => void (await Promise.all([informers.run(signal), sketches.run(signal), monitoring.run(signal)])),
  }
  return { caches: all, kubevirts, controller, guard }
}

function withoutContent({ apiVersion, kind, metadata = {} }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, generation } = metadata
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, generation } } as KubeObject
}

/** Ignores updates of a CRD's status. */
function changesGeneration(event: CacheEvent<KubeObject>): boolean {
  return event.type !== 'updated' || event.object.metadata?.generation !== event.old.metadata?.generation
}

/** Ignores changes of an APIService's availability. */
function changesSpec(event: CacheEvent<APIService>): boolean {
  return (
    event.type !== 'updated' || !deepEqual([event.object.spec, event.object.metadata.labels], [event.old.spec, event.old.metadata.labels])
  )
}

/** Ignores heartbeats. */
function changesReadiness(event: CacheEvent<Node>): boolean {
  if (event.type !== 'updated') return true
  return isTrue(event.object.status?.conditions, 'Ready') !== isTrue(event.old.status?.conditions, 'Ready')
}
