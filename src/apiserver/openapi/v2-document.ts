import { getOwn, isJsonObject } from '#apimachinery/own-property.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { kindSchemas } from './kind-schemas.ts'
import { metaSchemas, type PublishedSchema } from './meta-schemas.ts'
import { publishedPaths, type PublishedOperation, type PublishedPath } from './operations.ts'

/** A Swagger 2.0 document, as far as it is used. */
export interface SwaggerDocument {
  readonly swagger: '2.0'
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, SwaggerPathItem>>
  readonly definitions: Readonly<Record<string, PublishedSchema>>
}

/** A parameter in Swagger. */
export interface SwaggerParameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'body'
  readonly description: string
  readonly required?: boolean
  readonly type?: string
  readonly schema?: PublishedSchema
}

/** An operation in Swagger. */
export interface SwaggerOperation {
  readonly operationId: string
  readonly description: string
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  readonly parameters: readonly SwaggerParameter[]
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema: PublishedSchema }>>
  readonly 'x-kubernetes-action': string
  readonly 'x-kubernetes-group-version-kind': object
}

/** A path in Swagger. */
export type SwaggerPathItem = Readonly<Partial<Record<PublishedOperation['method'], SwaggerOperation>>> & {
  readonly parameters: readonly SwaggerParameter[]
}

/** Keywords that Swagger 2.0 lacks or defines otherwise. */
const unknownKeywords: ReadonlySet<string> = new Set(['nullable', 'anyOf', 'oneOf', 'not', 'allOf', 'example'])

function reference(name: string): PublishedSchema {
  return { $ref: `#/definitions/${name}` }
}

/** Converts a schema to Swagger 2.0. What cannot be expressed is left open. */
export function swaggerSchema(schema: PublishedSchema): PublishedSchema {
  const { $ref, description } = schema
  if (typeof $ref === 'string') return { ...reference($ref), ...(description === undefined ? {} : { description }) }
  const result: Record<string, unknown> = {}
  // Clients of this version would take the keywords of such a subtree as complete.
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true
  const untyped = schema['nullable'] === true || (open && (schema['type'] === 'object' || schema['type'] === 'array'))
  for (const [key, value] of Object.entries(schema)) {
    if (unknownKeywords.has(key)) continue
    if ((open || schema['nullable'] === true) && (key === 'properties' || key === 'items')) continue
    if (untyped && key === 'type') continue
    if (key === 'required') {
      const required = requiredOf(schema, value as readonly string[])
      if (required.length > 0) result[key] = required
    } else if (key === 'properties') {
      const children = Object.entries(value as Record<string, PublishedSchema>)
      result[key] = Object.fromEntries(children.map(([name, child]) => [name, swaggerSchema(child)]))
    } else if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object') {
      result[key] = swaggerSchema(value as PublishedSchema)
    } else result[key] = value
  }
  return result
}

/** Nullable fields cannot be required, as kubectl treats null as missing. */
function requiredOf({ properties, additionalProperties }: PublishedSchema, required: readonly string[]): readonly string[] {
  if (isJsonObject(additionalProperties) && additionalProperties['nullable'] === true) return []
  const fields = isJsonObject(properties) ? properties : {}
  return required.filter((name) => (getOwn(fields, name) as PublishedSchema | undefined)?.['nullable'] !== true)
}

const rootExtensions = ['x-kubernetes-group-version-kind', 'x-kubernetes-selectable-fields']

/**
 * Publishes a kind that preserves unknown fields as open, as kubectl would refuse every other
 * field.
 */
function kindSchema(schema: PublishedSchema): PublishedSchema {
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true) return swaggerSchema(schema)
  return { type: 'object', ...Object.fromEntries(Object.entries(schema).filter(([key]) => rootExtensions.includes(key))) }
}

function operation(published: PublishedOperation): SwaggerOperation {
  const query = published.query.map(({ name, type, description }) => ({ name, in: 'query' as const, type, description }))
  const body =
    published.request === undefined
      ? []
      : [{ name: 'body', in: 'body' as const, required: true, description: '', schema: reference(published.request) }]
  return {
    operationId: published.id,
    description: published.description,
    consumes: published.requestTypes.length === 0 ? ['*/*'] : published.requestTypes,
    produces: ['application/json', 'application/yaml'],
    parameters: [...query, ...body],
    responses: { '200': { description: 'OK', schema: reference(published.answer) } },
    'x-kubernetes-action': published.action,
    'x-kubernetes-group-version-kind': published.groupVersionKind,
  }
}

function pathItem(published: PublishedPath): SwaggerPathItem {
  return {
    ...Object.fromEntries(published.operations.map((item) => [item.method, operation(item)])),
    parameters: published.pathParameters.map((name) => ({
      name,
      in: 'path',
      required: true,
      type: 'string',
      description: name === 'name' ? 'name of the object' : 'namespace of the object',
    })),
  }
}

/**
 * Builds the Swagger 2.0 document of everything that is served, including `remote` schemas.
 */
export function swaggerDocument(
  definitions: readonly ResourceDefinition[],
  version: string,
  remote: Readonly<Record<string, PublishedSchema>> = {},
): SwaggerDocument {
  const schemas = Object.assign({}, metaSchemas(), ...definitions.map(kindSchemas)) as Record<string, PublishedSchema>
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths: Object.fromEntries(definitions.flatMap(publishedPaths).map((item) => [item.path, pathItem(item)])),
    definitions: { ...remote, ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, kindSchema(schema)])) },
  }
}
