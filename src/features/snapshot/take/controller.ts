import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { createController } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { keyIn, snapshotsCopying, snapshotsOfPod, type SnapshotControllerOptions } from '../caches.ts'
import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { contentType } from '../names.ts'
import { snapshotsBySource } from '../ports.ts'
import { createSnapshotReconciler } from './reconciler.ts'
import { snapshotsLocking } from '../locks/stale-locks.ts'

/** An object of the API. */
interface KubeObjectOf {
  readonly metadata: ObjectMeta
}

/** Creates the controller of VirtualMachineSnapshots. */
export function createSnapshotController({ caches, live, ...options }: SnapshotControllerOptions): Runnable {
  const { vms, vmis, attachments, dataVolumes, snapshots, contents, restores } = caches
  const ofContent = ({ metadata: { namespace = '', ownerReferences = [] } }: KubeObjectOf): readonly Request[] =>
    ownerReferences.flatMap(({ kind, name }) => {
      const content = kind === contentType.kind ? contents.get(namespace, name) : undefined
      return content === undefined ? [] : snapshotOf(content)
    })
  const ofSource = (source: KubeObjectOf): readonly Request[] =>
    snapshots.byIndex(snapshotsBySource, keyIn(source, source.metadata.name)).flatMap(enqueueSelf)
  return createController({
    ...options,
    name: 'virtualmachinesnapshot',
    reconciler: createSnapshotReconciler({ ...options, ...caches }),
    sources: [
      watchResource(snapshots, enqueueSelf),
      watchResource(contents, snapshotOf),
      watchResource(restores, snapshotOf),
      watchResource(vms, snapshotsLocking),
      watchResource(vms, ofSource),
      watchResource(vmis, ofSource),
      watchResource(vmis, snapshotsCopying),
      watchResource(attachments, snapshotsOfPod),
      watchResource(dataVolumes, ofContent),
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
