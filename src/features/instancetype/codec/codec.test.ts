import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { Family } from '../matcher.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { expand } from '../expand/expand.ts'
import { instancetypeOf, preferenceOf, vmOf } from '../instancetype.fixture.ts'
import { extremeInstancetypeSpecs, extremePreferenceSpecs, instancetypeSpecs, preferenceSpecs } from '../random.fixture.ts'
import type { Instancetype, Preference } from '../types.ts'
import { decodeRevision, encodeRevisionData, knownVersions, latestVersion, RevisionUndecodable } from './codec.ts'

const group = 'instancetype.kubevirt.io'

function revisionWith(data: Record<string, unknown>): ControllerRevision {
  return { metadata: { namespace: 'team-a', name: 'web-small' }, data, revision: 0 }
}

function inBase64(spec: unknown): string {
  return Buffer.from(JSON.stringify(spec)).toString('base64')
}

const whole = { kind: 'VirtualMachinePreference', metadata: { name: 'linux', uid: 'u', generation: 2 } }
const topology = { cpu: { preferredCPUTopology: 'preferCores' } }
const old: readonly { reason: string; data: Record<string, unknown>; version: string; shape: 'object' | 'spec'; spec?: unknown }[] = [
  { reason: '0.56, a bare spec', data: { apiVersion: `${group}/v1alpha1`, spec: inBase64(topology) }, version: 'v1alpha1', shape: 'spec' },
  { reason: '0.56, without the version', data: { apiVersion: '', spec: inBase64(topology) }, version: 'v1alpha1', shape: 'spec' },
  { reason: 'no version at all', data: { spec: inBase64(topology) }, version: 'v1alpha1', shape: 'spec' },
  {
    reason: '0.55, a flavor',
    data: { apiVersion: 'flavor.kubevirt.io/v1alpha1', spec: inBase64(topology) },
    version: 'v1alpha1',
    shape: 'spec',
  },
  { reason: '0.58', data: { ...whole, apiVersion: `${group}/v1alpha2`, spec: topology }, version: 'v1alpha2', shape: 'object' },
  {
    reason: '0.58, an empty topology, which is none',
    data: { ...whole, apiVersion: `${group}/v1alpha2`, spec: { cpu: { preferredCPUTopology: '' } } },
    version: 'v1alpha2',
    shape: 'object',
    spec: { cpu: {} },
  },
  {
    reason: '1.3, from a bare spec, under a name of its own making',
    data: {
      ...whole,
      metadata: { name: 'old-version-of-preference-object', generation: 0 },
      apiVersion: `${group}/v1beta1`,
      spec: topology,
    },
    version: 'v1beta1',
    shape: 'spec',
  },
  { reason: '1.0', data: { ...whole, apiVersion: `${group}/v1beta1`, spec: topology }, version: 'v1beta1', shape: 'object' },
  {
    reason: 'v1',
    data: { ...whole, apiVersion: `${group}/v1`, spec: { cpu: { preferredCPUTopology: 'cores' } } },
    version: 'v1',
    shape: 'object',
    spec: { cpu: { preferredCPUTopology: 'cores' } },
  },
]

suite('decodeRevision()', () => {
  for (const { reason, data, version, shape, spec = topology } of old) {
    test(`decodes revisions written by ${reason}`, () => {
      const decoded = decodeRevision(revisionWith(data), 'preference')
      assert.deepEqual([decoded.version, decoded.shape, decoded.object.spec], [version, shape, spec])
      assert.deepEqual(decoded.object.metadata, shape === 'spec' ? {} : whole.metadata)
    })
  }

  const bad: readonly { reason: string; data: Record<string, unknown>; family?: Family }[] = [
    { reason: 'an unknown version', data: { ...whole, apiVersion: `${group}/v7`, spec: {} } },
    { reason: 'another group', data: { ...whole, apiVersion: 'kubevirt.io/v1', spec: {} } },
    { reason: 'the other family', data: { ...whole, apiVersion: `${group}/v1beta1`, spec: {} }, family: 'instancetype' },
    { reason: 'no kind', data: { apiVersion: `${group}/v1beta1`, spec: {} } },
    { reason: 'no JSON', data: { apiVersion: `${group}/v1alpha1`, spec: '!!' } },
    { reason: 'nothing', data: {} },
    { reason: 'a version that is no text', data: { ...whole, apiVersion: 7, spec: {} } },
    { reason: 'a list', data: { ...whole, apiVersion: `${group}/v1beta1`, spec: [] } },
    { reason: 'a text in base64', data: { apiVersion: `${group}/v1alpha1`, spec: inBase64('x') } },
    { reason: 'null in base64', data: { apiVersion: `${group}/v1alpha1`, spec: inBase64(null) } },
    { reason: 'a field of another type', data: { ...whole, apiVersion: `${group}/v1alpha2`, spec: { cpu: 'x' } } },
    { reason: 'one deep inside', data: { ...whole, apiVersion: `${group}/v1`, spec: { devices: { preferredRng: true } } } },
    { reason: 'metadata of another type', data: { ...whole, apiVersion: `${group}/v1`, metadata: { annotations: 'x' }, spec: {} } },
    {
      reason: 'an instance type without size',
      data: { apiVersion: `${group}/v1beta1`, kind: 'VirtualMachineInstancetype', spec: { cpu: {} } },
      family: 'instancetype',
    },
  ]
  for (const { reason, data, family = 'preference' } of bad) {
    test(`rejects ${reason}, and names the revision`, () => {
      assert.throws(
        () => decodeRevision(revisionWith(data), family),
        (error) => error instanceof RevisionUndecodable && error.message.includes('team-a/web-small'),
      )
    })
  }
})

test('decodeRevision() returns an object that the engine can use, or throws', () => {
  const families = ['instancetype', 'preference'] as const
  const nearly = fc.oneof(instancetypeSpecs, preferenceSpecs, extremeInstancetypeSpecs, extremePreferenceSpecs, fc.jsonValue())
  const spoilt = fc.tuple(nearly, fc.jsonValue({ maxDepth: 2 }), fc.nat()).map(([spec, value, at]) => spoil(spec, value, at))
  const version = fc.constantFrom(...knownVersions.map((name) => `${group}/${name}`), '', 'v7')
  const kind = fc.constantFrom('VirtualMachineInstancetype', 'VirtualMachineClusterPreference', 'VirtualMachine', undefined)
  let readable = 0
  fc.assert(
    fc.property(fc.oneof(nearly, spoilt), version, kind, fc.jsonValue(), fc.boolean(), (spec, apiVersion, named, metadata, isBare) => {
      const data = { apiVersion, kind: named, metadata, spec: isBare ? inBase64(spec) : spec } as Record<string, unknown>
      for (const family of families) {
        try {
          const { object } = decodeRevision(revisionWith(data), family)
          const size = family === 'instancetype' ? (object as Instancetype) : undefined
          const taste = family === 'preference' ? (object as Preference) : undefined
          expand(vmOf(), size, taste, defaultClusterConfig)
          readable += 1
        } catch (error) {
          if (!(error instanceof RevisionUndecodable)) throw error
        }
      }
    }),
    { numRuns: 2_000 },
  )
  assert.ok(readable > 200, `${readable} could be read`)
})

/** Replaces one value in a document. */
function spoil(document: unknown, value: unknown, at: number): unknown {
  const keys = typeof document === 'object' && document !== null ? Object.keys(document) : []
  const key = keys[at % Math.max(keys.length, 1)]
  if (key === undefined || at % 5 === 0) return value
  return { ...(document as object), [key]: spoil((document as Record<string, unknown>)[key], value, Math.floor(at / 2)) }
}

test('treats null as absent', () => {
  const data = { ...whole, apiVersion: `${group}/v1beta1`, spec: { cpu: null, devices: { preferredRng: null, preferredDiskBus: 'sata' } } }
  assert.deepEqual(decodeRevision(revisionWith(data), 'preference').object.spec, { devices: { preferredDiskBus: 'sata' } })
})

suite('encodeRevisionData()', () => {
  const objects = fc.oneof(
    instancetypeSpecs.map((spec) => ({ family: 'instancetype' as const, object: { ...instancetypeOf(), spec } })),
    preferenceSpecs.map((spec) => ({ family: 'preference' as const, object: { ...preferenceOf(), spec } })),
  )

  test('is lossless in every version', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom('v1beta1' as const, 'v1' as const), ({ family, object }, version) => {
        const decoded = decodeRevision(revisionWith(encodeRevisionData(object, version)), family)
        assert.equal(decoded.version, version)
        assert.deepEqual(decoded.object, object)
      }),
    )
  })

  test('writes no deprecated field in v1', () => {
    const deprecated =
      /"(preferredUseEfi|preferredUseSecureBoot|preferSpreadSocketToCoreRatio|prefer(Sockets|Cores|Threads|Spread|Any)|launchSecurity)"/
    fc.assert(
      fc.property(objects, ({ object }) => assert.doesNotMatch(JSON.stringify(encodeRevisionData(object, 'v1')['spec']), deprecated)),
    )
  })
})

test('latestVersion() is v1beta1, as in KubeVirt, unless the gate asks for v1', () => {
  assert.equal(latestVersion({ featureGates: ['Other'] }), 'v1beta1')
  assert.equal(latestVersion({ featureGates: ['InstancetypeV1'] }), 'v1')
  assert.deepEqual(knownVersions, ['v1alpha1', 'v1alpha2', 'v1beta1', 'v1'])
})
