import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { conflict, isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Clock } from '#runtime/clock/clock.ts'
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

/** A revision of that name exists and holds something else. */
class UnexpectedRevision extends Error {
  override readonly name = 'UnexpectedRevision'
}

/** Dependencies of {@link storeRevision}. */
export interface StorePorts {
  readonly client: Pick<Client, 'create' | 'get' | 'patch'>
  readonly clock: Pick<Clock, 'now'>
  /** Cache that saves a request for each user of a shared revision. */
  readonly lookup?: Pick<Lookup, 'cached'>
}

/**
 * Stores an object in a revision for a holder, in the wanted format, and returns its name. An
 * existing revision with an equal spec is used, so that the step can be repeated after a crash. A
 * shared one is claimed and must be referenced at once. @throws UnexpectedRevision, StatusError
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

/** Options of {@link storeRevision}. */
export interface StoreOptions {
  /**
   * Claims the revision. Always done for shared ones; needed for owned ones while pruning may run.
   */
  readonly isClaimed?: boolean
  /**
   * Uses an alternative name when the usual one holds other content, such as a bare spec. Owned
   * revisions only.
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

/** Stores a revision that one holder owns. */
async function storeOwned(ports: StorePorts, holder: Holder, wish: StoreRequest): Promise<string> {
  const existing = await createOrGet(ports, wish.wanted)
  const { name = '', ownerReferences: owners = [] } = wish.wanted.metadata
  if (existing === undefined) return name
  const owner = controllerOf(existing)
  // A VM and a snapshot may have the same name and live for different times.
  if (owner !== undefined && owner.kind !== holder.kind) return storeOwned(ports, holder, withAlternativeName(wish, holder))
  // Of a deleted holder of the same name: the revision is about to be garbage-collected.
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

/** Stores a revision that all holders of the same content share. */
async function storeShared(ports: StorePorts, wish: StoreRequest): Promise<string> {
  const { wanted, family, format } = wish
  const { name = '', namespace = '' } = wanted.metadata
  const known = ports.lookup?.cached?.<ControllerRevision>(controllerRevisions, namespace, name)
  const existing = known ?? (await getOrCreate(ports, wanted))
  if (existing === undefined) return name
  if (isBeingDeleted(existing)) throw conflict(controllerRevisions, name, 'it is being deleted')
  if (!holdsVersion(existing, family, format.version) || !holdsSameSpec(existing, wish)) throw unexpected(name)
  if (!hasFormat(existing, family, format)) await repairMetadata(ports, existing, { format, ownerReferences: [] })
  await claimRevision(ports, existing)
  return name
}

/** Creates a revision. Returns undefined, or the existing one of that name. */
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

/** Reads before it creates: most users of a shared revision find it. */
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
 * Switches to the alternative name: the usual one is taken by another version or another holder,
 * and the data of a revision are immutable.
 */
function withAlternativeName(wish: StoreRequest, holder: Holder): StoreRequest {
  const { metadata } = wish.wanted
  const { name = '' } = metadata
  const beside = alternativeName(name, holder, wish.object, wish.format.version)
  // The alternative name is taken, too, by something that no capture has stored.
  if (name.endsWith(beside.slice(-11))) throw unexpected(name)
  return { ...wish, wanted: { ...wish.wanted, metadata: { ...metadata, name: beside } } }
}

function unexpected(name: string): UnexpectedRevision {
  return new UnexpectedRevision(`found existing ControllerRevision with unexpected data: ${name}`)
}

/** Compares the specs. @throws RevisionUndecodable, unless an alternative name may be used */
function holdsSameSpec(existing: ControllerRevision, { object, family, allowAlternativeName: mayEvade }: StoreRequest): boolean {
  try {
    return changesBetween(decodeRevision(existing, family).object.spec, object.spec).length === 0
  } catch (error) {
    if (mayEvade && error instanceof RevisionUndecodable) return false
    throw error
  }
}

/**
 * Repairs labels and owners. A revision without owner was restored from a backup, and would
 * otherwise outlive its holder.
 */
async function repairMetadata(
  { client }: StorePorts,
  existing: ControllerRevision,
  { format, ownerReferences }: RepairInput,
): Promise<void> {
  const labels = { ...identityLabels((existing.data ?? {}) as Identified, format.version), [sharedLabel]: null, ...sharingLabels(format) }
  await patchIfUnchanged(client, controllerRevisions, existing, { metadata: { labels, ownerReferences } })
}

interface RepairInput {
  readonly format: RevisionFormat
  readonly ownerReferences: readonly OwnerReference[]
}
