import type { SnapshotError } from '#api/snapshot/v1beta1/condition.ts'
import { virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshot, VirtualMachineSnapshotStatus } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { describeContent } from '../capture/content.ts'
import type { Step } from './decide.ts'
import type { Ports } from '../ports.ts'
import { complete, progressConditions, type Progress } from '../progress.ts'

/**
 * Writes the progress into the snapshot's status, with at most one write, and none when nothing has
 * changed. `problem`: error of the step.
 */
export async function report(ports: Ports, snapshot: VirtualMachineSnapshot, step: Step, problem?: string): Promise<void> {
  const now = timestamp(ports.clock.now())
  const change = problem === undefined ? changeAfter(snapshot, step, now) : changeWith(snapshot, problem, now)
  if (change === undefined) return
  await found(patchStatus(ports.client, virtualMachineSnapshots, snapshot, change))
  announce(ports, snapshot, change)
}

function announce({ recorder }: Ports, snapshot: VirtualMachineSnapshot, { phase, error }: StatusChange): void {
  if (phase === 'Succeeded' && snapshot.status?.phase !== phase)
    recorder.event(snapshot, 'Normal', 'VirtualMachineSnapshotComplete', `Took snapshot of VirtualMachine ${snapshot.spec.source.name}`)
  if (error?.message !== undefined && error.message !== snapshot.status?.error?.message)
    recorder.event(snapshot, 'Warning', 'VirtualMachineSnapshotError', error.message)
}

/** Fields to merge into the status; null removes the error. */
type StatusChange = Omit<VirtualMachineSnapshotStatus, 'error'> & { readonly error?: VirtualMachineSnapshotStatus['error'] | null }

function changeAfter(snapshot: VirtualMachineSnapshot, step: Step, now: string): StatusChange | undefined {
  const old = snapshot.status ?? {}
  switch (step.kind) {
    case 'succeed':
      return {
        ...describeContent(step.content),
        phase: 'Succeeded',
        readyToUse: true,
        error: null,
        ...conditions(old, { kind: 'done' }, now),
      }
    case 'fail': {
      const error = step.isLate === true ? lastProblem(old, step.why, now) : { message: step.why, time: now }
      const failed: Progress = { kind: 'failed', why: step.why }
      return { phase: 'Failed', readyToUse: false, error, ...conditions(old, failed, now) }
    }
    case 'wait':
      return { phase: 'InProgress', readyToUse: false, ...conditions(old, { kind: 'waiting', why: step.why }, now) }
    case 'backUp': {
      const why = step.step.kind === 'wait' ? step.step.why : 'Backing up volumes'
      const described = { virtualMachineSnapshotContentName: step.content.metadata.name ?? '' }
      return { ...described, phase: 'InProgress', readyToUse: false, ...conditions(old, { kind: 'waiting', why }, now) }
    }
    case 'waitForRestores': {
      const why = `Needed by restores that are under way: ${step.restores.toSorted().join(', ')}`
      return { phase: 'Deleting', ...conditions(old, { kind: 'waiting', why }, now) }
    }
    case 'none':
    case 'protect':
    case 'release':
    case 'lock':
    case 'protectSource':
    case 'unlock':
    case 'capture':
    case 'disown':
    case 'withdraw':
    case 'detach':
    case 'completeContent':
    case 'handOver':
    case 'deleteContent':
    case 'releaseContent':
      return undefined
  }
}

/** A missed deadline keeps the last error, or names what was waited for. */
function lastProblem({ conditions: told, error }: VirtualMachineSnapshotStatus, why: string, now: string): SnapshotError {
  const waited = findCondition(told, 'Progressing')
  const message = waited?.status === 'True' && waited.reason !== undefined ? `${why}: ${waited.reason}` : why
  return { message: error?.message ?? message, time: error?.time ?? now }
}

function changeWith(snapshot: VirtualMachineSnapshot, problem: string, now: string): StatusChange {
  const old = snapshot.status ?? {}
  const error = old.error?.message === problem ? old.error : { message: problem, time: now }
  return { phase: 'InProgress', readyToUse: false, error, ...conditions(old, { kind: 'waiting', why: problem }, now) }
}

function conditions(
  old: VirtualMachineSnapshotStatus,
  progress: Progress,
  now: string,
): Pick<Required<VirtualMachineSnapshotStatus>, 'conditions'> {
  const reasons = progress.kind === 'done' ? { progressing: complete, ready: complete } : { progressing: progress.why, ready: 'Not ready' }
  return { conditions: progressConditions(old.conditions, progress, { reasons, now }) }
}
