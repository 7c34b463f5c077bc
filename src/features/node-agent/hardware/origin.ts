import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Origin } from '#features/hardware-record/index.ts'

/** Returns node, QEMU version, release and revision of a launch. */
export function originOf({ status }: VirtualMachineInstance, place: { readonly qemu: string; readonly node: string }): Origin {
  const { virtualMachineRevisionName: specification, launcherContainerImageVersion: release } = status ?? {}
  return {
    ...place,
    ...(release === undefined ? {} : { release }),
    ...(specification === undefined ? {} : { specification }),
  }
}
