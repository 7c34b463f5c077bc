import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import { detectChanges } from './live-update/detect-changes.ts'
import { observe } from './observe.ts'
import type { Ports } from './ports.ts'
import { prepare, unprepared } from './revisions/prepare.ts'
import { isBeingRestored } from './spec/snapshot-lock.ts'
import { adoptOrphan } from './start/adopt-orphan.ts'
import { stepsOf, type Pass } from './steps.ts'

/**
 * Keeps VMs as their run strategy wants them. A pass runs in this order:
 *
 * 1. Observe: VM and VMI from the caches; `prepare` stores what a start depends on (finalizer,
 *    inferred matchers, captured revisions); an orphaned VMI is adopted; `detectChanges` compares
 *    the VM with what its guest was started from.
 * 2. Decide: `decide` chooses the action that the run strategy asks for, `stepsOf` the order of
 *    the writes. Both are pure.
 * 3. Act and report: the steps of that list, one after the other.
 *
 * To add a write, add a step to `steps.ts` and its case to `act.ts`. To add something that must be
 * stored before a VM may start, add it to `revisions/prepare.ts`.
 */
export function createVirtualMachineReconciler(shared: Ports): Reconciler {
  return async (request, { signal }) => {
    const ports = boundTo(signal, shared)
    const observed = observe(ports, request)
    if (observed === undefined) return done
    // A VM that is being deleted must go even when its instance type is gone. One that is being
    // restored gets its revisions from the snapshot.
    const isSettled = !isBeingDeleted(observed.vm) && !isBeingRestored(observed.vm)
    const prepared = isSettled ? await prepare(ports, observed.vm) : unprepared(observed.vm)
    const vmi = observed.vmi ?? (await adoptOrphan(ports, prepared.vm))
    const classification = await detectChanges(ports, prepared, vmi)

    const decision = decide({ vm: prepared.vm, vmi }, ports.clock.now(), ports.random())
    let pass: Pass = { ...prepared, vmi, classification, decision, isSettled }

    for (const step of stepsOf(pass)) pass = await act(ports, pass, step)
    return resultOf(pass)
  }
}

/** Milliseconds. Most failures end with a watch event; this is for those that do not. */
const retryFailureMs = 30_000

function resultOf({ decision: { action }, failure }: Pass): Result {
  if (action.kind === 'wait') return recheckIn(action.ms)
  return failure === undefined ? done : recheckIn(retryFailureMs)
}

function boundTo(signal: AbortSignal, { client, lookup, ...ports }: Ports): Ports {
  return { ...ports, client: withSignal(client, signal), lookup: { ...lookup, client: withSignal(lookup.client, signal) } }
}
