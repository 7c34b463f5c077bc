import { badRequest, invalid, type StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { quote } from '#apimachinery/field-messages.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { DecodedBody, MutationOptions, RequestContext } from '../request/api-request.ts'
import { checkBodyType, checkType } from './check-type.ts'
import { checkFieldTypes, FieldTypeError } from './field-types.ts'
import { EmbeddedTypeError } from './embedded-metadata.ts'
import { decodeMetadata, MetadataTypeError } from './metadata.ts'
import { normalise, type Normalised } from './normalise.ts'
import { strictProblems } from './strict-problems.ts'

/** Error report for the result of a patch. */
export interface PatchReport {
  /** The patch or its result, for messages. */
  readonly shown: () => string
  /** True if Kubernetes converts the result from a map, which changes the messages. */
  readonly converted?: boolean
}

type Refuse = (text: string, cause?: FieldTypeError) => StatusError

/**
 * Decodes an object from a client: canonical metadata, known fields, defaults. The entry point of
 * this package, which turns bodies into objects of a served version and converts versions; it does
 * not validate. @throws StatusError 400
 */
export function decode(
  definition: ResourceDefinition,
  body: DecodedBody,
  options: MutationOptions,
  context: Pick<RequestContext, 'warn'>,
): KubeObject {
  if (isJsonObject(body.object)) checkBodyType(definition, body.object)
  const { object, problems } = decodeContent(definition, body)
  reportProblems(problems, options, context, (text) => undecodable(definition, text))
  return object
}

/** Decodes the result of a patch. @throws StatusError 400, 422 */
export function decodePatched(
  definition: ResourceDefinition,
  patched: unknown,
  options: MutationOptions,
  context: RequestContext,
  report: PatchReport,
): KubeObject {
  const refuse = (text: string, cause?: FieldTypeError): StatusError =>
    invalid({ group: '', kind: '' }, '', [
      {
        reason: 'FieldValueInvalid',
        field: 'patch',
        message: `Invalid value: ${quote(report.shown())}: ${report.converted === true ? (cause?.conversion ?? text) : text}`,
      },
    ])
  const { object, problems } = decodeContent(definition, { object: patched as KubeObject, duplicates: [] }, refuse)
  reportProblems(problems, options, context, refuse)
  return object
}

/**
 * Decodes an object that admission has changed. Unknown fields of webhooks are dropped silently.
 */
export function redecode(definition: ResourceDefinition, object: KubeObject): KubeObject {
  return decodeContent(definition, { object, duplicates: [] }).object
}

function decodeContent(
  definition: ResourceDefinition,
  body: DecodedBody,
  refuse: Refuse = (text) => undecodable(definition, text),
): { object: KubeObject; problems: readonly string[] } {
  if (!isJsonObject(body.object)) throw undecodable(definition, 'json: an object is wanted')
  checkType(definition, body.object)
  const { apiVersion: _apiVersion, kind: _kind, metadata: sentMetadata, ...content }: KubeObject = body.object
  const { metadata, unknown: unknownMetadata } = decodeObjectMeta(definition, sentMetadata)
  const typed = { apiVersion: apiVersionOf(definition), kind: definition.kind, metadata, ...content }
  const { object, unknown } = normalised(definition, typed, body.hasNoNulls)
  checkTypes(definition, object, refuse)
  const clean = unknownMetadata.length === 0 && unknown.length === 0 && body.duplicates.length === 0
  return {
    object,
    problems: clean
      ? none
      : strictProblems(definition.custom, body.object, { unknown: [...unknownMetadata, ...unknown], duplicates: body.duplicates }),
  }
}

function normalised(definition: ResourceDefinition, object: KubeObject, hasNoNulls: boolean | undefined): Normalised {
  try {
    return normalise(definition, object, hasNoNulls)
  } catch (error) {
    throw error instanceof EmbeddedTypeError ? undecodable(definition, error.message) : error
  }
}

function checkTypes({ custom, schema, kind }: ResourceDefinition, object: KubeObject, refuse: Refuse): void {
  // Validation reports the types of custom resources.
  if (custom) return
  try {
    checkFieldTypes(object as Readonly<Record<string, unknown>>, schema, kind)
  } catch (error) {
    throw error instanceof FieldTypeError ? refuse(error.message, error) : error
  }
}

const none: readonly string[] = []

function decodeObjectMeta(definition: ResourceDefinition, metadata: unknown): ReturnType<typeof decodeMetadata> {
  try {
    return decodeMetadata(metadata)
  } catch (error) {
    throw error instanceof MetadataTypeError ? undecodable(definition, error.message) : error
  }
}

function undecodable({ kind, version }: ResourceDefinition, why: string): StatusError {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`)
}

function reportProblems(
  problems: readonly string[],
  options: MutationOptions,
  context: Pick<RequestContext, 'warn'>,
  refuse: Refuse,
): void {
  if (problems.length === 0 || options.fieldValidation === 'Ignore') return
  if (options.fieldValidation === 'Strict') throw refuse(`strict decoding error: ${problems.join(', ')}`)
  for (const problem of problems) context.warn(problem)
}
