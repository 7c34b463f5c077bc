import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { StorageFailed } from './object-store.ts'
import { ManualTime, openForTest, put, scratch } from './store.fixture.ts'
import { StoreOpenError } from './journal/store-open-error.ts'

/** A file system of 4 MiB, or undefined where it cannot be mounted. */
function mountSmall(path: string): Disposable | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', path], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return { [Symbol.dispose]: () => execFileSync('umount', ['-l', path], { stdio: 'ignore' }) }
}

function fillUp(path: string): void {
  for (const size of [1 << 20, 1 << 16, 1 << 12]) {
    try {
      for (let index = 0; ; index += 1) writeFileSync(join(path, `ballast-${size}-${index}`), Buffer.alloc(size))
    } catch {
      // Full, to within this size.
    }
  }
}

function empty(path: string): void {
  execFileSync('sh', ['-c', `rm -f '${path}'/ballast-*`])
}

test('SqliteStore survives a full disk: reads go on, writes are refused, and resume by themselves', async (t) => {
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
    fillUp(directory.path)
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
    // Between failures the log may be written from its beginning again, which needs no space for a
    // while.
    for (const [index, failure] of failures.entries()) assert.equal(failure instanceof StorageFailed, index % 2 === 0)
    assert.equal(failures.length % 2, 1)
    assert.equal(store.list('/pods').length, acknowledged.size + 1)
    // The disk works again: the probe finds out without anybody writing.
    empty(directory.path)
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

test('openObjectStore() says that the disk is full', (t) => {
  using directory = scratch()
  using mounted = mountSmall(directory.path)
  if (mounted === undefined) return t.skip('needs the right to mount a small file system')
  fillUp(directory.path)
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
