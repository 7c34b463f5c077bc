import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
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
import { backupsOf, volumesWithData } from '../volumes/volume-backups.ts'
import { readSnapshotClasses, snapshotClassFor } from '../volumes/snapshot-classes.ts'
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
  const volumes = await backups(ports, snapshot, source, guest !== undefined)
  const content = contentOf(snapshot, { vm: source, revisions, indications: indicationsOf(guest, volumes.length > 0), volumes, guest })
  try {
    await ports.client.create(virtualMachineSnapshotContents, content)
    const message = `Successfully created VirtualMachineSnapshotContent ${content.metadata.name ?? ''}`
    ports.recorder.event(snapshot, 'Normal', 'SuccessfulVirtualMachineSnapshotContentCreate', message)
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

async function backups(
  ports: Ports,
  snapshot: VirtualMachineSnapshot,
  vm: VirtualMachine,
  isRunning: boolean,
): Promise<readonly VolumeBackup[]> {
  if (volumesWithData(vm.spec.template.spec.volumes).length === 0) return []
  const namespace = vm.metadata.namespace ?? ''
  const classes = await readSnapshotClasses(ports.client)
  return backupsOf(snapshot, {
    vm,
    isRunning,
    claim: (name) => ports.claims.get(namespace, name),
    takesSnapshots: (name = '') => snapshotClassFor(ports.classes.get('', name), classes) !== undefined,
  })
}

/** What the agent does becomes known when the volumes are copied. */
function indicationsOf(guest: VirtualMachineInstance | undefined, hasVolumes: boolean): SnapshotIndication[] {
  if (guest === undefined) return []
  if (isTrue(guest.status?.conditions, 'Paused')) return ['Online', 'Paused']
  return hasVolumes ? ['Online'] : ['Online', 'NoGuestAgent']
}
