import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { HyperConvergedSpec as v1Schema } from '#api/hco/v1/schema.generated.ts'
import { HyperConvergedSpec as v1beta1Schema } from '#api/hco/v1beta1/schema.generated.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { repeats, seed } from '#test/effort.ts'
import { featureGateRows, findGate } from '../gates/feature-gates.ts'
import { readGates, listedGates } from '../gates/read-gates.ts'
import { components } from '../../components/rendering/components.ts'
import { nodeFactsOf } from '../../components/rendering/node-facts.ts'
import { mutateHyperConverged } from '../../webhooks/mutate.ts'
import { convertHyperConverged } from './convert.ts'
import { onlyInV1, sameFields } from './field-paths.ts'
import { valueOf } from './random-object.fixture.ts'
import { valueAt, withValueAt, type FieldPath } from '../../value-at.ts'

const [v1, v1beta1] = ['hco.kubevirt.io/v1', 'hco.kubevirt.io/v1beta1']
type Version = typeof v1
type Stored = KubeObject & { readonly spec?: unknown; readonly status?: unknown }
const objectOf = (apiVersion: Version, spec: unknown, annotations?: Readonly<Record<string, string>>): Stored => ({
  apiVersion,
  kind: 'HyperConverged',
  metadata: { name: 'kubevirt-hyperconverged', ...(annotations === undefined ? {} : { annotations }) },
  ...(spec === undefined ? {} : { spec }),
})
const convert = (object: KubeObject, to: Version): Stored => convertHyperConverged(object, to)
const otherOf = (version: Version): Version => (version === v1 ? v1beta1 : v1)
const specAs = (version: Version, from: unknown): unknown => convert(objectOf(otherOf(version), from), version).spec

const numRuns = repeats({ default: 40, long: 10_000 })
const gateNames = [...featureGateRows.map(({ name }) => name), 'flying', 'ALIGNCPUS']
const gateList = fc.uniqueArray(
  fc.record({ name: fc.constantFrom(...gateNames), state: fc.constantFrom('Enabled', 'Disabled') }, { noNullPrototype: true }),
  {
    selector: ({ name }) => name.toLowerCase(),
  },
)
const v1Specs = fc
  .tuple(valueOf(v1Schema), fc.option(gateList, { nil: undefined }))
  .map(([spec, gates]) => (gates === undefined ? spec : withValueAt(spec, ['featureGates'], gates)))
const v1beta1Specs = valueOf(v1beta1Schema)

/** Values that no schema accepts somewhere, among them all shapes of JSON. */
const garbage: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, -1, 1.5, true, [], {}, [null], [[]], [{}], { a: null }, ['alignCPUs'], { alignCPUs: 'yes' }),
  fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown),
)
const conversionAnnotations = ['steadyvm.io/v1-fields', 'steadyvm.io/v1beta1-fields', 'hco.kubevirt.io/v1-only-fields']
/** Text of an annotation that is almost one of the conversion's. */
const keptText = fc
  .record(
    {
      fields: fc.oneof(
        garbage,
        fc.array(
          fc.record(
            {
              path: fc.oneof(garbage, fc.array(fc.constantFrom('virtualization', 'featureGates', '__proto__', 'polluted', ''))),
              value: garbage,
              seen: garbage,
            },
            { requiredKeys: [] },
          ),
        ),
      ),
      gates: fc.oneof(garbage, fc.record({ value: garbage, seen: garbage }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value))

/** Paths of all objects and values of a schema, and the root. */
function pathsOf(schema: StructuralSchema, at: FieldPath = []): readonly FieldPath[] {
  return [at, ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => pathsOf(field, [...at, name]))]
}

const renderingInput = { nodes: nodeFactsOf([]), version: 'v1', namespace: 'kubevirt', environment: {} }
const asStored = (object: Stored): HyperConverged => ({ metadata: {}, ...object }) as HyperConverged

suite('conversion of HyperConverged', () => {
  const rows: readonly (readonly [Version, fc.Arbitrary<unknown>])[] = [
    [v1, v1Specs],
    [v1beta1, v1beta1Specs],
  ]
  for (const [version, specs] of rows) {
    test(`${version} and back is the same object`, () => {
      fc.assert(
        fc.property(specs, fc.constantFrom(undefined, {}, { note: 'kept' }), (spec, annotations) => {
          const object = { ...objectOf(version, spec, annotations), status: { observedGeneration: 3 } }
          const there = convert(object, otherOf(version))
          const back = convert(there, version)
          assert.deepEqual(back.spec, object.spec)
          assert.deepEqual(back.metadata?.annotations ?? {}, annotations ?? {})
          assert.deepEqual(back.status, object.status)
          assert.deepEqual(convert(back, otherOf(version)), there)
        }),
        { numRuns, seed },
      )
    })

    test(`an edit in the other version of ${version} is kept, and loses nothing else`, () => {
      const edit = fc.constantFrom(...sameFields)
      fc.assert(
        fc.property(specs, edit, (spec, field) => {
          const key = version === v1 ? 'v1' : 'v1beta1'
          const otherKey = key === 'v1' ? 'v1beta1' : 'v1'
          const there = convert(objectOf(version, spec), otherOf(version))
          const edited = { ...there, spec: withValueAt(there.spec, field[otherKey], 'edited') }
          const back = convert(edited, version)
          assert.deepEqual(back.spec, withValueAt(spec, field[key], 'edited'))
        }),
        { numRuns, seed },
      )
    })
  }

  test('a gate that is edited in v1beta1 changes alone', () => {
    fc.assert(
      fc.property(gateList, fc.constantFrom('alignCPUs', 'template', 'objectGraph'), fc.boolean(), (gates, name, isOn) => {
        const there = convert(objectOf(v1, { featureGates: gates }), v1beta1)
        const back = convert({ ...there, spec: withValueAt(there.spec, ['featureGates', name], isOn) } as Stored, v1).spec
        const list = valueAt(back, ['featureGates']) as readonly { name: string; state: string }[]
        const others = (all: readonly { name: string }[]): readonly object[] =>
          all.filter((gate) => gate.name.toLowerCase() !== name.toLowerCase())
        assert.deepEqual(others(list), others(gates))
        if (name === 'template') return
        assert.equal(list.find((gate) => gate.name.toLowerCase() === name.toLowerCase())?.state, isOn ? 'Enabled' : 'Disabled')
      }),
      { numRuns, seed },
    )
  })

  for (const { v1: path, v1beta1: old } of sameFields) {
    test(`${path.join('.')} is ${old.join('.')} in v1beta1`, () => {
      assert.deepEqual(specAs(v1beta1, withValueAt({}, path, 'x')), withValueAt({}, old, 'x'))
      assert.deepEqual(specAs(v1, withValueAt({}, old, 'x')), withValueAt({}, path, 'x'))
    })
  }

  test('every field of the schemas is converted or known to be of one version', () => {
    const fields = (schema: typeof v1Schema, version: 'v1' | 'v1beta1'): readonly string[] =>
      Object.keys(schema.properties ?? {}).filter((name) => !sameFields.some((field) => field[version][0] === name))
    assert.deepEqual(fields(v1Schema, 'v1'), ['featureGates', 'observability'])
    assert.deepEqual(fields(v1beta1Schema, 'v1beta1'), [
      'localStorageClassName',
      'featureGates',
      'mediatedDevicesConfiguration',
      'vddkInitImage',
      'tektonPipelinesNamespace',
      'tektonTasksNamespace',
    ])
  })

  test('gates of v1beta1 that are absent stay absent', () => {
    assert.deepEqual(specAs(v1, { featureGates: { alignCPUs: true, objectGraph: false, nonRoot: true } }), {
      featureGates: [
        { name: 'alignCPUs', state: 'Enabled' },
        { name: 'objectGraph', state: 'Disabled' },
      ],
    })
    assert.deepEqual(specAs(v1beta1, { featureGates: [{ name: 'alignCPUs' }, { name: 'template', state: 'Disabled' }] }), {
      featureGates: { alignCPUs: true },
    })
  })

  test('the old spelling of mediated device types has its effect in v1', () => {
    const nodeMediatedDeviceTypes = [{ nodeSelector: { a: 'b' }, mediatedDevicesTypes: ['x'] }]
    assert.deepEqual(specAs(v1, { mediatedDevicesConfiguration: { mediatedDevicesTypes: ['y'], nodeMediatedDeviceTypes } }), {
      virtualization: {
        mediatedDevicesConfiguration: {
          mediatedDeviceTypes: ['y'],
          nodeMediatedDeviceTypes: [{ nodeSelector: { a: 'b' }, mediatedDeviceTypes: ['x'] }],
        },
      },
    })
  })

  test('no stored shape makes a read fail', () => {
    const shapes: readonly unknown[] = [
      undefined,
      null,
      {},
      [],
      '',
      0,
      true,
      [null],
      { a: null },
      [{}],
      ['alignCPUs'],
      { alignCPUs: 'yes' },
    ]
    const paths = [
      ['featureGates'],
      ['virtualization'],
      ['mediatedDevicesConfiguration'],
      ['virtualization', 'mediatedDevicesConfiguration'],
      [],
    ]
    for (const version of [v1, v1beta1] as const)
      for (const path of paths)
        for (const shape of shapes) {
          const there = convert(objectOf(version, withValueAt({ observability: {} }, path, shape)), otherOf(version))
          assert.equal(there.apiVersion, otherOf(version))
          convert(there, version)
        }
  })

  test('no garbage in any field or annotation makes a read fail', () => {
    const versions = [
      [v1, v1Schema],
      [v1beta1, v1beta1Schema],
    ] as const
    for (const [version, schema] of versions) {
      const paths = pathsOf(schema)
      assert.ok(paths.length > 60, String(paths.length))
      const spoiled = fc.uniqueArray(fc.tuple(fc.constantFrom(...paths), garbage), { maxLength: 6, selector: ([path]) => path.join('.') })
      const notes = fc.dictionary(fc.constantFrom(...conversionAnnotations), fc.oneof(fc.string(), fc.json(), keptText), {
        noNullPrototype: true,
      })
      fc.assert(
        fc.property(version === v1 ? v1Specs : v1beta1Specs, spoiled, fc.option(notes, { nil: undefined }), (spec, spoils, annotations) => {
          const stored = objectOf(
            version,
            spoils.reduce<unknown>((made, [path, value]) => withValueAt(made, path, value), spec),
            annotations,
          )
          const there = convert(stored, otherOf(version))
          assert.equal(there.apiVersion, otherOf(version))
          const back = convert(there, version)
          assert.equal(back.apiVersion, version)
          // What is answered is JSON.
          assert.deepEqual(JSON.parse(JSON.stringify([there, back])), [there, back])
          assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
          readGates(valueAt(stored.spec, ['featureGates']))
          for (const component of components)
            component.render({ ...renderingInput, hyperconverged: asStored(version === v1 ? stored : there) })
        }),
        { numRuns, seed },
      )
    }
  })

  test("an old client's edit loses no field that v1beta1 lacks, with and without the annotation", () => {
    fc.assert(
      fc.property(v1Specs, fc.constantFrom(...sameFields), fc.boolean(), (spec, field, sendsAnnotation) => {
        const oldSpec = applyDefaults(spec as object, v1Schema)
        const there = convert(objectOf(v1, oldSpec), v1beta1)
        const sent = sendsAnnotation ? there : objectOf(v1beta1, there.spec)
        const received = convert({ ...sent, spec: withValueAt(there.spec, field.v1beta1, 'edited') } as Stored, v1).spec
        // The API server may fill defaults before it calls the webhook, or afterwards.
        for (const isFilled of [true, false]) {
          const asked = isFilled ? applyDefaults(received as object, v1Schema) : received
          const stored = mutateHyperConverged({ spec: asked, oldSpec, isOldVersion: true }).spec
          for (const path of Object.values(onlyInV1)) assert.deepEqual(valueAt(stored, path), valueAt(oldSpec, path), path.join('.'))
          const kept = (value: unknown): readonly string[] =>
            listedGates(valueAt(value, ['featureGates'])).flatMap(({ name, isEnabled }) =>
              findGate(name)?.isInV1beta1 === false ? [`${name} ${String(isEnabled)}`] : [],
            )
          assert.deepEqual(kept(stored), kept(oldSpec))
          assert.equal(valueAt(stored, field.v1), 'edited')
        }
      }),
      { numRuns, seed },
    )
  })

  test('an empty object of gates below v1 is repaired on the way through v1beta1', () => {
    const there = convert(objectOf(v1, { featureGates: {} }), v1beta1)
    assert.deepEqual(there.spec, {})
    assert.deepEqual(convert(there, v1).spec, {})
  })

  test("fields of v1 in the annotation of an earlier operator's v1beta1 object", () => {
    const former = { deployNetworkResourcesInjector: false, mdevConfigEnable: true, observability: { allowedAlerts: ['none'] } }
    const object = objectOf(v1beta1, { infra: {} }, { 'hco.kubevirt.io/v1-only-fields': JSON.stringify(former) })
    const { spec, metadata } = convert(object, v1)
    for (const [key, path] of Object.entries(onlyInV1)) assert.deepEqual(valueAt(spec, path), (former as Record<string, unknown>)[key])
    assert.equal(metadata?.annotations?.['hco.kubevirt.io/v1-only-fields'], undefined)
  })

  test('an annotation that a user has written brings in nothing that the schema refuses', () => {
    const kept = [
      'no JSON',
      '[]',
      JSON.stringify({ fields: [{ path: ['virtualization', 'vmiCPUAllocationRatio'], value: 'many' }], gates: { value: 3 } }),
      JSON.stringify({ fields: [{ path: ['__proto__', 'polluted'], value: true }, { path: [] }, { path: 'x' }, null] }),
      JSON.stringify({ gates: { value: [{ name: 3 }], seen: { alignCPUs: true } } }),
    ]
    for (const text of kept) {
      const { spec } = convert(objectOf(v1beta1, { defaultCPUModel: 'm' }, { 'steadyvm.io/v1-fields': text }), v1)
      assert.deepEqual(valueAt(spec, ['virtualization', 'virtualMachineOptions', 'defaultCPUModel']), 'm', text)
      assert.equal(valueAt(spec, ['virtualization', 'vmiCPUAllocationRatio']), undefined)
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
    }
  })

  test('other kinds and versions are refused', () => {
    for (const [object, to] of [
      [objectOf(v1, {}), 'hco.kubevirt.io/v2'],
      [{ ...objectOf(v1, {}), kind: 'KubeVirt' }, v1beta1],
    ] as const)
      assert.throws(() => convert(object, to), StatusError)
  })
})
