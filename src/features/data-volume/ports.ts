import type { CDI } from '#api/cdi/v1beta1/cdi.ts'
import type { CDIConfig } from '#api/cdi/v1beta1/cdi-config.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { StorageProfile } from '#api/cdi/v1beta1/storage-profile.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { AskProgress, TellSource } from './worker/worker-client.ts'

/** Dependencies of reconcilers that fill claims. */
export interface FillPorts {
  readonly client: Client
  readonly clock: Pick<Clock, 'now'>
  readonly recorder: Pick<Recorder, 'event'>
  readonly claims: Lister<PersistentVolumeClaim>
  /** Pods of workers, by {@link workersByClaim}. */
  readonly workers: Lister<Pod>
  /** Pods that serve volumes to workers of other namespaces, by {@link serversByWorker}. */
  readonly servers: Lister<Pod>
  readonly classes: Lister<StorageClass>
  readonly profiles: Lister<StorageProfile>
  readonly configs: Lister<CDIConfig>
  readonly installations: Lister<CDI>
  /** Image of the worker. */
  readonly importerImage: string
  readonly askProgress: AskProgress
  readonly tellSource: TellSource
  /** PEM of the authorities that sign certificates of clients; undefined until there are some. */
  readonly clientAuthorities: () => string | undefined
  /** Returns letters that make a name unique. */
  readonly suffix: () => string
  /** UIDs of pods that this process has made with their Secrets. */
  readonly complete: Set<string>
  /** Milliseconds between two questions about progress. */
  readonly progressMs: number
}

/** Dependencies of the reconciler of DataVolumes. */
export interface Ports extends FillPorts {
  readonly dataVolumes: Lister<DataVolume>
}

/** Index of workers by the UID of the claim that they fill. */
export const workersByClaim = 'claim'

/** Index of pods that serve a volume by the UID of the worker that they serve it to. */
export const serversByWorker = 'worker'

/** Index of workers by their own UID. */
export const workersByUid = 'uid'
