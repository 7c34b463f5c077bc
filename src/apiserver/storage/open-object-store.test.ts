import assert from 'node:assert/strict'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'

import { RevisionCompacted } from './object-store.ts'
import { openForTest, put, scratch, show } from './store.fixture.ts'
import { StoreOpenError, type StoreOpenReason } from './journal/store-open-error.ts'

async function fill(file: string, count: number): Promise<void> {
  await using store = openForTest(file)
  await Promise.all(Array.from({ length: count }, (_, index) => put(store, '/pods', `pod-${index}`, 'x'.repeat(1000))))
}

function assertRefused(file: string, reason: StoreOpenReason): StoreOpenError {
  try {
    void openForTest(file)[Symbol.asyncDispose]()
  } catch (error) {
    assert.ok(error instanceof StoreOpenError)
    assert.deepEqual({ reason: error.reason, path: error.path }, { reason, path: file })
    return error
  }
  assert.fail('it was opened')
}

async function startHolder(
  file: string,
  uid?: number,
): Promise<{ readonly said: string; readonly child: ChildProcessByStdio<null, Readable, null> }> {
  const fixture = new URL('./journal/lock-holder.fixture.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [fixture, file, ...(uid === undefined ? [] : [String(uid)])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [data] = (await once(child.stdout, 'data')) as [Buffer]
  return { said: data.toString().trim(), child }
}

suite('openObjectStore()', () => {
  test('creates the directory, and a file with mode 0600', async () => {
    using directory = scratch()
    const file = join(directory.path, 'deeper', 'state.db')
    await fill(file, 1)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(dirname(file)).mode & 0o777, 0o700)
  })

  const damages: { readonly name: string; readonly reason: StoreOpenReason; readonly damage: (file: string) => void }[] = [
    { name: 'a file cut in the middle', reason: 'Corrupt', damage: (file) => truncateSync(file, statSync(file).size >> 1) },
    { name: 'a file cut inside of its first page', reason: 'Corrupt', damage: (file) => truncateSync(file, 1000) },
    { name: 'a store that was emptied', reason: 'Corrupt', damage: (file) => truncateSync(file, 0) },
    { name: 'a file of something else', reason: 'Corrupt', damage: (file) => writeFileSync(file, 'kind: Config\n'.repeat(100)) },
    {
      name: 'a damaged page',
      reason: 'Corrupt',
      damage: (file) => {
        const bytes = readFileSync(file)
        bytes.fill(0xa5, 3 * 16384, 6 * 16384)
        writeFileSync(file, bytes)
      },
    },
    {
      name: 'a store whose object has lost its state',
      reason: 'Corrupt',
      damage: (file) => {
        using database = new DatabaseSync(file)
        database.exec('DELETE FROM log WHERE rev = 50')
      },
    },
    {
      name: 'a newer schema',
      reason: 'NewerSchema',
      damage: (file) => {
        using database = new DatabaseSync(file)
        database.exec('PRAGMA user_version = 99')
      },
    },
    {
      name: "another program's database",
      reason: 'NotAStore',
      damage: (file) => {
        using database = new DatabaseSync(file)
        database.exec('PRAGMA application_id = 77')
      },
    },
  ]
  for (const { name, reason, damage } of damages) {
    test(`refuses ${name}, and releases the lock`, async () => {
      using directory = scratch()
      await fill(directory.file, 300)
      damage(directory.file)
      assertRefused(directory.file, reason)
      assertRefused(directory.file, reason)
    })
  }

  test('creates a new store when the file was deleted, with any remaining log', async () => {
    using directory = scratch()
    let log: Buffer
    {
      await using store = openForTest(directory.file)
      await put(store, '/pods', 'old', 'x'.repeat(50_000))
      log = readFileSync(`${directory.file}-wal`)
    }
    rmSync(directory.file)
    for (const suffix of ['-wal', '.new', '.new-wal']) writeFileSync(`${directory.file}${suffix}`, log)
    await using store = openForTest(directory.file)
    assert.deepEqual(store.list('/pods'), [])
    assert.equal((await put(store, '/pods', 'new', 1)).revision, 2)
  })

  test('refuses a directory', () => {
    using directory = scratch()
    assertRefused(directory.path, 'IsDirectory')
  })

  test('refuses a path below a file', () => {
    using directory = scratch()
    writeFileSync(directory.file, '')
    assertRefused(join(directory.file, 'state.db'), 'System')
  })

  test('refuses a store that this process has open, and names the process', async () => {
    using directory = scratch()
    await using store = openForTest(directory.file)
    const error = assertRefused(directory.file, 'InUse')
    assert.ok(error.message.includes(String(process.pid)))
    await put(store, '/pods', 'a', 1)
    assertRefused(directory.file, 'InUse')
  })

  test('refuses a store that another process has open, until that process is killed', async () => {
    using directory = scratch()
    const { said, child } = await startHolder(directory.file)
    assert.equal(said, 'open')
    assert.ok(assertRefused(directory.file, 'InUse').message.includes(String(child.pid)))
    child.kill('SIGKILL')
    await once(child, 'exit')
    await using store = openForTest(directory.file)
    assert.equal((await startHolder(directory.file)).said, 'InUse')
    await put(store, '/pods', 'a', 1)
  })

  test('refuses a directory without write permission', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('needs root to change the user')
    using directory = scratch()
    chmodSync(directory.path, 0o755)
    mkdirSync(join(directory.path, 'closed'), { mode: 0o755 })
    assert.equal((await startHolder(join(directory.path, 'closed', 'state.db'), 65_534)).said, 'Permission')
    assert.equal((await startHolder(join(directory.path, 'closed', 'deeper', 'state.db'), 65_534)).said, 'Permission')
  })

  test('skips revisions and drops history after the machine went down with the store open', async () => {
    using directory = scratch()
    const holder = await startHolder(directory.file)
    holder.child.kill('SIGKILL')
    await once(holder.child, 'exit')
    {
      await using store = openForTest(directory.file, { bootId: 'boot-1' })
      await put(store, '/pods', 'a', 1)
      // A loss of power leaves what is on disk while the store is open.
      for (const suffix of ['', '-wal']) writeFileSync(`${directory.file}.copy${suffix}`, readFileSync(`${directory.file}${suffix}`))
    }
    const copy = `${directory.file}.copy`
    {
      await using store = openForTest(copy, { bootId: 'boot-2' })
      assert.equal(store.revision, 1_000_002)
      assert.equal(show(store.get('/pods', 'default', 'a')), 'default/a@2=1')
      assert.throws(() => store.subscribe('/pods', 2, () => {}), new RevisionCompacted(1_000_002))
      assert.throws(() => store.listAt('/pods', undefined, 2), new RevisionCompacted(1_000_002))
      assert.equal((await put(store, '/pods', 'b', 1)).revision, 1_000_003)
    }
    await using store = openForTest(copy, { bootId: 'boot-3' })
    assert.equal(store.revision, 1_000_003)
  })

  test('continues revisions without a gap after a process crash', async () => {
    using directory = scratch()
    {
      await using store = openForTest(directory.file, { bootId: 'boot-1' })
      await put(store, '/pods', 'a', 1)
      for (const suffix of ['', '-wal']) writeFileSync(`${directory.file}.copy${suffix}`, readFileSync(`${directory.file}${suffix}`))
    }
    await using store = openForTest(`${directory.file}.copy`, { bootId: 'boot-1' })
    assert.equal(store.revision, 2)
    const seen: number[] = []
    using _subscription = store.subscribe('/pods', 1, ({ revision }) => seen.push(revision))
    assert.deepEqual(seen, [2])
  })
})
