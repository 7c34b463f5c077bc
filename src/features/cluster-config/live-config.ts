import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { defaultClusterConfig, type ClusterConfig } from './cluster-config.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import type { Source } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import { chooseKubeVirt, kubeVirtKey } from './choose-kubevirt.ts'
import { readClusterConfig, type ConfigReading } from './to-cluster-config.ts'

/** The cluster's configuration as it is now. */
export interface LiveConfig {
  /** Never waits: before the first list these are the defaults. */
  readonly config: () => ClusterConfig
  /** Reports whether a KubeVirt object exists in the cache. */
  readonly installed: () => boolean
  /** Resolves when the cache of KubeVirt objects is synced. */
  synced(signal?: AbortSignal): Promise<void>
  /**
   * Starts a controller only when the configuration is known, and enqueues the keys of the function
   * whenever it changes, or the object is created or deleted.
   */
  wake(requests: () => readonly Request[]): Source
}

/**
 * Follows the KubeVirt object. A value that is not understood leaves the last one in force that
 * was.
 */
export function createLiveConfig(options: { readonly informers: InformerSet; readonly log: Logger }): LiveConfig {
  const kubevirts = kubeVirtsIn(options.informers)
  const listeners = new Set<() => void>()
  let reading: ConfigReading & { readonly installed: boolean } = { config: defaultClusterConfig, problems: [], installed: false }
  kubevirts.onEvent(() => {
    const before = reading
    const kubevirt = chooseKubeVirt(kubevirts.list())
    const next = readClusterConfig(kubevirt, before.config)
    const isSame = deepEqual(next.config, before.config)
    // The same object while the settings are equal: the status changes every few seconds, and users
    // cache results by this object.
    reading = { ...next, config: isSame ? before.config : next.config, installed: kubevirt !== undefined }
    if (reading.problems.length > 0 && !deepEqual(reading.problems, before.problems)) {
      options.log.warn(
        { problems: reading.problems },
        'The configuration has values that are not understood: the last good ones stay in force',
      )
    }
    if (isSame && reading.installed === before.installed) return
    options.log.info({ config: reading.config, installed: reading.installed }, 'The configuration has changed')
    for (const listener of listeners) listener()
  })
  return {
    config: () => reading.config,
    installed: () => reading.installed,
    synced: (signal) => kubevirts.synced(signal),
    wake: (requests) => ({
      start(enqueue) {
        const listener = (): void => requests().forEach((request) => enqueue(request))
        listeners.add(listener)
        return { [Symbol.dispose]: () => void listeners.delete(listener) }
      },
      synced: (signal) => kubevirts.synced(signal),
    }),
  }
}

/** The cache of KubeVirt objects in the system's namespace. */
export function kubeVirtsIn(informers: InformerSet): Informer<KubeVirt> {
  return informers.informer(kubeVirts, { namespace: kubeVirtKey.namespace })
}
