import type { ConversionWebhookClientConfig } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { Client } from '#client/client.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import { latestVersion } from '#features/instancetype/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { channelSource, enqueueSelf, watchResource, type Source } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Serving } from './decide.ts'
import { createServedVersionsReconciler } from './reconciler.ts'

/** Options of {@link createConvertedVersions}. */
export interface ConvertedVersionsOptions {
  readonly client: Client
  readonly informers: InformerSet
  readonly clock: Clock
  readonly log: Logger
  /** Names of the CRDs. */
  readonly definitions: readonly string[]
  /** Version that is served besides the stored one, and whether it is now. */
  readonly served: () => Pick<Serving, 'version' | 'served'>
  /** Returns the current client config of the conversion webhook. */
  readonly webhook: () => ConversionWebhookClientConfig
  /** Creates sources of further wake-ups, which return these requests. */
  readonly wakes?: (all: () => readonly Request[]) => readonly Source[]
}

/** Options of {@link createServedVersionsController}. */
export type ServedVersionsOptions = Omit<ConvertedVersionsOptions, 'definitions' | 'served' | 'wakes'> & { readonly live: LiveConfig }

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
export function createServedVersionsController({ live, ...options }: ServedVersionsOptions): ServedVersionsController {
  return createConvertedVersions({
    ...options,
    definitions,
    served: () => ({ version: 'v1', served: latestVersion(live.config()) === 'v1' }),
    wakes: (all) => [live.wake(() => [...all()])],
  })
}

/**
 * Serves a version of some kinds together with its conversion: never one without the other. Needs
 * no leader: all replicas write the same.
 */
export function createConvertedVersions({
  client,
  informers,
  clock,
  log,
  definitions: names,
  served,
  webhook,
  wakes = () => [],
}: ConvertedVersionsOptions): ServedVersionsController {
  // One cache per CRD: all CRDs of a cluster take megabytes.
  const caches = new Map(
    names.map((name) => [name, informers.informer(customResourceDefinitions, { fieldSelector: `metadata.name=${name}` })]),
  )
  const serving = (): Serving => ({
    ...served(),
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { ...webhook() }, conversionReviewVersions: ['v1'] } },
  })
  const reconciler = createServedVersionsReconciler({ client, definition: (name) => caches.get(name)?.get('', name), serving, log })
  const sources = [...caches.values()].map((cache) => watchResource(cache, enqueueSelf))
  const woken = channelSource()
  const all = (): readonly Request[] => names.map((name) => ({ namespace: '', name }))
  const controller = createController({
    name: 'served-versions',
    reconciler,
    sources: [...sources, ...wakes(all), woken],
    clock,
    log,
  })
  return { run: (signal) => controller.run(signal), wake: () => all().forEach((request) => woken.enqueue(request)) }
}
