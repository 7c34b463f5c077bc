import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { groupResourceOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { createInformer, type RunnableInformer } from '#runtime/cache/informer.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { aborted } from '#runtime/clock/abort.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { StoredObject } from './decide.ts'
import { monitoringName, prometheusRules, serviceMonitors } from './objects.ts'

/** Our objects of the kinds of the Prometheus operator. */
export interface MonitoringKinds {
  /**
   * Returns the kinds that the cluster has, and all of their objects of our name. A kind is unknown
   * until its objects have been listed.
   */
  observe(): {
    readonly installed: readonly ResourceType<KubeObject>[]
    readonly isKnown: boolean
    readonly found: readonly StoredObject[]
  }
}

/** Dependencies of {@link createMonitoringKinds}. */
export interface MonitoringKindsOptions {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  /** Metadata of all CRDs. */
  readonly definitions: Informer<KubeObject>
  /** Called when a kind comes or goes, or one of its objects changes. */
  readonly onChange: () => void
}

interface Followed {
  readonly objects: RunnableInformer<KubeObject>
  readonly stop: () => Promise<void>
}

const kinds: readonly ResourceType<KubeObject>[] = [serviceMonitors, prometheusRules]

/** Watches the kinds of the Prometheus operator while their CRDs are there, and nothing before. */
export function createMonitoringKinds({ client, clock, log, definitions, onChange }: MonitoringKindsOptions): MonitoringKinds & Runnable {
  const followed = new Map<ResourceType<KubeObject>, Followed>()

  const start = (resource: ResourceType<KubeObject>, signal: AbortSignal): Followed => {
    const selection = { fieldSelector: `metadata.name=${monitoringName}` }
    const objects = createInformer<KubeObject>({ client, clock, log, resource, selection })
    const ending = new AbortController()
    objects.onEvent(onChange)
    // Without objects there is no event.
    objects.synced(ending.signal).then(onChange, () => {})
    const running = objects.run(AbortSignal.any([signal, ending.signal]))
    return {
      objects,
      stop: () => {
        ending.abort()
        return running
      },
    }
  }

  const follow = (signal: AbortSignal): void => {
    if (signal.aborted) return
    for (const resource of kinds) {
      const isInstalled = definitions.get('', groupResourceOf(resource)) !== undefined
      const present = followed.get(resource)
      if (isInstalled === (present !== undefined)) continue
      if (isInstalled) followed.set(resource, start(resource, signal))
      else {
        followed.delete(resource)
        void present?.stop()
        onChange()
      }
    }
  }

  return {
    observe: () => ({
      installed: [...followed.keys()],
      isKnown: [...followed.values()].every(({ objects }) => objects.hasSynced),
      found: [...followed].flatMap(([resource, { objects }]) => objects.list().map((object) => ({ resource, object }))),
    }),
    async run(signal) {
      using _watching = definitions.onEvent(() => follow(signal))
      follow(signal)
      await aborted(signal)
      await Promise.all([...followed.values()].map(({ stop }) => stop()))
    },
  }
}
