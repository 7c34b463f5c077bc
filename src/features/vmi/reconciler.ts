import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { needsKvm } from '#features/launcher/index.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { act } from './act.ts'
import { reconcileAttachments, reportsVolumes, reportVolumes, withAttachments } from './attachment/reconcile.ts'
import { decide } from './decide.ts'
import { observeStorage } from './storage/observe-storage.ts'
import { podsByVmi } from './launcher/launcher-cache.ts'
import type { Ports } from './ports.ts'
import { noStorage } from './storage/volume-status.ts'

/**
 * Milliseconds between reads of a DataVolume. They are not watched because not every cluster has
 * the CRD; usually the claim's event comes first.
 */
const dataVolumePollMs = 5_000
/**
 * Milliseconds between attempts to resize a pod. What refused it, a quota for example, is not
 * watched.
 */
const resizePollMs = 60_000
/** Milliseconds between checks for the first node agent of a cluster. */
const nodePollMs = 1_000

/**
 * Creates launcher pods for VMIs and hands a VMI over to the node agent when its launcher is ready.
 */
export function createVirtualMachineInstanceReconciler(shared: Ports): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const vmi = ports.vmis.get(namespace, name)
    if (vmi === undefined) return done
    const pods = ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '')
    const attachments = await reconcileAttachments(ports, vmi, pods)
    if (reportsVolumes(vmi) && (await reportVolumes(ports, vmi, attachments)) !== vmi)
      return attachments.isFilling ? recheckIn(dataVolumePollMs) : done
    const storage = isYetToStart(vmi) ? withAttachments(await observeStorage(ports, vmi), attachments) : noStorage
    const action = decide({ vmi, pods, storage, config: ports.config() })
    if (action.kind === 'createPod' && needsKvm(ports) === undefined) return recheckIn(nodePollMs)
    await act(ports, vmi, action)
    if (action.kind === 'mirrorReadiness' && action.resize !== undefined) return recheckIn(resizePollMs)
    return attachments.isFilling || (storage.hasDataVolumes && !storage.isFilled) ? recheckIn(dataVolumePollMs) : done
  }
}

/**
 * Reports whether claims still matter: after the hand-over, the node agent uses the recorded state.
 */
function isYetToStart({ metadata, status }: VirtualMachineInstance): boolean {
  return !isBeingDeleted({ metadata }) && ['', 'Pending', 'Scheduling'].includes(status?.phase ?? '')
}
