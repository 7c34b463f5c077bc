import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { conflict, isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Lookup } from '../lookup.ts'
import type { Family } from '../matcher.ts'
import type { Instancetype, Preference } from '../types.ts'
import { changesBetween } from './diff.ts'
import { claimRevision, claimMetadata } from './claim.ts'
import { decodeRevision, RevisionUndecodable } from '../codec/codec.ts'
import { type Holder } from '../codec/holder.ts'
import { wantedRevision } from '../codec/new-revision.ts'
import { alternativeName } from '../codec/revision-name.ts'
import { holdsVersion, hasFormat, sharedLabel, sharingLabels, type RevisionFormat } from '../codec/storage-format.ts'
import { familyOfKind, identityLabels, type Identified } from '../codec/labels.ts'

/** The revision's name is taken by something else. */
class UnexpectedRevision extends Error {
  override readonly name = 'UnexpectedRevision'
}

/** What storing needs. */
export interface StorePorts {
  readonly client: Pick<Client, 'create' | 'get' | 'patch'>
  readonly clock: Pick<Clock, 'now'>
  /** A cache that may have the revision, which spares a request for each holder of a shared one. */
  readonly lookup?: Pick<Lookup, 'cached'>
}

/**
 * Pins an object for a holder in the format that is wanted, and gives the revision's name. One that
 * is there already and holds the same spec is used, so that the step can be repeated after a crash.
 * A shared one is claimed: it must be named at once. @throws UnexpectedRevision, StatusError
 */
export async function storeRevision(
  ports: StorePorts,
  holder: Holder,
  object: Instancetype | Preference,
  format: RevisionFormat,
  { isClaimed = format.sharing === 'shared', allowAlternativeName: mayEvade = false }: StoreOptions = {},
): Promise<string> {
  const revision = wantedRevision(holder, object, format)
  const claimed = { ...revision, metadata: { ...revision.metadata, ...claimMetadata(ports.clock.now()) } }
  const wish: StoreRequest = {
    wanted: isClaimed ? claimed : revision,
    isClaimed,
    allowAlternativeName: mayEvade,
    object,
    family: familyOfKind(object.kind),
    format,
  }
  return format.sharing === 'shared' ? storeShared(ports, wish) : storeOwned(ports, holder, wish)
}

/** How a revision is stored. */
export interface StoreOptions {
  /**
   * Whether to tell that it is about to be named. Who shares always does; who has it alone must
   * where another one may prune at the same time.
   */
  readonly isClaimed?: boolean
  /**
   * Whether another name is taken when the usual one holds something else, as a copy does that does
   * not say what it is of. Only for one's own.
   */
  readonly allowAlternativeName?: boolean
}

interface StoreRequest {
  readonly wanted: ControllerRevision
  readonly isClaimed: boolean
  readonly allowAlternativeName: boolean
  readonly object: Instancetype | Preference
  readonly family: Family
  readonly format: RevisionFormat
}

/** Keeps a revision for one holder alone. */
async function storeOwned(ports: StorePorts, holder: Holder, wish: StoreRequest): Promise<string> {
  const existing = await createOrGet(ports, wish.wanted)
  const { name = '', ownerReferences: owners = [] } = wish.wanted.metadata
  if (existing === undefined) return name
  const owner = ownerOf(existing)
  // A VM and a snapshot may be called the same, and neither of them goes when the other one does.
  if (owner !== undefined && owner.kind !== holder.kind) return storeOwned(ports, holder, withAlternativeName(wish, holder))
  if (owner !== undefined && owner.uid !== holder.uid) throw unexpected(name)
  if (!holdsSameSpec(existing, wish)) {
    if (!wish.allowAlternativeName) throw unexpected(name)
    return storeOwned(ports, holder, withAlternativeName(wish, holder))
  }
  if (!holdsVersion(existing, wish.family, wish.format.version)) return storeOwned(ports, holder, withAlternativeName(wish, holder))
  const { ownerReferences: found = [] } = existing.metadata
  const ownerReferences = owner === undefined ? [...found, ...owners] : found
  if (owner === undefined || !hasFormat(existing, wish.family, wish.format))
    await repairMetadata(ports, existing, { format: wish.format, ownerReferences })
  if (wish.isClaimed) await claimRevision(ports, existing)
  return name
}

/** Shares a revision with all who have captured the same. */
async function storeShared(ports: StorePorts, wish: StoreRequest): Promise<string> {
  const { wanted, family, format } = wish
  const { name = '', namespace = '' } = wanted.metadata
  const known = ports.lookup?.cached?.<ControllerRevision>(controllerRevisions, namespace, name)
  const existing = known ?? (await getOrCreate(ports, wanted))
  if (existing === undefined) return name
  if (existing.metadata.deletionTimestamp != null) throw conflict(controllerRevisions, name, 'it is being deleted')
  if (!holdsVersion(existing, family, format.version) || !holdsSameSpec(existing, wish)) throw unexpected(name)
  if (!hasFormat(existing, family, format)) await repairMetadata(ports, existing, { format, ownerReferences: [] })
  await claimRevision(ports, existing)
  return name
}

/** Undefined when it was made; else what there is. */
async function createOrGet({ client }: StorePorts, wanted: ControllerRevision): Promise<ControllerRevision | undefined> {
  const { name = '', namespace = '' } = wanted.metadata
  try {
    await client.create(controllerRevisions, wanted)
    return undefined
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  try {
    return await client.get(controllerRevisions, { namespace, name })
  } catch (error) {
    throw isNotFound(error) ? conflict(controllerRevisions, name, 'it has just been deleted') : error
  }
}

/** Most of those who share find it there. */
async function getOrCreate(ports: StorePorts, wanted: ControllerRevision): Promise<ControllerRevision | undefined> {
  const { name = '', namespace = '' } = wanted.metadata
  try {
    return await ports.client.get(controllerRevisions, { namespace, name })
  } catch (error) {
    if (!isNotFound(error)) throw error
    return createOrGet(ports, wanted)
  }
}

/**
 * The name is taken by what was captured under it in another version or for somebody else: its data
 * cannot be changed, so that another name is needed.
 */
function withAlternativeName(wish: StoreRequest, holder: Holder): StoreRequest {
  const { metadata } = wish.wanted
  const { name = '' } = metadata
  const beside = alternativeName(name, holder, wish.object, wish.format.version)
  // There was one already: this is nobody's work but an intruder's.
  if (name.endsWith(beside.slice(-11))) throw unexpected(name)
  return { ...wish, wanted: { ...wish.wanted, metadata: { ...metadata, name: beside } } }
}

function unexpected(name: string): UnexpectedRevision {
  return new UnexpectedRevision(`found existing ControllerRevision with unexpected data: ${name}`)
}

/** @throws RevisionUndecodable, unless what cannot be read is evaded */
function holdsSameSpec(existing: ControllerRevision, { object, family, allowAlternativeName: mayEvade }: StoreRequest): boolean {
  try {
    return changesBetween(decodeRevision(existing, family).object.spec, object.spec).length === 0
  } catch (error) {
    if (mayEvade && error instanceof RevisionUndecodable) return false
    throw error
  }
}

/** A revision of another VM (an earlier one of the same name) is about to vanish with it. */
function ownerOf({ metadata }: ControllerRevision): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true)
}

/**
 * Puts right the labels that lie or are missing, and the owners. One without owner comes from a
 * backup: it would outlive its holder.
 */
async function repairMetadata(
  { client }: StorePorts,
  existing: ControllerRevision,
  { format, ownerReferences }: RepairInput,
): Promise<void> {
  const { name = '', namespace = '', resourceVersion } = existing.metadata
  const labels = { ...identityLabels((existing.data ?? {}) as Identified, format.version), [sharedLabel]: null, ...sharingLabels(format) }
  const body = { metadata: { resourceVersion, labels, ownerReferences } }
  await client.patch(controllerRevisions, { namespace, name }, { type: 'merge', body })
}

interface RepairInput {
  readonly format: RevisionFormat
  readonly ownerReferences: readonly OwnerReference[]
}
