import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { applyJsonPatch, JsonPatchError, type JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import { components } from '../../components/rendering/components.ts'
import { objectOf, type RenderingInput } from '../../components/rendering/rendering.ts'
import type { SourcedValue } from '../../components/rendering/value-source.ts'
import { valueAt } from '../../value-at.ts'
import { applyOverrides } from './apply-overrides.ts'
import { overridesOf, type Override } from './override.ts'
import { parsePatch } from './parse-patch.ts'
import { renderComponent, type RenderedComponent } from './render-component.ts'

const now = Date.parse('2026-11-26T00:00:00Z')
const hyperconverged = (annotations: Readonly<Record<string, string>> = {}): HyperConverged =>
  ({ metadata: { name: 'kubevirt-hyperconverged', annotations }, spec: {} }) as HyperConverged
const objectNamed = (name: string, patch: readonly object[], spec: object = {}): ComponentOverride =>
  ({
    metadata: { name },
    spec: { component: 'kubevirt', patch, owner: 'team-a', reason: 'a bug', ...spec },
  }) as unknown as ComponentOverride
const nodes = { workloadArchitectures: [], controlPlaneArchitectures: [], defaultArchitecture: undefined, controlPlanes: 0, workers: 0 }
const [kubevirt] = components
const rendered = (hco: HyperConverged, objects: readonly ComponentOverride[] = []): RenderedComponent => {
  const input: RenderingInput = {
    hyperconverged: hco,
    nodes,
    version: 'v1',
    namespace: 'kubevirt',
    environment: {},
    overrides: overridesOf(hco, objects, now),
  }
  assert.ok(kubevirt)
  return renderComponent(kubevirt, input)
}
const timeout = '/spec/configuration/migrations/progressTimeout'
const sourceAt = (values: readonly SourcedValue[], path: string): string | undefined =>
  values.find((value) => value.path.join('.') === path)?.source.kind

suite('overrides', () => {
  test('a patch is read, or refused with what is wrong', () => {
    const rows: readonly (readonly [unknown, RegExp])[] = [
      ['{', /not JSON/],
      ['{}', /list of operations/],
      ['[1]', /operation 0 must be an object/],
      ['[{"op":"set","path":"/spec/a"}]', /must have op add.*"set"/],
      ['[{"op":"remove","path":"/metadata/labels/a"}]', /path of operation 0 must begin with \/spec\//],
      ['[{"op":"remove","path":"/spec/"}]', /path of operation 0/],
      ['[{"op":"add","path":"/spec/a"}]', /must have a value/],
      ['[{"op":"test","path":"/spec/a","value":1},{"op":"copy","path":"/spec/a","from":"/status/b"}]', /from of operation 1/],
      [[{ op: 'add', path: '/status/a', value: 1 }], /\/metadata\/labels\//],
    ]
    for (const [patch, message] of rows) assert.throws(() => parsePatch(patch), message, JSON.stringify(patch))
    assert.equal(parsePatch('[{"op":"add","path":"/spec/a","value":null}]').length, 1)
    assert.equal(parsePatch([{ op: 'add', path: '/metadata/annotations/a~1b', value: 'x' }]).length, 1)
  })

  test('annotations come first, then objects by name; each value names its override', () => {
    const hco = hyperconverged({ 'kubevirt.kubevirt.io/jsonpatch': JSON.stringify([{ op: 'replace', path: timeout, value: 1 }]) })
    const objects = [
      objectNamed('b', [{ op: 'replace', path: timeout, value: 3 }]),
      objectNamed('a', [
        { op: 'test', path: timeout, value: 1 },
        { op: 'replace', path: timeout, value: 2 },
        { op: 'add', path: '/metadata/labels/team', value: 'x' },
      ]),
      objectNamed('other', [{ op: 'replace', path: timeout, value: 9 }], { component: 'cdi' }),
    ]
    const { values, overrides } = rendered(hco, objects)
    assert.deepEqual(
      overrides.map(({ problem }) => problem),
      [undefined, undefined, undefined],
    )
    const object = objectOf(values)
    assert.equal(valueAt(object, ['spec', 'configuration', 'migrations', 'progressTimeout']), 3)
    assert.deepEqual(valueAt(object, ['metadata', 'labels']), { team: 'x' })
    const value = values.find(({ path }) => path.at(-1) === 'progressTimeout')
    assert.ok(value?.source.kind === 'override' && value.source.override.kind === 'object' && value.source.override.name === 'b')
    assert.equal(sourceAt(values, 'spec.configuration.migrations.completionTimeoutPerGiB'), 'default')
  })

  test('an override that cannot be applied is skipped as a whole, and the others are applied', () => {
    const hco = hyperconverged({ 'kubevirt.kubevirt.io/jsonpatch': 'nonsense' })
    const { values, overrides } = rendered(hco, [
      objectNamed('a', [
        { op: 'replace', path: timeout, value: 2 },
        { op: 'replace', path: '/spec/configuration/none/such', value: 2 },
      ]),
      objectNamed('b', [{ op: 'test', path: timeout, value: 77 }]),
      objectNamed('c', [{ op: 'replace', path: timeout, value: 4 }], { expiresAt: '2026-11-25T00:00:00Z' }),
      objectNamed('d', [{ op: 'remove', path: '/spec/configuration/migrations/parallelMigrationsPerCluster' }]),
    ])
    assert.deepEqual(
      overrides.map(({ problem }) => problem?.reason),
      ['Malformed', 'DoesNotApply', 'DoesNotApply', 'Expired', undefined],
    )
    assert.match(overrides[1]?.problem?.message ?? '', /^operation 1 \(replace \/spec\/configuration\/none\/such\): /)
    const migrations = valueAt(objectOf(values), ['spec', 'configuration', 'migrations'])
    assert.equal(valueAt(migrations, ['progressTimeout']), 150)
    assert.equal(valueAt(migrations, ['parallelMigrationsPerCluster']), undefined)
  })

  test('a gate that a patch enables is not disabled at the same time', () => {
    const developer = '/spec/configuration/developerConfiguration'
    const before = objectOf(rendered(hyperconverged()).values)
    const disabled = valueAt(before, `${developer}/disabledFeatureGates`.split('/').slice(1)) as string[]
    const [gate = ''] = disabled
    const { values } = rendered(hyperconverged(), [objectNamed('a', [{ op: 'add', path: `${developer}/featureGates/-`, value: gate }])])
    const after = valueAt(objectOf(values), developer.split('/').slice(1))
    assert.ok((valueAt(after, ['featureGates']) as string[]).includes(gate))
    assert.deepEqual(valueAt(after, ['disabledFeatureGates']), disabled.slice(1))
    // The other gates keep their sources.
    assert.ok(values.some(({ path, source }) => path.at(-1) === 'featureGates' && source.kind === 'fixed'))
  })

  test('the values after a patch are those of the patched object, whatever the patch', () => {
    const key = fc.constantFrom('a', 'b', 'c')
    const path = fc.array(key, { minLength: 1, maxLength: 3 }).map((keys) => ['spec', ...keys])
    const leaf = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }))
    const tree = fc.oneof(leaf, fc.dictionary(key, leaf, { minKeys: 1 }))
    const value = fc.record({ path, value: tree }).map((one): SourcedValue => ({ ...one, source: { kind: 'fixed', why: 'test' } }))
    const pointer = path.map((keys) => `/${keys.join('/')}`)
    const operation = fc.oneof(
      fc.record({ op: fc.constantFrom('add' as const, 'replace' as const), path: pointer, value: tree }),
      fc.record({ op: fc.constant('remove' as const), path: pointer }),
      fc.record({ op: fc.constantFrom('move' as const, 'copy' as const), path: pointer, from: pointer }),
    )
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), fc.array(operation, { minLength: 1, maxLength: 4 }), (values, patch) => {
        const before = { spec: {}, ...objectOf(values) }
        const override: Override = { component: 'kubevirt', source: { kind: 'annotation', name: 'x' }, patch }
        const { values: after, results } = applyOverrides(values, [override])
        assert.deepEqual(withoutEmpty({ spec: {}, ...objectOf(after) }), withoutEmpty(patched(before, patch)))
        const [result] = results
        assert.equal(result?.problem === undefined, patched(before, patch) !== before)
      }),
      { numRuns: 2_000 },
    )
  })
})

/** The object itself if the patch does not apply. */
function patched(object: object, patch: readonly JsonPatchOperation[]): unknown {
  try {
    // A patch without effect is applied, too.
    return { ...(applyJsonPatch(object, patch, { refusesAbsentValues: true }) as object) }
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error
    return object
  }
}

/** Objects that a removal leaves empty need not be rendered. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const)
  const kept = entries.filter(
    ([, inner]) => typeof inner !== 'object' || inner === null || Object.keys(inner).length > 0 || Array.isArray(inner),
  )
  return Object.fromEntries(kept)
}
