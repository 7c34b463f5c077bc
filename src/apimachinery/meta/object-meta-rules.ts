import type { FieldError } from '../errors.ts'
import { goSyntax, invalidValue } from '../field-messages.ts'
import type { ObjectMeta, OwnerReference } from './object-meta.ts'
import { byteLength, type NameKind, validateLabelValue, validateName, validateNamePrefix, validateQualifiedName } from './name-rules.ts'

const largestAnnotationsBytes = 256 * 1024

/** Requirements of a kind on its metadata. */
export interface ObjectMetaRules {
  readonly namespaced: boolean
  /** Default `dns-subdomain`. */
  readonly nameKind?: NameKind
  /** True if finalizers without a domain have to be Kubernetes' own, as for built-in kinds. */
  readonly standardFinalizers?: boolean
}

/** Finalizers without a domain that Kubernetes has. */
const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

/** Validates labels, or the labels of a selector, at `field`. */
export function validateLabels(labels: Readonly<Record<string, string>> | null | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...validateQualifiedName(key).map((message) => invalidValue(field, key, message)),
    ...validateLabelValue(value).map((message) => invalidValue(field, value, message)),
  ])
}

/** Validates annotations at `field`: keys as for labels but in any case, and 256 KiB in total. */
export function validateAnnotations(annotations: Readonly<Record<string, string>> | null | undefined, field: string): FieldError[] {
  const entries = Object.entries(annotations ?? {})
  const errors = entries.flatMap(([key]) => validateQualifiedName(key.toLowerCase()).map((message) => invalidValue(field, key, message)))
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)
  if (bytes > largestAnnotationsBytes) {
    errors.push({ reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${largestAnnotationsBytes} bytes` })
  }
  return errors
}

function validateOwnerReference(reference: OwnerReference, field: string): FieldError[] {
  const errors: FieldError[] = []
  // Objects from the wire may lack fields that the type requires.
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference as Partial<OwnerReference>
  if (apiVersion.slice(apiVersion.indexOf('/') + 1) === '')
    errors.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty'))
  for (const [key, value] of Object.entries({ kind, name, uid })) {
    if (value === '') errors.push(invalidValue(`${field}.${key}`, value, 'must not be empty'))
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push({
      reason: 'FieldValueInvalid',
      field,
      message: `Invalid value: ${goSyntax(reference)}: /v1, Kind=Event is disallowed from being an owner`,
    })
  }
  return errors
}

/** Validates owner references at `field`; at most one may be the controller. */
export function validateOwnerReferences(references: readonly OwnerReference[] | null | undefined, field: string): FieldError[] {
  const errors = (references ?? []).flatMap((reference) => validateOwnerReference(reference, field))
  const [first, ...others] = (references ?? []).filter((reference) => reference.controller === true)
  for (const other of first === undefined ? [] : others) {
    const pair = `${first?.kind}/${first?.name} and ${other.kind}/${other.name}`
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${pair}`
    errors.push({ reason: 'FieldValueInvalid', field, message: `Invalid value: ${goSyntax(references)}: ${why}` })
  }
  return errors
}

/** Validates finalizers at `field`. */
export function validateFinalizers(finalizers: readonly string[] | null | undefined, field: string): FieldError[] {
  const names = finalizers ?? []
  const errors = names.flatMap((name) => validateQualifiedName(name).map((message) => invalidValue(field, name, message)))
  if (names.includes('orphan') && names.includes('foregroundDeletion')) {
    const why = 'finalizer orphan and foregroundDeletion cannot be both set'
    errors.push({ reason: 'FieldValueInvalid', field, message: `Invalid value: ${goSyntax(names)}: ${why}` })
  }
  return errors
}

function validateNames(meta: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  const kind = rules.nameKind ?? 'dns-subdomain'
  const errors: FieldError[] = []
  const { name = '', generateName = '' } = meta
  if (generateName !== '') {
    errors.push(...validateNamePrefix(generateName, kind).map((message) => invalidValue('metadata.generateName', generateName, message)))
  }
  if (name === '') {
    errors.push({ reason: 'FieldValueRequired', field: 'metadata.name', message: 'Required value: name or generateName is required' })
  } else errors.push(...validateName(name, kind).map((message) => invalidValue('metadata.name', name, message)))
  return errors
}

function validateNamespace(namespace: string, namespaced: boolean): FieldError[] {
  const field = 'metadata.namespace'
  if (!namespaced) return namespace === '' ? [] : [{ reason: 'FieldValueForbidden', field, message: 'Forbidden: not allowed on this type' }]
  if (namespace === '') return [{ reason: 'FieldValueRequired', field, message: 'Required value' }]
  return validateName(namespace, 'dns-label').map((message) => invalidValue(field, namespace, message))
}

/**
 * Validates the metadata of an object, in Kubernetes' wording. A generated name must already be
 * set.
 */
export function validateObjectMeta(meta: ObjectMeta | undefined, rules: ObjectMetaRules): FieldError[] {
  const given = meta ?? {}
  const errors = [...validateNames(given, rules), ...validateNamespace(given.namespace ?? '', rules.namespaced)]
  if ((given.generation ?? 0) < 0) {
    errors.push(invalidValue('metadata.generation', given.generation, 'must be greater than or equal to 0'))
  }
  return [
    ...errors,
    ...validateLabels(given.labels, 'metadata.labels'),
    ...validateAnnotations(given.annotations, 'metadata.annotations'),
    ...validateOwnerReferences(given.ownerReferences, 'metadata.ownerReferences'),
    ...validateFinalizers(given.finalizers, 'metadata.finalizers'),
    ...(rules.standardFinalizers === true ? validateStandardFinalizers(given.finalizers, 'metadata.finalizers') : []),
  ]
}

function validateStandardFinalizers(finalizers: readonly string[] | null | undefined, field: string): FieldError[] {
  return (finalizers ?? []).flatMap((name, index) =>
    name.includes('/') || standardFinalizers.has(name)
      ? []
      : [invalidValue(`${field}[${index}]`, name, 'name is neither a standard finalizer name nor is it fully qualified')],
  )
}
