import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Ports } from '../guest/ports.ts'
import { storedRecord, vmOf } from './vm-record.ts'

/**
 * Reports whether the hardware record of a guest's VM has PCIe ports for hotplug, or has no
 * hardware yet. VMs that ran under releases without them keep their hardware.
 */
export async function hadPorts(ports: Pick<Ports, 'client'>, vmi: VirtualMachineInstance): Promise<boolean> {
  const key = vmOf(vmi)
  const record = key === undefined ? undefined : await storedRecord(ports, key)
  return record === undefined || record.facts['device port0: type'] !== undefined
}
