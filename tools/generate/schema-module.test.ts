import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceError } from './declaration.ts'
import { renderSchemaModule } from './schema-module.ts'
import { indexOf } from './sources.fixture.ts'
import type { Dialect } from './structural-schema.ts'

const builtIn: Dialect = { custom: false, defaultsOf: () => true }
const custom: Dialect = { custom: true, defaultsOf: () => false }
const modules = [
  { folder: 'meta/v1', dialect: builtIn },
  { folder: 'core/v1', dialect: builtIn },
  { folder: 'lab/v1', dialect: custom },
]

const core = {
  'core/v1/pod.ts': `
    import type { ApiObject } from '#api/meta/v1/api-object.ts'
    export interface Reference { name?: string }
    /** @kind Pod */
    export interface CorePod extends ApiObject { owner?: Reference }`,
  'lab/v1/probe.ts': `
    import type { ApiObject } from '#api/meta/v1/api-object.ts'
    import type { Reference as Foreign } from '#api/core/v1/pod.ts'
    export interface Reference { path?: string }
    export interface Probe extends ApiObject { target?: Foreign; other?: Reference }`,
}

function render(folder: string): string {
  const module = modules.find((candidate) => candidate.folder === folder)
  if (module === undefined) throw new SourceError(`No module "${folder}"`)
  return renderSchemaModule(module, modules, indexOf(core))
}

test('a module imports from others of its dialect and maps kinds to constants', (t) => {
  const text = render('core/v1')
  t.assert.match(text, /import \{ ObjectMeta \} from '#api\/meta\/v1\/schema\.generated\.ts'/)
  t.assert.match(text, /metadata: ObjectMeta,/)
  t.assert.match(text, /schemas: Readonly<Record<string, StructuralSchema>> = \{\n {2}Pod: CorePod,\n\}/)
})

test('a module copies what another dialect declares, under a name that cannot clash', (t) => {
  const text = render('lab/v1')
  t.assert.match(text, /export const CoreReference: StructuralSchema/)
  t.assert.match(text, /export const Reference: StructuralSchema/)
  t.assert.match(text, /target: CoreReference,/)
  t.assert.doesNotMatch(text, /from '#api\/core/)
})

test('schemas stand below those that they build on', () => {
  const text = render('lab/v1')
  assert.ok(text.indexOf('const CoreReference') < text.indexOf('const Probe'))
})

test('an interface that contains itself is refused', (t) => {
  const index = indexOf({ 'core/v1/tree.ts': 'export interface Tree { children?: Tree[] }' })
  const [, module] = modules
  t.assert.throws(() => renderSchemaModule(module ?? { folder: '', dialect: builtIn }, modules, index), SourceError)
})
