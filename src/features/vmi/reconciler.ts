import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import { podsByVmi, type Ports } from './ports.ts'

/** Gives VMIs their launcher pods, and hands them over to the node agent once the launcher waits on its node. */
export function createVirtualMachineInstanceReconciler(ports: Ports): Reconciler {
  return async ({ namespace, name }) => {
    const vmi = ports.vmis.get(namespace, name)
    if (vmi === undefined) return done
    const observed = { vmi, pods: ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '') }
    await act(ports, vmi, decide(observed))
    return done
  }
}
