import type { VirtualMachineClone } from '#api/clone/v1beta1/virtual-machine-clone.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineRestores, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isAlreadyExists, isInvalid, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { decide, restoreNameOf, snapshotNameOf, targetNameOf, type Observed, type Step } from './decide.ts'
import { patchesOf } from './patches.ts'
import { report } from './report.ts'

/** Dependencies of the reconciler. */
export interface Ports {
  readonly client: Client
  readonly clones: Lister<VirtualMachineClone>
  readonly vms: Lister<VirtualMachine>
  readonly snapshots: Lister<VirtualMachineSnapshot>
  readonly contents: Lister<VirtualMachineSnapshotContent>
  readonly restores: Lister<VirtualMachineRestore>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
}

/**
 * Creates the reconciler of clones, which clones a VM by a snapshot and a restore that the clone
 * owns.
 */
export function createCloneReconciler(shared: Ports): Reconciler {
  return async (request, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const observed = observe(ports, request)
    if (observed === undefined) return done
    const step = decide(observed)
    try {
      await act(ports, observed.clone, step)
    } catch (error) {
      // A refused object would be refused again.
      if (!isInvalid(error)) throw error
      await report(ports, observed.clone, { kind: 'fail', why: (error as Error).message })
      return done
    }
    await report(ports, observed.clone, step)
    return done
  }
}

function observe(ports: Ports, { namespace, name }: Request): Observed | undefined {
  const clone = ports.clones.get(namespace, name)
  if (clone === undefined) return undefined
  const snapshot = ports.snapshots.get(namespace, snapshotNameOf(clone))
  return {
    clone,
    snapshot,
    content: ports.contents.get(namespace, snapshot?.status?.virtualMachineSnapshotContentName ?? ''),
    restore: ports.restores.get(namespace, restoreNameOf(clone)),
    target: ports.vms.get(namespace, targetNameOf(clone)),
  }
}

async function act(ports: Ports, clone: VirtualMachineClone, step: Step): Promise<void> {
  switch (step.kind) {
    case 'takeSnapshot':
      return createOnce(ports, virtualMachineSnapshots, {
        metadata: metadataFor(clone, snapshotNameOf(clone)),
        spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: clone.spec.source.name } },
      })
    case 'restore':
      return createOnce(ports, virtualMachineRestores, restoreOf(clone, step.content))
    case 'cleanUp':
      // The snapshot waits for restores in progress.
      await deleteOnce(ports, virtualMachineRestores, step.restore)
      return deleteOnce(ports, virtualMachineSnapshots, step.snapshot)
    case 'none':
    case 'waitForSnapshot':
    case 'waitForRestore':
    case 'waitForTarget':
    case 'succeed':
    case 'fail':
  }
}

function restoreOf(clone: VirtualMachineClone, content: VirtualMachineSnapshotContent): VirtualMachineRestore {
  const patches = patchesOf(clone, content.spec.source.virtualMachine ?? {})
  return {
    metadata: metadataFor(clone, restoreNameOf(clone)),
    spec: {
      target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: targetNameOf(clone) },
      virtualMachineSnapshotName: snapshotNameOf(clone),
      ...(clone.spec.volumeNamePolicy === undefined ? {} : { volumeRestorePolicy: clone.spec.volumeNamePolicy }),
      ...(patches.length === 0 ? {} : { patches }),
    },
  }
}

/** Both go with the clone, however far it is. */
function metadataFor({ metadata }: VirtualMachineClone, name: string): VirtualMachineRestore['metadata'] {
  const owner: OwnerReference = {
    apiVersion: 'clone.kubevirt.io/v1beta1',
    kind: 'VirtualMachineClone',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
  return { name, namespace: metadata.namespace ?? '', ownerReferences: [owner] }
}

async function createOnce<T extends KubeObject>({ client }: Ports, resource: ResourceType<T>, object: T): Promise<void> {
  try {
    await client.create(resource, object)
  } catch (error) {
    // Named after the clone's UID: it can only be our own.
    if (!isAlreadyExists(error)) throw error
  }
}

async function deleteOnce<T extends KubeObject>({ client }: Ports, resource: ResourceType<T>, object: T | undefined): Promise<void> {
  if (object === undefined) return
  const { namespace = '', name = '', uid } = object.metadata ?? {}
  try {
    await client.delete(resource, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
