import { type FieldError, invalid } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { validateObjectMeta } from '#apimachinery/names.ts'
import { validateStructural } from '#apimachinery/structural/validate.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** Checks metadata, schema and the kind's own rules. @throws StatusError 422 with every fault found */
export function validate(definition: ResourceDefinition, object: KubeObject, old: KubeObject | undefined): void {
  const { namespaced, nameKind, schema, strategy, custom } = definition
  const errors = [
    ...validateObjectMeta(object.metadata, nameKind === undefined ? { namespaced } : { namespaced, nameKind }),
    ...(old === undefined ? [] : validateDeleting(object, old)),
    ...validateStructural(object, schema, { integerFormats: !custom, ...(old === undefined ? {} : { old }) }),
  ]
  // The rules of a kind count on its fields being what the schema says.
  if (errors.length === 0) errors.push(...(strategy.validate?.(object, old) ?? []))
  if (errors.length > 0) throw invalid(definition, object.metadata?.name ?? '', errors)
}

function validateDeleting(object: KubeObject, old: KubeObject): FieldError[] {
  if (old.metadata?.deletionTimestamp === undefined) return []
  const before = old.metadata.finalizers ?? []
  const added = (object.metadata?.finalizers ?? []).filter((finalizer) => !before.includes(finalizer))
  if (added.length === 0) return []
  const found = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${found}`
  return [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers', message }]
}
