import { isJsonObject } from '#apimachinery/own-property.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { operatorName } from '../../names.ts'
import { valueAt, type FieldPath } from '../../value-at.ts'

/**
 * Returns the paths of fields that the operator has applied, below objects that it applies empty
 * from now on. Kubernetes' server-side apply leaves null where it removes all fields of an applied
 * object, which the schema of the kind then refuses: such fields have to go by a patch. Pure.
 */
export function fieldsOfEmptiedObjects(wanted: KubeObject, present: KubeObject): readonly FieldPath[] {
  const owned = (present.metadata?.managedFields ?? [])
    .filter(({ manager, operation }) => manager === operatorName && operation === 'Apply')
    .map(({ fieldsV1 }) => fieldsV1)
  return emptyObjectsIn(wanted).flatMap((path): FieldPath[] => {
    const fields = valueAt(present, path)
    if (!isJsonObject(fields)) return []
    const at = path.map((key) => `f:${key}`)
    return Object.keys(fields).flatMap((key) =>
      owned.some((set) => valueAt(set, [...at, `f:${key}`]) !== undefined) ? [[...path, key]] : [],
    )
  })
}

function emptyObjectsIn(value: unknown, path: FieldPath = []): readonly FieldPath[] {
  if (!isJsonObject(value)) return []
  const entries = Object.entries(value)
  return entries.length === 0 ? [path] : entries.flatMap(([key, item]) => emptyObjectsIn(item, [...path, key]))
}
