import { type FieldError, invalid } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { validateObjectMeta } from '#apimachinery/names.ts'
import { hasRules } from '#apimachinery/structural/rules/has-rules.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import type { RequestContext } from '#apiserver/request/api-request.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** Schema errors after which CEL rules are not evaluated, as values have unexpected types. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

/** Groups of built-in kinds whose finalizers need neither a domain nor to be Kubernetes' own. */
const withAnyFinalizer: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
])

const unchecked: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
}

/**
 * Validates metadata, schema, CEL rules and the kind's own rules. Returns a promise only when rules
 * must be loaded or the kind validates asynchronously. @throws StatusError 422 with every error
 */
export function validate(
  definition: ResourceDefinition,
  object: KubeObject,
  old: KubeObject | undefined,
  context: Pick<RequestContext, 'warn'>,
): Promise<void> | undefined {
  const { group, namespaced, nameKind, schema, strategy, custom } = definition
  const typeErrors = validateStructural(object, schema, { integerFormats: !custom, ...(old === undefined ? {} : { old }) })
  const metaRules = {
    namespaced,
    standardFinalizers: !custom && !withAnyFinalizer.has(group),
    ...(nameKind === undefined ? {} : { nameKind }),
  }
  const errors = [
    ...(old === undefined ? [] : validateDeleting(object, old)),
    ...validateObjectMeta(object.metadata, metaRules),
    ...typeErrors,
  ]
  const ruled = custom && hasRules(schema)
  if (ruled && errors.some(({ reason }) => blocking.has(reason))) errors.push(unchecked)
  else if (ruled) return validateRules(definition, object, old, errors, context)
  // Rules of a kind rely on the types that the schema has checked.
  if (typeErrors.length === 0) errors.push(...(strategy.validate?.(object, old) ?? []))
  if (errors.length > 0) throw refusal(definition, object, errors)
  const later = strategy.validateLater?.(object, old)
  return later === undefined ? undefined : refuseLater(definition, object, later)
}

function refusal(definition: ResourceDefinition, object: KubeObject, errors: readonly FieldError[]): Error {
  return invalid(definition, object.metadata?.name ?? '', errors)
}

/** Loads the CEL evaluator on first use. */
async function validateRules(
  definition: ResourceDefinition,
  object: KubeObject,
  old: KubeObject | undefined,
  errors: readonly FieldError[],
  context: Pick<RequestContext, 'warn'>,
): Promise<void> {
  const rules = await import('#apimachinery/structural/rules/validate-rules.ts')
  const found = rules.validateRules(object, definition.schema, old)
  const all = [...errors, ...found.errors]
  if (all.length > 0) throw refusal(definition, object, all)
  for (const { field, message } of found.warnings) context.warn(`${field}: ${message}`)
}

async function refuseLater(definition: ResourceDefinition, object: KubeObject, later: Promise<readonly FieldError[]>): Promise<void> {
  const errors = await later
  if (errors.length > 0) throw refusal(definition, object, errors)
}

function validateDeleting(object: KubeObject, old: KubeObject): FieldError[] {
  if (!isBeingDeleted(old)) return []
  const before = old.metadata?.finalizers ?? []
  const added = (object.metadata?.finalizers ?? []).filter((finalizer) => !before.includes(finalizer))
  if (added.length === 0) return []
  const found = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${found}`
  return [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers', message }]
}
