import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** Names of revisions that were given up, and what stands in place of each. */
export type ReplacedNames = Readonly<Record<string, string>>

/** The names that a VM has given up. */
export function replacedNames({ status }: Pick<VirtualMachine, 'status'>): ReplacedNames {
  return status?.steadyvm?.replaced ?? {}
}

/**
 * The revision that a name stands for on a VM: what the name was given up for when its revision was
 * replaced, else the name itself.
 */
export function currentNameOf(vm: Pick<VirtualMachine, 'status'>, revision: string): string {
  const replaced = replacedNames(vm)
  return (Object.hasOwn(replaced, revision) ? replaced[revision] : undefined) ?? revision
}

/** The names that were given up for a revision. */
export function formerNamesOf(vm: Pick<VirtualMachine, 'status'>, revision: string): readonly string[] {
  return Object.entries(replacedNames(vm)).flatMap(([old, now]) => (now === revision ? [old] : []))
}

/**
 * The same after more names were given up. What a name stands for is never given up itself, so that
 * one look is enough: older names follow, and a name that is taken again means what it says.
 */
export function addReplacedNames(replaced: ReplacedNames, renames: ReadonlyMap<string, string>): ReplacedNames {
  const moved = Object.entries(replaced).map(([old, now]) => [old, renames.get(now) ?? now] as const)
  const entries = [...moved, ...renames]
  const inForce = new Set(entries.map(([, now]) => now))
  return Object.fromEntries(entries.filter(([old]) => !inForce.has(old)))
}
