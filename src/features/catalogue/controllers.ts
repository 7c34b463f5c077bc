import { isManaged } from '#api/access/managed.ts'
import { virtualMachineClusterInstancetypes, virtualMachineClusterPreferences } from '#api/instancetype/v1beta1/resources.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControllerMetricsFactory } from '#runtime/controller/controller-metrics.ts'
import { createController } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { channelSource, enqueueSelf, initialPriority, watchResource } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { Entry } from './decide.ts'
import { catalogueInstancetypes } from './instancetypes.ts'
import { cataloguePreferences } from './preferences.ts'
import { createCatalogueReconciler } from './reconciler.ts'

/** Dependencies and settings of the catalogue's controllers. */
export interface CatalogueOptions {
  readonly client: Client
  readonly informers: InformerSet
  readonly live: LiveConfig
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: ControllerMetricsFactory
  /** Milliseconds after the start before anything is written. */
  readonly quietMs: number
}

/** Creates one controller for each kind of the catalogue. */
export function createCatalogueControllers(options: CatalogueOptions): Runnable[] {
  return [
    controllerOf(options, virtualMachineClusterInstancetypes, catalogueInstancetypes()),
    controllerOf(options, virtualMachineClusterPreferences, cataloguePreferences()),
  ]
}

function controllerOf<T extends Entry>(options: CatalogueOptions, resource: ResourceType<T>, objects: readonly T[]): Runnable {
  const { client, informers, live, recorder, clock, log, metrics, quietMs } = options
  const entries = informers.informer(resource)
  const catalogue = new Map(objects.map((object) => [object.metadata?.name ?? '', object]))
  const own = (object: T): readonly Request[] =>
    isManaged(object.metadata?.labels) || catalogue.has(object.metadata?.name ?? '') ? enqueueSelf(object) : []
  const everything = (): Request[] => [...objects.flatMap(enqueueSelf), ...entries.list().flatMap(own)]
  const start = channelSource()
  for (const request of objects.flatMap(enqueueSelf)) start.enqueue(request, { priority: initialPriority })
  const reconciler = createCatalogueReconciler({
    client,
    resource,
    entries,
    catalogue,
    deployment: () => {
      if (!live.installed()) return undefined
      return live.config().commonInstancetypes ? 'enabled' : 'disabled'
    },
    notBefore: clock.now() + quietMs,
    recorder,
    clock,
  })
  return createController({
    name: `catalogue-${resource.plural}`,
    // More than a hundred objects are written when the catalogue is switched on or off.
    concurrency: 8,
    reconciler,
    sources: [start, watchResource(entries, own), live.wake(everything)],
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
}
