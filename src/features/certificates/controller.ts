import { managedSelector } from '#api/access/managed.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import { apiServices } from '#api/apiregistration/v1/resources.ts'
import { configMaps, secrets } from '#api/core/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { chooseKubeVirt, kubeVirtKey, kubeVirtsIn } from '#features/cluster-config/index.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { defineCertificateMetrics } from '#runtime/certificates/metrics.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControllerMetricsFactory } from '#runtime/controller/controller-metrics.ts'
import { createController } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { channelSource, watchResource } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { certificatePlanOf, exportAuthorityPlanOf, type CertificatePlan } from './plan.ts'
import { certificateNames } from './names.ts'
import { createCertificatesReconciler } from './reconciler.ts'
import { currentRenewals } from './renewals.ts'
import { servingSourceOf, type ServingSource } from './serving.ts'

const nothing = { list: () => [] }
/** Registrations of an authority that the API server does not verify. */
const none = { validatingWebhooks: nothing, mutatingWebhooks: nothing, apiServices: nothing }

/** Dependencies and settings of the certificates controller. */
export interface CertificatesOptions {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: ControllerMetricsFactory
  /** Registry of expiry metrics. Default: none. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom'>
  /** True if nodes get migration certificates from Secrets. Default false. */
  readonly hasMigration?: boolean
}

/**
 * Creates the controller that issues and renews certificates, with its caches, and the source of
 * virt-operator's own certificate.
 */
export function createCertificates({ client, clock, log, metrics, gauges, hasMigration = false }: CertificatesOptions): {
  readonly caches: Runnable
  readonly controller: Runnable
  readonly own: ServingSource
} {
  const { namespace } = kubeVirtKey
  const informers = createInformerSet({ client, clock, log })
  const kubevirts = kubeVirtsIn(informers)
  const caches = { secrets: informers.informer(secrets, { namespace }), configMaps: informers.informer(configMaps, { namespace }) }
  const managed = { labelSelector: managedSelector }
  const registrations = {
    validatingWebhooks: informers.informer(validatingWebhookConfigurations, managed),
    mutatingWebhooks: informers.informer(mutatingWebhookConfigurations, managed),
    apiServices: informers.informer(apiServices, managed),
  }
  const kubevirt = (): KubeVirt | undefined => chooseKubeVirt(kubevirts.list())
  if (gauges !== undefined)
    defineCertificateMetrics(gauges, { clock, renewals: () => currentRenewals({ ...caches, namespace, hasMigration }, kubevirt()) })
  const planned = (planOf: (kubevirt: KubeVirt) => CertificatePlan) => (): CertificatePlan | undefined => {
    const present = kubevirt()
    return present === undefined || isBeingDeleted(present) ? undefined : planOf(present)
  }
  const wake = (): readonly Request[] => [kubeVirtKey]
  const controller = createController({
    name: 'certificates',
    reconciler: createCertificatesReconciler({
      client,
      plan: planned((present) => certificatePlanOf(present, namespace, hasMigration)),
      ...caches,
      registrations,
      clock,
      log,
      namespace,
    }),
    sources: [
      watchResource(kubevirts, wake),
      watchResource(caches.secrets, wake),
      watchResource(caches.configMaps, wake),
      watchResource(registrations.validatingWebhooks, wake),
      watchResource(registrations.mutatingWebhooks, wake),
      watchResource(registrations.apiServices, wake),
    ],
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
  const exports = createController({
    name: 'export-authority',
    reconciler: createCertificatesReconciler({
      client,
      plan: planned(exportAuthorityPlanOf),
      ...caches,
      registrations: none,
      clock,
      log,
      namespace,
    }),
    sources: [watchResource(kubevirts, wake), watchResource(caches.secrets, wake), watchResource(caches.configMaps, wake)],
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
  const both: Runnable = { run: async (signal) => void (await Promise.all([controller.run(signal), exports.run(signal)])) }
  const own = servingSourceOf(caches, namespace, { serving: certificateNames.operator, authority: certificateNames.authority })
  return { caches: informers, controller: both, own }
}

/** Dependencies of {@link createServerCertificates}. */
export interface ServerCertificatesOptions extends Pick<CertificatesOptions, 'client' | 'clock' | 'log' | 'metrics'> {
  readonly namespace: string
  readonly plan: CertificatePlan
}

/**
 * Creates the controller of the certificates of one server outside of a KubeVirt installation. The
 * server itself updates its registrations.
 */
export function createServerCertificates({ client, clock, log, metrics, namespace, plan }: ServerCertificatesOptions): {
  readonly caches: Runnable
  readonly controller: Runnable
} {
  const informers = createInformerSet({ client, clock, log })
  // Only names that the rights of the server cover.
  const named = (name: string): { namespace: string; fieldSelector: string } => ({ namespace, fieldSelector: `metadata.name=${name}` })
  const all = new Map(
    [plan.authority, ...plan.wanted.map(({ secret }) => secret)].map((name) => [name, informers.informer(secrets, named(name))]),
  )
  const bundles = informers.informer(configMaps, named(plan.authority))
  const wake = (): readonly Request[] => [{ namespace, name: plan.authority }]
  const start = channelSource()
  for (const request of wake()) start.enqueue(request)
  const controller = createController({
    name: 'server-certificates',
    reconciler: createCertificatesReconciler({
      client,
      plan: () => plan,
      secrets: { get: (space, name) => all.get(name)?.get(space, name) },
      configMaps: bundles,
      registrations: none,
      clock,
      log,
      namespace,
    }),
    sources: [start, ...[...all.values()].map((one) => watchResource(one, wake)), watchResource(bundles, wake)],
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
  return { caches: informers, controller }
}
