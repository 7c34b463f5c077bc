import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Found } from '../lookup.ts'
import type { Instancetype, Preference } from '../types.ts'
import { expand, type Expansion } from './expand.ts'
import { leavesOf, without } from '../leaves.ts'
import type { Source } from './sources.ts'

/** All inputs of an expansion. */
export interface ExpansionInputs {
  readonly vm: VirtualMachine
  readonly instancetype: Found<Instancetype> | undefined
  readonly preference: Found<Preference> | undefined
  readonly config: ClusterConfig
}

/** A value that another source overrides. */
export interface Overridden {
  readonly source: Source
  readonly value: unknown
}

/** Calls {@link expand} with its arguments in one object. */
export function expandInputs({ vm, instancetype, preference, config }: ExpansionInputs): Expansion {
  return expand(vm, instancetype?.object, preference?.object, config)
}

/**
 * Returns the values that would apply at a path without the source that decided it, next in
 * precedence first. Expands again without that source, so that the result is exact. With a
 * conflict, the VM counts as the overriding source. `given` is the expansion of the inputs if
 * already known.
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
    // In a shortened list this is the source's own next item, which was not overridden.
    if (next === undefined || next === source) return chain
    chain.push({ source: next, value: leavesOf(expansion.vmi).get(path) })
  }
}

function withoutSource(inputs: ExpansionInputs, { conflicts }: Expansion, source: Source, path: string): ExpansionInputs {
  if (source === 'instancetype') return { ...inputs, instancetype: undefined }
  if (source === 'preference') return { ...inputs, preference: undefined }
  return withoutConflicts({ ...inputs, vm: withoutPath(inputs.vm, path) }, conflicts.length)
}

/** Removes all conflicting fields: with any conflict, the instance type provides no value. */
function withoutConflicts(inputs: ExpansionInputs, conflictsBefore: number): ExpansionInputs {
  if (conflictsBefore === 0) return inputs
  const { conflicts } = expandInputs(inputs)
  const vm = conflicts.reduce((rest, conflict) => withoutPath(rest, conflict.path), inputs.vm)
  return withoutConflicts({ ...inputs, vm }, conflicts.length)
}

/** Returns the VM without the user's value for a path of the VMI. */
export function withoutPath(vm: VirtualMachine, path: string): VirtualMachine {
  const template = { spec: {}, ...without(vm.spec.template, path) } as VirtualMachine['spec']['template']
  return { ...vm, spec: { ...vm.spec, template } }
}
