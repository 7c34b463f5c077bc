import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import { decodeRevision, familyOf, isShared, type Family, type RevisionFormat } from '#features/instancetype/index.ts'
import { isRestoreActive } from '#features/snapshot/index.ts'
import type { Inspect, InspectedRevision } from './inspect-revision.ts'
import { isHistory, isStartRevision, keyOf, type NamedReference, type ReferencesByRevision } from './collect-references.ts'
import type { Referrer, RevisionState, RevisionInventory } from '../types.ts'

/** A revision with its state and references. */
export interface AssessedRevision {
  readonly revision: ControllerRevision
  readonly kept: InspectedRevision
  readonly state: Exclude<RevisionState, 'missing'>
  readonly message: string
  /** Names of its object in the references. */
  readonly called: readonly string[]
  readonly referrers: readonly Referrer[]
  /** True if a controller upgrades or collects it: it is referenced, owned by a VM, or shared. */
  readonly isLookedAfter: boolean
  /** True if it is being deleted and kept by finalizers. */
  readonly isGoing: boolean
}

/** A referenced revision that does not exist. */
export interface Missing {
  readonly namespace: string
  readonly name: string
  readonly family: Family
  /** Names of its object in the references. */
  readonly called: readonly string[]
  readonly referrers: readonly Referrer[]
}

/** Options of {@link assessRevisions}. */
export interface AssessOptions {
  readonly format: RevisionFormat
  readonly namings: ReferencesByRevision
  readonly inspect: Inspect
  /**
   * Confirms a state that follows from several lists, which were not read at one moment. By default
   * every state is confirmed.
   */
  readonly believes?: Believes
}

/** Receives the state and `namespace/name` of a revision. */
export type Believes = (state: 'orphaned' | 'missing', key: string) => boolean

const always: Believes = () => true

/**
 * Assesses all revisions of instance types and preferences. Those of other controllers, such as
 * DaemonSets, are skipped.
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
    // An unreferenced revision is history of its VM or waits for the collector; its sharing is not
    // converted.
    const wanted: RevisionFormat = named.length > 0 ? format : { ...format, sharing: isShared(revision) ? 'shared' : 'own' }
    const kept = inspectFor(revision, named, inspect, wanted)
    if (isBeingDeleted(revision)) return kept.inForm ? [] : [heldBack(revision, kept, { named, wanted })]
    const isMeant = kept.shared || isOwned(revision, owners) || restored.has(namespace ?? '') || !believes('orphaned', key)
    const isLookedAfter = named.length > 0 || kept.shared || isOwned(revision, { vms: owners.vms, snapshots: none })
    return [{ revision, kept, ...namedBy(named), isLookedAfter, isGoing: false, ...stateOf(kept, wanted, isMeant) }]
  })
}

/**
 * Returns references to missing revisions. A missing one that a VM only lists as history is no
 * loss.
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
  // VMs and snapshots own no other revisions.
  const owner = controllerOf(revision)
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

/** The current API group, and that of the first release with captures. */
const groups: ReadonlySet<string> = new Set(['instancetype.kubevirt.io', 'flavor.kubevirt.io'])

/** Inspects a revision for all families that it is referenced as; it can only be of one. */
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

/** Reports whether an owner exists. Owners of other kinds count as existing. */
function isOwned({ metadata }: ControllerRevision, { vms, snapshots }: Owners): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, uid }) => {
    if (kind === 'VirtualMachine') return vms.has(uid)
    return kind.startsWith('VirtualMachineSnapshot') ? snapshots.has(uid) : true
  })
}

/** Returns the namespaces with active restores, where revisions may not have their owner yet. */
function restoring({ restores }: RevisionInventory): ReadonlySet<string> {
  return new Set(restores.filter(isRestoreActive).map(({ metadata }) => metadata?.namespace ?? ''))
}

function stateOf(kept: InspectedRevision, format: RevisionFormat, isMeant: boolean): Pick<AssessedRevision, 'state' | 'message'> {
  if (kept.object === undefined) return { state: 'undecodable', message: kept.problem }
  if (!isMeant) return { state: 'orphaned', message: 'its owner is gone, or it has none' }
  if (kept.inForm) return { state: 'current', message: '' }
  return { state: 'outdated', message: outdatedBecause(kept, format) }
}

/**
 * Assesses a revision that is being deleted: no controller changes it, but it is stored until its
 * last finalizer is removed.
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
