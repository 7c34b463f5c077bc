import { componentNamespace } from '#api/access/component-users.ts'
import type { Client } from '#client/client.ts'
import { createStorageMigrator } from '#features/api-versions/index.ts'
import { createCatalogueControllers } from '#features/catalogue/index.ts'
import { createCloneController } from '#features/clone/index.ts'
import { createConfigurationController, createLiveConfig } from '#features/cluster-config/index.ts'
import { createDataImportCronController } from '#features/data-import-cron/index.ts'
import { createDataSourceController } from '#features/data-source/index.ts'
import { createDataVolumeControllers, type DataVolumeControllerOptions } from '#features/data-volume/index.ts'
import { createDisruptionBudgetController } from '#features/disruption-budget/index.ts'
import { createEvacuationController } from '#features/evacuation/index.ts'
import { createForeignCdi } from '#features/foreign-cdi/index.ts'
import { createHardwareSummaryController } from '#features/hardware-record/index.ts'
import { createMigrationController } from '#features/migration/index.ts'
import { createNodeHealthController } from '#features/node-health/index.ts'
import { createPoolController } from '#features/pool/index.ts'
import { createReplicaSetController } from '#features/replicaset/index.ts'
import { createRevisionCollectorController } from '#features/revision-gc/index.ts'
import { createRevisionSummaryController } from '#features/revision-report/index.ts'
import { createRevisionUpgradeController } from '#features/revision-upgrade/index.ts'
import { createSnapshotControllers } from '#features/snapshot/index.ts'
import { createStorageProfileControllers, type UploadAddress } from '#features/storage-profile/index.ts'
import { createVirtualMachineController } from '#features/vm/index.ts'
import { defineGuestMetrics } from '#features/vm-metrics/index.ts'
import { createExportController } from '#features/vm-export/index.ts'
import { createImageVolumeProbe, createVirtualMachineInstanceController } from '#features/vmi/index.ts'
import { createWorkloadUpdateController } from '#features/workload-update/index.ts'
import { createInformerSet, type InformerSet } from '#runtime/cache/informer-set.ts'
import { withoutUpdateEntries } from '#runtime/cache/managed-fields.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControllerMetricsFactory } from '#runtime/controller/controller-metrics.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { DefinableMetrics } from '#runtime/metrics/leader-metrics.ts'
import type { Random } from '#runtime/process/random.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/** Dependencies and settings of all controllers. */
export interface VirtControllerOptions {
  readonly client: Client
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  /** Image of the launcher, with tag. */
  readonly launcherImage: string
  /** Image of the workers that fill volumes, with tag. */
  readonly importerImage: string
  /** Version of the components. */
  readonly version: string
  /** Image of the export server, with tag. */
  readonly exportServerImage: string
  /** Address at which the API server publishes exports: `127.0.0.1:6443`. Default: it does not. */
  readonly publishedAt?: string | undefined
  /** True if the kubelets run containers, and not processes of the machine. */
  readonly inContainer: boolean
  readonly metrics?: ControllerMetricsFactory
  /** Registry of metrics about guests and revisions. Default: none. */
  readonly gauges?: DefinableMetrics
  /**
   * Milliseconds after the start before the catalogue is written. Default 3 000: nodes and first
   * guests have priority.
   */
  readonly catalogueQuietMs?: number
  /** Where clients upload disk images to. Default: administrators say so in CDIConfig. */
  readonly upload?: UploadAddress
  /** Parts of the controllers of DataVolumes that tests replace. */
  readonly imports?: Pick<DataVolumeControllerOptions, 'progressMs' | 'askProgress' | 'tellSource' | 'clientAuthorities'>
  /** Concurrent reconciles of a controller. Default 8. */
  readonly concurrency?: number
}

/** Caches and controllers for the stages of the manager. */
export interface VirtControllerRunnables {
  readonly caches: InformerSet
  readonly controllers: readonly Runnable[]
}

/** Creates all controllers of virt-controller with their shared caches. */
export function createVirtControllerRunnables(options: VirtControllerOptions): VirtControllerRunnables {
  const { client, clock, log, random, concurrency = 8, catalogueQuietMs = 3_000 } = options
  const informers = createInformerSet({ client, clock, log, random, transform: withoutUpdateEntries })
  const live = createLiveConfig({ informers, log })
  const hasImageVolumes = createImageVolumeProbe({ client, namespace: componentNamespace, clock, log })
  const foreignCdi = createForeignCdi({ client, clock })
  const shared = { ...options, concurrency, informers, live, hasImageVolumes, foreignCdi }
  if (options.gauges !== undefined) defineGuestMetrics(options.gauges, { informers, client, config: live.config })
  return {
    caches: informers,
    controllers: [
      createVirtualMachineController(shared),
      createVirtualMachineInstanceController(shared),
      createReplicaSetController(shared),
      createPoolController(shared),
      createDisruptionBudgetController(shared),
      createEvacuationController(shared),
      createWorkloadUpdateController(shared),
      createNodeHealthController(shared),
      createRevisionUpgradeController(shared),
      createConfigurationController(shared),
      createRevisionSummaryController(shared),
      createRevisionCollectorController(shared),
      createMigrationController(shared),
      createHardwareSummaryController(shared),
      ...createSnapshotControllers(shared),
      createCloneController(shared),
      ...createDataVolumeControllers({ ...shared, ...options.imports }),
      createDataSourceController(shared),
      createDataImportCronController(shared),
      ...createStorageProfileControllers(shared),
      createExportController(shared),
      ...createCatalogueControllers({ ...shared, quietMs: catalogueQuietMs }),
      createStorageMigrator({ client, clock, log }),
    ],
  }
}
