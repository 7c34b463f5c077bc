import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { snapshotNameOf, targetNameOf } from './decide.ts'
import { createCloneReconciler, type Ports } from './reconciler.ts'

/** Index of clones by the object that they wait for: `<kind>/<namespace>/<name>`. */
const clonesByPart = 'part'

/** Dependencies of the controller. */
export interface CloneControllerOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder'> {}

/** Creates the controller of clones. */
export function createCloneController({ informers, ...options }: CloneControllerOptions): Runnable {
  const clones = informers.informer(virtualMachineClones)
  const vms = informers.informer(virtualMachines)
  const snapshots = informers.informer(virtualMachineSnapshots)
  const contents = informers.informer(virtualMachineSnapshotContents)
  const restores = informers.informer(virtualMachineRestores)
  clones.addIndex(clonesByPart, (clone) => {
    const namespace = clone.metadata.namespace ?? ''
    return [`snapshot/${namespace}/${snapshotNameOf(clone)}`, `vm/${namespace}/${targetNameOf(clone)}`]
  })
  const waiting = (kind: string, { metadata }: KubeObject, name: string | undefined): readonly Request[] =>
    clones.byIndex(clonesByPart, `${kind}/${metadata?.namespace ?? ''}/${name ?? ''}`).flatMap(enqueueSelf)
  return createController({
    ...options,
    name: 'virtualmachineclone',
    reconciler: createCloneReconciler({ ...options, clones, vms, snapshots, contents, restores }),
    sources: [
      watchResource(clones, enqueueSelf),
      watchResource(snapshots, (snapshot) => waiting('snapshot', snapshot, snapshot.metadata.name)),
      watchResource(contents, (content) => waiting('snapshot', content, content.spec.virtualMachineSnapshotName)),
      watchResource(restores, (restore) => waiting('vm', restore, restore.spec.target.name)),
      watchResource(vms, (vm) => waiting('vm', vm, vm.metadata.name)),
    ],
  })
}
