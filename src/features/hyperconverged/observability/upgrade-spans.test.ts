import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PlatformUpgrade } from '#api/hco/v1/status.ts'
import type { UpgradeRecord } from '#api/kubevirt/v1/kubevirt.ts'
import { upgradeSpanId } from '#runtime/tracing/span-id.ts'
import { spansOfPlatformUpgrade } from './upgrade-spans.ts'

const at = (minute: number): string => `2026-05-01T10:${String(minute).padStart(2, '0')}:00Z`
const upgrade: PlatformUpgrade = {
  from: 'v1',
  to: 'v2',
  stage: 'Complete',
  startedAt: at(1),
  completedAt: at(9),
  patches: [
    { id: 'old', result: 'Applied', version: 'v1', decidedAt: at(0) },
    { id: 'raise', result: 'Applied', version: 'v2', decidedAt: at(2), changes: [{ path: '/spec/a' }] },
    { id: 'move', result: 'Skipped', version: 'v2', decidedAt: at(2), reason: 'no such field' },
  ],
}
const ofKubeVirt: UpgradeRecord = { from: 'v1', to: 'v2', traceID: 'ab'.repeat(16), startedAt: at(3), completedAt: at(8), stages: [] }
const nowMs = Date.parse(at(10))
const spansOf = (
  changes: Partial<PlatformUpgrade>,
  record: UpgradeRecord | undefined,
  now = nowMs,
): ReturnType<typeof spansOfPlatformUpgrade> =>
  spansOfPlatformUpgrade({ uid: 'u', upgrade: { ...upgrade, ...changes }, ofKubeVirt: record }, now)

suite('spansOfPlatformUpgrade()', () => {
  test('has each patch of this upgrade, in the trace of the upgrade of KubeVirt', () => {
    const [whole, ...patches] = spansOf({}, ofKubeVirt)
    assert.deepEqual(
      [whole?.name, whole?.traceId, whole?.parentId],
      ['upgrade platform', ofKubeVirt.traceID, upgradeSpanId(ofKubeVirt.traceID)],
    )
    assert.deepEqual([whole?.startMs, whole?.endMs], [Date.parse(at(1)), Date.parse(at(9))])
    assert.deepEqual(
      patches.map(({ name, startMs, attributes }) => [
        name,
        startMs,
        attributes['steadyvm.patch.result'],
        attributes['steadyvm.patch.fields'],
      ]),
      [
        ['patch raise', Date.parse(at(2)), 'Applied', '/spec/a'],
        ['patch move', Date.parse(at(2)), 'Skipped', ''],
      ],
    )
    for (const { parentId } of patches) assert.equal(parentId, whole?.spanId)
  })

  for (const [title, record] of [
    ['KubeVirt has recorded none', undefined],
    ['KubeVirt had the version before', { ...ofKubeVirt, completedAt: at(0) }],
    ["KubeVirt's last upgrade was to another version", { ...ofKubeVirt, to: 'v0' }],
  ] as const)
    test(`is a trace of its own when ${title}`, () => {
      const [whole] = spansOf({}, record)
      assert.notEqual(whole?.traceId, ofKubeVirt.traceID)
      assert.deepEqual([whole?.spanId, whole?.parentId], [upgradeSpanId(whole?.traceId ?? ''), undefined])
      assert.deepEqual(spansOf({}, record), spansOf({}, record))
    })

  test('is nothing before its end, and an hour after it', () => {
    const { completedAt: _completedAt, ...open } = upgrade
    assert.deepEqual(spansOfPlatformUpgrade({ uid: 'u', upgrade: open, ofKubeVirt }, nowMs), [])
    assert.deepEqual(spansOf({}, ofKubeVirt, nowMs + 3_600_000), [])
  })

  test('says that it was abandoned', () => assert.match(spansOf({ stage: 'Abandoned' }, ofKubeVirt)[0]?.failure ?? '', /v1/))
})
