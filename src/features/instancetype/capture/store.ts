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
import { claim, claimMetadata } from './claim.ts'
import { decodeRevision, RevisionUndecodable } from '../codec/codec.ts'
import { type Holder } from '../codec/holder.ts'
import { wantedRevision } from '../codec/new-revision.ts'
import { nameBeside } from '../codec/revision-name.ts'
import { holdsVersion, isInForm, sharedLabel, sharingLabels, type RevisionForm } from '../codec/storage-format.ts'
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
 * Pins an object for a holder in the form that is wanted, and gives the revision's name. One that
 * is there already and holds the same spec is used, so that the step can be repeated after a crash.
 * A shared one is claimed: it must be named at once. @throws UnexpectedRevision, StatusError
 */
export async function storeRevision(
  ports: StorePorts,
  holder: Holder,
  object: Instancetype | Preference,
  form: RevisionForm,
  { isClaimed = form.sharing === 'shared', mayEvade = false }: StoreOptions = {},
): Promise<string> {
  const revision = wantedRevision(holder, object, form)
  const claimed = { ...revision, metadata: { ...revision.metadata, ...claimMetadata(ports.clock.now()) } }
  const wish: Wish = { wanted: isClaimed ? claimed : revision, isClaimed, mayEvade, object, family: familyOfKind(object.kind), form }
  return form.sharing === 'shared' ? share(ports, wish) : keep(ports, holder, wish)
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
  readonly mayEvade?: boolean
}

interface Wish {
  readonly wanted: ControllerRevision
  readonly isClaimed: boolean
  readonly mayEvade: boolean
  readonly object: Instancetype | Preference
  readonly family: Family
  readonly form: RevisionForm
}

/** Keeps a revision for one holder alone. */
async function keep(ports: StorePorts, holder: Holder, wish: Wish): Promise<string> {
  const existing = await createOrGet(ports, wish.wanted)
  const { name = '', ownerReferences: owners = [] } = wish.wanted.metadata
  if (existing === undefined) return name
  const owner = ownerOf(existing)
  // A VM and a snapshot may be called the same, and neither of them goes when the other one does.
  if (owner !== undefined && owner.kind !== holder.kind) return keep(ports, holder, besides(wish, holder))
  if (owner !== undefined && owner.uid !== holder.uid) throw unexpected(name)
  if (!holdsSame(existing, wish)) {
    if (!wish.mayEvade) throw unexpected(name)
    return keep(ports, holder, besides(wish, holder))
  }
  if (!holdsVersion(existing, wish.family, wish.form.version)) return keep(ports, holder, besides(wish, holder))
  const { ownerReferences: found = [] } = existing.metadata
  const ownerReferences = owner === undefined ? [...found, ...owners] : found
  if (owner === undefined || !isInForm(existing, wish.family, wish.form)) await mend(ports, existing, { form: wish.form, ownerReferences })
  if (wish.isClaimed) await claim(ports, existing)
  return name
}

/** Shares a revision with all who have captured the same. */
async function share(ports: StorePorts, wish: Wish): Promise<string> {
  const { wanted, family, form } = wish
  const { name = '', namespace = '' } = wanted.metadata
  const known = ports.lookup?.cached?.<ControllerRevision>(controllerRevisions, namespace, name)
  const existing = known ?? (await getOrCreate(ports, wanted))
  if (existing === undefined) return name
  if (existing.metadata.deletionTimestamp != null) throw conflict(controllerRevisions, name, 'it is being deleted')
  if (!holdsVersion(existing, family, form.version) || !holdsSame(existing, wish)) throw unexpected(name)
  if (!isInForm(existing, family, form)) await mend(ports, existing, { form, ownerReferences: [] })
  await claim(ports, existing)
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
function besides(wish: Wish, holder: Holder): Wish {
  const { metadata } = wish.wanted
  const { name = '' } = metadata
  const beside = nameBeside(name, holder, wish.object, wish.form.version)
  // There was one already: this is nobody's work but an intruder's.
  if (name.endsWith(beside.slice(-11))) throw unexpected(name)
  return { ...wish, wanted: { ...wish.wanted, metadata: { ...metadata, name: beside } } }
}

function unexpected(name: string): UnexpectedRevision {
  return new UnexpectedRevision(`found existing ControllerRevision with unexpected data: ${name}`)
}

/** @throws RevisionUndecodable, unless what cannot be read is evaded */
function holdsSame(existing: ControllerRevision, { object, family, mayEvade }: Wish): boolean {
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
async function mend({ client }: StorePorts, existing: ControllerRevision, { form, ownerReferences }: Mended): Promise<void> {
  const { name = '', namespace = '', resourceVersion } = existing.metadata
  const labels = { ...identityLabels((existing.data ?? {}) as Identified, form.version), [sharedLabel]: null, ...sharingLabels(form) }
  const body = { metadata: { resourceVersion, labels, ownerReferences } }
  await client.patch(controllerRevisions, { namespace, name }, { type: 'merge', body })
}

interface Mended {
  readonly form: RevisionForm
  readonly ownerReferences: readonly OwnerReference[]
}
