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

/** Returns a reference to the object or revision that sizes a VM. */
export function referenceToFound({ object, revision }: Found<Instancetype | Preference>): ObjectReference {
  const reference = referenceTo(object.kind, object.metadata)
  return revision?.metadata.name === undefined ? reference : { ...reference, revision: revision.metadata.name }
}
