import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import { observeStorage } from './storage/observe-storage.ts'
import { podsByVmi, type Ports } from './ports.ts'
import { noStorage } from './storage/volume-status.ts'

/**
 * Milliseconds between two looks at a DataVolume, whose objects are not watched: not every cluster
 * has them. Mostly its claim tells first.
 */
const dataVolumePollMs = 5_000

/**
 * Gives VMIs their launcher pods, and hands them over to the node agent once the launcher waits on
 * its node.
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
 * Whether its claims still matter: once its node has the VMI, they are what they were when it was
 * handed over.
 */
function isYetToStart({ metadata, status }: VirtualMachineInstance): boolean {
  return !isBeingDeleted({ metadata }) && ['', 'Pending', 'Scheduling'].includes(status?.phase ?? '')
}
