import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Result } from '#runtime/controller/reconcile.ts'

/** After a step: look again at once (with the VMI as it is now), or come back. */
export type Progress =
  | { readonly again: true; readonly vmi: VirtualMachineInstance | undefined }
  | { readonly again: false; readonly result: Result }

/** Ends the round: the controller comes back as the result says. */
export function finish(result: Result): Progress {
  return { again: false, result }
}
