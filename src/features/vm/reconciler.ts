import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { act, StepFailed } from './act.ts'
import { adoptOrphan } from './start/adopt-orphan.ts'
import type { Failure } from './status/conditions.ts'
import { decide, type Decision } from './decide.ts'
import { detectChanges } from './live-update/detect-changes.ts'
import { isBeingRestored } from './snapshot-lock.ts'
import { liveUpdateObstacle, liveUpdatePatch } from './live-update/vmi-patch.ts'
import type { Classification } from './live-update/classify.ts'
import { observe } from './observe.ts'
import type { Ports } from './ports.ts'
import { prepare, type Prepared } from './revisions/pin.ts'
import { prune } from './revisions/prune.ts'
import { report } from './report.ts'
import { deleteIdleStartRevisions } from './start/start-revision.ts'

/**
 * Keeps VMs as their run strategy wants them. Pins what a VM names before it does anything else.
 */
export function createVirtualMachineReconciler(shared: Ports): Reconciler {
  return async (request, { signal }) => {
    const lookup = { ...shared.lookup, client: withSignal(shared.lookup.client, signal) }
    const ports = { ...shared, client: withSignal(shared.client, signal), lookup }
    const observed = observe(ports, request)
    if (observed === undefined) return done
    // Nothing is looked up for a VM that is being deleted: what it names may be gone already, and
    // it must be able to go, too. Nor for one that is being restored: what it gets is the
    // snapshot's to say.
    const isSettled = !isBeingDeleted(observed.vm) && !isBeingRestored(observed.vm)
    const prepared = !isSettled
      ? { vm: observed.vm, inForce: undefined, expansion: undefined, failure: undefined }
      : await prepare(ports, observed.vm)
    const own = observed.vmi ?? (await adoptOrphan(ports, prepared.vm))
    const decision = decide({ vm: prepared.vm, vmi: own }, ports.clock.now(), ports.random())
    const classification = await detectChanges(ports, prepared, own)
    const so = { decision, classification }
    // Remembered before the VMI goes: afterwards nothing would tell that it had failed, and that
    // the VM is to run again.
    if (decision.action.kind === 'stop') await report(ports, prepared, { vmi: own, failure: prepared.failure, ...so })
    const { vmi, failure } = await attempt(ports, prepared, { vmi: own, ...so })
    if (!['release', 'stop'].includes(decision.action.kind)) await report(ports, prepared, { vmi, failure, ...so })
    if (isSettled && vmi === undefined && decision.action.kind === 'none') await deleteIdleStartRevisions(ports, prepared.vm)
    if (isSettled) await prune(ports, prepared.vm)
    return resultOf(decision, failure)
  }
}

interface Situation {
  readonly vmi: VirtualMachineInstance | undefined
  readonly decision: Decision
  readonly classification: Classification | undefined
}

/** Acts, unless the VM would have to start without knowing what from. */
async function attempt(
  ports: Ports,
  prepared: Prepared,
  { vmi, decision, classification }: Situation,
): Promise<{ vmi: VirtualMachineInstance | undefined; failure: Failure | undefined }> {
  const { vm, expansion, failure } = prepared
  if (decision.action.kind === 'start' && failure !== undefined) return { vmi, failure }
  if (decision.action.kind === 'none' && vmi !== undefined && classification?.kind === 'live') {
    return updateLive(ports, prepared, { vmi, classification })
  }
  try {
    return { vmi: await act(ports, vm, vmi, { action: decision.action, expansion }), failure }
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    return { vmi, failure: { reason: error.reason, message: error.message } }
  }
}

/** Changes what can be changed in a guest while it runs. */
async function updateLive(
  ports: Ports,
  { expansion, failure }: Prepared,
  { vmi, classification }: { readonly vmi: VirtualMachineInstance; readonly classification: Classification },
): Promise<{ vmi: VirtualMachineInstance; failure: Failure | undefined }> {
  const obstacle = liveUpdateObstacle(vmi, classification.fields)
  if (obstacle !== undefined || expansion === undefined) return { vmi, failure: failure ?? obstacle }
  const { name = '', namespace = '' } = vmi.metadata
  const operations = liveUpdatePatch(vmi, expansion, classification.fields)
  return { vmi: await ports.client.patch(virtualMachineInstances, { namespace, name }, { type: 'json', operations }), failure }
}

/**
 * Milliseconds. Most failures end with an event that wakes the VM; this is for those that do not.
 */
const retryFailureMs = 30_000

function resultOf({ action }: Decision, failure: Failure | undefined): Result {
  if (action.kind === 'wait') return recheckIn(action.ms)
  return failure === undefined ? done : recheckIn(retryFailureMs)
}
