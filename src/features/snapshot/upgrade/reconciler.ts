import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { found } from '#client/found.ts'
import { revisionFormatOf, referencesOf, revisionsByOwner } from '#features/instancetype/index.ts'
import { createUpgradeReporter } from '#features/revision-upgrade/index.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { contentName } from '../names.ts'
import { boundTo, restoresBySnapshot } from '../ports.ts'
import { isRestoreActive } from '../restore/active-restore.ts'
import { act, holderOf } from './act.ts'
import { decide, type Observed } from './decide.ts'
import type { Ports } from './ports.ts'

/**
 * Creates the reconciler that brings the revisions of snapshots to the required format, so that an
 * old version can be removed. It does not interfere with restores.
 */
export function createSnapshotRevisionReconciler(shared: Ports): Reconciler {
  const report = createUpgradeReporter(shared.recorder)
  return async (request, { signal }) => {
    const ports = boundTo(signal, shared)
    const content = ports.contents.get(request.namespace, request.name)
    if (content === undefined) {
      report.forget(request)
      return done
    }
    const snapshot = await snapshotOf(ports, content)
    const decision = decide(observe(ports, content, snapshot))
    const told = { ...(snapshot ?? content), metadata: { ...(snapshot ?? content).metadata } }
    report.problems(
      told,
      decision.problems.map((message) => ({ revision: '', message })),
    )
    try {
      report.moved(told, await act(ports, { content, snapshot }, decision))
    } catch (error) {
      // A pass that was cancelled says nothing about the snapshot.
      if (!signal.aborted) report.failed(told, error)
      throw error
    }
    return done
  }
}

/**
 * Returns the snapshot of the content, and not a later one of its name. The cache may show the
 * content first, so the API is asked.
 */
async function snapshotOf(ports: Ports, { metadata, spec }: VirtualMachineSnapshotContent): Promise<VirtualMachineSnapshot | undefined> {
  const key = { namespace: metadata.namespace ?? '', name: spec.virtualMachineSnapshotName ?? '' }
  const isOurs = (snapshot: VirtualMachineSnapshot | undefined): boolean => metadata.name === contentName(snapshot?.metadata.uid ?? '')
  const cached = ports.snapshots.get(key.namespace, key.name)
  if (isOurs(cached)) return cached
  const stored = await found(ports.client.get(virtualMachineSnapshots, key))
  return isOurs(stored) ? stored : undefined
}

function observe(ports: Ports, content: VirtualMachineSnapshotContent, snapshot: VirtualMachineSnapshot | undefined): Observed {
  const { namespace = '', uid = '' } = content.metadata
  const holder = holderOf({ content, snapshot })
  const named = referencesOf(content).flatMap(({ revision }) => ports.revisions.get(namespace, revision) ?? [])
  // The content may own some already while the snapshot still exists.
  const owned = [...new Set([holder.uid, uid])].flatMap((one) => ports.revisions.byIndex(revisionsByOwner, one))
  const restores = ports.restores.byIndex(restoresBySnapshot, `${namespace}/${content.spec.virtualMachineSnapshotName ?? ''}`)
  return {
    content,
    holder,
    revisions: new Map([...named, ...owned].map((revision): [string, ControllerRevision] => [revision.metadata.name ?? '', revision])),
    format: revisionFormatOf(ports.config()),
    // From content that has outlived its snapshot nothing is restored, whatever waits for a
    // snapshot of that name.
    isBusy: snapshot !== undefined && (restores.some(isRestoreActive) || isBeingDeleted(snapshot)),
    isReferredElsewhere: (revision) => ports.isReferredElsewhere(content, revision),
  }
}
