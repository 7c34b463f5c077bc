import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { decide, summarize, type Found } from './summary.ts'
import type { RevisionReport, RevisionInventory } from '../types.ts'
import { healthy, reportedOn, revisionFor, vmNaming, with_ } from '../inventory.fixture.ts'

const web = healthy('web')
const orphan = with_(revisionFor(vmNaming('gone', {}), 'preference'), { ownerReferences: [] })
const old = revisionFor(vmNaming('gone', {}), 'preference', 'v1alpha2')
const odd = with_(revisionFor(web.vm, 'preference'), { name: 'odd' }, { data: {} })

const rows: readonly (readonly [what: string, cluster: Partial<RevisionInventory>, verdict: string, counts: string])[] = [
  ['there is nothing', {}, 'True UpToDate', '0 of 0: 0 0 0 0'],
  ['all are current', { virtualMachines: [web.vm], revisions: web.revisions }, 'True UpToDate', '2 of 2: 0 0 0 0'],
  ['one at the newest version has no owner', { revisions: [orphan] }, 'True UpToDate', '0 of 1: 0 1 0 0'],
  ['an old one has no owner', { revisions: [old] }, 'False RevisionsOrphaned', '0 of 1: 0 1 0 0'],
  ['one is old', { virtualMachines: [vmNaming('gone', {})], revisions: [old] }, 'False RevisionsOutdated', '0 of 1: 1 0 0 0'],
  [
    'one is old and one undecodable',
    { virtualMachines: [web.vm, vmNaming('gone', {})], revisions: [...web.revisions, old, odd] },
    'False RevisionsUndecodable',
    '2 of 4: 1 0 1 0',
  ],
  ['two are missing', { virtualMachines: [web.vm] }, 'False RevisionsMissing', '0 of 0: 0 0 0 2'],
]

function foundIn({ wanted: format, revisions: total, counts, findings }: RevisionReport): Found {
  return { format, total, counts, findings }
}

suite('summarize()', () => {
  for (const [what, cluster, verdict, counts] of rows) {
    test(`returns ${verdict} when ${what}`, () => {
      const report = reportedOn(cluster)
      const { status, condition } = summarize(foundIn(report), 7)
      assert.equal(`${condition.status} ${condition.reason}`, verdict)
      assert.equal(condition.observedGeneration, 7)
      const { total, upToDate, outdated, orphaned, undecodable, missing } = status
      assert.equal(`${upToDate} of ${total}: ${outdated} ${orphaned} ${undecodable} ${missing}`, counts)
    })
  }

  test('counts by API version, and undecodable revisions as unknown', () => {
    const report = reportedOn({ virtualMachines: [web.vm], revisions: [...web.revisions, old, odd] })
    assert.deepEqual(summarize(foundIn(report), 1).status.versions, [
      { version: 'unknown', count: 1 },
      { version: 'v1alpha2', count: 1 },
      { version: 'v1beta1', count: 2 },
    ])
  })
})

test('decide() writes changed conditions, keeps foreign ones, and writes nothing twice', () => {
  const report = reportedOn({ virtualMachines: [web.vm], revisions: web.revisions })
  const summary = summarize(foundIn(report), 1)
  const available = { type: 'Available', status: 'True' } as const
  const kubevirt: KubeVirt = { metadata: { name: 'kubevirt' }, spec: {}, status: { conditions: [available] } }
  const status = decide(kubevirt, summary, '2026-01-01T00:00:00Z')
  assert.deepEqual(
    status?.conditions?.map(({ type }) => type),
    ['Available', 'InstancetypeRevisionsUpToDate'],
  )
  assert.equal(decide({ ...kubevirt, ...(status === undefined ? {} : { status }) }, summary, '2026-01-01T00:00:09Z'), undefined)
})
