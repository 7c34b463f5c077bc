import type { VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Family } from '../matcher.ts'

/** A VM's spec that names these revisions, as far as it names an instance type and a preference. */
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
