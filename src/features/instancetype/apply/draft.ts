import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import { templateSpecPath, type Conflict } from '../conflict.ts'

/**
 * VMI under construction. Owned by one expansion, hence mutable; functions that change it end in
 * `Into`.
 */
export interface Draft {
  spec: VirtualMachineInstanceSpec
  annotations: Record<string, string>
}

/**
 * Applies one part of an instance type, or returns conflicting fields of the VM, after which the
 * draft is discarded.
 */
export type InstancetypePart = (
  draft: Draft,
  instancetype: VirtualMachineInstancetypeSpec,
  preference: VirtualMachinePreferenceSpec | undefined,
) => Conflict[]

/** Applies one part of a preference to fields that VM and instance type leave unset. */
export type PreferencePart = (draft: Draft, preference: VirtualMachinePreferenceSpec) => void

/**
 * Returns a conflict at a path below the template's spec. `field` is KubeVirt's name where it
 * differs.
 */
export function conflictAt(path: string, field: string = path): Conflict {
  return { field: `${templateSpecPath}.${field}`, path: `spec.${path}` }
}
