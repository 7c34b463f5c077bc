import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import { templateSpecPath, type Conflict } from '../conflict.ts'

/**
 * A VMI in the making. Private to one expansion, hence mutable: the functions that change it are
 * named `…Into`.
 */
export interface Draft {
  spec: VirtualMachineInstanceSpec
  annotations: Record<string, string>
}

/**
 * Applies one part of an instance type, or gives the fields for which the VM has decided otherwise;
 * then the draft is not used any more.
 */
export type InstancetypePart = (
  draft: Draft,
  instancetype: VirtualMachineInstancetypeSpec,
  preference: VirtualMachinePreferenceSpec | undefined,
) => Conflict[]

/** Applies one part of a preference: only what the VM and its instance type have left open. */
export type PreferencePart = (draft: Draft, preference: VirtualMachinePreferenceSpec) => void

/**
 * A conflict at a path below the template's spec. KubeVirt calls some fields otherwise than they
 * are called: `field` is its name.
 */
export function conflictAt(path: string, field: string = path): Conflict {
  return { field: `${templateSpecPath}.${field}`, path: `spec.${path}` }
}
