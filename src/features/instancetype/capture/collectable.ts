import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { decodeRevision, type StashVersion } from '../codec/codec.ts'
import { familyOfKind } from '../codec/labels.ts'
import { hasSharedName } from '../codec/revision-name.ts'
import { hasFormat, isShared } from '../codec/storage-format.ts'

/**
 * Reports whether a shared revision was stored by this controller: label, name, owners, identity
 * labels and data agree. A revision with the label alone is never deleted: every client may set it.
 */
export function isSharedCapture(revision: ControllerRevision): boolean {
  const family = familyOfKind(revision.data?.['kind'])
  if (family === undefined || !isShared(revision) || !hasSharedName(revision.metadata.name ?? '')) return false
  try {
    const { version } = decodeRevision(revision, family)
    return hasFormat(revision, family, { version: version as StashVersion, sharing: 'shared' })
  } catch {
    return false
  }
}
