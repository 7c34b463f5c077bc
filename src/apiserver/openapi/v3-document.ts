import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { kindSchemas } from './kind-schemas.ts'
import { metaSchemas } from './meta-schemas.ts'
import { publishedPaths, type PublishedOperation, type PublishedPath } from './operations.ts'

const prefix = '#/components/schemas/'

function reference(name: string): object {
  return { $ref: `${prefix}${name}` }
}

/**
 * Prefixes references. OpenAPI 3.0 ignores siblings of a reference, so one with a description is
 * wrapped.
 */
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences)
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as { $ref?: unknown }
  if (typeof $ref === 'string' && !$ref.includes('/')) {
    return Object.keys(rest).length === 0 ? reference($ref) : { ...rest, allOf: [reference($ref)], default: {} }
  }
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withReferences(child)]))
}

function operation(published: PublishedOperation): object {
  return {
    operationId: published.id,
    description: published.description,
    ...parameters(
      published.query.map(({ name, type, description }) => ({ name, in: 'query', description, schema: { type, uniqueItems: true } })),
    ),
    ...(published.request === undefined
      ? {}
      : {
          requestBody: {
            content: Object.fromEntries(published.requestTypes.map((type) => [type, { schema: reference(published.request ?? '') }])),
          },
        }),
    responses: { '200': { description: 'OK', content: { 'application/json': { schema: reference(published.answer) } } } },
    'x-kubernetes-action': published.action,
    'x-kubernetes-group-version-kind': published.groupVersionKind,
  }
}

function pathItem(published: PublishedPath): object {
  return {
    ...Object.fromEntries(published.operations.map((item) => [item.method, operation(item)])),
    ...parameters(
      published.pathParameters.map((name) => ({
        name,
        in: 'path',
        required: true,
        description: name === 'name' ? 'name of the object' : 'namespace of the object',
        schema: { type: 'string', uniqueItems: true },
      })),
    ),
  }
}

/** Go does not tell an empty list from none when it writes a document again. */
function parameters(list: readonly object[]): { readonly parameters?: readonly object[] } {
  return list.length === 0 ? {} : { parameters: list }
}

/** Builds the OpenAPI 3.0 document of a group version. */
export function openApiV3Document(definitions: readonly ResourceDefinition[], version: string): object {
  const schemas = Object.assign({}, metaSchemas(), ...definitions.map(kindSchemas)) as object
  const paths = definitions.flatMap(publishedPaths)
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths: Object.fromEntries(paths.map((item) => [item.path, pathItem(item)])),
    components: { schemas: withReferences(schemas) },
  }
}
