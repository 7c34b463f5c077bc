import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import {
  contentsByRevision,
  lookupIn,
  ownerUids,
  referencesOf,
  referencedRevisions,
  startsByRevision,
  vmsByRevision,
} from '#features/instancetype/index.ts'
import type { CacheEvent, Informer } from '#runtime/cache/lister.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueOwner, enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Ports } from './ports.ts'
import { createRevisionUpgradeReconciler } from './reconciler.ts'

/**
 * Allows many retries of conflicts: after an upgrade, this controller and the VM controller write
 * all VMs at once.
 */
const rateLimits = { perSecond: 500, burst: 2_000, maxMs: 300_000 }

/**
 * Dependencies of the controller. The VM controller and the snapshot controllers add the indexes
 * that it uses.
 */
export interface RevisionUpgradeOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder'> {
  readonly live: LiveConfig
  /** Registry for the counter of upgraded revisions. Default: none. */
  readonly gauges?: Pick<Metrics, 'counter'>
}

/**
 * Creates the controller that upgrades the revisions of all VMs to the wanted storage format. It
 * has its own queue, so that VMs do not wait for it.
 */
export function createRevisionUpgradeController({ informers, live, gauges, ...options }: RevisionUpgradeOptions): Runnable {
  const contents = informers.informer(virtualMachineSnapshotContents)
  const vms = informers.informer(virtualMachines)
  const vmis = informers.informer(virtualMachineInstances)
  const revisions = informers.informer(controllerRevisions)
  revisions.addIndex(startsByRevision, namesInStart)
  const upgrades = gauges?.counter({
    name: 'steadyvm_instancetype_revision_upgrades_total',
    help: 'Copies of instance types and preferences that VMs name and that were replaced, or could not be',
    labels: ['family', 'result'],
  })
  const reconciler = createRevisionUpgradeReconciler({
    ...options,
    lookup: lookupIn(informers, options.client),
    vms,
    vmis,
    revisions,
    ...(upgrades === undefined ? {} : { count: (family, result) => upgrades({ family, result }).add() }),
    config: live.config,
    isReferredElsewhere: (vm, revision) => {
      const key = `${vm.metadata.namespace ?? ''}/${revision}`
      // A snapshot has copies of its own, unless its content was edited to name another revision.
      if (contents.byIndex(contentsByRevision, key).length > 0) return true
      const others = vms.byIndex(vmsByRevision, key).some(({ metadata }) => metadata.uid !== vm.metadata.uid)
      return others || revisions.byIndex(startsByRevision, key).some((start) => !ownerUids(start).includes(vm.metadata.uid ?? ''))
    },
  })
  const owner = enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachine' })
  const sources = [
    watchResource(vms, enqueueSelf),
    // When a VM stops naming a revision, its owner may delete that revision.
    watchResource(vms, (vm) => ownersOfNamed(vm, revisions), { predicate: (event) => vms.hasSynced && isMoved(event) }),
    watchResource(vmis, owner, { predicate: isStartedFromOther }),
    watchResource(revisions, (revision) => [...owner(revision), ...namersOf(revision, vms)], { predicate: () => vms.hasSynced }),
    live.wake(() => vms.list().flatMap(enqueueSelf)),
  ]
  return createController({
    ...options,
    name: 'instancetype-revision',
    reconciler,
    sources,
    // Writes wait for the API server's disk, and most are independent.
    concurrency: (options.concurrency ?? 1) * 3,
    rateLimits,
  })
}

function namesInStart(revision: ControllerRevision): readonly string[] {
  return referencesOf(revision).map(({ namespace, written }) => `${namespace}/${written}`)
}

function namersOf({ metadata }: ControllerRevision, vms: Informer<VirtualMachine>): readonly Request[] {
  return vms.byIndex(vmsByRevision, `${metadata.namespace ?? ''}/${metadata.name ?? ''}`).flatMap(enqueueSelf)
}

function ownersOfNamed(vm: VirtualMachine, revisions: Informer<ControllerRevision>): readonly Request[] {
  const { namespace = '', uid = '' } = vm.metadata
  return referencedRevisions(vm).flatMap((name) => {
    const revision = revisions.get(namespace, name)
    return revision === undefined || ownerUids(revision).includes(uid)
      ? []
      : enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachine' })(revision)
  })
}

function isMoved(event: CacheEvent<VirtualMachine>): boolean {
  return (
    event.type === 'deleted' ||
    (event.type === 'updated' && referencedRevisions(event.old).join() !== referencedRevisions(event.object).join())
  )
}

function isStartedFromOther(event: CacheEvent<VirtualMachineInstance>): boolean {
  const now = event.object.status?.virtualMachineRevisionName
  return event.type !== 'updated' || event.old.status?.virtualMachineRevisionName !== now
}
