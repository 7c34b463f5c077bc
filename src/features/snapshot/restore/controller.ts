import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { createController } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { keyIn, type SnapshotControllerOptions } from '../caches.ts'
import { restoreNameAnnotation } from '../names.ts'
import { restoresBySnapshot, restoresByTarget } from '../ports.ts'
import { restoresLocking } from '../locks/stale-locks.ts'
import { createRestoreReconciler } from './reconciler.ts'

/** Creates the controller of VirtualMachineRestores. */
export function createRestoreController({ caches, live, ...options }: SnapshotControllerOptions): Runnable {
  const { vms, vmis, dataVolumes, claims, snapshots, contents, restores } = caches
  const ofMarked = ({ metadata }: KubeObject): readonly Request[] => {
    const name = metadata?.annotations?.[restoreNameAnnotation]
    return name === undefined ? [] : [{ namespace: metadata?.namespace ?? '', name }]
  }
  const ofSnapshot = (object: KubeObject, snapshot: string | undefined): readonly Request[] =>
    restores.byIndex(restoresBySnapshot, keyIn(object, snapshot)).flatMap(enqueueSelf)
  const ofTarget = (vm: KubeObject): readonly Request[] =>
    restores.byIndex(restoresByTarget, keyIn(vm, vm.metadata?.name)).flatMap(enqueueSelf)
  return createController({
    ...options,
    name: 'virtualmachinerestore',
    reconciler: createRestoreReconciler({ ...options, ...caches }),
    sources: [
      watchResource(restores, enqueueSelf),
      watchResource(snapshots, (snapshot) => ofSnapshot(snapshot, snapshot.metadata.name)),
      watchResource(contents, (content) => ofSnapshot(content, content.spec.virtualMachineSnapshotName)),
      watchResource(vms, restoresLocking),
      watchResource(vms, ofTarget),
      watchResource(vmis, ofTarget),
      watchResource(dataVolumes, ofMarked),
      // Claims that are deleted free their names.
      watchResource(claims, ofMarked),
      // Restores wait until the configuration is known.
      live.wake(() => []),
    ],
  })
}
