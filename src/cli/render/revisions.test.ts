import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Finding, RevisionReport } from '#features/revision-report/index.ts'
import { renderRevisions } from './revisions.ts'

const finding: Finding = {
  state: 'outdated',
  namespace: 'shop',
  revision: 'web-small-1',
  family: 'instancetype',
  version: 'v1alpha2',
  message: 'holds v1alpha2, wanted is v1beta1',
  referrers: [{ kind: 'VirtualMachine', name: 'web', uid: 'u', path: '/spec/instancetype/revisionName', subject: 'vm/web' }],
  settledBy: 'controller',
  command: 'kubectl wait kubevirt/kubevirt',
}
const none = { instancetypes: 0, preferences: 0, ofSnapshots: 0, shared: 0 }
const report: RevisionReport = {
  wanted: { version: 'v1beta1', sharing: 'own' },
  revisions: 3,
  states: { current: 2, outdated: 1, orphaned: 0, undecodable: 0, missing: 0 },
  versions: [
    { version: 'v1alpha1', ...none, safeToRemove: 'yes', blockers: [] },
    {
      version: 'v1alpha2',
      ...none,
      instancetypes: 1,
      oldest: '2025-01-01T00:00:00Z',
      safeToRemove: 'no',
      blockers: [
        { reason: 'StoredObjects', object: 'things', command: 'steadyvm revisions migrate-storage things' },
        { reason: 'Copy', object: 'shop/web-small-1', command: finding.command },
      ],
    },
    { version: 'v1beta1', ...none, instancetypes: 2, safeToRemove: 'no', blockers: [{ reason: 'Latest' }] },
  ],
  counts: [],
  drift: { same: 2, newerGeneration: 1, replaced: 0, deleted: 0, unknown: 0 },
  ages: { underOneDay: 2, underThirtyDays: 0, underOneYear: 1, older: 0 },
  findings: [finding],
  gaps: [],
}
const style = { isWide: false, paint: (_style: string, text: string) => text, nowMs: Date.parse('2025-02-01T00:00:00Z') }

suite('renderRevisions()', () => {
  test('lists versions, findings, and each command once', () => {
    const expected = [
      'VERSION INSTANCE TYPES PREFERENCES OF SNAPSHOTS SHARED OLDEST SAFE TO REMOVE',
      'v1alpha1 0 0 0 0 yes',
      'v1alpha2 1 0 0 0 31d no: objects are stored in it, 1 copy',
      'v1beta1 2 0 0 0 no: the latest',
      '3 revisions',
      'state 2 up to date, 1 outdated',
      'drift 2 as their objects are now, 1 of an older generation',
      'age 2 under a day, 1 under a year',
      'STATE REVISION HOLDS NAMED BY WHY',
      'outdated shop/web-small-1 v1alpha2 vm/web holds v1alpha2, wanted is v1beta1',
      'To settle that:',
      'kubectl wait kubevirt/kubevirt',
      'steadyvm revisions migrate-storage things',
    ]
    assert.deepEqual(linesOf(renderRevisions(report, style)), expected)
  })

  test('abbreviates long lists, and prints them in full with -o wide', () => {
    const findings = Array.from({ length: 30 }, (_, index) => ({ ...finding, revision: `web-${index}`, command: `do ${index}` }))
    const short = linesOf(renderRevisions({ ...report, findings }, style))
    assert.equal(short.filter((line) => line.startsWith('outdated')).length, 10)
    assert.equal(short.filter((line) => line.startsWith('… and')).length, 2)
    const wide = linesOf(renderRevisions({ ...report, findings }, { ...style, isWide: true }))
    assert.equal(wide.filter((line) => line.startsWith('outdated')).length, 30)
    assert.ok(!wide.some((line) => line.startsWith('… and')))
  })

  test('states that there are no revisions, and that the report is incomplete', () => {
    const empty = {
      ...report,
      revisions: 0,
      states: { ...report.states, current: 0, outdated: 0 },
      findings: [],
      gaps: ['x may not be read'],
    }
    const lines = linesOf(renderRevisions(empty, style))
    assert.ok(lines.includes('Nothing has been captured yet.'))
    assert.ok(lines.includes('Not everything was seen: x may not be read.'))
  })
})

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '')
}
