import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Returns a merge patch of `status.activePods` that leaves only the given pod. */
export function onlyActivePod({ status }: VirtualMachineInstance, podUid: string, node: string): Record<string, string | null> {
  return Object.fromEntries(Object.keys(status?.activePods ?? {}).map((uid) => [uid, uid === podUid ? node : null]))
}
