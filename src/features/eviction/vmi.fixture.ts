import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** A running guest `web` on `n1`, with an eviction strategy and a LiveMigratable condition. */
export function guest(
  strategy: string | undefined,
  isMigratable: boolean,
  status: Partial<VirtualMachineInstanceStatus> = {},
): VirtualMachineInstance {
  const migratable = isMigratable
    ? { status: 'True' as const }
    : { status: 'False' as const, reason: 'DisksNotLiveMigratable', message: 'disk "a" is local' }
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'ns', uid: 'u1' },
    spec: { domain: { devices: {} }, ...(strategy === undefined ? {} : { evictionStrategy: strategy }) },
    status: { phase: 'Running', nodeName: 'n1', conditions: [{ type: 'LiveMigratable', ...migratable }], ...status },
  }
}

/** Its launcher pod. */
export function launcher(changes: { readonly metadata?: object; readonly nodeName?: string; readonly phase?: string } = {}): Pod {
  return {
    metadata: {
      name: 'virt-launcher-web-abcde',
      namespace: 'ns',
      labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': 'u1' },
      annotations: { 'kubevirt.io/domain': 'web' },
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid: 'u1', controller: true }],
      ...changes.metadata,
    },
    spec: { containers: [], nodeName: changes.nodeName ?? 'n1' },
    status: { phase: changes.phase ?? 'Running' },
  } as Pod
}
