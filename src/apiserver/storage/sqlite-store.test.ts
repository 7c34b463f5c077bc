import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { type Change, RevisionCompacted, RevisionMismatch } from './object-store.ts'
import { openForTest, put, scratch, show, showChange, thing } from './store.fixture.ts'

const pods = '/pods'

suite('SqliteStore', () => {
  test('starts empty, at a revision above zero', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    assert.equal(store.revision, 1)
    assert.deepEqual(store.list(pods), [])
  })

  test('shows a write only after its commit, stamped with its revision in object and JSON', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    const written = put(store, pods, 'a', 1)
    assert.equal(store.get(pods, 'default', 'a'), undefined)
    assert.equal(show(store.getPending(pods, 'default', 'a')), 'default/a@2=1')
    assert.equal(store.revision, 1)
    const entry = await written
    assert.equal(store.get(pods, 'default', 'a'), entry)
    assert.equal(entry.object.metadata?.resourceVersion, '2')
    assert.deepEqual(JSON.parse(entry.json.toString()), entry.object)
    assert.equal(store.revision, 2)
  })

  test('decides writes against pending writes', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    const write = (expected: number, value: unknown): Promise<unknown> =>
      store.write({
        resource: pods,
        namespace: 'default',
        name: 'a',
        expected,
        object: value === undefined ? undefined : thing('a', value),
      })
    const results = await Promise.allSettled([
      write(0, 1),
      write(0, 2),
      write(2, 3),
      write(2, 4),
      write(3, undefined),
      write(3, 5),
      write(0, 6),
    ])
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? 'ok' : (result.reason as RevisionMismatch).actual)),
      ['ok', 2, 'ok', 3, 'ok', 0, 'ok'],
    )
    assert.equal(show(store.get(pods, 'default', 'a')), 'default/a@5=6')
    assert.equal(store.stats().commits, 1)
  })

  test('decides writes against pending writes of several transactions', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    let revision = 1
    const writes = Array.from({ length: 1000 }, (_, value) => {
      const expected = value === 0 ? 0 : revision
      revision += 1
      return store.write({ resource: pods, namespace: 'default', name: 'a', expected, object: thing('a', value) })
    })
    await writes[0]
    assert.equal(show(store.getPending(pods, 'default', 'a')), 'default/a@1001=999')
    await assert.rejects(store.write({ resource: pods, namespace: 'default', name: 'a', expected: store.revision, object: thing('a', -1) }))
    await Promise.all(writes)
    assert.equal(show(store.get(pods, 'default', 'a')), 'default/a@1001=999')
    assert.ok(store.stats().commits > 1)
  })

  test('rejects the deletion of a missing object with RevisionMismatch', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    await assert.rejects(put(store, pods, 'a', undefined), new RevisionMismatch(0))
  })

  test('lists by namespace, then name', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    await Promise.all([
      put(store, pods, 'b', 1, 'x'),
      put(store, pods, 'a', 2, 'x-y'),
      put(store, pods, 'a', 3, 'x'),
      put(store, pods, 'c', 4, 'a'),
    ])
    assert.deepEqual(store.list(pods).map(show), ['a/c@5=4', 'x/a@4=3', 'x/b@2=1', 'x-y/a@3=2'])
    assert.deepEqual(store.list(pods, 'x').map(show), ['x/a@4=3', 'x/b@2=1'])
    assert.deepEqual(store.list(pods, 'y').map(show), [])
  })

  test('rejects an object that is not JSON without affecting other writers', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    const bad = store.write({ resource: pods, namespace: 'default', name: 'bad', expected: 0, object: thing('bad', cyclic) })
    await Promise.all([assert.rejects(bad, TypeError), put(store, pods, 'good', 1)])
    assert.deepEqual(store.list(pods).map(show), ['default/good@2=1'])
  })

  test('keeps objects and history when reopened, with the states before each change', async () => {
    using directory = scratch()
    {
      await using store = openForTest(directory.file)
      for (const value of [1, 2, undefined, 4]) await put(store, pods, 'a', value)
      await put(store, '/nodes', 'n', 1, '')
    }
    await using store = openForTest(directory.file)
    assert.equal(store.revision, 6)
    assert.deepEqual(store.list(pods).map(show), ['default/a@5=4'])
    const seen: string[] = []
    using _subscription = store.subscribe(pods, 1, (change) => seen.push(showChange(change)))
    await put(store, pods, 'a', 5)
    assert.deepEqual(seen, [
      'ADDED default/a@2=1',
      'MODIFIED default/a@3=2 was default/a@2=1',
      'DELETED default/a@4=2 was default/a@3=2',
      'ADDED default/a@5=4',
      'MODIFIED default/a@7=5 was default/a@5=4',
    ])
    assert.deepEqual(store.listAt(pods, undefined, 3).map(show), ['default/a@3=2'])
    assert.deepEqual(store.listAt(pods, 'default', 4).map(show), [])
  })

  test('subscribes to one resource or all, from now or from a revision', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    await put(store, pods, 'old', 1)
    const seen: Record<string, number[]> = { pods: [], all: [], future: [] }
    const into = (name: string) => (change: Change) => seen[name]?.push(change.revision)
    using _pods = store.subscribe(pods, undefined, into('pods'))
    using _future = store.subscribe('', 4, into('future'))
    const all = store.subscribe('', 1, into('all'))
    await Promise.all([put(store, pods, 'a', 1), put(store, '/nodes', 'n', 1), put(store, pods, 'b', 1)])
    all[Symbol.dispose]()
    await put(store, pods, 'c', 1)
    assert.deepEqual(seen, { pods: [3, 5, 6], all: [2, 3, 4, 5], future: [5, 6] })
  })

  test('delivers each later change once to a subscriber that subscribes inside a callback', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    const seen: number[] = []
    using subscriptions = new DisposableStack()
    let first = true
    subscriptions.use(
      store.subscribe(pods, undefined, (change) => {
        if (!first) return
        first = false
        assert.equal(store.revision, change.revision)
        subscriptions.use(store.subscribe(pods, store.revision, ({ revision }) => seen.push(revision)))
      }),
    )
    await Promise.all([put(store, pods, 'a', 1), put(store, pods, 'b', 1), put(store, pods, 'c', 1)])
    assert.deepEqual(seen, [3, 4])
  })

  test('reports a listener that throws, and calls the others', async () => {
    using directory = scratch()
    const errors: unknown[] = []
    await using store = openForTest(directory.file, { onError: (error) => errors.push(error) })
    const seen: number[] = []
    using _bad = store.subscribe(pods, undefined, () => {
      throw new TypeError('bad listener')
    })
    using _good = store.subscribe(pods, undefined, ({ revision }) => seen.push(revision))
    await put(store, pods, 'a', 1)
    assert.deepEqual(seen, [2])
    assert.equal(errors.length, 1)
  })

  test('finds by index, through updates and deletions', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    await put(store, pods, 'a', 'red')
    store.addIndex(pods, 'colour', (object) => [String((object as { value?: unknown }).value)])
    await Promise.all([put(store, pods, 'b', 'red'), put(store, pods, 'c', 'blue')])
    assert.deepEqual(store.byIndex(pods, 'colour', 'red').map(show), ['default/a@2="red"', 'default/b@3="red"'])
    await put(store, pods, 'a', 'blue')
    await put(store, pods, 'b', undefined)
    assert.deepEqual(store.byIndex(pods, 'colour', 'red').map(show), [])
    assert.deepEqual(store.byIndex(pods, 'colour', 'blue').map(show), ['default/a@5="blue"', 'default/c@4="blue"'])
  })

  test('reads history beyond the ring from the log', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file, { ring: { changes: 2, bytes: 1e6, ageMs: 1e6 } })
    for (let value = 1; value <= 6; value += 1) await put(store, pods, 'a', value)
    const seen: string[] = []
    using _subscription = store.subscribe('', 3, (change) => seen.push(showChange(change)))
    assert.deepEqual(
      seen,
      [4, 5, 6, 7].map((revision) => `MODIFIED default/a@${revision}=${revision - 1} was default/a@${revision - 1}=${revision - 2}`),
    )
  })

  test('refuses compacted history, with the oldest revision available', async () => {
    using directory = scratch()
    const limits = { changes: 2, bytes: 0, ageMs: 1e9 }
    await using store = openForTest(directory.file, { ring: limits, retention: limits })
    for (let value = 1; value <= 9; value += 1) await put(store, pods, 'a', value)
    const { oldestRevision } = store.stats()
    assert.ok(oldestRevision > 1)
    assert.throws(() => store.subscribe(pods, oldestRevision - 1, () => {}), new RevisionCompacted(oldestRevision))
    assert.throws(() => store.listAt(pods, undefined, oldestRevision - 1), new RevisionCompacted(oldestRevision))
    assert.deepEqual(store.listAt(pods, undefined, oldestRevision).map(show), [`default/a@${oldestRevision}=${oldestRevision - 1}`])
  })
})
