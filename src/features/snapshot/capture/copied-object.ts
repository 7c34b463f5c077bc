import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { type Family, type Found, type Instancetype, objectInRevision, type Preference } from '#features/instancetype/index.ts'

/**
 * Returns the object to copy: of a revision, the object with its origin, which the oldest revisions
 * encode in their name only, and with its vendor, which revisions have as a label.
 */
export function copiedObject(
  { object, revision }: Found<Instancetype | Preference>,
  family: Family,
  called: { readonly name?: string; readonly kind?: string } = {},
): Instancetype | Preference {
  return revision === undefined ? object : withPublisher(objectInRevision(revision, family, called), revision)
}

/** An object with the labels of the revision that held it. */
export function withPublisher(object: Instancetype | Preference, { metadata }: ControllerRevision): Instancetype | Preference {
  return metadata.labels === undefined ? object : { ...object, metadata: { ...object.metadata, labels: metadata.labels } }
}
