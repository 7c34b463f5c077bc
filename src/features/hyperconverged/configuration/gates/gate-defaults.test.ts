import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { consentAnnotation, consentConditions, consentProblems, consentWarnings } from './consent.ts'
import { featureGateRows, type FeatureGateRow, type Phase } from './feature-gates.ts'
import { keptGatesOf, recordedDefaults } from './gate-defaults.ts'

const version = 'v2.0.0'
const rowOf = (name: string, phase: Phase, affects = true): FeatureGateRow => ({
  name,
  phase,
  since: version,
  effect: 'x',
  ...(affects ? { guests: { which: 'all', fields: ['spec'] } } : {}),
})
const rows = [
  rowOf('promoted', 'beta'),
  rowOf('demoted', 'alpha'),
  rowOf('harmless', 'beta', false),
  rowOf('always', 'GA'),
  rowOf('gone', 'discontinued'),
  rowOf('added', 'beta'),
  rowOf('same', 'beta'),
]
const recorded = (...on: readonly string[]): object => ({
  steadyvm: {
    gateDefaults: ['promoted', 'demoted', 'harmless', 'always', 'gone', 'same'].map((name) => ({
      name,
      state: on.includes(name) ? 'Enabled' : 'Disabled',
    })),
  },
})
const earlier = { ...recorded('demoted', 'same', 'gone'), versions: [{ name: 'operator', version: 'v1.0.0' }] }
const objectOf = (status: object | undefined, gates: readonly object[] = [], consent?: string): HyperConverged =>
  ({
    metadata: { name: 'h', annotations: consent === undefined ? {} : { [consentAnnotation]: consent } },
    spec: { featureGates: gates },
    ...(status === undefined ? {} : { status }),
  }) as HyperConverged
const keptIn = (object: HyperConverged): string =>
  [...keptGatesOf(object, version, rows)].map(([name, isOn]) => `${name} ${isOn ? 'on' : 'off'}`).join()

suite('defaults of gates after an upgrade', () => {
  const all = 'promoted off,demoted on,added off'
  const table: readonly (readonly [string, HyperConverged, string])[] = [
    ['a new object', objectOf(undefined), ''],
    ['an object that the operator has not reported on', objectOf({ conditions: [] }), ''],
    ['flips that affect guests are kept, others are not', objectOf(earlier), all],
    [
      'a gate that is listed is decided, in any case of letters',
      objectOf(earlier, [{ name: 'PROMOTED', state: 'Disabled' }]),
      'demoted on,added off',
    ],
    ['consent to this version', objectOf(earlier, [], version), ''],
    ['consent to another version', objectOf(earlier, [], 'v1.9.0'), all],
    ['a record is older than the version in the status', objectOf({ ...earlier, versions: [{ name: 'operator', version }] }), all],
    [
      'an object of a release without records, in which these gates were not there',
      objectOf({ versions: [{ name: 'operator', version: 'v0.1.0' }] }),
      'promoted off,added off,same off',
    ],
    ['an object of this version without a record', objectOf({ versions: [{ name: 'operator', version }] }), ''],
  ]
  for (const [name, object, expected] of table) test(name, () => assert.equal(keptIn(object), expected))

  test('a consent is recorded once it is applied, and stays when the annotation goes', () => {
    const consented = objectOf(earlier, [], version)
    const states = (object: HyperConverged, isApplied: boolean): string =>
      recordedDefaults(object, version, isApplied, rows)
        .map(({ name, state, pending = '' }) => `${name}=${state}${pending === '' ? '' : `?${pending}`}`)
        .join(' ')
    const before = 'promoted=Disabled demoted=Enabled harmless=Enabled always=Enabled added=Disabled same=Enabled'
    const after = 'promoted=Enabled demoted=Disabled harmless=Enabled always=Enabled added=Enabled same=Enabled'
    assert.equal(states(consented, false), before)
    assert.equal(states(consented, true), after)
    assert.equal(
      states(objectOf(earlier), true),
      'promoted=Disabled?Enabled demoted=Enabled?Disabled harmless=Enabled always=Enabled added=Disabled?Enabled same=Enabled',
    )
    const next = { steadyvm: { gateDefaults: recordedDefaults(consented, version, true, rows) } }
    assert.equal(keptIn(objectOf(next)), '')
    assert.equal(states(objectOf(next), true), after)
    // Going back to the earlier version is a flip, too.
    const old = rows.map((row) => (row.name === 'promoted' ? rowOf('promoted', 'alpha') : row))
    assert.deepEqual([...keptGatesOf(objectOf(next), 'v1.0.0', old)], [['promoted', true]])
  })

  test('a record survives any number of versions without consent', () => {
    let status: object = earlier
    for (let pass = 0; pass < 3; pass++) {
      assert.equal(keptIn(objectOf(status)), all)
      status = {
        steadyvm: { gateDefaults: recordedDefaults(objectOf(status), version, true, rows) },
        versions: [{ name: 'operator', version: `v3.${pass}.0` }],
      }
    }
  })

  test('releases before the record had the defaults of the first table', () => {
    const old = objectOf({ versions: [{ name: 'operator', version: 'v0.1.0' }] })
    const first = featureGateRows.filter(({ since }) => since === 'v0.1.0')
    assert.deepEqual([...keptGatesOf(old, version, first)], [])
  })
})

test('the condition names each gate and both ways to decide', () => {
  const [condition] = consentConditions(recordedDefaults(objectOf(earlier), version, true, rows), version)
  assert.match(
    condition?.message ?? '',
    /promoted stays Disabled, and is Enabled by default in v2\.0\.0;.*spec\.featureGates.*consent-to-gate-defaults-of=v2\.0\.0/,
  )
  assert.deepEqual(consentConditions(recordedDefaults(objectOf(undefined), version, true, rows), version), [])
})

test('a malformed consent is refused, and one that does not count is warned of', () => {
  const problems: readonly (readonly [string | undefined, number])[] = [
    [undefined, 0],
    ['v2.0.0', 0],
    ['true', 1],
    ['', 1],
    ['2.0.0', 1],
  ]
  for (const [value, count] of problems) assert.equal(consentProblems(objectOf(undefined, [], value)).length, count, String(value))
  const warnings: readonly (readonly [string, string | undefined, RegExp | undefined])[] = [
    ['v2.0.0', version, undefined],
    ['v1.0.0', version, /older/],
    ['v3.0.0', version, /until v3\.0\.0 runs/],
    ['v3.0.0', undefined, undefined],
    ['yes', version, undefined],
  ]
  for (const [value, running, message] of warnings) {
    const [warning] = consentWarnings(objectOf(undefined, [], value), running)
    if (message === undefined) assert.equal(warning, undefined)
    else assert.match(warning ?? '', message)
  }
})
