import { test } from 'node:test'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { customSchema } from './custom-resource-definition.ts'
import { SourceError } from './declaration.ts'
import { UnknownMarkerError } from './markers.ts'
import { indexOf } from './sources.fixture.ts'
import type { Dialect } from './structural-schema.ts'

const builtIn: Dialect = { custom: false, defaultsOf: () => true }
const custom: Dialect = { custom: true, defaultsOf: (file) => file.startsWith('src/api/lab/') }
const file = 'src/api/lab/v1/probe.ts'

function schemaOf(source: string, dialect: Dialect = builtIn, more: Readonly<Record<string, string>> = {}): StructuralSchema {
  const imports = `import type { Bytes, Int32, IntOrString, Quantity, RawObject, Time, UInt32 } from '#api/scalars.ts'\n`
  return customSchema({ file, kind: 'Probe' }, indexOf({ 'lab/v1/probe.ts': imports + source, ...more }), dialect)
}

test('properties keep their order, what is not optional is required, and prose becomes a description', (t) => {
  const schema = schemaOf(`
    /** Asks for health. */
    export interface Probe {
      /** Where. */
      path: string
      /**
       * How often.
       * @default 10
       * @minimum 1
       */
      periodSeconds?: Int32
      tls?: boolean
    }`)
  t.assert.deepEqual(schema, {
    type: 'object',
    description: 'Asks for health.',
    properties: {
      path: { type: 'string', description: 'Where.' },
      periodSeconds: { type: 'integer', format: 'int32', description: 'How often.', default: 10, minimum: 1 },
      tls: { type: 'boolean' },
    },
    required: ['path'],
  })
})

test('scalars, lists, maps and unions of strings', (t) => {
  const schema = schemaOf(`
    type Mode = 'On' | 'Off'
    export interface Probe {
      counts?: UInt32[]
      at?: Time | null
      data?: Record<string, Bytes>
      raw?: RawObject
      any?: unknown
      mode?: Mode
      port?: IntOrString
    }`)
  const port = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }
  t.assert.deepEqual(schema.properties, {
    counts: { type: 'array', items: { type: 'integer', format: 'int32', minimum: 0 } },
    at: { type: 'string', format: 'date-time', nullable: true },
    data: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
    raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    mode: { type: 'string', enum: ['On', 'Off'] },
    port,
  })
})

test('quantities of custom kinds are integers or text, those of built-in kinds any number', (t) => {
  const source = 'export interface Probe { size?: Quantity }'
  t.assert.equal(schemaOf(source, custom).properties?.['size']?.['x-kubernetes-int-or-string'], true)
  t.assert.deepEqual(schemaOf(source).properties?.['size']?.anyOf, [{ type: 'number' }, { type: 'string' }])
})

test('inherited properties come first, each read in the scope of its own file', (t) => {
  const base = 'type Size = string\nexport interface Base { size?: Size; name: string }'
  const source = `import type { Base as Other } from './base.ts'\ntype Size = Int32\nexport interface Probe extends Other { own?: Size }`
  t.assert.deepEqual(schemaOf(source, builtIn, { 'lab/v1/base.ts': base }), {
    type: 'object',
    properties: { size: { type: 'string' }, name: { type: 'string' }, own: { type: 'integer', format: 'int32' } },
    required: ['name'],
  })
})

test('markers of lists, maps and patches', (t) => {
  const source = `
    export interface Item { name: string }
    export interface Probe {
      /**
       * @listType map key=name
       * @patchStrategy merge,retainKeys key=name
       */
      items?: Item[]
      /** @mapType atomic */
      labels?: Record<string, string>
      /**
       * @pattern ^a b$
       * @maxLength 5
       * @enum a b,c
       */
      word?: string
    }`
  const items = { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } }
  const listed = { ...items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }
  const patched = { ...listed, 'x-kubernetes-patch-strategy': 'merge,retainKeys', 'x-kubernetes-patch-merge-key': 'name' }
  t.assert.deepEqual(schemaOf(source).properties, {
    items: patched,
    labels: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
    word: { type: 'string', pattern: '^a b$', maxLength: 5, enum: ['a b', 'c'] },
  })
  t.assert.deepEqual(schemaOf(source, custom).properties?.['items'], listed)
})

test('custom kinds leave unions of strings open and take defaults only from their own groups', (t) => {
  const source = `
    import type { Shared } from '#api/core/v1/shared.ts'
    export interface Probe extends Shared {
      /** @default On */
      mode?: 'On' | 'Off'
    }`
  const shared = 'export interface Shared {\n/** @default / */\npath?: string }'
  t.assert.deepEqual(schemaOf(source, custom, { 'core/v1/shared.ts': shared }).properties, {
    path: { type: 'string' },
    mode: { type: 'string', default: 'On' },
  })
  t.assert.equal(schemaOf(source, builtIn, { 'core/v1/shared.ts': shared }).properties?.['path']?.default, '/')
})

test('unknown fields are kept below an interface or a property with the marker', (t) => {
  const source = `
    /** @preserveUnknownFields */
    interface Open { known?: string }
    export interface Probe {
      open?: Open
      /**
       * @nullable
       * @preserveUnknownFields
       */
      opaque?: Open
    }`
  t.assert.deepEqual(schemaOf(source).properties, {
    open: { type: 'object', properties: { known: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
    opaque: { type: 'object', nullable: true, 'x-kubernetes-preserve-unknown-fields': true },
  })
})

test('the metadata of a custom kind is left to the API server, that of a built-in kind is spelled out, and neither is required', (t) => {
  const source = `import type { ApiObject } from '#api/meta/v1/api-object.ts'\nexport interface Probe extends ApiObject { spec: RawObject }`
  const own = schemaOf(source, custom)
  t.assert.deepEqual(own.properties?.['metadata'], { type: 'object' })
  t.assert.deepEqual(own.required, ['spec'])
  t.assert.deepEqual(schemaOf(source).properties?.['metadata']?.properties, { name: { type: 'string' } })
})

test('a property may be required for readers of the type and yet absent on the wire', (t) => {
  const schema = schemaOf('export interface Probe {\n/** @optional */\nfilled: string }')
  t.assert.equal(schema.required, undefined)
})

test('what no schema can be made of is refused with its place', (t) => {
  t.assert.throws(() => schemaOf('export interface Probe { f: () => void }'), SourceError)
  t.assert.throws(() => schemaOf('export interface Probe { method(): void }'), SourceError)
  t.assert.throws(() => schemaOf('export interface Probe { mixed: string | boolean }'), SourceError)
  t.assert.throws(() => schemaOf('export interface Probe { lost: Missing }'), SourceError)
  t.assert.throws(() => schemaOf('export interface Probe {\n/** @defualt 1 */\nx?: Int32 }'), UnknownMarkerError)
})

test('a rule is a CEL expression with its message', (t) => {
  const schema = schemaOf(`
    /**
     * Asks for health.
     * @rule has(self.from) == has(self.to); set both, or neither
     */
    export interface Probe {
      from?: string
      /**
       * @rule self > 'a'
       * @rule self < 'z'; too late
       */
      to?: string
    }`)
  t.assert.deepEqual(schema['x-kubernetes-validations'], [{ rule: 'has(self.from) == has(self.to)', message: 'set both, or neither' }])
  t.assert.deepEqual(schema.properties?.['to']?.['x-kubernetes-validations'], [
    { rule: "self > 'a'" },
    { rule: "self < 'z'", message: 'too late' },
  ])
})
