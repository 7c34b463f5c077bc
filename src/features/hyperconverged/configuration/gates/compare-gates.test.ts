import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { compareGates, publishedGates, type PublishedGate } from './compare-gates.ts'
import { consentAnnotation } from './consent.ts'
import type { Phase } from './feature-gates.ts'

const gate = (phase: Phase, affects = true): PublishedGate => ({
  name: 'a',
  phase,
  effect: 'x',
  ...(affects ? { guests: { which: 'all', fields: ['spec'] } } : {}),
})
const to = 'v2.0.0'

interface Case {
  readonly now?: PublishedGate
  readonly next?: PublishedGate
  readonly listed?: boolean
  readonly recorded?: boolean
  readonly consent?: string
}

function changeOf({ now, next, listed, recorded, consent }: Case): string {
  const object = {
    metadata: { name: 'h', annotations: consent === undefined ? {} : { [consentAnnotation]: consent } },
    spec: { featureGates: listed === undefined ? [] : [{ name: 'A', state: listed ? 'Enabled' : 'Disabled' }] },
    ...(recorded === undefined
      ? {}
      : { status: { steadyvm: { gateDefaults: [{ name: 'a', state: recorded ? 'Enabled' : 'Disabled' }] } } }),
  } as HyperConverged
  const tables = { now: now === undefined ? [] : [now], next: next === undefined ? [] : [next], to }
  return (compareGates(object, tables) ?? []).map(({ kind, isOn }) => `${kind} ${isOn ? 'on' : 'off'}`).join()
}

const rows: readonly (readonly [string, Case, string])[] = [
  ['the same phase', { now: gate('alpha'), next: gate('alpha') }, ''],
  ['a promotion that affects guests', { now: gate('alpha'), next: gate('beta') }, 'waits on'],
  ['a promotion that affects none', { now: gate('alpha'), next: gate('beta', false) }, 'flips on'],
  ['a demotion', { now: gate('beta'), next: gate('alpha') }, 'waits off'],
  ['a deprecation', { now: gate('beta', false), next: gate('deprecated', false) }, 'flips off'],
  ['a promotion of a gate that is listed', { now: gate('alpha'), next: gate('beta'), listed: false }, ''],
  ['a promotion with consent', { now: gate('alpha'), next: gate('beta'), consent: to }, ''],
  ['a promotion with consent to another version', { now: gate('alpha'), next: gate('beta'), consent: 'v1.0.0' }, 'waits on'],
  ['a promotion of an earlier release that still waits', { now: gate('beta'), next: gate('beta'), recorded: false }, 'waits on'],
  ['a record that agrees already', { now: gate('alpha'), next: gate('beta'), recorded: true }, ''],
  ['a new gate that is on', { next: gate('beta') }, 'waits on'],
  ['a new gate that is off', { next: gate('alpha') }, ''],
  ['a gate that ends while it is on', { now: gate('beta'), next: gate('discontinued') }, 'ends off'],
  ['a gate that ends while it is listed as on', { now: gate('alpha'), next: gate('discontinued'), listed: true }, 'ends off'],
  ['a gate that ends while it is off', { now: gate('alpha'), next: gate('discontinued') }, ''],
  ['a gate that ends while it is listed as off', { now: gate('beta'), next: gate('discontinued'), listed: false }, ''],
  ['a gate that is not there any more', { now: gate('beta') }, 'ends off'],
  ['a gate that was always on, and is not there any more', { now: gate('GA') }, 'ends off'],
  ['a gate that becomes unconditional while it is on', { now: gate('beta'), next: gate('GA') }, ''],
  ['a gate that becomes unconditional while it is off', { now: gate('alpha'), next: gate('GA') }, 'locks on'],
  ['… against what is listed', { now: gate('beta'), next: gate('GA'), listed: false }, 'locks on'],
  ['… in spite of a consent', { now: gate('beta'), next: gate('GA'), listed: false, consent: to }, 'locks on'],
  ['a listed gate that had no effect', { now: gate('discontinued'), next: gate('GA'), listed: true }, 'locks on'],
]
for (const [name, one, expected] of rows) test(`compares gates: ${name}`, () => assert.equal(changeOf(one), expected))

test('compares gates: nothing is known without a record and a table', () => {
  const object = { metadata: { name: 'h' }, spec: {} } as HyperConverged
  assert.equal(compareGates(object, { now: undefined, next: publishedGates, to }), undefined)
  assert.deepEqual(compareGates(object, { now: publishedGates, next: publishedGates, to }), [])
})
