import type { VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Family } from '../matcher.ts'

/** Returns a VM spec whose matchers name these revisions. */
export function withRevisionNames(
  spec: VirtualMachineSpec,
  revisions: Readonly<Partial<Record<Family, string | undefined>>>,
): VirtualMachineSpec {
  const { instancetype, preference } = revisions
  return {
    ...spec,
    ...(spec.instancetype === undefined || instancetype === undefined
      ? {}
      : { instancetype: { ...spec.instancetype, revisionName: instancetype } }),
    ...(spec.preference === undefined || preference === undefined ? {} : { preference: { ...spec.preference, revisionName: preference } }),
  }
}
