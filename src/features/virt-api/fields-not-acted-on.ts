import { virtualMachineInstanceFieldsNotActedOn } from '#api/kubevirt/v1/not-acted-on.generated.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ClusterConfig } from '#features/defaults/index.ts'
import { expand, type Instancetype, type Preference } from '#features/instancetype/index.ts'

/** A field that an object uses although nothing acts on it yet is kept, and its user is told. `patterns` are paths below the spec; `[]` stands for any item. */
export function warnOfFieldsNotActedOn(spec: unknown, patterns: readonly string[]): string[] {
  return usedOf(spec, patterns).map((pattern) => `spec.${pattern} is kept, but nothing acts on it yet`)
}

interface Hardware {
  readonly instancetype: Instancetype | undefined
  readonly preference: Preference | undefined
  readonly config: ClusterConfig
}

/** The same for what a VM does not say itself: its owner did not see what the author of the instance type or preference was told. */
export function warnOfGivenFieldsNotActedOn(vm: VirtualMachine, { instancetype, preference, config }: Hardware): string[] {
  if (instancetype === undefined && preference === undefined) return []
  const usedWith = (...[type, preferred]: readonly [Instancetype?, Preference?]): readonly string[] =>
    usedOf(expand(vm, type, preferred, config).vmi.spec, virtualMachineInstanceFieldsNotActedOn)
  const own = new Set(usedWith())
  return usedWith(instancetype, preference)
    .filter((pattern) => !own.has(pattern))
    .map((pattern) => `spec.template.spec.${pattern} comes from the instance type or preference, but nothing acts on it yet`)
}

function usedOf(spec: unknown, patterns: readonly string[]): readonly string[] {
  return patterns.filter((pattern) => isUsed(spec, pattern.replaceAll('[]', '.[]').split('.')))
}

/** What is switched off asks for nothing. */
function isUsed(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return value !== undefined && value !== null && value !== false
  if (key === '[]') return Array.isArray(value) && value.some((item) => isUsed(item, rest))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
  return isUsed((value as Record<string, unknown>)[key], rest)
}
