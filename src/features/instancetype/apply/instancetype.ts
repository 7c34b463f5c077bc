import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { Conflict } from '../conflict.ts'
import { applyAnnotationsInto } from './annotations.ts'
import { applyCpuInto } from './cpu.ts'
import type { Draft, InstancetypePart } from './draft.ts'
import { applyIoThreadsInto, applyIoThreadsPolicyInto } from './io-threads.ts'
import { applyLaunchSecurityInto } from './launch-security.ts'
import { applyMemoryInto } from './memory.ts'
import { applyGpusInto, applyHostDevicesInto } from './passthrough.ts'
import { applyNodeSelectorInto, applySchedulerNameInto } from './scheduling.ts'

const parts: readonly InstancetypePart[] = [
  applyNodeSelectorInto,
  applySchedulerNameInto,
  applyCpuInto,
  applyMemoryInto,
  applyIoThreadsInto,
  applyIoThreadsPolicyInto,
  applyLaunchSecurityInto,
  applyGpusInto,
  applyHostDevicesInto,
  applyAnnotationsInto,
]

/**
 * Applies all parts of an instance type and returns all conflicts. With a conflict, the draft must
 * be discarded.
 */
export function applyInstancetypeInto(
  draft: Draft,
  instancetype: VirtualMachineInstancetypeSpec,
  preference: VirtualMachinePreferenceSpec | undefined,
): Conflict[] {
  return parts.flatMap((part) => part(draft, instancetype, preference))
}
