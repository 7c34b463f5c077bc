import { deepFreeze } from '#apimachinery/equality.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineSpec, VirtualMachineStatus } from '#api/kubevirt/v1/virtual-machine.ts'

/** A VM, deep-frozen like objects from caches. */
export function vmWith(spec: Partial<VirtualMachineSpec>, status?: VirtualMachineStatus, deleting = false): VirtualMachine {
  return deepFreeze({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'vm-uid',
      generation: 1,
      ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { template: { spec: { domain: { devices: {} } } }, ...spec },
    ...(status === undefined ? {} : { status }),
  } satisfies VirtualMachine)
}

/** The VM's VMI. */
export function vmiWith(status: VirtualMachineInstanceStatus, deleting = false): VirtualMachineInstance {
  return deepFreeze({
    metadata: { name: 'web', namespace: 'default', uid: 'vmi-uid', ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { domain: { devices: {} } },
    status,
  } satisfies VirtualMachineInstance)
}
