import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import { familyOf, type Family, type RevisionForm } from '#features/instancetype/index.ts'
import type { Inspect, Kept } from './kept.ts'
import { isStartRevision, keyOf, ownerOf, type Naming, type Namings } from './referrers.ts'
import type { Referrer, RevisionState, RevisionWorld } from './types.ts'

/** One revision, and what is to be said about it. */
export interface Judged {
  readonly revision: ControllerRevision
  readonly kept: Kept
  readonly state: Exclude<RevisionState, 'missing'>
  readonly message: string
  readonly referrers: readonly Referrer[]
}

/** A name of something that is not there. */
export interface Missing {
  readonly namespace: string
  readonly name: string
  readonly family: Family
  readonly referrers: readonly Referrer[]
}

/** What a judgement needs beside the lists. */
export interface Judging {
  readonly form: RevisionForm
  readonly namings: Namings
  readonly inspect: Inspect
}

/** Judges every revision that holds an instance type or preference, or should. Those of DaemonSets and others are none of our business. */
export function judgeRevisions(world: RevisionWorld, { form, namings, inspect }: Judging): Judged[] {
  const owners = new Set([...world.virtualMachines, ...world.snapshots].map(({ metadata }) => metadata?.uid))
  const restored = restoring(world)
  return world.revisions.flatMap((revision) => {
    const { namespace, name, deletionTimestamp } = revision.metadata
    const named = namings.get(keyOf(namespace, name)) ?? []
    if (deletionTimestamp !== undefined || !isOfHardware(revision, named)) return []
    const kept = inspectFor(revision, named, inspect, form)
    const isMeant = kept.shared || owns(revision, owners) || restored.has(namespace ?? '')
    return [{ revision, kept, referrers: named.map(({ by }) => by), ...stateOf(kept, form, isMeant) }]
  })
}

/** Names of revisions that are not there. */
export function missingIn(world: RevisionWorld, namings: Namings): Missing[] {
  const there = new Set(world.revisions.map(({ metadata }) => keyOf(metadata.namespace, metadata.name)))
  return [...namings].flatMap(([key, named]) => {
    const [first] = named
    if (there.has(key) || first === undefined) return []
    const separator = key.indexOf('/')
    const referrers = named.map(({ by }) => by)
    return [{ namespace: key.slice(0, separator), name: key.slice(separator + 1), family: first.family, referrers }]
  })
}

function isOfHardware(revision: ControllerRevision, named: readonly Naming[]): boolean {
  if (isStartRevision(revision)) return false
  if (named.length > 0 || familyOf(revision) !== undefined) return true
  const apiVersion = revision.data?.['apiVersion']
  if (typeof apiVersion === 'string' && groups.has(parseApiVersion(apiVersion).group)) return true
  // Whatever else a VM or snapshot owns of this kind was once meant to be one.
  const owner = ownerOf(revision)
  return owner?.kind === 'VirtualMachine' || owner?.kind === 'VirtualMachineSnapshot'
}

/** The group of today, and that of the first release that captured anything. */
const groups: ReadonlySet<string> = new Set(['instancetype.kubevirt.io', 'flavor.kubevirt.io'])

/** One that is named as an instance type and as a preference cannot be both. */
function inspectFor(revision: ControllerRevision, named: readonly Naming[], inspect: Inspect, form: RevisionForm): Kept {
  const families = new Set(named.map(({ family }) => family))
  if (families.size === 0) return inspect(revision, undefined, form)
  const all = [...families].map((family) => inspect(revision, family, form))
  return all.find(({ object }) => object === undefined) ?? (all[0] as Kept)
}

function owns(revision: ControllerRevision, owners: ReadonlySet<string | undefined>): boolean {
  const owner = ownerOf(revision)
  if (owner === undefined) return false
  return owner.kind !== 'VirtualMachine' && owner.kind !== 'VirtualMachineSnapshot' ? true : owners.has(owner.uid)
}

/** Namespaces in which something is being restored: there, copies wait for the VM that will own them. */
function restoring({ restores }: RevisionWorld): ReadonlySet<string> {
  const isUnderWay = (restore: object): boolean => (restore as { status?: { complete?: boolean } }).status?.complete !== true
  return new Set(restores.filter(isUnderWay).map(({ metadata }) => metadata?.namespace ?? ''))
}

function stateOf(kept: Kept, form: RevisionForm, isMeant: boolean): Pick<Judged, 'state' | 'message'> {
  if (kept.object === undefined) return { state: 'undecodable', message: kept.problem }
  if (!isMeant) return { state: 'orphaned', message: 'its owner is gone, or it has none' }
  if (kept.inForm) return { state: 'current', message: '' }
  return { state: 'outdated', message: outdatedBecause(kept, form) }
}

function outdatedBecause({ version, shared }: Kept, form: RevisionForm): string {
  if (version !== form.version) return `holds ${version}, wanted is ${form.version}`
  if (shared !== (form.sharing === 'shared')) return shared ? 'is shared, wanted is one of its own' : 'is not shared, as is wanted'
  return 'its labels do not say what it holds'
}
