import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import { decodeRevision, familyOf, isShared, type Family, type RevisionFormat } from '#features/instancetype/index.ts'
import { isRestoreActive } from '#features/snapshot/index.ts'
import type { Inspect, InspectedRevision } from './inspect-revision.ts'
import { isHistory, isStartRevision, keyOf, ownerOf, type NamedReference, type ReferencesByRevision } from './collect-references.ts'
import type { Referrer, RevisionState, RevisionInventory } from '../types.ts'

/** One revision, and what is to be said about it. */
export interface AssessedRevision {
  readonly revision: ControllerRevision
  readonly kept: InspectedRevision
  readonly state: Exclude<RevisionState, 'missing'>
  readonly message: string
  /** What it is a copy of, by those who name it. */
  readonly called: readonly string[]
  readonly referrers: readonly Referrer[]
  /**
   * Whether a controller looks after it: somebody names it, a VM owns it, or nobody does and it is
   * collected.
   */
  readonly isLookedAfter: boolean
  /** Whether it is being deleted, and only its finalizers keep it. */
  readonly isGoing: boolean
}

/** A name of something that is not there. */
export interface Missing {
  readonly namespace: string
  readonly name: string
  readonly family: Family
  /** What it was a copy of, by those who name it. */
  readonly called: readonly string[]
  readonly referrers: readonly Referrer[]
}

/** What a judgement needs beside the lists. */
export interface AssessOptions {
  readonly format: RevisionFormat
  readonly namings: ReferencesByRevision
  readonly inspect: Inspect
  /**
   * Whether something that follows from several lists is so: they were not read at one moment.
   * Default: always.
   */
  readonly believes?: Believes
}

/** Told the `namespace/name` of a revision. */
export type Believes = (state: 'orphaned' | 'missing', key: string) => boolean

const always: Believes = () => true

/**
 * Judges every revision that holds an instance type or preference, or should. Those of DaemonSets
 * and others are none of our business.
 */
export function assessRevisions(
  cluster: RevisionInventory,
  { format, namings, inspect, believes = always }: AssessOptions,
): AssessedRevision[] {
  const owners = { vms: uidsOf(cluster.virtualMachines), snapshots: uidsOf([...cluster.snapshots, ...cluster.contents]) }
  const restored = restoring(cluster)
  return cluster.revisions.flatMap((revision) => {
    const { namespace, name } = revision.metadata
    const key = keyOf(namespace, name)
    const named = namings.get(key) ?? []
    if (!isOfHardware(revision, named)) return []
    // What nobody names is kept for going back, by the VM whose it was, or waits for being
    // collected: there is nobody to share it with or not.
    const wanted: RevisionFormat = named.length > 0 ? format : { ...format, sharing: isShared(revision) ? 'shared' : 'own' }
    const kept = inspectFor(revision, named, inspect, wanted)
    if (isBeingDeleted(revision)) return kept.inForm ? [] : [heldBack(revision, kept, { named, wanted })]
    const isMeant = kept.shared || isOwned(revision, owners) || restored.has(namespace ?? '') || !believes('orphaned', key)
    const isLookedAfter = named.length > 0 || kept.shared || isOwned(revision, { vms: owners.vms, snapshots: none })
    return [{ revision, kept, ...namedBy(named), isLookedAfter, isGoing: false, ...stateOf(kept, wanted, isMeant) }]
  })
}

/**
 * Names of revisions that are not there. What a VM could go back to once is nothing that it lacks.
 */
export function findMissing(
  cluster: RevisionInventory,
  { namings, believes = always }: Pick<AssessOptions, 'namings' | 'believes'>,
): Missing[] {
  const there = new Set(cluster.revisions.map(({ metadata }) => keyOf(metadata.namespace, metadata.name)))
  return [...namings].flatMap(([key, all]) => {
    const named = all.filter(({ by }) => !isHistory(by))
    const [first] = named
    if (there.has(key) || first === undefined || !believes('missing', key)) return []
    const separator = key.indexOf('/')
    return [{ namespace: key.slice(0, separator), name: key.slice(separator + 1), family: first.family, ...namedBy(named) }]
  })
}

function namedBy(named: readonly NamedReference[]): Pick<AssessedRevision, 'called' | 'referrers'> {
  return { called: named.map(({ object }) => object), referrers: named.map(({ by }) => by) }
}

function isOfHardware(revision: ControllerRevision, named: readonly NamedReference[]): boolean {
  if (isStartRevision(revision)) return false
  if (named.length > 0 || familyOf(revision) !== undefined) return true
  const apiVersion = revision.data?.['apiVersion']
  if (typeof apiVersion === 'string' && groups.has(parseApiVersion(apiVersion).group)) return true
  if (isBareSpec(revision)) return true
  // Whatever else a VM or snapshot owns of this kind was once meant to be one.
  const owner = ownerOf(revision)
  return owner?.kind === 'VirtualMachine' || owner?.kind.startsWith('VirtualMachineSnapshot') === true
}

/**
 * Reports whether a revision has the oldest shape of all: KubeVirt 0.55 to 0.57 stored the spec as
 * JSON in base64, without labels, and lost the apiVersion. Other controllers store objects.
 */
function isBareSpec(revision: ControllerRevision): boolean {
  if (typeof revision.data?.['spec'] !== 'string' || (revision.data['apiVersion'] ?? '') !== '') return false
  return (['instancetype', 'preference'] as const).some((family) => {
    try {
      return decodeRevision(revision, family).shape === 'spec'
    } catch {
      return false
    }
  })
}

/** The group of today, and that of the first release that captured anything. */
const groups: ReadonlySet<string> = new Set(['instancetype.kubevirt.io', 'flavor.kubevirt.io'])

/** One that is named as an instance type and as a preference cannot be both. */
function inspectFor(
  revision: ControllerRevision,
  named: readonly NamedReference[],
  inspect: Inspect,
  format: RevisionFormat,
): InspectedRevision {
  const families = new Set(named.map(({ family }) => family))
  if (families.size === 0) return inspect(revision, undefined, format)
  const all = [...families].map((family) => inspect(revision, family, format))
  return all.find(({ object }) => object === undefined) ?? (all[0] as InspectedRevision)
}

interface Owners {
  readonly vms: ReadonlySet<string | undefined>
  readonly snapshots: ReadonlySet<string | undefined>
}

const none: ReadonlySet<string | undefined> = new Set()

function uidsOf(objects: readonly KubeObject[]): ReadonlySet<string | undefined> {
  return new Set(objects.map(({ metadata }) => metadata?.uid))
}

/**
 * One owner that is there is enough to keep a revision. Of owners of other kinds nothing is known.
 */
function isOwned({ metadata }: ControllerRevision, { vms, snapshots }: Owners): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, uid }) => {
    if (kind === 'VirtualMachine') return vms.has(uid)
    return kind.startsWith('VirtualMachineSnapshot') ? snapshots.has(uid) : true
  })
}

/**
 * Namespaces in which something is being restored: there, copies wait for the VM that will own
 * them.
 */
function restoring({ restores }: RevisionInventory): ReadonlySet<string> {
  return new Set(restores.filter(isRestoreActive).map(({ metadata }) => metadata?.namespace ?? ''))
}

function stateOf(kept: InspectedRevision, format: RevisionFormat, isMeant: boolean): Pick<AssessedRevision, 'state' | 'message'> {
  if (kept.object === undefined) return { state: 'undecodable', message: kept.problem }
  if (!isMeant) return { state: 'orphaned', message: 'its owner is gone, or it has none' }
  if (kept.inForm) return { state: 'current', message: '' }
  return { state: 'outdated', message: outdatedBecause(kept, format) }
}

/** Whether somebody wants it gone, and somebody else does not let it go yet. */
function isBeingDeleted({ metadata }: ControllerRevision): boolean {
  return metadata.deletionTimestamp !== undefined
}

/**
 * What is being deleted is none of the controllers' business any more, and yet it is stored until
 * its last finalizer goes.
 */
function heldBack(
  revision: ControllerRevision,
  kept: InspectedRevision,
  { named, wanted }: { readonly named: readonly NamedReference[]; readonly wanted: RevisionFormat },
): AssessedRevision {
  const { state, message } = stateOf(kept, wanted, true)
  const finalizers = (revision.metadata.finalizers ?? []).join(', ')
  const held = `${message}; it is being deleted, and waits for its finalizers: ${finalizers}`
  return { revision, kept, ...namedBy(named), isLookedAfter: false, isGoing: true, state, message: held }
}

function outdatedBecause({ version, shared }: InspectedRevision, format: RevisionFormat): string {
  if (version !== format.version) return `holds ${version}, wanted is ${format.version}`
  if (shared !== (format.sharing === 'shared')) return shared ? 'is shared, wanted is one of its own' : 'is not shared, as is wanted'
  return 'its labels do not say what it holds'
}
