import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { act } from './act.ts'
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
 * Creates launcher pods for VMIs and hands a VMI over to the node agent when its launcher is ready.
 */
export function createVirtualMachineInstanceReconciler(shared: Ports): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const vmi = ports.vmis.get(namespace, name)
    if (vmi === undefined) return done
    const storage = isYetToStart(vmi) ? await observeStorage(ports, vmi) : noStorage
    const observed = { vmi, pods: ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? ''), storage }
    await act(ports, vmi, decide(observed))
    return storage.hasDataVolumes && !storage.isFilled ? recheckIn(dataVolumePollMs) : done
  }
}

/**
 * Reports whether claims still matter: after the hand-over, the node agent uses the recorded state.
 */
function isYetToStart({ metadata, status }: VirtualMachineInstance): boolean {
  return !isBeingDeleted({ metadata }) && ['', 'Pending', 'Scheduling'].includes(status?.phase ?? '')
}
