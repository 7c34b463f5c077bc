import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import { guest, launcher } from '#features/eviction/vmi.fixture.ts'
import { decide, type Guest } from './decide.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const ago = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()

function node(minutesAgo: number | undefined, plannedFor?: number, isSchedulable = 'true'): Node {
  return {
    metadata: {
      name: 'n1',
      labels: { 'kubevirt.io/schedulable': isSchedulable },
      annotations: {
        ...(minutesAgo === undefined ? {} : { 'kubevirt.io/heartbeat': JSON.stringify(ago(minutesAgo)) }),
        ...(plannedFor === undefined ? {} : { 'steadyvm.io/agent-restart-until': ago(-plannedFor) }),
      },
    },
  }
}

const watched = { nowMs: now, watchedSinceMs: 0 }

const alive: Guest = { vmi: guest('None', true), pods: [launcher()] }
const dead: Guest = { vmi: guest('None', true), pods: [launcher({ phase: 'Failed' })] }
const gone: Guest = { vmi: guest('None', true), pods: [] }

/**
 * A guest whose own pod is gone and that has one on another node: before, or after, the migration
 * was handed over.
 */
function moving(what: 'pod' | 'guest'): Guest {
  const target = launcher({ metadata: { name: 'target' }, nodeName: 'n2' })
  const migrationState = { migrationUid: 'm1', sourceNode: 'n1', targetNode: 'n2', targetPod: 'target' }
  return { vmi: guest('None', true, what === 'guest' ? { migrationState } : {}), pods: [target] }
}

suite('decide(): a node agent', () => {
  const rows: readonly (readonly [string, Node | undefined, readonly Guest[], string])[] = [
    ['with a recent heartbeat is healthy, in any state of its pods', node(1), [dead, gone], 'again in 4 min'],
    ['without a heartbeat for five minutes is lost', node(5), [], 'close, again in 1 min'],
    ['that is already reported as lost is only rechecked', node(60, undefined, 'false'), [], 'again in 1 min'],
    ['that is lost does not fail guests with running pods', node(60), [alive], 'close, again in 1 min'],
    ['that is lost fails a guest whose pod has ended', node(60), [dead], 'close, lost 1, again in 1 min'],
    ['that is lost fails a guest whose pod was deleted', node(60), [gone, alive], 'close, lost 1, again in 1 min'],
    ['that is lost fails a guest that only has a target pod', node(60), [moving('pod')], 'close, lost 1, again in 1 min'],
    ['that is lost does not fail a guest that may have been handed over', node(60), [moving('guest')], 'close, again in 1 min'],
    ['that is being replaced may be silent for longer', node(20, 10), [dead, gone], 'again in 10 min'],
    ['that did not return after its replacement is lost', node(60, -1), [gone], 'close, lost 1, again in 1 min'],
    ['that returned from its replacement has five minutes', node(1, -2), [], 'again in 4 min'],
    ['of a deleted node fails its guests', undefined, [gone, dead, alive], 'lost 2, again in 1 min'],
    ['of a deleted node is dropped with its last guest', undefined, [], ''],
    ['that never existed is not reported', node(undefined), [gone], ''],
  ]
  for (const [name, given, guests, wanted] of rows) {
    test(name, () => {
      const { marksUnschedulable, lost, recheckAt } = decide(given, guests, watched)
      const again = recheckAt === Infinity ? '' : `again in ${(recheckAt - now) / 60_000} min`
      const parts = [marksUnschedulable ? 'close' : '', lost.length > 0 ? `lost ${lost.length}` : '', again]
      assert.equal(parts.filter((part) => part !== '').join(', '), wanted)
    })
  }

  test('that was not watched until now gets time for a heartbeat', () => {
    const plan = decide(node(60), [gone], { nowMs: now, watchedSinceMs: now })
    assert.deepEqual(plan, { marksUnschedulable: false, lost: [], recheckAt: now + 90_000 })
    const ofNone = decide(undefined, [gone], { nowMs: now, watchedSinceMs: now })
    assert.deepEqual(ofNone, plan, 'and so is one whose node has just gone')
  })

  test('that is silent does not affect guests that are final, being deleted, or not handed over', () => {
    const over = ['Succeeded', 'Failed', 'Scheduling', 'Pending'].map((phase) => ({
      vmi: guest('None', true, { phase: phase as 'Failed' }),
      pods: [],
    }))
    const going = { vmi: { ...gone.vmi, metadata: { ...gone.vmi.metadata, deletionTimestamp: ago(1) } }, pods: [] }
    assert.deepEqual(decide(node(60), [...over, going], watched).lost, [])
  })
})
