import type { CDI } from '#api/cdi/v1beta1/cdi.ts'
import type { CDIConfig } from '#api/cdi/v1beta1/cdi-config.ts'
import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { StorageProfile } from '#api/cdi/v1beta1/storage-profile.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/** Dependencies of the reconciler. */
export interface Ports {
  readonly client: Client
  readonly clock: Pick<Clock, 'now'>
  readonly recorder: Pick<Recorder, 'event'>
  /** Image of the worker that asks for digests, with tag. */
  readonly importerImage: string
  readonly crons: Lister<DataImportCron>
  readonly dataSources: Lister<DataSource>
  readonly dataVolumes: Lister<DataVolume>
  readonly claims: Lister<PersistentVolumeClaim>
  readonly pollers: Lister<Pod>
  readonly vms: Lister<VirtualMachine>
  readonly vmis: Lister<VirtualMachineInstance>
  readonly classes: Lister<StorageClass>
  readonly profiles: Lister<StorageProfile>
  readonly configs: Lister<CDIConfig>
  readonly installations: Lister<CDI>
}

/** Index of DataVolumes, claims and DataSources by their DataImportCron: `namespace/name`. */
export const byCron = 'dataImportCron'
/** Index of DataSources, DataVolumes and claims by the claim that they name: `namespace/name`. */
export const byNamedClaim = 'namedClaim'
