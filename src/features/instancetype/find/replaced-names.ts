import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'

/** Names of replaced revisions, and the name of each replacement. */
export type ReplacedNames = Readonly<Record<string, string>>

/** Returns the replaced names of a VM. */
export function replacedNames({ status }: Pick<VirtualMachine, 'status'>): ReplacedNames {
  return status?.steadyvm?.replaced ?? {}
}

/** Returns the current revision for a name: its replacement, else the name itself. */
export function currentNameOf(vm: Pick<VirtualMachine, 'status'>, revision: string): string {
  const replaced = replacedNames(vm)
  return (Object.hasOwn(replaced, revision) ? replaced[revision] : undefined) ?? revision
}

/** Returns the names that a revision has replaced. */
export function formerNamesOf(vm: Pick<VirtualMachine, 'status'>, revision: string): readonly string[] {
  return Object.entries(replacedNames(vm)).flatMap(([old, now]) => (now === revision ? [old] : []))
}

/**
 * Adds replacements. Chains are flattened, so that one look-up suffices; a name that is in use
 * again is no longer replaced.
 */
export function addReplacedNames(replaced: ReplacedNames, renames: ReadonlyMap<string, string>): ReplacedNames {
  const moved = Object.entries(replaced).map(([old, now]) => [old, renames.get(now) ?? now] as const)
  const entries = [...moved, ...renames]
  const inForce = new Set(entries.map(([, now]) => now))
  return Object.fromEntries(entries.filter(([old]) => !inForce.has(old)))
}
