import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { InstancetypeKind, PreferenceKind } from './matcher.ts'

/** An instance type of either scope, decoded into the newest version. */
export interface Instancetype {
  readonly kind: InstancetypeKind
  readonly metadata: ObjectMeta
  readonly spec: VirtualMachineInstancetypeSpec
}

/** A preference of either scope, decoded into the newest version. */
export interface Preference {
  readonly kind: PreferenceKind
  readonly metadata: ObjectMeta
  readonly spec: VirtualMachinePreferenceSpec
}
