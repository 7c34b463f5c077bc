import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { enqueueSelf, watchResource, type Source } from '#runtime/controller/source.ts'
import type { Reconciler, Request } from '#runtime/controller/reconcile.ts'
import { contentsBySnapshot, restoresLocking, snapshotsLocking, vmsByRestore, vmsBySnapshot } from './stale-locks.ts'
import { isOver } from './decide.ts'
import { restoresBySnapshot } from './observe.ts'
import type { Ports } from './ports.ts'
import { createSnapshotReconciler } from './reconciler.ts'
import { isOver as isRestoreOver } from './restore/decide.ts'
import { createRestoreReconciler } from './restore/reconciler.ts'
import { contentsByRevision, contentsNaming, createSnapshotRevisionReconciler, revisionKeys } from './upgrade/reconciler.ts'

/** A reconciler and its sources. */
export interface SnapshotController {
  readonly name: string
  readonly reconciler: Reconciler
  readonly sources: readonly Source[]
  /** Keys that a change of the cluster's configuration affects. Absent: none. */
  readonly onConfiguration?: () => readonly Request[]
}

/** Index of snapshots in progress, by namespace and name of the VM. */
const snapshotsBySource = 'source'
/** Index of restores in progress, by namespace and name of the VM. */
const restoresByTarget = 'target'

/** The controllers of snapshots and of restores, over informers that they share with others. */
export function createSnapshotControllers(
  informers: InformerSet,
  options: Pick<Ports, 'client' | 'lookup' | 'recorder' | 'clock' | 'config'> & {
    /** Reports whether a VM, or a start revision, references a revision. */
    readonly isReferredByVms: (namespace: string, revision: string) => boolean
  },
): readonly SnapshotController[] {
  const vms = informers.informer(virtualMachines)
  const vmis = informers.informer(virtualMachineInstances)
  const snapshots = informers.informer(virtualMachineSnapshots)
  const contents = informers.informer(virtualMachineSnapshotContents)
  const restores = informers.informer(virtualMachineRestores)
  vms.addIndex(vmsBySnapshot, (vm) => snapshotsLocking(vm).map(keyOfRequest))
  vms.addIndex(vmsByRestore, (vm) => restoresLocking(vm).map(keyOfRequest))
  snapshots.addIndex(snapshotsBySource, (snapshot) => (isOver(snapshot) ? [] : [keyIn(snapshot, snapshot.spec.source.name)]))
  contents.addIndex(contentsBySnapshot, (content) => [keyIn(content, content.spec.virtualMachineSnapshotName)])
  restores.addIndex(restoresBySnapshot, (restore) => [keyIn(restore, restore.spec.virtualMachineSnapshotName)])
  restores.addIndex(restoresByTarget, (restore) => (isRestoreOver(restore) ? [] : [keyIn(restore, restore.spec.target.name)]))
  contents.addIndex(contentsByRevision, revisionKeys)
  const revisions = informers.informer(controllerRevisions)
  const ports: Ports = { ...options, vms, vmis, snapshots, contents, restores, revisions }
  const ofVm = (index: string, informer: typeof snapshots | typeof restores) => (vm: KubeObject) =>
    informer.byIndex(index, keyIn(vm, vm.metadata?.name)).flatMap(enqueueSelf)
  const restoresOf = (object: KubeObject, snapshot: string | undefined): readonly Request[] =>
    restores.byIndex(restoresBySnapshot, keyIn(object, snapshot)).flatMap(enqueueSelf)
  return [
    {
      name: 'virtualmachinesnapshot',
      reconciler: createSnapshotReconciler(ports),
      sources: [
        watchResource(snapshots, enqueueSelf),
        watchResource(contents, snapshotOfContent),
        watchResource(restores, snapshotOfRestore),
        watchResource(vms, snapshotsLocking),
        watchResource(vms, ofVm(snapshotsBySource, snapshots)),
      ],
    },
    {
      name: 'virtualmachinerestore',
      reconciler: createRestoreReconciler(ports),
      sources: [
        watchResource(restores, enqueueSelf),
        watchResource(snapshots, (snapshot) => restoresOf(snapshot, snapshot.metadata.name)),
        watchResource(contents, (content) => restoresOf(content, content.spec.virtualMachineSnapshotName)),
        watchResource(vms, restoresLocking),
        watchResource(vms, ofVm(restoresByTarget, restores)),
        watchResource(vmis, ofVm(restoresByTarget, restores)),
      ],
    },
    {
      name: 'snapshot-revision',
      reconciler: createSnapshotRevisionReconciler({
        ...ports,
        isReferredElsewhere: ({ metadata }, revision) => {
          const { namespace = '', uid } = metadata
          const others = contents.byIndex(contentsByRevision, `${namespace}/${revision}`)
          return options.isReferredByVms(namespace, revision) || others.some((other) => other.metadata.uid !== uid)
        },
      }),
      sources: [
        watchResource(contents, enqueueSelf),
        watchResource(revisions, (revision) => [...contentsNaming(contents, revision), ...contentsOwning(contents, revision)]),
        watchResource(restores, (restore) => contentsOf(contents, restore, restore.spec.virtualMachineSnapshotName)),
      ],
      // The required format may have changed.
      onConfiguration: () => contents.list().flatMap(enqueueSelf),
    },
  ]
}

function keyOfRequest({ namespace, name }: Request): string {
  return `${namespace}/${name}`
}

function keyIn({ metadata }: KubeObject, name: string | undefined): string {
  return `${metadata?.namespace ?? ''}/${name ?? ''}`
}

function contentsOf(
  contents: Informer<VirtualMachineSnapshotContent>,
  object: KubeObject,
  snapshot: string | undefined,
): readonly Request[] {
  return contents.byIndex(contentsBySnapshot, keyIn(object, snapshot)).flatMap(enqueueSelf)
}

/**
 * Content of the snapshot that a revision belongs to; or that it belongs to itself, when it has
 * outlived the snapshot.
 */
function contentsOwning(contents: Informer<VirtualMachineSnapshotContent>, revision: ControllerRevision): readonly Request[] {
  return (revision.metadata.ownerReferences ?? []).flatMap(({ kind, name }) => {
    if (kind === 'VirtualMachineSnapshot') return contentsOf(contents, revision, name)
    return kind === 'VirtualMachineSnapshotContent' ? requestFor(revision.metadata.namespace, name) : []
  })
}

function snapshotOfContent({ metadata, spec }: VirtualMachineSnapshotContent): readonly Request[] {
  return requestFor(metadata.namespace, spec.virtualMachineSnapshotName)
}

function snapshotOfRestore({ metadata, spec }: VirtualMachineRestore): readonly Request[] {
  return requestFor(metadata.namespace, spec.virtualMachineSnapshotName)
}

/** The holder of a VM's lock, also when it was deleted: its lock has to be released. */
function requestFor(namespace = '', name = ''): readonly Request[] {
  return name === '' ? [] : [{ namespace, name }]
}
