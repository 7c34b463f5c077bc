import type { LiveConfig } from '#features/cluster-config/index.ts'
import { lookupIn } from '#features/instancetype/index.ts'
import type { SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { snapshotCachesIn } from './caches.ts'
import { createSnapshotController } from './take/controller.ts'
import type { Ports } from './ports.ts'
import { createRestoreController } from './restore/controller.ts'
import { createSnapshotRevisionController } from './upgrade/controller.ts'

/** Dependencies of the snapshot controllers. */
export interface SnapshotControllersOptions
  extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder' | 'launcherImage' | 'inContainer'> {
  readonly live: LiveConfig
}

/** Creates the controllers of snapshots, of restores, and of the revisions of snapshots. */
export function createSnapshotControllers({ informers, ...options }: SnapshotControllersOptions): readonly Runnable[] {
  const caches = snapshotCachesIn(informers)
  const shared = { ...options, caches, config: options.live.config, lookup: lookupIn(informers, options.client) }
  return [createSnapshotController(shared), createRestoreController(shared), createSnapshotRevisionController(shared)]
}
