import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePool } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { messageOf } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Expectations } from '#runtime/controller/expectations.ts'
import { slowStart } from '#runtime/controller/slow-start.ts'
import { createDependent, deleteDependent } from '#runtime/ownership/dependents.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { Decision, GuestChange, Observed } from './decide.ts'
import { buildMember } from './members/build.ts'
import { release } from './members/finalizer.ts'
import { revisionLabel } from './names.ts'
import { templatePatch } from './update/merge-template.ts'
import { revisionOf } from './update/outdated.ts'
import { ensureRevision, pruneRevision } from './update/revisions.ts'

/** Dependencies of the changes. */
export interface Ports {
  readonly client: Client
  readonly expectations: Expectations
  readonly recorder: Pick<Recorder, 'event'>
}

/** Why a change failed: a reason for the condition ReplicaFailure. */
export interface Failure {
  readonly reason: 'FailedScaleOut' | 'FailedScaleIn' | 'FailedUpdate' | 'FailedRevisionPruning'
  readonly error: unknown
}

/** Does what was decided. Resolves to the first failure; the changes after it are left out. */
export async function act(ports: Ports, observed: Observed, decision: Decision, signal: AbortSignal): Promise<Failure | undefined> {
  const { pool } = observed
  const each = <T>(items: readonly T[], change: (item: T) => Promise<void>) => all(items.map(change))
  const { create, update } = decision
  const steps: readonly (readonly [Failure['reason'], () => Promise<void>])[] = [
    ['FailedScaleIn', () => each(decision.release, (vm) => release(ports, vm, signal, pool))],
    ['FailedScaleOut', () => (create.length === 0 ? Promise.resolve() : createMembers(ports, observed, create, signal))],
    ['FailedScaleIn', () => each(decision.remove, (vm) => deleteMember(ports, pool, vm, signal))],
    ['FailedUpdate', () => (update.length === 0 ? Promise.resolve() : updateMembers(ports, observed, update, signal))],
    ['FailedUpdate', () => each(decision.relabel, (guest) => relabel(ports, guest, signal))],
    ['FailedUpdate', () => each(decision.restart, (guest) => restart(ports, pool, guest, signal))],
    ['FailedRevisionPruning', () => each(decision.prune, (name) => pruneRevision(ports, pool, name, signal))],
  ]
  for (const [reason, step] of steps) {
    try {
      await step()
    } catch (error) {
      return { reason, error }
    }
  }
  return undefined
}

/** Waits for all. @throws the first failure */
async function all(changes: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(changes)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function createMembers(ports: Ports, observed: Observed, ordinals: readonly number[], signal: AbortSignal): Promise<void> {
  const revision = await ensureRevision(ports, observed, signal)
  try {
    await slowStart(ordinals.length, (index) => createMember(ports, observed.pool, ordinals[index] ?? 0, revision, signal))
  } catch (error) {
    ports.recorder.event(observed.pool, 'Warning', 'FailedCreate', `Error creating VM: ${messageOf(error)}`)
    throw error
  }
}

async function createMember(ports: Ports, pool: VirtualMachinePool, ordinal: number, revision: string, signal: AbortSignal): Promise<void> {
  const { metadata } = await createDependent(ports, pool, virtualMachines, buildMember(pool, ordinal, revision), signal)
  ports.recorder.event(pool, 'Normal', 'SuccessfulCreate', `Created VM ${metadata.namespace}/${metadata.name}`)
}

async function deleteMember(ports: Ports, pool: VirtualMachinePool, vm: VirtualMachine, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid = '' } = vm.metadata
  await remove(ports, pool, virtualMachines, vm, signal)
  ports.recorder.event(pool, 'Normal', 'SuccessfulDelete', `Deleted VM ${namespace}/${name} with uid ${uid} from pool`)
}

async function restart(ports: Ports, pool: VirtualMachinePool, { vm, vmi }: GuestChange, signal: AbortSignal): Promise<void> {
  await remove(ports, pool, virtualMachineInstances, vmi, signal)
  const { namespace = '', name = '' } = vm.metadata
  ports.recorder.event(pool, 'Normal', 'SuccessfulUpdate', `Restarts VM ${namespace}/${name} with the current template`)
}

async function remove<T extends KubeObject>(
  ports: Ports,
  pool: VirtualMachinePool,
  resource: ResourceType<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  try {
    await deleteDependent(ports, pool, resource, object, signal)
  } catch (error) {
    const { namespace = '', name = '' } = object.metadata ?? {}
    const kind = resource.kind === 'VirtualMachine' ? 'virtual machine' : 'virtual machine instance'
    ports.recorder.event(pool, 'Warning', 'FailedDelete', `Error deleting ${kind} ${namespace}/${name}: ${messageOf(error)}`)
    throw error
  }
}

async function updateMembers(ports: Ports, observed: Observed, vms: readonly VirtualMachine[], signal: AbortSignal): Promise<void> {
  const revision = await ensureRevision(ports, observed, signal)
  await all(vms.map((vm) => updateMember(ports, observed, vm, revision, signal)))
}

async function updateMember(
  { client, recorder }: Ports,
  { pool, revisions }: Observed,
  vm: VirtualMachine,
  revision: string,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name = '' } = vm.metadata
  const body = templatePatch(vm, revisions.get(revisionOf(vm) ?? ''), pool.spec, revision)
  try {
    await found(patchIfUnchanged(client, virtualMachines, vm, body, { signal }))
    recorder.event(pool, 'Normal', 'SuccessfulUpdate', `Updated VM ${namespace}/${name}`)
  } catch (error) {
    recorder.event(pool, 'Warning', 'FailedUpdate', `Error updating virtual machine ${namespace}/${name}: ${messageOf(error)}`)
    throw error
  }
}

async function relabel({ client }: Ports, { vm, vmi }: GuestChange, signal: AbortSignal): Promise<void> {
  const labels = { [revisionLabel]: revisionOf(vm) }
  await found(patchIfUnchanged(client, virtualMachineInstances, vmi, { metadata: { labels } }, { signal }))
}
