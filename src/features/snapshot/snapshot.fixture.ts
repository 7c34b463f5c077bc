import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore, VirtualMachineRestoreSpec } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot, VirtualMachineSnapshotSpec } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { found, until, type TestCluster } from '#features/cluster.fixture.ts'
import { decodeRevision } from '#features/instancetype/index.ts'

const namespace = 'default'

/** Instance type of the VMs in these tests. */
export const small = { cpu: { guest: 2 }, memory: { guest: '64Mi', overcommitPercent: 0 } }

/** Reference of snapshots, restores and clones to a VM. */
export function machine(name: string): { apiGroup: string; kind: string; name: string } {
  return { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name }
}

/** Creates an instance type, a preference, and a VM that names both. */
export async function makeVm({ client }: TestCluster, spec: Partial<VirtualMachineSpec> = {}, name = 'web'): Promise<VirtualMachine> {
  if ((await found(client, virtualMachineInstancetypes, 'small')) === undefined) {
    await client.create(virtualMachineInstancetypes, { metadata: { name: 'small', namespace }, spec: small })
    const preference = { devices: { preferredDiskBus: 'sata' } }
    await client.create(virtualMachinePreferences, { metadata: { name: 'plain', namespace }, spec: preference })
  }
  const vm: VirtualMachine = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace },
    spec: {
      runStrategy: 'Halted',
      instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' },
      preference: { name: 'plain', kind: 'VirtualMachinePreference' },
      template: { spec: { domain: { devices: {} } } },
      ...spec,
    },
  }
  return client.create<VirtualMachine>(virtualMachines, vm)
}

/** Waits until the VM controller has captured the revisions of a VM. */
export async function captured({ client }: TestCluster, name = 'web'): Promise<VirtualMachine> {
  return until(async () => {
    const vm = await found(client, virtualMachines, name)
    const refs = [vm?.status?.instancetypeRef, vm?.status?.preferenceRef].map((ref) => ref?.controllerRevisionRef?.name)
    return refs.every((ref) => ref !== undefined) && vm?.status?.desiredGeneration === vm?.metadata.generation ? vm : undefined
  })
}

/** Asks for a snapshot. */
export async function askSnapshot(
  { client }: TestCluster,
  spec: Partial<VirtualMachineSnapshotSpec> = {},
  name = 'snap',
): Promise<VirtualMachineSnapshot> {
  return client.create<VirtualMachineSnapshot>(virtualMachineSnapshots, {
    metadata: { name, namespace },
    spec: { source: machine('web'), ...spec },
  } as VirtualMachineSnapshot)
}

/** Takes a snapshot, and gives it when it is ready and the VM is free again. */
export async function takeSnapshot(cluster: TestCluster, spec: Partial<VirtualMachineSnapshotSpec> = {}): Promise<VirtualMachineSnapshot> {
  await askSnapshot(cluster, spec)
  return snapshotWhere(cluster, ({ status }) => status?.readyToUse === true)
}

/** The snapshot, as soon as it is as it should be. */
export async function snapshotWhere(
  { client }: TestCluster,
  isSo: (snapshot: VirtualMachineSnapshot) => boolean,
  name = 'snap',
): Promise<VirtualMachineSnapshot> {
  return until(async () => {
    const snapshot = await found(client, virtualMachineSnapshots, name)
    return snapshot !== undefined && isSo(snapshot) ? snapshot : undefined
  })
}

/** The content of a snapshot. */
export async function contentOfSnapshot(
  { client }: TestCluster,
  { status }: VirtualMachineSnapshot,
): Promise<VirtualMachineSnapshotContent> {
  return client.get(virtualMachineSnapshotContents, { namespace, name: status?.virtualMachineSnapshotContentName ?? '' })
}

/** Asks for a restore. */
export async function askRestore(
  { client }: TestCluster,
  target: string,
  { name = 'back', ...spec }: Partial<VirtualMachineRestoreSpec> & { readonly name?: string } = {},
): Promise<VirtualMachineRestore> {
  return client.create<VirtualMachineRestore>(virtualMachineRestores, {
    metadata: { name, namespace },
    spec: { target: machine(target), virtualMachineSnapshotName: 'snap', ...spec },
  } as VirtualMachineRestore)
}

/** The restore, as soon as it is as it should be. */
export async function restoreWhere(
  { client }: TestCluster,
  isSo: (restore: VirtualMachineRestore) => boolean,
  name = 'back',
): Promise<VirtualMachineRestore> {
  return until(async () => {
    const restore = await found(client, virtualMachineRestores, name)
    return restore !== undefined && isSo(restore) ? restore : undefined
  })
}

/** Restores, and gives the VM as it is then. */
export async function restoreTo(
  cluster: TestCluster,
  target: string,
  spec: Partial<VirtualMachineRestoreSpec> = {},
): Promise<VirtualMachine> {
  await askRestore(cluster, target, spec)
  await restoreWhere(cluster, ({ status }) => status?.complete === true)
  return cluster.client.get(virtualMachines, { namespace, name: target })
}

/** Content and owners of the revisions of a VM. */
export async function pinnedOf({ client }: TestCluster, { status }: VirtualMachine): Promise<Record<string, unknown>> {
  const get = async (family: 'instancetype' | 'preference'): Promise<unknown> => {
    const name = status?.[`${family}Ref`]?.controllerRevisionRef?.name
    if (name === undefined) return undefined
    const revision = await client.get(controllerRevisions, { namespace, name })
    const owner = revision.metadata.ownerReferences?.map(({ kind, name: ownerName }) => `${kind}/${ownerName}`).join()
    return { owner, spec: decodeRevision(revision, family).object.spec }
  }
  return { instancetype: await get('instancetype'), preference: await get('preference') }
}
