import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { imported } from '../decide.fixture.ts'
import { importOf, type ImportState } from './import.ts'
import { importName, isDigest } from './import-name.ts'
import { garbageOf } from './retention.ts'
import { nanosecondsOf } from './use-time.ts'

test('an import has twelve digits of its digest in its name', () => {
  const digest = 'sha256:68b44fc891f3fae6703d4b74bcc9b5f24df8d23f12e642805d1420cbe7a4be70'
  assert.equal(importName('fedora', digest), 'fedora-68b44fc891f3')
  assert.equal(importName('fedora', 'uid:6F9619FF-8B86-D011-B42D-00CF4FC964FF'), 'fedora-6f9619ff-8b8')
  assert.deepEqual(['sha256:', 'latest', digest, 'uid:6F9619FF-8B86-D011-B42D-00CF4FC964FF'].map(isDigest), [false, false, true, true])
})

test('times of different widths are in the order of time', () => {
  const ordered = [
    '2026-01-01T00:00:00.999999999Z',
    '2026-01-01T00:00:01Z',
    '2026-01-01T00:00:01.1Z',
    '2026-01-01T00:00:01.15Z',
    '2026-01-01T01:00:01.2+01:00',
    '2026-01-01T00:00:01.5Z',
  ]
  const parsed = ordered.map((text) => nanosecondsOf(text) ?? 0n)
  assert.deepEqual(
    parsed.toSorted((one, other) => (one < other ? -1 : 1)),
    parsed,
  )
  assert.equal(new Set(parsed).size, ordered.length)
  assert.deepEqual([nanosecondsOf(undefined), nanosecondsOf(''), nanosecondsOf('soon')], [undefined, undefined, undefined])
})

test('garbage never has what is kept, and leaves the number to keep, those that were used last', () => {
  const digits = Array.from({ length: 10 }, (_, digit) => String(digit))
  const image = fc.record({ digit: fc.constantFrom(...digits), day: fc.integer({ min: 1, max: 28 }), isKept: fc.boolean() })
  fc.assert(
    fc.property(fc.uniqueArray(image, { selector: ({ digit }) => digit }), fc.integer({ min: 1, max: 5 }), (images, toKeep) => {
      const all = images.map(({ digit, day }) => imported(digit, { day }))
      const kept = new Set(images.filter(({ isKept }) => isKept).map(({ digit }) => imported(digit).name))
      const garbage = garbageOf(all, toKeep, kept)
      assert.ok(garbage.every(({ name }) => !kept.has(name)))
      const rest = all.filter((each) => !garbage.includes(each))
      assert.equal(rest.length, Math.min(all.length, Math.max(toKeep, kept.size)))
      const oldest = rest
        .filter(({ name }) => !kept.has(name))
        .reduce((least, { lastUse }) => (lastUse < least ? lastUse : least), 1n << 80n)
      assert.ok(garbage.every(({ lastUse }) => lastUse <= oldest))
    }),
  )
})

const nowMs = Date.parse('2026-01-10T00:00:00Z')
const day = 86_400_000
const metadata = { name: 'a', uid: 'u', creationTimestamp: '2026-01-09T00:00:00Z' }
const ownerReferences = [{ apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', name: 'a', uid: 'u', controller: true }]
const filled = { annotations: { 'cdi.kubevirt.io/storage.pod.phase': 'Succeeded' } }
const running = [{ type: 'Running', status: 'True' }]
const volume = (phase: string, conditions: readonly object[] = []): object => ({ metadata, spec: {}, status: { phase, conditions } })
const claim = (changes: object = {}, phase: string = 'Bound'): object => ({
  metadata: { ...metadata, ...changes },
  spec: {},
  status: { phase },
})

const states: readonly [
  what: string,
  dataVolume: object | undefined,
  claim: object | undefined,
  state: ImportState,
  deadlineMs?: number,
][] = [
  ['a full volume', volume('Succeeded'), claim({ ownerReferences }), 'complete'],
  ['a volume that is read', volume('ImportInProgress', running), claim({ ownerReferences }), 'busy'],
  ['a volume that is read for too long', volume('ImportInProgress', running), claim({ ownerReferences }), 'broken', day / 2],
  ['a volume that is not there yet', volume('Pending'), undefined, 'waiting'],
  ['a volume that cannot be filled', volume('Failed'), claim({ ownerReferences }), 'broken'],
  ['a volume that is gone', volume('Succeeded'), undefined, 'broken'],
  ['a volume of another DataVolume of that name', volume('Succeeded'), claim(filled), 'broken'],
  [
    'a DataVolume that is being deleted',
    { ...volume('Succeeded'), metadata: { ...metadata, deletionTimestamp: 'x' } },
    claim({ ownerReferences }),
    'leaving',
  ],
  ['a volume that is being deleted', volume('Succeeded'), claim({ ownerReferences, deletionTimestamp: 'x' }), 'leaving'],
  ['a full volume without DataVolume', undefined, claim(filled), 'complete'],
  ['a volume whose DataVolume is gone', undefined, claim({ ...filled, ownerReferences }), 'leaving'],
  ['a part of a volume', undefined, claim(), 'broken'],
]

suite('an import with', () => {
  for (const [what, dataVolume, of, state, deadlineMs = 2 * day] of states)
    test(`${what} is ${state}`, () => {
      assert.equal(importOf('a', { dataVolume: dataVolume as never, claim: of as never }, { nowMs, deadlineMs }).state, state)
    })
})
