import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { SnapshotIndication, VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import {
  captureFailure,
  findMatchedObjects,
  revisionFormatOf,
  storeRevision,
  type Family,
  type Holder,
  type Instancetype,
  type Preference,
} from '#features/instancetype/index.ts'
import { contentOf } from './content.ts'
import { copiedObject } from './copied-object.ts'
import type { Ports } from '../ports.ts'
import { snapshotType } from '../names.ts'

/**
 * Copies the revisions of the VM for the snapshot, and creates the content. The VM is locked, and
 * read from the API. A repetition after a crash results in the same names; existing content is
 * never rewritten: it has the state at its creation. @throws CaptureFailed
 */
export async function capture(ports: Ports, snapshot: VirtualMachineSnapshot, locked: VirtualMachine): Promise<void> {
  const { namespace = '', name = '' } = locked.metadata
  const vm = await ports.client.get(virtualMachines, { namespace, name })
  const vmi = await found(ports.client.get(virtualMachineInstances, { namespace, name }))
  const guest = vmi === undefined || isVmiFinal(vmi) ? undefined : vmi
  const source = guest === undefined ? vm : await asStarted(ports, vm, guest)
  const inForce = await findMatchedObjects(ports.lookup, source)
  const revisions: Partial<Record<Family, string>> = {}
  for (const family of ['instancetype', 'preference'] as const) {
    const inUse = inForce[family]
    if (inUse === undefined) continue
    revisions[family] = await pin(ports, snapshotHolder(snapshot), copiedObject(inUse, family, source.spec[family]))
  }
  const content = contentOf(snapshot, { vm: source, revisions, indications: indicationsOf(guest) })
  try {
    await ports.client.create(virtualMachineSnapshotContents, content)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/**
 * Copies an object for a holder, in the format that the cluster requires. Returns the name of the
 * copy. @throws CaptureFailed
 */
export function pin(ports: Ports, holder: Holder, object: Instancetype | Preference): Promise<string> {
  return storeRevision(ports, holder, object, revisionFormatOf(ports.config())).catch((error: unknown) => {
    throw captureFailure('FailedCreate', error)
  })
}

/** The snapshot as holder of revisions. */
export function snapshotHolder({ metadata: { namespace = '', name = '', uid = '' } }: VirtualMachineSnapshot): Holder {
  return { ...snapshotType, namespace, name, uid }
}

/**
 * Returns the VM as its guest runs. While everything in the spec is in force in the guest, that is
 * the VM itself, which may have been updated live; otherwise it is the start revision, and pending
 * changes are not part of the snapshot.
 */
async function asStarted(ports: Ports, vm: VirtualMachine, guest: VirtualMachineInstance): Promise<VirtualMachine> {
  const { status, metadata } = vm
  if (!isTrue(status?.conditions, 'RestartRequired') && status?.observedGeneration === metadata.generation) return vm
  const name = guest.status?.virtualMachineRevisionName ?? ''
  const namespace = metadata.namespace ?? ''
  const revision: ControllerRevision | undefined =
    name === ''
      ? undefined
      : (ports.revisions.get(namespace, name) ?? (await found(ports.client.get(controllerRevisions, { namespace, name }))))
  const spec = revision?.data?.['spec'] as VirtualMachineSpec | undefined
  if (spec === undefined) return vm
  const { replaced } = status?.steadyvm ?? {}
  // Its revisions may have been replaced since; the status may name later ones than the start
  // revision.
  return { ...vm, spec, status: replaced === undefined ? {} : { steadyvm: { replaced } } }
}

function indicationsOf(guest: VirtualMachineInstance | undefined): SnapshotIndication[] {
  if (guest === undefined) return []
  return ['Online', isTrue(guest.status?.conditions, 'Paused') ? 'Paused' : 'NoGuestAgent']
}
