import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { conflict } from '#apimachinery/errors.ts'
import { node as nodeOf } from '../evacuation/node.fixture.ts'
import { guest } from '#features/eviction/vmi.fixture.ts'
import { createNodeHealthReconciler } from './reconciler.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

/** Runs one pass over a node whose last heartbeat was an hour ago, with a guest that has no pod. */
async function look(failure?: Error) {
  const [patches, events]: [object[], string[]] = [[], []]
  const plain = nodeOf('n1')
  const annotations = { 'kubevirt.io/heartbeat': '"2026-11-21T11:00:00Z"' }
  const node = { ...plain, metadata: { ...plain.metadata, resourceVersion: '7', annotations } }
  let nowMs = now - 3_600_000
  const reconcile = createNodeHealthReconciler({
    client: {
      patch: async (_resource: unknown, _key: unknown, { body }: { body?: object }) => {
        if (failure !== undefined) throw failure
        patches.push(body ?? {})
      },
    } as never,
    nodes: { get: () => node },
    vmisOf: () => [guest('None', true)],
    pods: { byIndex: () => [] },
    recorder: { event: (_, __, reason) => void events.push(reason) },
    clock: { now: () => nowMs },
  })
  await reconcile({ namespace: '', name: 'n1' }, { signal: new AbortController().signal })
  nowMs = now
  const result = await reconcile({ namespace: '', name: 'n1' }, { signal: new AbortController().signal })
  return { patches, events, result }
}

suite('the node health reconciler', () => {
  test('marks the node that it has read as unschedulable, and fails the lost guest', async () => {
    const { patches, events, result } = await look()
    assert.deepEqual(patches[0], { metadata: { resourceVersion: '7', labels: { 'kubevirt.io/schedulable': 'false' } } })
    const { status } = patches[1] as { status: { phase: string; reason: string } }
    assert.deepEqual([status.phase, status.reason], ['Failed', 'NodeUnresponsive'])
    assert.deepEqual(events, ['NodeUnresponsive', 'NodeUnresponsive'])
    assert.equal(result.requeueAfterMs, 60_000)
  })

  test('emits no event when the agent has returned meanwhile', async () => {
    const { events } = await look(conflict({ group: '', plural: 'nodes' }, 'n1', 'changed'))
    assert.deepEqual(events, [])
  })
})
