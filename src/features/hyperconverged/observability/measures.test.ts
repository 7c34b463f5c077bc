import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMisconfigured } from './descheduler.ts'
import { isSingleStackIpv6, overcommitOf, unsafeModificationsOf, updateSecondsOf } from './measures.ts'

test('operations of JSON patches are counted, and what is no patch has none', () => {
  const remove = { op: 'remove', path: '/spec/a' }
  const rows: readonly (readonly [string | undefined, number])[] = [
    [undefined, 0],
    ['[]', 0],
    [JSON.stringify([remove]), 1],
    [JSON.stringify([remove, remove]), 2],
    [JSON.stringify(remove), 0],
    ['[', 0],
    ['', 0],
  ]
  for (const [text, count] of rows) {
    const name = 'ssp.kubevirt.io/jsonpatch'
    const counts = unsafeModificationsOf(text === undefined ? {} : { [name]: text, 'other.io/jsonpatch': '[{}]' })
    assert.deepEqual(counts, {
      'kubevirt.kubevirt.io/jsonpatch': 0,
      'containerizeddataimporter.kubevirt.io/jsonpatch': 0,
      'networkaddonsconfigs.kubevirt.io/jsonpatch': 0,
      [name]: count,
    })
  }
})

test('only a component that changes its version is being updated', () => {
  const since = '2026-01-01T00:00:00Z'
  const components = [
    { name: 'kubevirt', state: 'Progressing', targetVersion: 'v2', since },
    { name: 'cdi', state: 'Progressing', since },
    { name: 'ssp', state: 'Degraded', targetVersion: 'v2', since },
    { name: 'aaq', state: 'Ready', since },
  ]
  const now = Date.parse(since) + 90_000
  assert.deepEqual(updateSecondsOf({ steadyvm: { components } }, now), [{ component: 'kubevirt', seconds: 90 }])
  assert.deepEqual(updateSecondsOf(undefined, now), [])
})

test('the overcommit of an object, with the default', () => {
  assert.equal(overcommitOf(undefined), undefined)
  assert.equal(overcommitOf({}), 100)
  assert.equal(overcommitOf({ spec: { virtualization: { higherWorkloadDensity: { memoryOvercommitPercentage: 150 } } } }), 150)
})

test('a single stack of IPv6 has no other address', () => {
  for (const [addresses, isSingle] of [
    [undefined, undefined],
    ['', undefined],
    ['10.1.2.3', false],
    ['10.1.2.3,fd00::1', false],
    ['fd00::1', true],
  ] as const)
    assert.equal(isSingleStackIpv6(addresses), isSingle, String(addresses))
})

test('a descheduler needs one of the profiles for guests', () => {
  for (const [profiles, expected] of [
    [undefined, true],
    [['AffinityAndTaints'], true],
    [['AffinityAndTaints', 'LongLifecycle'], false],
    [['KubeVirtRelieveAndMigrate'], false],
  ] as const)
    assert.equal(isMisconfigured({ spec: { profiles } } as never), expected, JSON.stringify(profiles))
})
