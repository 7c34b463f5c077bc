import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** Warns of volumes of dumps in a VM, which KubeVirt writes: here requests are in the status. */
export function warnOfDumps({ spec }: Pick<VirtualMachine, 'spec'>): string[] {
  const volumes = spec.template?.spec?.volumes ?? []
  if (!volumes.some(({ memoryDump }) => memoryDump !== undefined && memoryDump !== null)) return []
  const path = 'spec.template.spec.volumes[].memoryDump'
  return [`${path} is kept, but has no effect: "virtctl memory-dump get" dumps the memory of a guest`]
}
