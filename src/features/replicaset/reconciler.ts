import { virtualMachineInstanceReplicaSets, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type {
  VirtualMachineInstanceReplicaSet,
  VirtualMachineInstanceReplicaSetCondition,
  VirtualMachineInstanceReplicaSetStatus,
} from '#api/kubevirt/v1/virtual-machine-instance-replica-set.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition, removeCondition, setCondition } from '#apimachinery/conditions.ts'
import { messageOf } from '#apimachinery/errors.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import type { Informer, Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { expectationKey, type Expectations } from '#runtime/controller/expectations.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { slowStart } from '#runtime/controller/slow-start.ts'
import { claimDependents } from '#runtime/ownership/adoption.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import { createDependent, deleteDependent } from '#runtime/ownership/dependents.ts'
import { candidatesOf } from '#runtime/ownership/owner-index.ts'
import { workloadSelector } from '#runtime/ownership/selector.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { decide, type Decision } from './decide.ts'

/** Dependencies of the reconciler. */
export interface Ports {
  readonly client: Client
  readonly replicaSets: Lister<VirtualMachineInstanceReplicaSet>
  readonly vmis: Informer<VirtualMachineInstance>
  readonly expectations: Expectations
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
}

/** Why VMIs could not be created or deleted. */
interface Failure {
  readonly reason: 'FailedCreate' | 'FailedDelete'
  readonly error: unknown
}

/** Maintains the number of VMIs of each replica set. */
export function createReplicaSetReconciler(ports: Ports): Reconciler {
  const { client, replicaSets, vmis, expectations } = ports
  return async ({ namespace, name }, { signal }) => {
    const replicaSet = replicaSets.get(namespace, name)
    if (replicaSet === undefined) return done
    // Asked before the VMIs are read: one that appears in between is then counted.
    const isSettled = expectations.satisfied(expectationKey(replicaSet))
    const claimant = {
      resource: virtualMachineInstanceReplicaSets,
      owner: replicaSet,
      selector: workloadSelector(replicaSet.spec.selector),
    }
    const own = await claimDependents(client, claimant, virtualMachineInstances, candidatesOf(vmis, replicaSet), signal)
    const decision = decide({ replicaSet, vmis: own, isSettled })
    const failure = await act(ports, replicaSet, decision, signal)
    await report(ports, replicaSet, decision, failure)
    if (failure !== undefined) throw failure.error
    return done
  }
}

async function act(
  ports: Ports,
  replicaSet: VirtualMachineInstanceReplicaSet,
  { create, remove }: Decision,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  try {
    await slowStart(create, () => createVmi(ports, replicaSet, signal))
  } catch (error) {
    ports.recorder.event(replicaSet, 'Warning', 'FailedCreate', `Error creating virtual machine instance: ${messageOf(error)}`)
    return { reason: 'FailedCreate', error }
  }
  const results = await Promise.allSettled(remove.map((vmi) => deleteVmi(ports, replicaSet, vmi, signal)))
  const failed = results.find((result) => result.status === 'rejected')
  return failed === undefined ? undefined : { reason: 'FailedDelete', error: failed.reason }
}

async function createVmi(ports: Ports, replicaSet: VirtualMachineInstanceReplicaSet, signal: AbortSignal): Promise<void> {
  const { name = '', namespace = '' } = replicaSet.metadata
  const { metadata, spec } = replicaSet.spec.template
  const vmi = {
    metadata: {
      // As KubeVirt names them: without a dash.
      generateName: name,
      namespace,
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [controllerReference(virtualMachineInstanceReplicaSets, replicaSet)],
    },
    spec,
  }
  const created = await createDependent(ports, replicaSet, virtualMachineInstances, vmi, signal)
  const message = `Started the virtual machine by creating the new virtual machine instance ${created.metadata.name}`
  ports.recorder.event(replicaSet, 'Normal', 'SuccessfulCreate', message)
}

async function deleteVmi(
  ports: Ports,
  replicaSet: VirtualMachineInstanceReplicaSet,
  vmi: VirtualMachineInstance,
  signal: AbortSignal,
): Promise<void> {
  const { recorder } = ports
  const { name = '', uid = '' } = vmi.metadata
  try {
    if (!(await deleteDependent(ports, replicaSet, virtualMachineInstances, vmi, signal))) return
    recorder.event(replicaSet, 'Normal', 'SuccessfulDelete', `Stopped the virtual machine by deleting the virtual machine instance ${uid}`)
  } catch (error) {
    recorder.event(replicaSet, 'Warning', 'FailedDelete', `Error deleting virtual machine instance ${name}: ${messageOf(error)}`)
    throw error
  }
}

async function report(
  { client, clock, recorder }: Ports,
  replicaSet: VirtualMachineInstanceReplicaSet,
  { replicas, readyReplicas }: Decision,
  failure: Failure | undefined,
): Promise<void> {
  const old = replicaSet.status?.conditions
  const wasPaused = findCondition(old, 'ReplicaPaused')?.status === 'True'
  const isPaused = replicaSet.spec.paused === true
  const conditions = withFailure(withPause(old, isPaused, timestamp(clock.now())), failure, timestamp(clock.now()))
  const labelSelector = workloadSelector(replicaSet.spec.selector)?.toString() ?? ''
  const read = { ...replicaSet, status: replicaSet.status ?? {} }
  await found(patchStatus(client, withStatus, read, { replicas, readyReplicas, labelSelector, conditions }))
  if (isPaused && !wasPaused) recorder.event(replicaSet, 'Normal', 'SuccessfulPaused', 'Paused')
  if (!isPaused && wasPaused) recorder.event(replicaSet, 'Normal', 'SuccessfulResumed', 'Resumed')
}

type Reported = VirtualMachineInstanceReplicaSet & { readonly status?: VirtualMachineInstanceReplicaSetStatus }
/** Clients may have stored `status: null`. */
const withStatus = virtualMachineInstanceReplicaSets as ResourceType<Reported>

type Conditions = readonly VirtualMachineInstanceReplicaSetCondition[] | undefined

function withPause(conditions: Conditions, isPaused: boolean, now: string): VirtualMachineInstanceReplicaSetCondition[] {
  if (!isPaused) return removeCondition(conditions, 'ReplicaPaused')
  return setCondition(conditions, { type: 'ReplicaPaused', status: 'True', reason: 'Paused', message: 'Controller got paused' }, now)
}

function withFailure(conditions: Conditions, failure: Failure | undefined, now: string): VirtualMachineInstanceReplicaSetCondition[] {
  if (failure === undefined) return removeCondition(conditions, 'ReplicaFailure')
  const { reason, error } = failure
  return setCondition(conditions, { type: 'ReplicaFailure', status: 'True', reason, message: messageOf(error) }, now)
}
