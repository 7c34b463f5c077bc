import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { contentsByRevision, startsByRevision, vmsByRevision } from '#features/instancetype/index.ts'
import { createController } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { keyIn, type SnapshotCaches, type SnapshotControllerOptions } from '../caches.ts'
import { contentsBySnapshot } from '../ports.ts'
import { createSnapshotRevisionReconciler } from './reconciler.ts'

/** Creates the controller that upgrades the revisions of snapshots. */
export function createSnapshotRevisionController({ caches, live, ...options }: SnapshotControllerOptions): Runnable {
  const { contents, restores, revisions } = caches
  const ofSnapshot = (object: KubeObject, snapshot: string | undefined): readonly Request[] =>
    contents.byIndex(contentsBySnapshot, keyIn(object, snapshot)).flatMap(enqueueSelf)
  const naming = (revision: ControllerRevision): readonly Request[] =>
    contents.byIndex(contentsByRevision, keyIn(revision, revision.metadata.name)).flatMap(enqueueSelf)
  // Content that has outlived its snapshot owns the revisions itself.
  const owning = (revision: ControllerRevision): readonly Request[] =>
    (revision.metadata.ownerReferences ?? []).flatMap(({ kind, name }) => {
      if (kind === 'VirtualMachineSnapshot') return ofSnapshot(revision, name)
      if (kind !== 'VirtualMachineSnapshotContent' || name === '') return []
      return [{ namespace: revision.metadata.namespace ?? '', name }]
    })
  return createController({
    ...options,
    name: 'snapshot-revision',
    reconciler: createSnapshotRevisionReconciler({
      ...options,
      ...caches,
      isReferredElsewhere: (content, revision) => isReferredElsewhere(caches, content, revision),
    }),
    sources: [
      watchResource(contents, enqueueSelf),
      watchResource(revisions, (revision) => [...naming(revision), ...owning(revision)]),
      watchResource(restores, (restore) => ofSnapshot(restore, restore.spec.virtualMachineSnapshotName)),
      // The required format may have changed.
      live.wake(() => contents.list().flatMap(enqueueSelf)),
    ],
  })
}

/**
 * Reports whether a VM, a revision that a guest was started from, or other content names a
 * revision, by the indexes of the VM and the revision-upgrade controllers.
 */
function isReferredElsewhere(
  { vms, revisions, contents }: SnapshotCaches,
  content: VirtualMachineSnapshotContent,
  revision: string,
): boolean {
  const key = keyIn(content, revision)
  if (vms.byIndex(vmsByRevision, key).length > 0 || revisions.byIndex(startsByRevision, key).length > 0) return true
  return contents.byIndex(contentsByRevision, key).some(({ metadata }) => metadata.uid !== content.metadata.uid)
}
