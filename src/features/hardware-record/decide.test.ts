import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decide, mustRehearse, type Rehearsed } from './decide.ts'
import { hardwarePolicyOf, isAccepted } from './policy.ts'
import { hardwareNames } from './names.ts'

const known = { fingerprint: 'a'.repeat(64), launch: 'l', version: 1 }

suite('mustRehearse()', () => {
  const cases: readonly (readonly [string, Parameters<typeof mustRehearse>[0], boolean])[] = [
    ['there is no record', { known: undefined, launch: 'l', version: 1 }, false],
    ['the launch is the same', { known, launch: 'l', version: 1 }, false],
    ['the launch differs', { known, launch: 'm', version: 1 }, true],
    ['the record has another fingerprint version, which cannot be compared', { known, launch: 'm', version: 2 }, false],
  ]
  for (const [name, planned, expected] of cases) {
    test(`returns ${expected} when ${name}`, () => assert.equal(mustRehearse(planned), expected))
  }
})

suite('decide()', () => {
  const rehearsed: Rehearsed = {
    before: known.fingerprint,
    fingerprint: 'b'.repeat(64),
    changes: [{ name: 'machine: type', before: 'pc-q35-7.2', after: 'pc-q35-10.0' }],
    reason: 'Release',
    policy: 'Warn',
    isAccepted: false,
  }
  const cases: readonly (readonly [string, Partial<Rehearsed>, string])[] = [
    ['the same hardware', { fingerprint: known.fingerprint }, 'same'],
    ['the same hardware with policy Refuse', { fingerprint: known.fingerprint, policy: 'Refuse' }, 'same'],
    ['other hardware with policy Allow', { policy: 'Allow' }, 'silent'],
    ['other hardware', {}, 'tell'],
    ['other hardware with policy Refuse', { policy: 'Refuse' }, 'refuse'],
    ['other hardware that was accepted', { policy: 'Refuse', isAccepted: true }, 'tell'],
    ['other hardware without recorded facts', { policy: 'Refuse', changes: [] }, 'refuse'],
  ]
  for (const [name, change, kind] of cases) {
    test(`returns ${kind} for ${name}`, () => assert.equal(decide({ ...rehearsed, ...change }).kind, kind))
  }

  test('names the changes and the annotation that accepts them', () => {
    const verdict = decide({ ...rehearsed, policy: 'Refuse' })
    assert.ok(verdict.kind === 'refuse')
    assert.match(verdict.message, /pc-q35-7\.2 → pc-q35-10\.0/)
    const word = new RegExp(`${hardwareNames.acceptAnnotation}=(\\w+)`).exec(verdict.message)?.[1] ?? ''
    assert.ok(isAccepted({ metadata: { annotations: { [hardwareNames.acceptAnnotation]: word } } }, rehearsed.fingerprint))
  })
})

suite('hardwarePolicyOf()', () => {
  const saying = (word?: string): Parameters<typeof hardwarePolicyOf>[0] => ({
    metadata: { annotations: word === undefined ? {} : { [hardwareNames.policyAnnotation]: word } },
  })
  const cases: readonly (readonly [vm: string | undefined, cluster: string | undefined, expected: string])[] = [
    [undefined, undefined, 'Warn'],
    [undefined, 'Refuse', 'Refuse'],
    ['Allow', 'Refuse', 'Allow'],
    ['refuse', undefined, 'Refuse'],
    ['no changes please', undefined, 'Refuse'],
  ]
  for (const [vm, cluster, expected] of cases) {
    test(`returns ${expected} when the VM sets ${vm} and the cluster ${cluster}`, () => {
      assert.equal(hardwarePolicyOf(saying(vm), saying(cluster)), expected)
    })
  }

  test('isAccepted() requires a minimum length of the fingerprint', () => {
    const accepting = (word: string): boolean =>
      isAccepted({ metadata: { annotations: { [hardwareNames.acceptAnnotation]: word } } }, known.fingerprint)
    assert.deepEqual(
      [accepting('a'.repeat(8)), accepting('a'.repeat(7)), accepting(''), accepting('ab'.repeat(4))],
      [true, false, false, false],
    )
  })
})
