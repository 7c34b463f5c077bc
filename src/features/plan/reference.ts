import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { Found, Instancetype, Preference } from '#features/instancetype/index.ts'
import type { ObjectReference } from './types.ts'

/** A reference to an object of a kind. */
export function referenceTo(kind: string, metadata: ObjectMeta | undefined): ObjectReference {
  const { name = '', namespace, generation } = metadata ?? {}
  return {
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(generation === undefined ? {} : { generation }),
  }
}

/** A reference to what a VM gets its hardware from. */
export function referenceToFound({ object, revision }: Found<Instancetype | Preference>): ObjectReference {
  const reference = referenceTo(object.kind, object.metadata)
  return revision?.metadata.name === undefined ? reference : { ...reference, revision: revision.metadata.name }
}
