import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { expand, type Expansion } from '../expand/expand.ts'
import { instancetypeOf, preferenceOf } from '../instancetype.fixture.ts'
import { instancetypeSpecs, preferenceSpecs, vms } from '../random.fixture.ts'
import type { Preference } from '../types.ts'
import { convertVersion } from './convert.ts'

const group = 'instancetype.kubevirt.io'
const note = 'steadyvm.io/v1beta1-fields'
const [beta, v1] = [`${group}/v1beta1`, `${group}/v1`]

interface Stored extends KubeObject {
  readonly spec: Record<string, unknown>
}

function preference(apiVersion: string, spec: object, annotations?: Record<string, string>): Stored {
  const metadata = { name: 'linux', ...(annotations === undefined ? {} : { annotations }) }
  return { apiVersion, kind: 'VirtualMachineClusterPreference', metadata, spec } as Stored
}

const objects: fc.Arbitrary<KubeObject> = fc.oneof(
  instancetypeSpecs.map((spec) => ({ ...instancetypeOf(), apiVersion: beta, spec })),
  preferenceSpecs.map((spec) => ({ ...preferenceOf(), apiVersion: beta, spec })),
)

suite('convertVersion()', () => {
  test('is lossless there and back', () => {
    fc.assert(fc.property(objects, (object) => assert.deepEqual(convertVersion(convertVersion(object, v1), beta), object)))
  })

  test('prefers fields written in v1 to the annotation', () => {
    fc.assert(
      fc.property(
        objects,
        fc.oneof(
          objects.map(({ spec }: KubeObject & { spec?: object }) => JSON.stringify(spec)),
          fc.json(),
        ),
        (object, text) => {
          const { spec, metadata } = convertVersion(object, v1) as Stored
          const annotations = { ...metadata?.annotations, [note]: text }
          const written = { ...object, apiVersion: v1, spec, metadata: { ...metadata, annotations } }
          assert.deepEqual((convertVersion(convertVersion(written, beta), v1) as Stored).spec, spec)
        },
      ),
    )
  })

  test('gives the guest the same firmware without the annotation', () => {
    fc.assert(
      fc.property(preferenceSpecs, instancetypeSpecs, vms, (spec, sizes, vm) => {
        const { firmware: _, ...domain } = vm.spec.template.spec.domain ?? {}
        const template = { ...vm.spec.template, spec: { ...vm.spec.template.spec, domain } }
        const bare = { ...vm, spec: { ...vm.spec, template } } as VirtualMachine
        const modern = convertVersion({ ...preferenceOf(), apiVersion: beta, spec } as KubeObject, v1) as Stored
        const expanded = (of: object): Expansion =>
          expand(bare, instancetypeOf(sizes), { ...preferenceOf(), spec: of } as Preference, defaultClusterConfig)
        assert.deepEqual(expanded(modern.spec), expanded(spec))
      }),
    )
  })

  const kept = JSON.stringify({ firmware: { preferredUseEfi: true } })
  const rows: readonly { reason: string; annotation: string; spec: object; want: object }[] = [
    {
      reason: 'the annotation still matches',
      annotation: kept,
      spec: { firmware: { preferredEfi: {} }, machine: {} },
      want: { firmware: { preferredUseEfi: true }, machine: {} },
    },
    {
      reason: 'it was changed since',
      annotation: kept,
      spec: { firmware: { preferredEfi: { persistent: true } } },
      want: { firmware: { preferredEfi: { persistent: true } } },
    },
    { reason: 'it was removed since', annotation: kept, spec: {}, want: {} },
    { reason: 'the annotation is no JSON', annotation: '{', spec: { machine: {} }, want: { machine: {} } },
    { reason: 'the annotation is a list', annotation: '[]', spec: {}, want: {} },
    {
      reason: 'it has an invalid value',
      annotation: JSON.stringify({ firmware: { preferredUseEfi: true, preferredUseBios: 'x' } }),
      spec: { firmware: { preferredEfi: {}, preferredUseBios: 'x' } },
      want: { firmware: { preferredEfi: {}, preferredUseBios: 'x' } },
    },
    {
      reason: 'it names a field that is not deprecated',
      annotation: JSON.stringify({ machine: { preferredMachineType: 'pc' }, __proto__: null }),
      spec: {},
      want: {},
    },
  ]
  for (const { reason, annotation, spec, want } of rows) {
    test(`restores v1beta1 when ${reason}`, () => {
      const converted = convertVersion(preference(v1, spec, { [note]: annotation, other: 'kept' }), beta)
      assert.deepEqual(converted, preference(beta, want, { other: 'kept' }))
    })
  }

  test('accepts old versions, and writes none', () => {
    const old = preference(`${group}/v1alpha2`, { cpu: { preferredCPUTopology: '' } })
    assert.deepEqual(convertVersion(old, beta), preference(beta, { cpu: {} }))
    assert.throws(() => convertVersion(preference(beta, {}), `${group}/v1alpha2`))
    assert.throws(() => convertVersion(preference(beta, {}), `${group}/v7`))
    assert.throws(() => convertVersion({ ...preference(beta, {}), kind: 'VirtualMachine' }, v1))
  })
})
