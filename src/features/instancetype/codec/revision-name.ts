import { withSortedKeys } from '#apimachinery/json/sorted-keys.ts'
import type { Instancetype, Preference } from '../types.ts'
import { knownVersions } from './codec.ts'
import type { Holder } from './holder.ts'
import { hashOf, shorten } from './labels.ts'

/**
 * `<vm>-<object>-<version>-<uid>-<generation>`, as in KubeVirt: the same object at the same generation gives the same name.
 */
export function ownName(holderName: string, object: Instancetype | Preference, version: string): string {
  const { name = '', uid = '', generation = 0 } = object.metadata
  return shorten([holderName, name, version, uid, String(generation)].join('-'), 253)
}

/**
 * Whether a name is one that a shared revision has. A VM may be called so, too, and then the names
 * of its own begin like that: nothing may be lost by that.
 */
export function hasSharedName(name: string): boolean {
  return name.startsWith('shared-')
}

/**
 * `shared-<object>-<version>-<hash>`. What counts is the kind, the name and what the object says. Where it comes from does not: one that was deleted and made again as it was is the same.
 */
export function sharedName(object: Instancetype | Preference, version: string): string {
  return shorten(`shared-${object.metadata.name ?? ''}-${version}-${contentHash(object, version)}`, 253)
}

/**
 * Whether a revision of this name held what the object says now, so that it can be taken again when
 * it has been deleted. Its own name tells the generation; a shared one tells the content.
 */
export function matchesRevisionName(recorded: string, holder: Holder, object: Instancetype | Preference): boolean {
  const { name = '', uid = '', generation = 0 } = object.metadata
  // Before version 1.3 of KubeVirt there was no version in the name.
  const oldest = [holder.name, name, uid, String(generation)].join('-')
  return recorded === oldest || knownVersions.some((version) => namesIn(version, holder, object).includes(recorded))
}

function namesIn(version: string, holder: Holder, object: Instancetype | Preference): readonly string[] {
  const own = ownName(holder.name, object, version)
  return [own, alternativeName(own, holder, object, version), sharedName(object, version)]
}

/**
 * The name to take when `name` is that of a revision which holds the same in another version, or
 * for a holder of another kind that is called the same: data are never changed, and every kind of
 * holder has a name of its own.
 */
export function alternativeName(name: string, { kind }: Pick<Holder, 'kind'>, object: Instancetype | Preference, version: string): string {
  const hash = contentHash(object, version)
  return `${shorten(name, 242)}-${(kind === 'VirtualMachine' ? hash : hashOf(`${kind} ${hash}`)).slice(0, 10)}`
}

/**
 * Twenty digits do not meet by chance, and whoever takes a revision by its name compares. Of the
 * spec as the engine sees it: versions keep parts of it elsewhere.
 */
function contentHash({ kind, metadata, spec }: Instancetype | Preference, version: string): string {
  return hashOf(JSON.stringify(withSortedKeys([kind, metadata.name, version, spec]))).slice(0, 20)
}
