import { withSortedKeys } from '#apimachinery/json/sorted-keys.ts'
import type { Instancetype, Preference } from '../types.ts'
import { knownVersions } from './codec.ts'
import type { Holder } from './holder.ts'
import { hashOf, shorten } from './labels.ts'

/** Returns `<vm>-<object>-<version>-<uid>-<generation>`, as KubeVirt does. */
export function ownName(holderName: string, object: Instancetype | Preference, version: string): string {
  const { name = '', uid = '', generation = 0 } = object.metadata
  return shorten([holderName, name, version, uid, String(generation)].join('-'), 253)
}

/**
 * Reports whether a name has the form of shared revisions. The revisions of a VM called `shared`
 * have it, too, so that it proves nothing alone.
 */
export function hasSharedName(name: string): boolean {
  return name.startsWith('shared-')
}

/**
 * Returns `shared-<object>-<version>-<hash>`. The hash covers kind, name and spec, but not the UID:
 * an object that was deleted and created again unchanged has the same name.
 */
export function sharedName(object: Instancetype | Preference, version: string): string {
  return shorten(`shared-${object.metadata.name ?? ''}-${version}-${contentHash(object, version)}`, 253)
}

/**
 * Reports whether a revision of this name held the object as it is now, so that a deleted revision
 * can be captured again. Owned names contain the generation, shared ones a hash of the content.
 */
export function matchesRevisionName(recorded: string, holder: Holder, object: Instancetype | Preference): boolean {
  const { name = '', uid = '', generation = 0 } = object.metadata
  // KubeVirt before 1.3 had no version in the name.
  const oldest = [holder.name, name, uid, String(generation)].join('-')
  return recorded === oldest || knownVersions.some((version) => namesIn(version, holder, object).includes(recorded))
}

function namesIn(version: string, holder: Holder, object: Instancetype | Preference): readonly string[] {
  const own = ownName(holder.name, object, version)
  return [own, alternativeName(own, holder, object, version), sharedName(object, version)]
}

/**
 * Returns the name to use when `name` is taken by another version of the object, or by a holder of
 * another kind and the same name. Data are immutable, and each kind of holder has its own name.
 */
export function alternativeName(name: string, { kind }: Pick<Holder, 'kind'>, object: Instancetype | Preference, version: string): string {
  const hash = contentHash(object, version)
  return `${shorten(name, 242)}-${(kind === 'VirtualMachine' ? hash : hashOf(`${kind} ${hash}`)).slice(0, 10)}`
}

/**
 * Hashes the decoded spec: encodings differ between versions. Twenty digits; callers compare
 * content.
 */
function contentHash({ kind, metadata, spec }: Instancetype | Preference, version: string): string {
  return hashOf(JSON.stringify(withSortedKeys([kind, metadata.name, version, spec]))).slice(0, 20)
}
