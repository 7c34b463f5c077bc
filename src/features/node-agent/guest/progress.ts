import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Result } from '#runtime/controller/reconcile.ts'

/** Result of a step: continue at once with the current VMI, or end the round. */
export type Progress =
  | { readonly again: true; readonly vmi: VirtualMachineInstance | undefined }
  | { readonly again: false; readonly result: Result }

/** Ends the round. */
export function finish(result: Result): Progress {
  return { again: false, result }
}
