import { badRequest, invalid, type StatusError, unsupportedMediaType } from '#apimachinery/errors.ts'
import { assertExact, exactNumber, mayHoldLongIntegers } from '#apimachinery/json/long-integers.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { parseJson } from '#apimachinery/json/strict-json.ts'
import type { JsonPatchOperation, Patch } from '#client/client.ts'
import { bodyFormat, bodyTypes, patchType, patchTypes } from '#apiserver/request/content-negotiation.ts'
import type { DecodedBody, MutationOptions } from '#apiserver/request/api-request.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { type Exchange, headerOf } from '#apiserver/http/exchange.ts'

/** Largest body that the server reads. */
const bodyLimitBytes: number = 3 * 1024 * 1024
/** Limit of operations in a JSON patch: copies make a small patch expensive. */
const patchOperationsLimit = 10_000

interface ParsedBody {
  readonly value: unknown
  readonly duplicates: readonly string[]
}

/** What to do with integers that a double cannot hold. */
type LongIntegers = 'refuse' | 'keep'

/**
 * Custom objects and definitions are data here, in which long integers are kept. Rules of built-in
 * kinds calculate with doubles.
 */
function longIntegersOf({ custom, group, plural }: Pick<ResourceDefinition, 'custom' | 'group' | 'plural'>): LongIntegers {
  return custom || group === 'apiextensions.k8s.io' || plural === 'controllerrevisions' ? 'keep' : 'refuse'
}

async function parseYaml(text: string, longIntegers: LongIntegers, prefix: string = ''): Promise<ParsedBody> {
  const { parseDocument, isMap, isSeq, isScalar } = await import('yaml')
  const document = parseDocument(text, { uniqueKeys: false, merge: true })
  const failure = document.errors[0]
  if (failure !== undefined) throw badRequest(`${prefix}error converting YAML to JSON: ${failure.message}`)
  const duplicates: string[] = []
  const long = mayHoldLongIntegers(text)
  const visit = (node: unknown, path: string): void => {
    if (long && isScalar(node)) decodeNumber(node, longIntegers, prefix)
    if (isSeq(node)) node.items.forEach((item, index) => visit(item, `${path}[${index}]`))
    if (!isMap(node)) return
    const seen = new Set<string>()
    for (const pair of node.items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
      const field = path === '' ? key : `${path}.${key}`
      if (seen.has(key)) duplicates.push(field)
      seen.add(key)
      visit(pair.value, field)
    }
  }
  visit(document.contents, '')
  try {
    return { value: document.toJS({ maxAliasCount: 1000 }) as unknown, duplicates }
  } catch (error) {
    // The YAML library limits nested aliases, which could expand to gigabytes.
    throw error instanceof ReferenceError ? badRequest(`error converting YAML to JSON: ${error.message}`) : error
  }
}

function decodeNumber(node: { readonly source?: string; value: unknown }, longIntegers: LongIntegers, prefix: string): void {
  const { source = '', value } = node
  if (longIntegers === 'keep') {
    if (typeof value === 'number') node.value = exactNumber(value, source)
    return
  }
  try {
    assertExact(source, value)
  } catch (error) {
    throw badRequest(`${prefix}error converting YAML to JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function parseJsonBody(text: string, longIntegers: LongIntegers): ParsedBody {
  try {
    return parseJson(text, longIntegers)
  } catch (error) {
    throw badRequest(`the body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function asObject(value: unknown): KubeObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`the body must be an object, not ${Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`}`)
  }
  return value as KubeObject
}

/**
 * Reads an object in any supported format. Undefined: the body is empty. @throws StatusError 400,
 * 413, 415
 */
export async function readObject(
  exchange: Exchange,
  definition: Pick<ResourceDefinition, 'custom' | 'group' | 'plural'>,
): Promise<DecodedBody | undefined> {
  const contentType = headerOf(exchange.headers, 'content-type')
  const format = bodyFormat(contentType)
  // Custom kinds have no protobuf encoding.
  if (format === undefined) throw unsupportedMediaType(bodyTypes)
  const bytes = await exchange.readBody(bodyLimitBytes)
  if (bytes.length === 0) return undefined
  const longIntegers = longIntegersOf(definition)
  switch (format) {
    case 'json': {
      const text = bytes.toString()
      const { value, duplicates } = parseJsonBody(text, longIntegers)
      // A text search is nearly free, whereas a walk through the object costs 5 % of a create.
      return { object: asObject(value), duplicates, hasNoNulls: !text.includes('null') }
    }
    case 'yaml': {
      const { value, duplicates } = await parseYaml(bytes.toString(), longIntegers)
      return { object: asObject(value), duplicates }
    }
    case 'protobuf': {
      const { decodeProtobuf } = await import('#apiserver/protobuf/decode.ts')
      const object = decodeProtobuf(bytes)
      if (object === undefined) throw unsupportedMediaType(definition.custom ? bodyTypes.slice(0, 2) : bodyTypes)
      return { object, duplicates: [] }
    }
  }
}

/** Go's error message for JSON of an unexpected type. */
function cannotUnmarshal(value: unknown, wanted: string): string {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${found} into Go value of type ${wanted}`
}

/** Returns the media types of patches that a resource supports. */
function patchTypesOf(definition: ResourceDefinition): readonly string[] {
  return definition.custom ? patchTypes.filter((type) => !type.includes('strategic')) : patchTypes
}

/** Options of a patch in the query. */
export interface PatchOptions {
  readonly fieldManager: string
  /** Undefined: not set. */
  readonly force: boolean | undefined
  readonly fieldValidation: MutationOptions['fieldValidation']
  readonly warn: (text: string) => void
}

/** Reads a patch. @throws StatusError 400, 413, 415, 422 */
export async function readPatch(exchange: Exchange, definition: ResourceDefinition, options: PatchOptions): Promise<Patch> {
  const type = patchType(headerOf(exchange.headers, 'content-type'))
  if (type === undefined || (type === 'strategic' && definition.custom)) throw unsupportedMediaType(patchTypesOf(definition))
  if (type !== 'apply' && options.force !== undefined) throw forceWithoutApply()
  const text = (await exchange.readBody(bodyLimitBytes)).toString()
  const longIntegers = longIntegersOf(definition)
  switch (type) {
    case 'json': {
      const { value } = parseJsonBody(text, longIntegers)
      if (!Array.isArray(value)) throw badRequest(`error decoding patch: ${cannotUnmarshal(value, '[]handlers.jsonPatchOp')}`)
      if (value.length > patchOperationsLimit) {
        throw badRequest(`the patch has ${value.length} operations, the limit is ${patchOperationsLimit}`)
      }
      return { type, operations: value as JsonPatchOperation[] }
    }
    case 'merge':
    case 'strategic': {
      const { value, duplicates } = parseJsonBody(text, longIntegers)
      if (duplicates.length > 0) reportRepeatedFields(duplicates, text, options)
      const prefix = type === 'merge' ? 'error decoding patch: ' : ''
      if (!isJsonObject(value)) throw badRequest(prefix + cannotUnmarshal(value, 'map[string]interface {}'))
      return { type, body: value }
    }
    case 'apply': {
      // Most clients send JSON, whose parser is a hundred times faster than that of YAML.
      const parsed = /^\s*\{/.test(text) ? parseJsonOrYaml(text, longIntegers) : parseYaml(text, longIntegers, 'error decoding YAML: ')
      const { value, duplicates } = await parsed
      if (duplicates.length > 0) await reportRepeatedKeys(text, options)
      return { type, body: asObject(value), fieldManager: options.fieldManager, force: options.force ?? false }
    }
  }
}

function forceWithoutApply(): StatusError {
  return invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
    { reason: 'FieldValueForbidden', field: 'force', message: 'Forbidden: may not be specified for non-apply patch' },
  ])
}

function reportRepeatedFields(duplicates: readonly string[], text: string, { fieldValidation, warn }: PatchOptions): void {
  if (fieldValidation === 'Ignore') return
  const problems = duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`)
  if (fieldValidation === 'Warn') return problems.forEach((problem) => warn(problem))
  const message = `Invalid value: ${JSON.stringify(text)}: strict decoding error: ${problems.join(', ')}`
  throw invalid({ group: '', kind: '' }, '', [{ reason: 'FieldValueInvalid', field: 'patch', message }])
}

async function reportRepeatedKeys(text: string, { fieldValidation, warn }: PatchOptions): Promise<void> {
  if (fieldValidation === 'Ignore') return
  const { describeDuplicateKeys } = await import('./duplicate-keys.ts')
  const problem = describeDuplicateKeys(text)
  if (fieldValidation === 'Strict') throw badRequest(`error strict decoding YAML: ${problem}`)
  warn(problem)
}

function parseJsonOrYaml(text: string, longIntegers: LongIntegers): ParsedBody | Promise<ParsedBody> {
  try {
    return parseJson(text, longIntegers)
  } catch {
    return parseYaml(text, longIntegers, 'error decoding YAML: ')
  }
}
