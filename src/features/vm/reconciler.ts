import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { capture, CaptureFailed, describeConflicts, expand, findInForce, type InForce } from '#features/instancetype/index.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { act, ensureFinalizer, StepFailed } from './act.ts'
import { adopt } from './adopt.ts'
import type { Failure } from './conditions.ts'
import { decide, type Decision } from './decide.ts'
import { observe } from './observe.ts'
import type { Ports } from './ports.ts'
import { report } from './report.ts'
import { isDeleting } from './vmi-state.ts'

/** Keeps VMs as their run strategy wants them. Pins what a VM names before it does anything else. */
export function createVirtualMachineReconciler(ports: Ports): Reconciler {
  return async (request) => {
    const observed = observe(ports, request)
    if (observed === undefined) return done
    // Nothing is looked up for a VM that is being deleted: what it names may be gone already, and it must be able to go, too.
    const prepared = isDeleting(observed.vm)
      ? { vm: observed.vm, inForce: undefined, failure: undefined }
      : await prepare(ports, observed.vm)
    const own = observed.vmi ?? (await adopt(ports, prepared.vm))
    const decision = decide({ vm: prepared.vm, vmi: own }, ports.clock.now(), ports.random())
    // Remembered before the VMI goes: afterwards nothing would tell that it had failed, and that the VM is to run again.
    if (decision.action.kind === 'stop') await report(ports, prepared.vm, { vmi: own, decision, failure: prepared.failure })
    const { vmi, failure } = await attempt(ports, prepared, { vmi: own, decision })
    if (!['release', 'stop'].includes(decision.action.kind)) await report(ports, prepared.vm, { vmi, decision, failure })
    return resultOf(decision, failure)
  }
}

interface Prepared {
  readonly vm: VirtualMachine
  readonly inForce: InForce | undefined
  readonly failure: Failure | undefined
}

/** Finalizer and revisions: what must be there before a VM may start. */
async function prepare(ports: Ports, seen: VirtualMachine): Promise<Prepared> {
  const vm = await ensureFinalizer(ports, seen)
  try {
    const inForce = await findInForce(ports.lookup, vm)
    const { conflicts } = expand(vm, inForce.instancetype?.object, inForce.preference?.object, ports.config())
    if (conflicts.length > 0) return { vm, inForce: undefined, failure: { reason: 'FailedCreate', message: describeConflicts(conflicts) } }
    return { vm: await capture(ports.client, vm, inForce), inForce, failure: undefined }
  } catch (error) {
    if (!(error instanceof CaptureFailed)) throw error
    return { vm, inForce: undefined, failure: { reason: error.reason, message: error.message } }
  }
}

/** Acts, unless the VM would have to start without knowing what from. */
async function attempt(
  ports: Ports,
  prepared: Prepared,
  { vmi, decision }: { readonly vmi: VirtualMachineInstance | undefined; readonly decision: Decision },
): Promise<{ vmi: VirtualMachineInstance | undefined; failure: Failure | undefined }> {
  const { vm, inForce, failure } = prepared
  if (decision.action.kind === 'start' && failure !== undefined) return { vmi, failure }
  try {
    return { vmi: await act(ports, vm, vmi, { action: decision.action, inForce }), failure }
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    return { vmi, failure: { reason: error.reason, message: error.message } }
  }
}

/** Milliseconds. Most failures end with an event that wakes the VM; this is for those that do not. */
const retryFailureMs = 30_000

function resultOf({ action }: Decision, failure: Failure | undefined): Result {
  if (action.kind === 'wait') return recheckIn(action.ms)
  return failure === undefined ? done : recheckIn(retryFailureMs)
}
