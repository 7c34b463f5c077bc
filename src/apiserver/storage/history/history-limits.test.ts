import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'

import { ManualTime, openForTest, put, scratch, show, showChange } from '../store.fixture.ts'

const ring = { changes: 1, bytes: 0, ageMs: 0 }
const minute = 60_000

function rows(file: string): { readonly log: number[]; readonly objects: string[] } {
  using database = new DatabaseSync(file, { readOnly: true })
  return {
    log: database
      .prepare('SELECT rev FROM log ORDER BY rev')
      .all()
      .map((row) => Number(row['rev'])),
    objects: database
      .prepare('SELECT name, rev FROM obj ORDER BY name')
      .all()
      .map((row) => `${String(row['name'])}@${String(row['rev'])}`),
  }
}

suite('compaction', () => {
  test('keeps live states, recent changes and the states before them, and nothing else', async () => {
    using directory = scratch()
    const time = new ManualTime(1_000_000)
    await using store = openForTest(directory.file, {
      now: time.now,
      after: time.after,
      ring,
      retention: { changes: 2, bytes: 1e9, ageMs: 5 * minute },
    })
    for (const value of [1, 2, 3]) await put(store, '/pods', 'a', value) // 2 3 4
    await put(store, '/pods', 'gone', 1) // 5
    await put(store, '/pods', 'gone', undefined) // 6
    await put(store, '/pods', 'live', 1) // 7
    time.pass(2 * minute)
    await put(store, '/pods', 'a', 4) // 8
    assert.deepEqual(rows(directory.file).log, [2, 3, 4, 5, 6, 7, 8])
    time.pass(2 * minute)
    assert.deepEqual(rows(directory.file).log, [2, 3, 4, 5, 6, 7, 8])
    time.pass(minute + 5000)
    // Revisions 2 to 6 are old. 7 and 8 are the last two; 8 needs 4 as its previous state.
    assert.deepEqual(rows(directory.file), { log: [4, 7, 8], objects: ['a@8', 'live@7'] })
    assert.equal(store.stats().oldestRevision, 6)
    const seen: string[] = []
    using _subscription = store.subscribe('', 6, (change) => seen.push(showChange(change)))
    assert.deepEqual(seen, ['ADDED default/live@7=1', 'MODIFIED default/a@8=4 was default/a@4=3'])
    time.pass(60 * minute)
    assert.deepEqual(rows(directory.file).log, [4, 7, 8])
    assert.equal(time.armed, 0)
  })

  test('keeps the row of a name that was created again after its deletion', async () => {
    using directory = scratch()
    const options = { ring, retention: { changes: 1, bytes: 0, ageMs: 1e9 } }
    {
      await using store = openForTest(directory.file, options)
      for (const value of [1, undefined, 2, undefined, 3]) await put(store, '/pods', 'a', value)
      await Promise.all([put(store, '/pods', 'b', 1), put(store, '/pods', 'c', 1), put(store, '/pods', 'd', 1)])
      await put(store, '/pods', 'b', 2)
      assert.deepEqual(rows(directory.file).objects, ['a@6', 'b@10', 'c@8', 'd@9'])
    }
    await using store = openForTest(directory.file, options)
    assert.deepEqual(store.list('/pods').map(show), ['default/a@6=3', 'default/b@10=2', 'default/c@8=1', 'default/d@9=1'])
  })

  test('keeps one earlier state of resources with a short history', async () => {
    using directory = scratch()
    const leases = 'coordination.k8s.io/leases'
    await using store = openForTest(directory.file, { ring })
    for (let value = 1; value <= 20; value += 1) await put(store, leases, 'a', value)
    assert.deepEqual(rows(directory.file).log, [20, 21])
    const seen: string[] = []
    using _subscription = store.subscribe(leases, 20, (change) => seen.push(showChange(change)))
    assert.deepEqual(seen, ['MODIFIED default/a@21=20 was default/a@20=19'])
  })
})

suite('disk space', () => {
  const large = 'x'.repeat(100_000)

  test('is returned after many objects were deleted', async () => {
    using directory = scratch()
    const time = new ManualTime(1_000_000)
    const options = { now: time.now, after: time.after, ring, retention: { changes: 1, bytes: 1e9, ageMs: minute } }
    const names = Array.from({ length: 300 }, (_, index) => `object-${index}`)
    {
      await using store = openForTest(directory.file, options)
      await Promise.all(names.map((name) => put(store, '/pods', name, large)))
    }
    const before = statSync(directory.file).size
    {
      await using store = openForTest(directory.file, options)
      await Promise.all(names.map((name) => put(store, '/pods', name, undefined)))
      time.pass(2 * minute)
    }
    assert.ok(before > 30_000_000)
    assert.ok(statSync(directory.file).size < before * 0.7)
  })

  test('is bounded for the write-ahead log, which is copied during writes and truncated after them', async () => {
    using directory = scratch()
    const time = new ManualTime(1_000_000)
    await using store = openForTest(directory.file, { now: time.now, after: time.after })
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(Array.from({ length: 8 }, (_, index) => put(store, '/pods', `object-${index}`, large)))
    }
    assert.ok(store.stats().walBytes > 16_777_216)
    // The checkpoint thread works in real time.
    for (let tries = 0; tries < 6000 && store.stats().databaseBytes < 4_000_000; tries += 1) await sleep(10)
    assert.ok(store.stats().databaseBytes >= 4_000_000)
    for (let tries = 0; tries < 6000 && store.stats().walBytes > 0; tries += 1) {
      time.pass(500)
      await sleep(10)
    }
    assert.equal(store.stats().walBytes, 0)
    assert.equal((await put(store, '/pods', 'after', 1)).revision, 322)
  })
})

suite('listAt()', () => {
  test('serves the remaining pages of a list whose history was compacted meanwhile', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file, { ring, retention: { changes: 1, bytes: 0, ageMs: 0 } })
    await put(store, '/pods', 'a', 1)
    await put(store, '/pods', 'a', 2)
    assert.deepEqual(store.listAt('/pods', undefined, 2).map(show), ['default/a@2=1'])
    for (let value = 3; value <= 9; value += 1) await put(store, '/pods', 'a', value)
    assert.deepEqual(store.listAt('/pods', undefined, 2).map(show), ['default/a@2=1'])
    assert.throws(() => store.listAt('/pods', undefined, 3))
  })
})

suite('expiry', () => {
  test('deletes events an hour after their last write as a regular change, also after a restart', async () => {
    using directory = scratch()
    const time = new ManualTime(1_000_000)
    const seen: string[] = []
    const options = { now: time.now, after: time.after }
    {
      await using store = openForTest(directory.file, options)
      using _subscription = store.subscribe('/events', undefined, (change) => seen.push(showChange(change)))
      await Promise.all([put(store, '/events', 'a', 1), put(store, '/events', 'b', 1), put(store, '/pods', 'p', 1)])
      time.pass(30 * minute)
      await put(store, '/events', 'b', 2)
      time.pass(31 * minute)
      await turn()
      await turn()
      assert.deepEqual(store.list('/events').map(show), ['default/b@5=2'])
    }
    await using store = openForTest(directory.file, options)
    using _subscription = store.subscribe('/events', undefined, (change) => seen.push(showChange(change)))
    time.pass(31 * minute)
    await turn()
    await turn()
    assert.deepEqual(store.list('/events').map(show), [])
    assert.deepEqual(store.list('/pods').map(show), ['default/p@4=1'])
    assert.deepEqual(seen.slice(-2), ['DELETED default/a@6=1 was default/a@2=1', 'DELETED default/b@7=2 was default/b@5=2'])
  })
})
