import type { InstancetypeMatcher, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { refreshAnnotation, type Family, type HistoryEntry } from '#features/instancetype/index.ts'
import { families, identityOf, namedObject } from './cluster-state/named-objects.ts'

/** A revision with its number for users: within its family the oldest is 1. */
export interface NumberedEntry extends HistoryEntry {
  readonly number: number
}

/** Selects the revision to roll back to. */
export interface UndoRequest {
  /** Number or name of the revision. Absent: the one before that in force. */
  readonly to?: string
  /** Absent: the family that `to` names, else the instance type if the VM has one. */
  readonly family?: Family
}

/** There is no revision to go back to. The message lists the existing ones. */
export class NoSuchRevision extends Error {
  override readonly name = 'NoSuchRevision'
}

/** The history with numbers, in the same order. */
export function numberEntries(history: readonly HistoryEntry[]): NumberedEntry[] {
  return families.flatMap((family) => {
    const entries = history.filter((entry) => entry.family === family)
    return entries.map((entry, index) => ({ ...entry, number: entries.length - index }))
  })
}

/** Selects the requested revision. @throws NoSuchRevision */
export function chooseRevision(vm: VirtualMachine, entries: readonly NumberedEntry[], { to, family }: UndoRequest): NumberedEntry {
  const byName = entries.find((entry) => entry.revision === to && (family === undefined || entry.family === family))
  if (byName !== undefined) return byName
  const wanted = family ?? (vm.spec.instancetype === undefined ? 'preference' : 'instancetype')
  const candidates = entries.filter((entry) => entry.family === wanted)
  const found = to === undefined ? previousOf(candidates) : candidates.find(({ number }) => String(number) === to)
  if (found !== undefined) return found
  const there = candidates.map(({ number, revision }) => `${number} (${revision})`).join(', ')
  const what = to === undefined ? `no ${wanted} revision before the one in force` : `no ${wanted} revision "${to}"`
  throw new NoSuchRevision(`VM "${vm.metadata.name}" has ${what}: it has ${there === '' ? 'none' : there}`)
}

function previousOf(candidates: readonly NumberedEntry[]): NumberedEntry | undefined {
  const current = candidates.findIndex(({ inForce }) => inForce)
  return current < 0 ? undefined : candidates[current + 1]
}

/**
 * Returns the matcher that pins a VM to a revision. Name and kind keep the user's spelling while
 * they mean the same object.
 */
export function matcherFor(vm: VirtualMachine, { family, kind, name, revision }: HistoryEntry): InstancetypeMatcher {
  const { namespace } = vm.metadata
  const object = { kind, name, ...(kind.includes('Cluster') || namespace === undefined ? {} : { namespace }) }
  const named = namedObject(vm, family)
  if (named !== undefined && identityOf(named) === identityOf(object)) return { ...vm.spec[family], revisionName: revision }
  return { kind, name, revisionName: revision }
}

/**
 * Returns a merge patch that makes a VM take the newest generation of everything that it names,
 * also of pinned objects.
 */
export function refreshPatch(vm: VirtualMachine, now: string): object {
  const pinned = families.filter((family) => (vm.spec[family]?.revisionName ?? '') !== '')
  const spec = Object.fromEntries(pinned.map((family) => [family, { revisionName: null }]))
  return { metadata: { annotations: { [refreshAnnotation]: now } }, ...(pinned.length === 0 ? {} : { spec }) }
}
