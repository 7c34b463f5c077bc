import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { UpgradeRecord, UpgradeStatus } from '#api/kubevirt/v1/kubevirt.ts'
import { recordFailure, recordUpgrade } from './upgrade-record.ts'

const at = (minute: number): string => `2026-05-01T10:${String(minute).padStart(2, '0')}:00Z`
const under = (stage: string, minute: number, change: Partial<UpgradeStatus> = {}): UpgradeStatus => ({
  from: 'v1',
  to: 'v2',
  stage,
  startedAt: at(0),
  stageStartedAt: at(minute),
  progress: { desired: 1, updated: 0, ready: 0 },
  ...change,
})

/** Records stages one after another, as the operator does, and ends with the last time. */
function courseOf(stages: readonly (UpgradeStatus | undefined)[], record?: UpgradeRecord): UpgradeRecord | undefined {
  let before: UpgradeStatus | undefined
  let result = record
  for (const after of stages) {
    result = recordUpgrade({ uid: 'u', record: result, before, after, now: at(30) })
    before = after
  }
  return result
}

suite('recordUpgrade()', () => {
  test('has each stage with its times, and the end', () => {
    const course = courseOf([under('Expand', 0), under('NodeAgents', 1), under('NodeAgents', 1), under('API', 7), undefined, undefined])
    assert.deepEqual(course, {
      from: 'v1',
      to: 'v2',
      traceID: course?.traceID,
      startedAt: at(0),
      completedAt: at(30),
      stages: [
        { stage: 'Expand', startedAt: at(0), endedAt: at(1) },
        { stage: 'NodeAgents', startedAt: at(1), endedAt: at(7) },
        { stage: 'API', startedAt: at(7), endedAt: at(30) },
      ],
    })
    assert.match(course?.traceID ?? '', /^[\da-f]{32}$/)
  })

  test('has a trace of its own for each upgrade, and the same one however often it is recorded', () => {
    const first = courseOf([under('Expand', 0), undefined])
    assert.equal(courseOf([under('Expand', 0)])?.traceID, first?.traceID)
    for (const change of [{ to: 'v3' }, { startedAt: at(2) }])
      assert.notEqual(courseOf([under('Expand', 0, change)], first)?.traceID, first?.traceID)
  })

  test('is complete when all components have the version: guests and the removal of what is old follow', () => {
    const course = courseOf([under('API', 1), under('Workloads', 3), under('Workloads', 3)])
    assert.deepEqual([course?.completedAt, course?.stages.at(-1)], [at(3), { stage: 'Workloads', startedAt: at(3) }])
    const end = courseOf([under('Workloads', 3), under('Contract', 20), undefined], course)
    assert.deepEqual([end?.completedAt, end?.traceID, end?.stages.at(-1)?.endedAt], [at(3), course?.traceID, at(30)])
  })

  test('begins anew for another version, and records nothing without an upgrade', () => {
    const next = courseOf([under('Expand', 0), under('NodeAgents', 1), under('NodeAgents', 5, { to: 'v1', from: 'v2', startedAt: at(5) })])
    assert.deepEqual([next?.to, next?.stages.map(({ stage }) => stage)], ['v1', ['NodeAgents']])
    assert.equal(courseOf([undefined, undefined]), undefined)
  })
})

test('recordFailure() ends an upgrade with its reason, once', () => {
  const failed = recordFailure(courseOf([under('NodeAgents', 1)]), 'the canary crashed', at(9))
  assert.deepEqual([failed?.failure, failed?.completedAt, failed?.stages[0]?.endedAt], ['the canary crashed', at(9), at(9)])
  assert.equal(recordFailure(failed, 'later', at(10)), failed)
  assert.equal(recordFailure(undefined, 'later', at(10)), undefined)
})
