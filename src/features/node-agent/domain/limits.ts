import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { validateAvailable } from '#features/vmi/index.ts'
import { UnsupportedGuest } from './unsupported-guest.ts'

/**
 * Refuses hardware that the node cannot give. Admission does so before a guest is placed, unless
 * its VMI was created under another release. @throws UnsupportedGuest
 */
export function checkLimits(spec: VirtualMachineInstanceSpec): void {
  const [cause] = validateAvailable(spec, 'spec')
  if (cause !== undefined) throw new UnsupportedGuest(cause.message)
}
