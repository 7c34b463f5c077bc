import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { isShared, referencedRevisions } from '#features/instancetype/index.ts'
import { createRevisionCollector, sharedByNamespace } from '#features/revision-gc/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import { createController } from '#runtime/controller/controller.ts'
import { watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { startsByRevision, vmsByRevision } from './revision-upgrade.ts'

type Options = Pick<Parameters<typeof createController>[0], 'clock' | 'log' | 'metrics'> & { readonly client: Client }

/**
 * Deletes shared revisions that nothing names any more; by the indexes of those who look after VMs.
 * Whether new ones are shared does not matter: those that are there must go some day.
 */
export function createRevisionCollectorController({ client, clock, log, metrics }: Options, informers: InformerSet): Runnable {
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
  // Once a namespace has one it is looked at now and then, for as long as it has one.
  const appearing = watchResource(revisions, ({ metadata }) => [{ namespace: '', name: metadata.namespace ?? '' }], {
    predicate: (event) => isShared(event.object) && (event.type === 'added' || (event.type === 'updated' && !isShared(event.old))),
  })
  // Before the VMs are known, all would be suspects.
  const known = watchResource(vms, () => [])
  const reconciler = createRevisionCollector({ client, clock, log, revisions, isNamed })
  const sources = [appearing, known]
  return createController({ name: 'shared-revision', reconciler, sources, clock, log, ...(metrics === undefined ? {} : { metrics }) })
}
