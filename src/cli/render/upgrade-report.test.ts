import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { UpgradeReport } from '../upgrade/upgrade-report.ts'
import { renderUpgradeReport } from './upgrade-report.ts'

const at = (minute: number, second = 0): string => `2026-05-01T10:0${minute}:${String(second).padStart(2, '0')}Z`
const report: UpgradeReport = {
  upgrade: {
    from: 'v1.0.0',
    to: 'v2.0.0',
    traceID: 'ab'.repeat(16),
    startedAt: at(0),
    completedAt: at(2, 30),
    stages: [
      { stage: 'NodeAgents', startedAt: at(0), endedAt: at(2) },
      { stage: 'Workloads', startedAt: at(2) },
    ],
  },
  guests: [
    { namespace: 'shop', name: 'db', phase: 'Failed', source: 'a', target: 'b', startedAt: at(3), endedAt: at(3, 9), failure: 'no room' },
  ],
  events: [{ time: at(2), type: 'Normal', reason: 'UpgradeStage', message: 'From v1.0.0 to v2.0.0: Workloads' }],
  unreadable: [],
}

suite('renderUpgradeReport()', () => {
  test('tells stages, guests and events with their times', () => {
    const text = renderUpgradeReport(report, Date.parse(at(5)))
    for (const line of [
      /^upgrade +from v1\.0\.0 to v2\.0\.0$/m,
      /^completed +2026-05-01T10:02:30Z, after 2 min 30 s$/m,
      /^NodeAgents +\S+ +2 min 0 s$/m,
      /^Workloads +\S+ +under way for 3 min 0 s$/m,
      /^shop\/db +a +b +Failed: no room +\S+ +9\.00 s$/m,
      /Normal +UpgradeStage +From v1\.0\.0/,
    ])
      assert.match(text, line)
    assert.doesNotMatch(text, /PATCH|may not/)
  })

  test('tells why a version was taken back, and what could not be read', () => {
    const { upgrade } = report
    const text = renderUpgradeReport({ ...report, upgrade: { ...upgrade, failure: 'it crashed' }, unreadable: ['events'] }, 0)
    assert.match(text, /^taken back +2026/m)
    assert.match(text, /^because +it crashed$/m)
    assert.match(text, /You may not list events/)
  })

  test('an installation and one that goes on', () => {
    const { completedAt: _, ...upgrade } = report.upgrade
    const text = renderUpgradeReport({ ...report, upgrade: { ...upgrade, from: '' }, guests: [] }, Date.parse(at(1)))
    assert.match(text, /^installation +of v2\.0\.0$/m)
    assert.match(text, /under way for 60 s/)
    assert.doesNotMatch(text, /GUEST/)
  })
})
