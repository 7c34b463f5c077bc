import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isNotFound, notFound, StatusError } from '#apimachinery/errors.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { instancetypeKindOf, preferenceKindOf, type Family } from '../matcher.ts'
import { decodeRevision, RevisionUndecodable } from '../codec/codec.ts'
import { holderOf } from '../codec/holder.ts'
import { matchesRevisionName } from '../codec/revision-name.ts'
import type { Instancetype, Preference } from '../types.ts'
import { findLiveInstancetype, findLivePreference } from './live.ts'
import { pinOf } from './pin.ts'
import { lookUp, type Found, type Lookup } from '../lookup.ts'
import { formerNamesOf } from './replaced-names.ts'

/**
 * Returns the instance type of a VM: from the revision that the VM is pinned to, else the live
 * object. @throws StatusError, RevisionUndecodable, UnexpectedKind
 */
export async function findInstancetype(lookup: Lookup, vm: VirtualMachine): Promise<Found<Instancetype> | undefined> {
  const matcher = vm.spec.instancetype
  if (matcher === undefined) return undefined
  const kind = instancetypeKindOf(matcher)
  return find(vm, {
    name: 'instancetype',
    lookup,
    complete: (stored: Instancetype) => ({ ...stored, kind, metadata: { name: matcher.name ?? '' } }),
    isWanted: (object) => object.metadata.name === matcher.name && object.kind === kind,
    decode: (revision) => decodeRevision(revision, 'instancetype').object,
    live: () => findLiveInstancetype(lookup, vm),
  })
}

/** See {@link findInstancetype}. */
export async function findPreference(lookup: Lookup, vm: VirtualMachine): Promise<Found<Preference> | undefined> {
  const matcher = vm.spec.preference
  if (matcher === undefined) return undefined
  const kind = preferenceKindOf(matcher)
  return find(vm, {
    name: 'preference',
    lookup,
    complete: (stored: Preference) => ({ ...stored, kind, metadata: { name: matcher.name ?? '' } }),
    isWanted: (object) => object.metadata.name === matcher.name && object.kind === kind,
    decode: (revision) => decodeRevision(revision, 'preference').object,
    live: () => findLivePreference(lookup, vm),
  })
}

interface Search<T> {
  readonly name: Family
  readonly lookup: Lookup
  /** Adds name and kind of the matcher to a bare spec, which has neither. */
  readonly complete: (stored: T) => T
  readonly isWanted: (object: T) => boolean
  readonly decode: (revision: ControllerRevision) => T
  readonly live: () => Promise<T>
}

async function find<T extends Instancetype | Preference>(vm: VirtualMachine, search: Search<T>): Promise<Found<T>> {
  const namespace = vm.metadata.namespace ?? ''
  const pin = pinOf(vm, search.name)
  if (pin === undefined) return { object: await search.live() }
  const revision = await firstExisting(search.lookup, namespace, [pin.name, ...formerNamesOf(vm, pin.name)])
  if (revision === undefined) return { object: await recapturable(vm, pin.name, search), lost: pin.name }
  const found = decoded(vm, revision, search)
  // A name in the spec is the user's choice, and a revision that the VM controls was stored for it.
  // A status may have been restored or edited: any other copy of another object is ignored.
  const isPinned = pin.by === 'spec' || isControlledBy(revision, vm) || search.isWanted(found.object)
  return isPinned ? found : { object: await search.live() }
}

/** Decodes a revision. @throws RevisionUndecodable, with remedies */
function decoded<T extends Instancetype | Preference>(vm: VirtualMachine, revision: ControllerRevision, search: Search<T>): Found<T> {
  try {
    const object = search.decode(revision)
    return { object: object.metadata.name === undefined ? search.complete(object) : object, revision }
  } catch (error) {
    if (!(error instanceof RevisionUndecodable)) throw error
    const remedies = ['go forward to the release that wrote it', ...remediesFor(vm, search.name)]
    throw new RevisionUndecodable(`${error.message}: ${remedies.join(', or ')}`, { cause: error })
  }
}

/**
 * Returns the live object if the deleted revision held the same. Otherwise the VM's hardware is
 * lost, and must not be replaced silently. @throws StatusError NotFound
 */
async function recapturable<T extends Instancetype | Preference>(vm: VirtualMachine, recorded: string, search: Search<T>): Promise<T> {
  const { live } = search
  const object = await live().catch((error: unknown) => {
    // Report the missing revision, also when the live object is gone.
    throw isNotFound(error) ? lost(vm, recorded, search.name) : error
  })
  if (matchesRevisionName(recorded, holderOf(vm), object)) return object
  throw lost(vm, recorded, search.name)
}

/** Returns the API's NotFound error with remedies appended. */
function lost(vm: VirtualMachine, recorded: string, family: Family): StatusError {
  const { status } = notFound(controllerRevisions, recorded)
  const named = vm.spec[family]?.name ?? ''
  const why = `${named} is gone or says something else by now, so that it cannot be taken again`
  return new StatusError({ ...status, message: `${status.message}; ${why}: ${remediesFor(vm, family).join(', or ')}` })
}

function remediesFor(vm: VirtualMachine, family: Family): readonly string[] {
  return [
    `restore it from a backup`,
    `name another one in spec.${family}.revisionName`,
    `give up what it held: steadyvm rollout refresh vm/${vm.metadata.name ?? ''}`,
  ]
}

/**
 * Returns the first existing revision. Former names of a replaced revision hold the same, and exist
 * again after a restore from a backup.
 */
async function firstExisting(lookup: Lookup, namespace: string, names: readonly string[]): Promise<ControllerRevision | undefined> {
  for (const name of names) {
    try {
      return await lookUp(lookup, controllerRevisions, namespace, name)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  return undefined
}
