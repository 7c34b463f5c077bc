import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ReplicaSet } from '#api/apps/v1/replica-set.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { decideReplicaSet } from './decide.ts'

const now = Date.UTC(2026, 0, 1, 0, 1)
const labels = { app: 'a' }

function replicaSet(replicas: number, minReadySeconds = 0): ReplicaSet {
  const template = { metadata: { labels }, spec: { containers: [] } }
  return { metadata: { name: 'a', generation: 7 }, spec: { replicas, minReadySeconds, selector: { matchLabels: labels }, template } }
}

function pod(name: string, phase: 'Pending' | 'Running' | 'Failed', readySeconds?: number, metadata: Pod['metadata'] = {}): Pod {
  const lastTransitionTime = new Date(now - (readySeconds ?? 0) * 1000).toISOString()
  const conditions = readySeconds === undefined ? [] : [{ type: 'Ready', status: 'True' as const, lastTransitionTime }]
  return { metadata: { name, labels, ...metadata }, spec: { containers: [] }, status: { phase, conditions } }
}

const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const decide = (set: ReplicaSet, pods: readonly Pod[], settled = true): ReturnType<typeof decideReplicaSet> =>
  decideReplicaSet({ replicaSet: set, pods, related: new Map(), settled }, now)

suite('decideReplicaSet()', () => {
  for (const [reason, set, pods, settled, create, remove] of [
    ['creates missing pods', replicaSet(3), [pod('a', 'Running', 9)], true, 2, []],
    ['replaces failed and deleting pods', replicaSet(2), [pod('a', 'Failed'), pod('b', 'Running', 9, leaving)], true, 2, []],
    ['deletes what is too much', replicaSet(1), [pod('a', 'Running', 9), pod('b', 'Pending')], true, 0, ['b']],
    ['waits for the cache', replicaSet(3), [], false, 0, []],
    [
      'creates nothing while it is being deleted',
      { ...replicaSet(3), metadata: { ...replicaSet(3).metadata, ...leaving } },
      [],
      true,
      0,
      [],
    ],
    ['creates at most 500 at once', replicaSet(2000), [], true, 500, []],
  ] as const) {
    test(reason, () => {
      const decision = decide(set, pods, settled)
      assert.deepEqual([decision.create, decision.remove.map(({ metadata }) => metadata.name)], [create, remove])
    })
  }

  test('counts pods as they are after its own actions', () => {
    const pods = [
      pod('a', 'Running', 60),
      pod('b', 'Running', 5),
      pod('c', 'Running', undefined, { labels: { ...labels, more: 'b' } }),
      pod('d', 'Running', 60, leaving),
      pod('e', 'Failed'),
      pod('f', 'Pending', undefined, { labels: {} }),
    ]
    const { status, recheckAfterMs } = decide(replicaSet(3, 30), pods)
    assert.deepEqual(status, {
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 2,
      observedGeneration: 7,
    })
    assert.equal(recheckAfterMs, 25_000)
  })
})
