import type { ConversionWebhookClientConfig } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { Client } from '#client/client.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import { latestVersion } from '#features/instancetype/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { channelSource, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Serving } from './decide.ts'
import { createServedVersionsReconciler } from './reconciler.ts'

/** Options of {@link createServedVersionsController}. */
export interface ServedVersionsOptions {
  readonly client: Client
  readonly informers: InformerSet
  readonly live: LiveConfig
  readonly clock: Clock
  readonly log: Logger
  /** Returns the current client config of the conversion webhook. */
  readonly webhook: () => ConversionWebhookClientConfig
}

const definitions = [
  'virtualmachineinstancetypes.instancetype.kubevirt.io',
  'virtualmachineclusterinstancetypes.instancetype.kubevirt.io',
  'virtualmachinepreferences.instancetype.kubevirt.io',
  'virtualmachineclusterpreferences.instancetype.kubevirt.io',
]

/** Controller that can be notified when the webhook's client config has changed. */
export interface ServedVersionsController extends Runnable {
  wake(): void
}

/**
 * Serves v1 of instance types and preferences while the feature gate `InstancetypeV1` is on. Needs
 * no leader: all replicas write the same.
 */
export function createServedVersionsController({
  client,
  informers,
  live,
  clock,
  log,
  webhook,
}: ServedVersionsOptions): ServedVersionsController {
  // One cache per CRD: all CRDs of a cluster take megabytes.
  const caches = new Map(
    definitions.map((name) => [name, informers.informer(customResourceDefinitions, { fieldSelector: `metadata.name=${name}` })]),
  )
  const serving = (): Serving => ({
    version: 'v1',
    served: latestVersion(live.config()) === 'v1',
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { ...webhook() }, conversionReviewVersions: ['v1'] } },
  })
  const reconciler = createServedVersionsReconciler({ client, definition: (name) => caches.get(name)?.get('', name), serving, log })
  const sources = [...caches.values()].map((cache) => watchResource(cache, enqueueSelf))
  const woken = channelSource()
  const all = (): readonly Request[] => definitions.map((name) => ({ namespace: '', name }))
  const controller = createController({
    name: 'served-versions',
    reconciler,
    sources: [...sources, live.wake(all), woken],
    clock,
    log,
  })
  return { run: (signal) => controller.run(signal), wake: () => all().forEach((request) => woken.enqueue(request)) }
}
