import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { createController } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { keyIn, type SnapshotControllerOptions } from '../caches.ts'
import { snapshotsBySource } from '../ports.ts'
import { createSnapshotReconciler } from './reconciler.ts'
import { snapshotsLocking } from '../locks/stale-locks.ts'

/** Creates the controller of VirtualMachineSnapshots. */
export function createSnapshotController({ caches, live, ...options }: SnapshotControllerOptions): Runnable {
  const { vms, snapshots, contents, restores } = caches
  return createController({
    ...options,
    name: 'virtualmachinesnapshot',
    reconciler: createSnapshotReconciler({ ...options, ...caches }),
    sources: [
      watchResource(snapshots, enqueueSelf),
      watchResource(contents, snapshotOf),
      watchResource(restores, snapshotOf),
      watchResource(vms, snapshotsLocking),
      watchResource(vms, (vm) => snapshots.byIndex(snapshotsBySource, keyIn(vm, vm.metadata.name)).flatMap(enqueueSelf)),
      // Snapshots wait until the configuration is known.
      live.wake(() => []),
    ],
  })
}

/** Returns the snapshot also when it was deleted: its locks have to be released. */
function snapshotOf({ metadata: { namespace = '' }, spec }: VirtualMachineSnapshotContent | VirtualMachineRestore): readonly Request[] {
  const name = spec.virtualMachineSnapshotName ?? ''
  return name === '' ? [] : [{ namespace, name }]
}
