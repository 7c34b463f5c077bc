import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { instancetypeOf, preferenceOf, vmOf } from '../instancetype.fixture.ts'
import { expand, type Expansion } from './expand.ts'

/** Inputs of an expansion that a test sets. */
export interface Inputs {
  readonly vm?: Partial<VirtualMachineInstanceSpec>
  readonly annotations?: Record<string, string>
  readonly instancetype?: Partial<VirtualMachineInstancetypeSpec>
  readonly preference?: VirtualMachinePreferenceSpec
}

/** Expands the smallest VM with what is given. */
export function expandOf({ vm, annotations, instancetype, preference }: Inputs): Expansion {
  return expand(
    vmOf(vm, annotations),
    instancetype === undefined ? undefined : instancetypeOf(instancetype),
    preference === undefined ? undefined : preferenceOf(preference),
    defaultClusterConfig,
  )
}

/** A spec that says something about its domain. */
export function domain(spec: Partial<VirtualMachineInstanceSpec['domain']>): Partial<VirtualMachineInstanceSpec> {
  return { domain: { devices: {}, ...spec } }
}
