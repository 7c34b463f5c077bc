import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Found } from '../lookup.ts'
import type { Instancetype, Preference } from '../types.ts'
import { expand, type Expansion } from './expand.ts'
import { leavesOf, without } from '../leaves.ts'
import type { Source } from './sources.ts'

/** All that a VM's hardware depends on. */
export interface ExpansionInputs {
  readonly vm: VirtualMachine
  readonly instancetype: Found<Instancetype> | undefined
  readonly preference: Found<Preference> | undefined
  readonly config: ClusterConfig
}

/** A value that another one has kept from the guest. */
export interface Overridden {
  readonly source: Source
  readonly value: unknown
}

/** {@link expand} with its arguments in one object. */
export function expandInputs({ vm, instancetype, preference, config }: ExpansionInputs): Expansion {
  return expand(vm, instancetype?.object, preference?.object, config)
}

/**
 * What would be at a path of the VMI if whoever has decided it had not, the next in line first.
 * Found by expanding again without that source, so it is what the guest would really get. Where the
 * VM conflicts with its instance type, the VM counts as having overridden it.
 * `given` is the expansion of the inputs, for whoever has it already.
 */
export function overridden(inputs: ExpansionInputs, path: string, given: Expansion = expandInputs(inputs)): readonly Overridden[] {
  const chain: Overridden[] = []
  let left = inputs
  let expansion = given
  for (;;) {
    const source = expansion.sources.get(path)
    if (source === undefined || source === 'default') return chain
    left = withoutSource(left, expansion, source, path)
    expansion = expandInputs(left)
    const next = expansion.sources.get(path)
    // A list that has become shorter shows the source's own next item here, which nobody has
    // overridden.
    if (next === undefined || next === source) return chain
    chain.push({ source: next, value: leavesOf(expansion.vmi).get(path) })
  }
}

function withoutSource(inputs: ExpansionInputs, { conflicts }: Expansion, source: Source, path: string): ExpansionInputs {
  if (source === 'instancetype') return { ...inputs, instancetype: undefined }
  if (source === 'preference') return { ...inputs, preference: undefined }
  return withoutConflicts({ ...inputs, vm: withoutPath(inputs.vm, path) }, conflicts.length)
}

/**
 * As long as anything conflicts the instance type gives nothing, so that one field shows its value
 * only when the others are gone, too.
 */
function withoutConflicts(inputs: ExpansionInputs, conflictsBefore: number): ExpansionInputs {
  if (conflictsBefore === 0) return inputs
  const { conflicts } = expandInputs(inputs)
  const vm = conflicts.reduce((rest, conflict) => withoutPath(rest, conflict.path), inputs.vm)
  return withoutConflicts({ ...inputs, vm }, conflicts.length)
}

/** The VM as if its user had not written what the VMI has at a path. */
export function withoutPath(vm: VirtualMachine, path: string): VirtualMachine {
  const template = { spec: {}, ...without(vm.spec.template, path) } as VirtualMachine['spec']['template']
  return { ...vm, spec: { ...vm.spec, template } }
}
