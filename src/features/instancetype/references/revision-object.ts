import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { InstancetypeMatcher, InstancetypeStatusRef } from '#api/kubevirt/v1/virtual-machine.ts'
import { decodeRevision } from '../codec/codec.ts'
import type { Holder } from '../codec/holder.ts'
import { matchesRevisionName } from '../codec/revision-name.ts'
import { instancetypeKindOf, preferenceKindOf, type Family } from '../matcher.ts'
import type { Instancetype, Preference } from '../types.ts'

/** Name and kind in a matcher or status reference. */
export type NamedObject = Pick<InstancetypeMatcher | InstancetypeStatusRef, 'name' | 'kind'>

/**
 * Returns the object in a revision. For a bare spec, name and kind come from the reference, UID and
 * generation from the revision's name, so that its upgraded copy matches the VM's matcher. @throws
 * RevisionUndecodable, UnexpectedKind
 */
export function objectInRevision(revision: ControllerRevision, family: Family, called: NamedObject): Instancetype | Preference {
  const { object, shape } = decodeRevision(revision, family)
  // Publisher labels are on the revision: the data have no labels.
  const { labels } = revision.metadata
  if (shape === 'object') return labels === undefined ? object : { ...object, metadata: { ...object.metadata, labels } }
  const [, uid, generation] = originPattern.exec(revision.metadata.name ?? '') ?? []
  const metadata = {
    name: called.name ?? '',
    ...(uid === undefined ? {} : { uid, generation: Number(generation) }),
  }
  return family === 'instancetype'
    ? ({ ...object, kind: instancetypeKindOf(called), metadata } as Instancetype)
    : ({ ...object, kind: preferenceKindOf(called), metadata } as Preference)
}

/**
 * Returns the object's name from the name of a revision: `<holder>-<object>-<uid>-<generation>`.
 */
export function objectNameIn({ metadata: { name = '' } }: ControllerRevision, holder: string): NamedObject {
  const isOurs = name.startsWith(`${holder}-`) && originPattern.test(name)
  return isOurs ? { name: name.slice(holder.length + 1).replace(originPattern, '') } : {}
}

/**
 * Reports whether a revision was captured for a holder, judged by its name and data alone: the
 * holder names the object in it, and the revision's name is the one that such a capture has. This
 * is what tells revisions that a backup tool has restored without owners from those of a user,
 * which must not be deleted together with the holder.
 */
export function isNamedAfterCapture(
  holder: Holder,
  revision: ControllerRevision,
  named: { readonly family: Family; readonly called: NamedObject } | undefined,
): boolean {
  if (named === undefined) return false
  try {
    const object = objectInRevision(revision, named.family, named.called)
    return object.metadata.name === named.called.name && matchesRevisionName(revision.metadata.name ?? '', holder, object)
  } catch {
    return false
  }
}

/** `…-<uid>-<generation>`. */
const originPattern = /-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(\d+)$/
