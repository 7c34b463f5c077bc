import { virtualMachineInstanceFieldsNotActedOn } from '#api/kubevirt/v1/not-acted-on.generated.ts'
import { usedFields } from '#api/usage/used-fields.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import { expand, type Instancetype, type Preference } from '#features/instancetype/index.ts'

/**
 * Returns warnings about fields without effect, which are stored. `patterns` are paths below the
 * spec;
 * `[]` stands for any item.
 */
export function warnOfFieldsNotActedOn(spec: unknown, patterns: readonly string[]): string[] {
  return usedFields(spec, patterns).map((pattern) => `spec.${pattern} is kept, but nothing acts on it yet`)
}

interface Hardware {
  readonly instancetype: Instancetype | undefined
  readonly preference: Preference | undefined
  readonly config: ClusterConfig
}

/**
 * Returns the same warnings for values from an instance type or preference: the owner of the VM did
 * not see the warnings to its author.
 */
export function warnOfGivenFieldsNotActedOn(vm: VirtualMachine, { instancetype, preference, config }: Hardware): string[] {
  if (instancetype === undefined && preference === undefined) return []
  const usedWith = (...[type, preferred]: readonly [Instancetype?, Preference?]): readonly string[] =>
    usedFields(expand(vm, type, preferred, config).vmi.spec, virtualMachineInstanceFieldsNotActedOn)
  const own = new Set(usedWith())
  return usedWith(instancetype, preference)
    .filter((pattern) => !own.has(pattern))
    .map((pattern) => `spec.template.spec.${pattern} comes from the instance type or preference, but nothing acts on it yet`)
}
