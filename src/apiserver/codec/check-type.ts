import { badRequest, invalid } from '#apimachinery/errors.ts'
import { quote } from '#apimachinery/field-messages.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** Characters of a body that a message quotes. */
const summaryLength = 30

/**
 * Checks that the body of a request has the type of its URL. Clients may omit apiVersion and kind
 * of built-in kinds, and neither of custom resources. @throws StatusError 400, 422
 */
export function checkBodyType(definition: ResourceDefinition, body: KubeObject): void {
  for (const field of ['kind', 'apiVersion'] as const) {
    const type = body[field] === null ? 'string' : typeof body[field]
    if (type === 'string' || type === 'undefined') continue
    const what = `json: cannot unmarshal ${goKind(body[field])} into Go struct field .${field} of type string`
    throw unrecognized(definition, body, `couldn't get version/kind; json parse error: ${what}`)
  }
  if (!definition.custom) return checkType(definition, body)
  const { kind, apiVersion } = body
  if ((kind ?? '') === '') throw unrecognized(definition, body, `Object 'Kind' is missing in '${JSON.stringify(body)}'`)
  if (apiVersion !== apiVersionOf(definition)) throw otherVersion(definition, apiVersion ?? '')
  if (kind !== definition.kind) {
    const message = `Invalid value: ${quote(kind ?? '')}: must be ${definition.kind}`
    const subject = { group: definition.group, kind: kind ?? '' }
    throw invalid(subject, body.metadata?.name ?? '', [{ reason: 'FieldValueInvalid', field: 'kind', message }])
  }
}

/** Checks apiVersion and kind of an object that may omit them. @throws StatusError 400 */
export function checkType(definition: ResourceDefinition, { apiVersion = '', kind = '' }: KubeObject): void {
  if (apiVersion !== apiVersionOf(definition) && apiVersion !== '') throw otherVersion(definition, apiVersion)
  if (kind !== definition.kind && kind !== '') {
    throw badRequest(`the kind in the data (${kind}) does not match the expected kind (${definition.kind})`)
  }
}

function otherVersion(definition: ResourceDefinition, apiVersion: string): Error {
  return badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(definition)})`)
}

function unrecognized({ kind }: ResourceDefinition, body: KubeObject, why: string): Error {
  const text = JSON.stringify(body)
  const summary = text.length > summaryLength ? `${text.slice(0, summaryLength)} ...` : text
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary})`)
}

function goKind(value: unknown): string {
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? 'array' : typeof value
}
