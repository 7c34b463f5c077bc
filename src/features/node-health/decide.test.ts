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

suite('decide(): a node agent that', () => {
  const rows: readonly (readonly [string, Node | undefined, readonly Guest[], string])[] = [
    ['was heard of just now is fine, whatever its pods do', node(1), [dead, gone], 'again in 4 min'],
    ['was not heard of for five minutes is gone', node(5), [], 'close, again in 1 min'],
    ['is known to be gone is only watched', node(60, undefined, 'false'), [], 'again in 1 min'],
    ['is gone does not take guests along whose pods live', node(60), [alive], 'close, again in 1 min'],
    ['is gone cannot say of a guest that it has ended', node(60), [dead], 'close, lost 1, again in 1 min'],
    ['is gone cannot say of a guest that its pod was deleted', node(60), [gone, alive], 'close, lost 1, again in 1 min'],
    ['is gone cannot say of a guest that it has only a pod to move to', node(60), [moving('pod')], 'close, lost 1, again in 1 min'],
    ['is gone may have handed its guest over', node(60), [moving('guest')], 'close, again in 1 min'],
    ['is being replaced may be silent for longer', node(20, 10), [dead, gone], 'again in 10 min'],
    ['was being replaced and has not come back is gone', node(60, -1), [gone], 'close, lost 1, again in 1 min'],
    ['has come back soon from its replacement has its five minutes', node(1, -2), [], 'again in 4 min'],
    ['had a node that was deleted will not say what has become of its guests', undefined, [gone, dead, alive], 'lost 2, again in 1 min'],
    ['had a node that was deleted is forgotten with its last guest', undefined, [], ''],
    ['never existed is not reported', node(undefined), [gone], ''],
  ]
  for (const [name, given, guests, wanted] of rows) {
    test(name, () => {
      const { marksUnschedulable, lost, recheckAt } = decide(given, guests, watched)
      const again = recheckAt === Infinity ? '' : `again in ${(recheckAt - now) / 60_000} min`
      const parts = [marksUnschedulable ? 'close' : '', lost.length > 0 ? `lost ${lost.length}` : '', again]
      assert.equal(parts.filter((part) => part !== '').join(', '), wanted)
    })
  }

  test('was not watched until now gets time for a heartbeat', () => {
    const plan = decide(node(60), [gone], { nowMs: now, watchedSinceMs: now })
    assert.deepEqual(plan, { marksUnschedulable: false, lost: [], recheckAt: now + 90_000 })
    const ofNone = decide(undefined, [gone], { nowMs: now, watchedSinceMs: now })
    assert.deepEqual(ofNone, plan, 'and so is one whose node has just gone')
  })

  test('is silent does not affect guests that are final, being deleted, or not handed over', () => {
    const over = ['Succeeded', 'Failed', 'Scheduling', 'Pending'].map((phase) => ({
      vmi: guest('None', true, { phase: phase as 'Failed' }),
      pods: [],
    }))
    const going = { vmi: { ...gone.vmi, metadata: { ...gone.vmi.metadata, deletionTimestamp: ago(1) } }, pods: [] }
    assert.deepEqual(decide(node(60), [...over, going], watched).lost, [])
  })
})
