import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { configMaps } from '#api/core/v1/resources.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { encodeGnostic } from './gnostic.ts'
import { swaggerForm } from './openapi-handler.ts'
import { schemaName } from './schema-names.ts'
import { swaggerDocument, swaggerSchema } from './v2-document.ts'
import { openApiV3Document } from './v3-document.ts'

const widgets = defineResource({
  group: 'example.io',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  custom: true,
  hasStatus: true,
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } },
      },
    },
  },
})

type Json = Record<string, unknown>
const at = (value: unknown, ...path: string[]): unknown => path.reduce((inner, key) => (inner as Json | undefined)?.[key], value)

test('schemaName() returns the names that tools look up', () => {
  assert.equal(schemaName({ group: '', version: 'v1', custom: false }, 'Pod'), 'io.k8s.api.core.v1.Pod')
  assert.equal(schemaName({ group: 'rbac.authorization.k8s.io', version: 'v1', custom: false }, 'Role'), 'io.k8s.api.rbac.v1.Role')
  assert.equal(schemaName({ group: 'kubevirt.io', version: 'v1', custom: true }, 'VirtualMachine'), 'io.kubevirt.v1.VirtualMachine')
})

suite('openApiV3Document()', () => {
  const document = openApiV3Document([widgets], 'v1')
  const path = '/apis/example.io/v1/namespaces/{namespace}/widgets/{name}'

  test('has the parameters by which kubectl detects server-side validation', () => {
    const parameters = at(document, 'paths', path, 'patch', 'parameters') as { name: string; in: string }[]
    for (const name of ['fieldValidation', 'dryRun', 'fieldManager', 'force'])
      assert.ok(parameters.some((item) => item.name === name && item.in === 'query'))
    assert.deepEqual(at(document, 'paths', path, 'patch', 'x-kubernetes-group-version-kind'), {
      group: 'example.io',
      version: 'v1',
      kind: 'Widget',
    })
  })
  test('refers to existing schemas', () => {
    const schemas = at(document, 'components', 'schemas') as Json
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '')
    assert.ok(references.length > 10)
    for (const reference of references) assert.ok(Object.hasOwn(schemas, reference.replace('#/components/schemas/', '')), reference)
  })
  test('wraps a reference with a description', () => {
    const metadata = at(document, 'components', 'schemas', 'io.example.v1.Widget', 'properties', 'metadata') as Json
    assert.deepEqual(metadata['allOf'], [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }])
  })
})

suite('swaggerSchema()', () => {
  test('omits what Swagger 2.0 cannot express', () => {
    const schema = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }
    assert.deepEqual(swaggerSchema(schema), { 'x-kubernetes-int-or-string': true })
    assert.deepEqual(swaggerSchema({ type: 'string', nullable: true, description: 'd' }), { description: 'd' })
  })
  test('opens schemas that preserve unknown fields', () => {
    const open = { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true }
    assert.deepEqual(swaggerSchema(open), { 'x-kubernetes-preserve-unknown-fields': true })
  })
  test('omits nullable properties that kubectl would misread', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'array', nullable: true, items: { type: 'string' }, maxItems: 2 }, b: { type: 'string' } },
    }
    assert.deepEqual(swaggerSchema(schema), { type: 'object', required: ['b'], properties: { a: { maxItems: 2 }, b: { type: 'string' } } })
  })
})

// kubectl 1.27 and 1.28 verify the encoding in test/; this checks completeness.
test('explains the metadata of custom and built-in kinds in both versions', () => {
  const described = (value: unknown): string => String((value as { description?: unknown } | undefined)?.description)
  for (const [kind, document] of [
    ['Widget', openApiV3Document([widgets], '1')],
    ['ConfigMap', openApiV3Document([defineResource(configMaps)], '1')],
    ['Widget', swaggerDocument([widgets], '1')],
  ] as const) {
    const { components, definitions } = document as { components?: { schemas: object }; definitions?: object }
    type Fields = { properties: Record<string, unknown> }
    const all = Object.entries((components?.schemas ?? definitions ?? {}) as Record<string, Fields>)
    const find = (name: string): Fields['properties'] => all.find(([key]) => key.endsWith(`.${name}`))?.[1].properties ?? {}
    const fields = find(kind)
    assert.match(described(fields['apiVersion']), /^APIVersion defines /)
    assert.match(described(fields['metadata']), /^Standard object's metadata/)
    const metadata = find('ObjectMeta')
    assert.match(described(metadata['creationTimestamp']), /^CreationTimestamp is a timestamp /)
    for (const [name, field] of Object.entries(metadata)) assert.match(described(field), /\.$/, name)
  }
})

test('encodeGnostic() encodes every definition and path', () => {
  const document = swaggerDocument([widgets], 'v1')
  const bytes = Buffer.from(encodeGnostic(document))
  for (const name of [...Object.keys(document.definitions), ...Object.keys(document.paths), 'fieldValidation'])
    assert.ok(bytes.includes(name), name)
  assert.equal(bytes.subarray(0, 5).toString('latin1'), '\n\u00032.0')
})

test('swaggerForm() knows both names of the protobuf form', () => {
  assert.equal(swaggerForm('application/com.github.proto-openapi.spec.v2@v1.0+protobuf'), 'protobuf')
  assert.equal(swaggerForm('application/com.github.proto-openapi.spec.v2.v1.0+protobuf'), 'protobuf')
  assert.equal(swaggerForm('application/json'), 'json')
  assert.equal(swaggerForm('text/html'), undefined)
})

suite('Documents of custom resources', () => {
  const custom = (schema: StructuralSchema, more: Partial<ResourceDefinition> = {}): ResourceDefinition =>
    defineResource({ ...widgets, schema, ...more })
  const inBoth = (definition: ResourceDefinition, name = 'io.example.v1.Widget'): [Json, Json] => [
    at(openApiV3Document([definition], 'v1'), 'components', 'schemas', name) as Json,
    at(swaggerDocument([definition], 'v1'), 'definitions', name) as Json,
  ]

  test('list selectable fields', () => {
    const definition = custom({ type: 'object' }, { selectableFields: new Map([['spec.host', () => '']]) })
    for (const name of ['io.example.v1.Widget', 'io.example.v1.WidgetList'])
      for (const schema of inBoth(definition, name))
        assert.deepEqual(schema['x-kubernetes-selectable-fields'], [{ fieldPath: 'spec.host' }])
  })

  test('show common fields of embedded resources, except where version 2 would close them', () => {
    const template: StructuralSchema = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } }
    const open: StructuralSchema = { ...template, 'x-kubernetes-preserve-unknown-fields': true }
    const [v3, v2] = inBoth(custom({ type: 'object', properties: { template, open } }))
    for (const schema of [v3, v2]) {
      assert.deepEqual(Object.keys(at(schema, 'properties', 'template', 'properties') as Json), ['spec', 'apiVersion', 'kind', 'metadata'])
      assert.deepEqual(at(schema, 'properties', 'template', 'required'), ['kind', 'apiVersion'])
    }
    assert.notEqual(at(v3, 'properties', 'open', 'properties'), undefined)
    assert.equal(at(v2, 'properties', 'open', 'properties'), undefined)
  })

  test('describe a kind that preserves unknown fields as open in version 2', () => {
    const schema: StructuralSchema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { spec: { type: 'object' } },
    }
    const [v3, v2] = inBoth(custom(schema))
    assert.notEqual(at(v3, 'properties', 'spec'), undefined)
    assert.deepEqual(Object.keys(v2).toSorted(), ['type', 'x-kubernetes-group-version-kind'])
  })
})
