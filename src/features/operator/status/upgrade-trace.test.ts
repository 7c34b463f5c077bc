import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import type { UpgradeRecord } from '#api/kubevirt/v1/kubevirt.ts'
import { upgradeSpanId } from '#runtime/tracing/span-id.ts'
import { spansOfUpgrade } from './upgrade-trace.ts'

const at = (minute: number): string => `2026-05-01T10:${String(minute).padStart(2, '0')}:00Z`
const record: UpgradeRecord = {
  from: 'v1',
  to: 'v2',
  traceID: 'ab'.repeat(16),
  startedAt: at(0),
  stages: [
    { stage: 'Expand', startedAt: at(0), endedAt: at(1) },
    { stage: 'NodeAgents', startedAt: at(1), endedAt: at(4) },
    { stage: 'API', startedAt: at(4) },
  ],
}
const agent = (node: string, created: number, ready: number | undefined, version = 'v2'): Pod =>
  ({
    metadata: {
      name: `virt-handler-${node}`,
      uid: `${node}-${version}`,
      creationTimestamp: at(created),
      labels: { 'kubevirt.io': 'virt-handler', 'app.kubernetes.io/version': version },
    },
    spec: { nodeName: node },
    status: { conditions: [{ type: 'Ready', status: ready === undefined ? 'False' : 'True', lastTransitionTime: at(ready ?? created) }] },
  }) as unknown as Pod

suite('spansOfUpgrade()', () => {
  test('has the stages that are over, below the span of the upgrade, which comes last', () => {
    const spans = spansOfUpgrade(record, [])
    assert.deepEqual(
      spans.map(({ name, startMs, endMs }) => [name, startMs, endMs]),
      [
        ['stage Expand', Date.parse(at(0)), Date.parse(at(1))],
        ['stage NodeAgents', Date.parse(at(1)), Date.parse(at(4))],
      ],
    )
    const root = upgradeSpanId(record.traceID)
    for (const { parentId } of spans) assert.equal(parentId, root)
    const all = spansOfUpgrade({ ...record, completedAt: at(9), failure: 'no' }, [])
    assert.deepEqual([all[0]?.name, all[0]?.spanId, all[0]?.parentId, all[0]?.failure], ['upgrade', root, undefined, 'no'])
    assert.equal(new Set(all.map(({ spanId }) => spanId)).size, all.length)
  })

  test('has each node whose agent this upgrade has replaced, below its stage', () => {
    const pods = [agent('a', 1, 2), agent('b', 3, 4), agent('old', -1, 2, 'v1'), agent('starts', 3, undefined)]
    const spans = spansOfUpgrade(record, pods)
    const stage = spans.find(({ name }) => name === 'stage NodeAgents')
    const nodes = spans.filter(({ name }) => name === 'replace node agent')
    assert.deepEqual(
      nodes.map(({ attributes, startMs, endMs }) => [attributes['k8s.node.name'], startMs, endMs]),
      [
        ['a', Date.parse(at(1)), Date.parse(at(2))],
        ['b', Date.parse(at(3)), Date.parse(at(4))],
      ],
    )
    for (const { parentId } of nodes) assert.equal(parentId, stage?.spanId)
  })

  test('is the same in each process, whatever it has seen', () => {
    const [first, again] = [spansOfUpgrade(record, [agent('a', 1, 2)]), spansOfUpgrade(structuredClone(record), [agent('a', 1, 2)])]
    assert.deepEqual(first, again)
  })
})
