import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineStateChangeRequest } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { conflict, isAlreadyExists } from '#apimachinery/errors.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { ownerReferenceTo } from '#features/instancetype/index.ts'
import { runStrategyOf } from '#features/vm/index.ts'
import { discard, writeFinalizer, writeLock } from '../locks/lock.ts'
import { lastRestoreAnnotation, restoreFinalizer, restoreMark } from '../names.ts'
import type { Ports } from '../ports.ts'
import type { Source, Step } from './decide.ts'
import { isSourceBeingDeleted } from './source-deletion.ts'
import { pinHardware } from './pin-hardware.ts'
import { newVirtualMachine, restoredSpec } from './restored-vm.ts'
import { adoptVolumes, createVolumes, pruneVolumes, removeVolumes } from './volumes/act-filling.ts'
import type { FillingStep } from './volumes/decide-filling.ts'
import { restoredVolumes } from './volumes/restored-volumes.ts'

/** Takes the step. @throws CaptureFailed, JsonPatchError, StatusError */
export async function act(ports: Ports, restore: VirtualMachineRestore, step: Step): Promise<void> {
  switch (step.kind) {
    case 'none':
    case 'wait':
    case 'fail':
    case 'succeed':
    case 'noteObsolete':
      return
    case 'protect':
      return writeFinalizer(ports, virtualMachineRestores, restore, { finalizer: restoreFinalizer, isWanted: true })
    case 'release':
      return writeFinalizer(ports, virtualMachineRestores, restore, { finalizer: restoreFinalizer, isWanted: false })
    case 'belong':
      return belong(ports, restore, step.vm)
    case 'lock':
      await insistOn(ports, step.source)
      return writeLock(ports, step.vm, { restoreInProgress: restore.metadata.name ?? '' })
    case 'unlock':
      return writeLock(ports, step.vm, { restoreInProgress: null })
    case 'stop':
      return stop(ports, step.vm, step.vmi)
    case 'create':
      await insistOn(ports, step.source)
      return create(ports, restore, step.source.content)
    case 'fill':
      return fill(ports, { restore, content: step.content }, step.step)
    case 'adopt':
      return adoptVolumes(ports, { restore, vm: step.vm }, step.volumes)
    case 'prune':
      return pruneVolumes(ports, step.volumes)
    case 'rewrite':
      return rewrite(ports, restore, step)
    case 'pin':
      return pinHardware(ports, step.vm, step.content)
    case 'discard':
      return discard(ports, step.vm)
  }
}

/**
 * Asks the API whether the snapshot is being deleted: a restore that starts was listed before the
 * snapshot looked for restores, or sees the deletion here. The caches may not show either yet.
 */
async function insistOn({ client }: Ports, { snapshot, content }: Source): Promise<void> {
  const contentNow = await found(client.get(virtualMachineSnapshotContents, keyOf(content)))
  // Only then its own mark counts.
  const isRetained = snapshot.spec.deletionPolicy === 'Retain'
  const snapshotNow = isRetained ? await found(client.get(virtualMachineSnapshots, keyOf(snapshot))) : snapshot
  const isThere = contentNow !== undefined && snapshotNow !== undefined && snapshotNow.metadata.uid === snapshot.metadata.uid
  if (!isThere || isSourceBeingDeleted(snapshotNow, contentNow))
    throw conflict(virtualMachineSnapshots, snapshot.metadata.name ?? '', 'it is being deleted')
}

async function fill(
  ports: Ports,
  target: { readonly restore: VirtualMachineRestore; readonly content: VirtualMachineSnapshotContent },
  step: FillingStep,
): Promise<void> {
  if (step.kind === 'createVolumes') await createVolumes(ports, target, step.volumes)
  if (step.kind === 'removeVolumes') await removeVolumes(ports, step.looks)
}

/** As in KubeVirt: deleting a VM deletes its restores. */
async function belong({ client }: Ports, restore: VirtualMachineRestore, vm: VirtualMachine): Promise<void> {
  await found(patchIfUnchanged(client, virtualMachineRestores, restore, { metadata: { ownerReferences: [ownerReferenceTo(vm)] } }))
}

async function create({ client }: Ports, restore: VirtualMachineRestore, content: VirtualMachineSnapshotContent): Promise<void> {
  const source = content.spec.source.virtualMachine
  if (source === undefined) return
  try {
    await client.create(virtualMachines, newVirtualMachine(restore, source, restoredVolumes(restore, content)))
  } catch (error) {
    // Created in an earlier pass, or by another client: the next pass decides.
    if (!isAlreadyExists(error)) throw error
  }
}

/** The annotation is written with the spec, and shows afterwards that the spec was written. */
async function rewrite(
  { client }: Ports,
  restore: VirtualMachineRestore,
  { vm, content }: { readonly vm: VirtualMachine; readonly content: VirtualMachineSnapshotContent },
): Promise<void> {
  const key = keyOf(vm)
  const vmi = await found(client.get(virtualMachineInstances, key))
  if (vmi !== undefined) throw conflict(virtualMachines, key.name, 'it has just been started')
  const source = content.spec.source.virtualMachine ?? {}
  const spec = createMergePatch(vm.spec, restoredSpec(vm, source, restoredVolumes(restore, content)))
  const annotations = { [lastRestoreAnnotation]: restoreMark(restore) }
  await found(patchIfUnchanged(client, virtualMachines, vm, { metadata: { annotations }, ...(spec === undefined ? {} : { spec }) }))
}

/** As `virtctl stop` would, and once. */
async function stop({ client }: Ports, vm: VirtualMachine, vmi: VirtualMachineInstance): Promise<void> {
  const strategy = runStrategyOf(vm)
  if (strategy === 'Halted') return
  if (strategy !== 'Manual' && strategy !== 'RerunOnFailure') {
    const spec = vm.spec.running === undefined ? { runStrategy: 'Halted' } : { running: false }
    await found(patchIfUnchanged(client, virtualMachines, vm, { spec }))
    return
  }
  const { uid } = vmi.metadata
  const request: VirtualMachineStateChangeRequest = { action: 'Stop', ...(uid === undefined ? {} : { uid }) }
  if (vm.status?.stateChangeRequests?.some(({ action }) => action === 'Stop') === true) return
  await found(patchStatus(client, virtualMachines, vm, { stateChangeRequests: [request] }))
}
