import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { isShared, referencedRevisions, startsByRevision, vmsByRevision } from '#features/instancetype/index.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createRevisionCollector, sharedByNamespace } from './reconciler.ts'

/** Dependencies of the controller. */
export interface RevisionCollectorOptions extends Omit<SharedControllerOptions, 'concurrency'> {
  readonly client: Client
}

/**
 * Creates the controller that deletes shared revisions which nothing names, by the indexes of the
 * VM and the revision-upgrade controllers. It runs whether or not new revisions are shared, because
 * existing ones must be collected.
 */
export function createRevisionCollectorController({ client, informers, clock, log, metrics }: RevisionCollectorOptions): Runnable {
  const revisions = informers.informer(controllerRevisions)
  const vms = informers.informer(virtualMachines)
  revisions.addIndex(sharedByNamespace, (revision) => (isShared(revision) ? [revision.metadata.namespace ?? ''] : []))
  const isNamed = ({ metadata }: ControllerRevision): boolean => {
    const key = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
    if (vms.byIndex(vmsByRevision, key).length > 0) return true
    return revisions.byIndex(startsByRevision, key).some((start) => {
      const owner = start.metadata.ownerReferences?.find(({ kind }) => kind === 'VirtualMachine')
      return referencedRevisions(start, vms.get(start.metadata.namespace ?? '', owner?.name ?? '')).includes(metadata.name ?? '')
    })
  }
  // A namespace is checked periodically while it has a shared revision.
  const appearing = watchResource(revisions, ({ metadata }) => [{ namespace: '', name: metadata.namespace ?? '' }], {
    predicate: (event) => isShared(event.object) && (event.type === 'added' || (event.type === 'updated' && !isShared(event.old))),
  })
  // Without the VM cache, every revision would look unused.
  const known = watchResource(vms, () => [])
  const reconciler = createRevisionCollector({ client, clock, log, revisions, isNamed })
  const sources = [appearing, known]
  return createController({ name: 'shared-revision', reconciler, sources, clock, log, ...(metrics === undefined ? {} : { metrics }) })
}
