import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { fingerprintHash } from '#qemu/index.ts'
import { launchDigest } from './launch-digest.ts'
import { reasonOf, type Origin } from './reason.ts'
import { historyLimit, recordAfter, type RecordContent, type HardwareObservation } from './record.ts'

const observation = (facts: Record<string, string>, more: Partial<HardwareObservation> = {}): HardwareObservation => ({
  fingerprint: { version: 1, facts },
  launch: 'l',
  now: '2026-01-01T00:00:00Z',
  qemu: '7.2.22',
  ...more,
})

suite('recordAfter()', () => {
  const first = recordAfter(undefined, observation({ 'machine: type': 'pc-q35-7.2' })) as RecordContent

  test('starts with the first observation', () => {
    assert.equal(first.history[0]?.reason, 'FirstStart')
    assert.equal(first.fingerprint, fingerprintHash({ version: 1, facts: first.facts }))
  })

  test('writes nothing for the same hardware on another host or release', () => {
    assert.equal(recordAfter(first, observation(first.facts, { node: 'n2', qemu: '10.0.2', now: '2027-01-01T00:00:00Z' })), undefined)
  })

  test('updates the digest, without a change, when another launch has the same hardware', () => {
    const next = recordAfter(first, observation(first.facts, { launch: 'm' }))
    assert.deepEqual(next, { ...first, launch: 'm' })
  })

  test('prepends a change with its differences', () => {
    const next = recordAfter(first, observation({ 'machine: type': 'pc-q35-10.0' }, { qemu: '10.0.2' }))
    assert.equal(next?.history.length, 2)
    assert.equal(next.history[0]?.reason, 'Release')
    assert.deepEqual(next.history[0]?.changes, [{ name: 'machine: type', before: 'pc-q35-7.2', after: 'pc-q35-10.0' }])
  })

  test('distinguishes hotplug from changes at a start', () => {
    const small = recordAfter(undefined, observation({ 'cpu: plugged': '1' })) as RecordContent
    const reasonFor = (more: Partial<HardwareObservation>): string | undefined =>
      recordAfter(small, observation({ 'cpu: plugged': '2' }, { specification: 's', ...more }))?.history[0]?.reason
    assert.equal(reasonFor({}), 'Plugged')
    assert.equal(reasonFor({ launch: 'm', hasMoved: true, node: 'n2' }), 'Plugged')
    assert.equal(reasonFor({ launch: 'm' }), 'Specification')
    const more = recordAfter(small, observation({ 'cpu: plugged': '2', 'cpu: vendor': 'x' }, { specification: 's' }))
    assert.equal(more?.history[0]?.reason, 'Specification')
  })

  test('starts anew when the fingerprint version changes', () => {
    const next = recordAfter(first, { ...observation({ 'machine type': 'pc-q35-7.2' }), fingerprint: { version: 2, facts: { a: 'b' } } })
    assert.equal(next?.history[0]?.reason, 'FirstStart')
    assert.equal(next.history[0]?.changes, undefined)
  })

  test('limits the history; its newest entry is the current state', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.string()), { maxLength: 40 }), (all) => {
        let record: RecordContent | undefined
        for (const facts of all) record = recordAfter(record, observation(facts)) ?? record
        assert.ok((record?.history.length ?? 0) <= historyLimit)
        assert.equal(record?.history[0]?.fingerprint, record?.fingerprint)
        const last = all.at(-1)
        if (last !== undefined) assert.equal(record?.fingerprint, fingerprintHash({ version: 1, facts: last }))
      }),
    )
  })
})

suite('reasonOf()', () => {
  const before: Origin = { qemu: '7.2.22', node: 'n1', specification: 's1' }
  const cases: readonly (readonly [Partial<Origin>, string])[] = [
    [{ specification: 's2' }, 'Specification'],
    [{ specification: 's2', qemu: '10.0.2' }, 'SpecificationAndRelease'],
    [{ qemu: '10.0.2', node: 'n2' }, 'Release'],
    [{ node: 'n2' }, 'Host'],
    [{}, 'Cluster'],
  ]
  for (const [change, expected] of cases) {
    test(`returns ${expected} after ${JSON.stringify(change)}`, () => assert.equal(reasonOf(before, { ...before, ...change }), expected))
  }
  test('returns FirstStart without a record', () => assert.equal(reasonOf(undefined, before), 'FirstStart'))
})

suite('launchDigest()', () => {
  const args = [
    '-machine',
    'pc-q35-7.2',
    '-rtc',
    'base=2026-01-01T00:00:00',
    '-device',
    'virtio-net-pci,id=nic,netdev=n,mac=02:00:00:00:00:01',
  ]
  const place = { version: '7.2.22', accelerator: 'tcg', cpuFeatures: ['a', 'b'] }
  const digest = launchDigest(args, place)
  const changed = (from: string, to: string): string[] => args.map((word) => word.replace(from, to))
  test('is equal for equal launches at other times and with other paths', () => {
    assert.equal(launchDigest(changed('2026-01-01', '2027-02-02'), { ...place, cpuFeatures: ['b', 'a'] }), digest)
    assert.equal(launchDigest([...changed('netdev=n', 'netdev=m'), '-S', '-name', 'x'], place), digest)
  })
  test('differs for inputs that may change the hardware', () => {
    for (const other of [changed(':01', ':02'), changed('7.2', '10.0'), [...args, '-device', 'virtio-rng-pci,id=rng']]) {
      assert.notEqual(launchDigest(other, place), digest)
    }
    for (const other of [{ version: '10.0.2' }, { accelerator: 'kvm' }, { cpuFeatures: ['a'] }]) {
      assert.notEqual(launchDigest(args, { ...place, ...other }), digest)
    }
  })
})
