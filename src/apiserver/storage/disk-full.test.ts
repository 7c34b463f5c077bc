import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { test } from 'node:test'

import { emptyDisk, fillDisk, mountSmall } from './small-disk.fixture.ts'
import { StorageFailed } from './object-store.ts'
import { ManualTime, openForTest, put, scratch, show, showChange } from './store.fixture.ts'
import { StoreOpenError } from './journal/store-open-error.ts'

test('SqliteStore on a full disk serves reads and refuses writes, which resume without a restart', async (t) => {
  using directory = scratch()
  using mounted = mountSmall(directory.path)
  if (mounted === undefined) return t.skip('needs the right to mount a small file system')
  const time = new ManualTime(1_000_000)
  const failures: (Error | undefined)[] = []
  const acknowledged = new Map<string, number>()
  const options = { now: time.now, after: time.after, onFailure: (failure: Error | undefined) => failures.push(failure), onError: () => {} }
  {
    await using store = openForTest(directory.file, options)
    await put(store, '/pods', 'first', 'x')
    fillDisk(directory.path)
    let refused = 0
    for (let index = 0; index < 200 && refused < 3; index += 1) {
      const before = store.revision
      try {
        const entries = await Promise.all([put(store, '/pods', `a-${index}`, 'x'.repeat(20_000)), put(store, '/pods', `b-${index}`, 'x')])
        for (const entry of entries) acknowledged.set(entry.object.metadata?.name ?? '', entry.revision)
      } catch (error) {
        assert.ok(error instanceof StorageFailed)
        refused += 1
        assert.equal(store.failure, error)
        assert.equal(store.revision, before)
        assert.equal(store.getPending('/pods', 'default', `b-${index}`), undefined)
      }
    }
    assert.equal(refused, 3)
    // Between failures, writes may succeed in pages of the write-ahead log that are used again: the
    // store stays unready, and neither such a write nor a probe that succeeds ends that.
    await put(store, '/pods', 'first', 'y').catch(() => {})
    time.pass(6_000)
    assert.equal(failures.length, 1)
    assert.ok(store.failure instanceof StorageFailed)
    assert.equal(store.list('/pods').length, acknowledged.size + 1)
    // The probe detects free space without a write.
    emptyDisk(directory.path)
    time.pass(6_000)
    assert.equal(store.failure, undefined)
    assert.equal(failures.at(-1), undefined)
    const entry = await put(store, '/pods', 'after', 'x'.repeat(20_000))
    acknowledged.set('after', entry.revision)
  }
  await using store = openForTest(directory.file, options)
  for (const [name, revision] of acknowledged) assert.equal(store.get('/pods', 'default', name)?.revision, revision)
  assert.equal(store.list('/pods').length, acknowledged.size + 1)
})

test('openObjectStore() reports DiskFull when it cannot create a store', (t) => {
  using directory = scratch()
  using mounted = mountSmall(directory.path)
  if (mounted === undefined) return t.skip('needs the right to mount a small file system')
  fillDisk(directory.path)
  const error: unknown = (() => {
    try {
      return openForTest(directory.file)
    } catch (thrown) {
      return thrown
    }
  })()
  assert.ok(error instanceof StoreOpenError)
  assert.equal(error.reason, 'DiskFull')
  rmSync(directory.file, { force: true })
})

for (const [how, crash] of [
  ['was closed', false],
  ['crashed', true],
] as const) {
  for (const boot of ['boot-1', 'boot-2'])
    test(`openObjectStore() serves reads on a full disk after a server that ${how}, in ${boot}, and writes once there is space`, async (t) => {
      using directory = scratch()
      using mounted = mountSmall(directory.path)
      if (mounted === undefined) return t.skip('needs the right to mount a small file system')
      using aside = scratch()
      const time = new ManualTime(1_000_000)
      const failures: (Error | undefined)[] = []
      const options = {
        now: time.now,
        after: time.after,
        onFailure: (failure: Error | undefined) => failures.push(failure),
        onError: () => {},
      }
      {
        await using store = openForTest(directory.file, options)
        await put(store, '/pods', 'a', 1)
        await put(store, '/pods', 'a', 2)
        if (crash) cpSync(directory.path, aside.path, { recursive: true })
      }
      if (crash) {
        for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(directory.file + suffix, { force: true })
        cpSync(aside.path, directory.path, { recursive: true })
      }
      fillDisk(directory.path)
      {
        await using store = openForTest(directory.file, { ...options, bootId: boot })
        assert.equal(show(store.get('/pods', 'default', 'a')), 'default/a@3=2')
        assert.equal(store.list('/pods').length, 1)
        const seen: string[] = []
        using _watch = store.subscribe('/pods', store.revision, (change) => seen.push(showChange(change)))
        if (boot === 'boot-1') {
          const replayed: string[] = []
          using _replay = store.subscribe('/pods', 2, (change) => replayed.push(showChange(change)))
          assert.deepEqual(replayed, ['MODIFIED default/a@3=2 was default/a@2=1'])
        }
        const refused = await put(store, '/pods', 'big', 'x'.repeat(100_000)).then(
          () => undefined,
          (error: unknown) => error,
        )
        assert.ok(refused instanceof StorageFailed)
        assert.match(refused.message, /the disk is full; free some space: writes resume by themselves$/)
        assert.ok(store.failure instanceof StorageFailed)
        emptyDisk(directory.path)
        time.pass(6_000)
        assert.equal(store.failure, undefined)
        assert.equal(failures.at(-1), undefined)
        await put(store, '/pods', 'b', 3)
        assert.deepEqual(seen, [`ADDED ${show(store.get('/pods', 'default', 'b'))}`])
      }
      await using again = openForTest(directory.file, { ...options, bootId: boot })
      assert.deepEqual(
        again.list('/pods').map((entry) => entry.object.metadata?.name),
        ['a', 'b'],
      )
    })
}
