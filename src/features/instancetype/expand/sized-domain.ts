import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { applyCpuInto } from '../apply/cpu.ts'
import type { Draft } from '../apply/draft.ts'
import { applyMemoryInto } from '../apply/memory.ts'
import type { Instancetype, Preference } from '../types.ts'

/** The part of a guest's hardware that says how large it is. */
export type SizedDomain = Pick<VirtualMachineInstanceSpec['domain'], 'cpu' | 'memory' | 'resources'>

/**
 * Returns the CPUs, the memory and the resources of a guest with its instance type, without any
 * defaults. A VM that conflicts with its instance type keeps its own. Cheaper than `expand`. Pure:
 * arguments are not changed.
 */
export function sizedDomain(
  domain: SizedDomain | undefined,
  instancetype: Instancetype | undefined,
  preference: Preference | undefined,
): SizedDomain {
  const { cpu, memory, resources } = domain ?? {}
  const own: SizedDomain = {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(resources === undefined ? {} : { resources }),
  }
  if (instancetype === undefined) return own
  const draft: Draft = { spec: { domain: { ...own, devices: {} } }, annotations: {} }
  const conflicts = [applyCpuInto, applyMemoryInto].flatMap((apply) => apply(draft, instancetype.spec, preference?.spec))
  return conflicts.length > 0 ? own : draft.spec.domain
}
