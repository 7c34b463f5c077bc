import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { migrationOf } from '../migration.fixture.ts'
import { canStart, requeueDelayMs, type QueueEntry } from './queue.ts'

interface Wish {
  readonly vmi?: string
  readonly node?: string
  readonly priority?: string
  readonly second?: number
  readonly runs?: boolean
}

function contender(uid: string, { vmi = uid, node = 'a', priority, second = 0, runs = false }: Wish = {}): QueueEntry {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
  const spec = { vmiName: vmi, ...(priority === undefined ? {} : { priority }) }
  return {
    migration: migrationOf({ metadata: { namespace: 'n', name: uid, uid, creationTimestamp }, spec }),
    sourceNode: node,
    isRunning: runs,
  }
}

const own = contender('own', { second: 5 })
const limits = { cluster: 2, outboundPerNode: 1 }

suite('canStart()', () => {
  const rows: readonly (readonly [string, readonly QueueEntry[], boolean])[] = [
    ['starts when there is no other migration', [own], true],
    ['starts beside a migration from another node', [contender('x', { node: 'b', runs: true })], true],
    ['waits for a migration from the same node', [contender('x', { runs: true })], false],
    ['waits when the cluster is full', [contender('x', { node: 'b', runs: true }), contender('y', { node: 'c', runs: true })], false],
    ['waits for the same guest', [contender('x', { vmi: 'own', node: 'b', runs: true })], false],
    ['waits for an older one of the same node', [contender('x')], false],
    ['starts before a newer one', [contender('x', { second: 9 })], true],
    ['waits for a newer one with a higher priority', [contender('x', { second: 9, priority: 'system-critical' })], false],
    ['does not wait for one that cannot start itself', [contender('x', { node: 'b' }), contender('y', { node: 'b', runs: true })], true],
  ]
  for (const [name, others, expected] of rows) test(name, () => assert.equal(canStart(own, others, limits), expected))

  test('never starts two migrations for one slot', () => {
    const all = [0, 1, 2, 3, 4].map((second) => contender(`m${second}`, { second, node: `n${second}` }))
    assert.deepEqual(
      all.filter((each) => canStart(each, all, limits)).map(({ migration }) => migration.metadata.name),
      ['m0', 'm1'],
    )
  })
})

test('requeueDelayMs() is shorter for higher priorities', () => {
  const waits = ['system-critical', 'user-triggered', 'system-maintenance'].map((priority) =>
    requeueDelayMs(contender('x', { priority }).migration),
  )
  assert.deepEqual(waits, [1_000, 3_000, 5_000])
})
