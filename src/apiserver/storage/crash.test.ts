import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Change } from './object-store.ts'
import { openObjectStore } from './open-object-store.ts'
import { scratch } from './store.fixture.ts'
import { repeats } from '#test/effort.ts'

const rounds = repeats({ default: 2, long: 15 })

/** Runs the writer for a while, kills it, and returns its acknowledged writes. */
async function writeAndKill(file: string, round: number): Promise<Map<number, string>> {
  const child = spawn(process.execPath, [new URL('./crash-writer.fixture.ts', import.meta.url).pathname, file, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child.stdout, 'data')
  // Varies the moment within a commit, a checkpoint or a compaction.
  await sleep(5 + ((round * 37) % 120))
  child.kill('SIGKILL')
  await once(child, 'close')
  const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1)
  return new Map(lines.map((line) => [Number(line.slice(0, line.indexOf(' '))), line.slice(line.indexOf(' ') + 1)]))
}

function describe(change: Change): string {
  const { metadata, value } = change.entry.object as { readonly metadata: { readonly name: string }; readonly value: string }
  return `${metadata.name} ${change.type === 'DELETED' ? 'deleted' : value.slice(0, value.lastIndexOf('-') + 1)}`
}

test(`SqliteStore keeps every acknowledged write through ${rounds} kills, and never reuses a revision`, async () => {
  using directory = scratch()
  const contents = new Map<number, string>()
  let last = 1
  let acknowledgedInAll = 0
  for (let round = 1; round <= rounds; round += 1) {
    const acknowledged = await writeAndKill(directory.file, round)
    assert.ok(acknowledged.size > 0)
    acknowledgedInAll += acknowledged.size
    await using store = openObjectStore({ path: directory.file, now: () => Date.now() })
    const { oldestRevision } = store.stats()
    const changes = new Map<number, string>()
    using _subscription = store.subscribe('/things', Math.max(last, oldestRevision), (change) =>
      changes.set(change.revision, describe(change)),
    )
    for (const [revision, content] of acknowledged) {
      assert.ok(revision > last && revision <= store.revision)
      if (revision > oldestRevision) assert.equal(changes.get(revision), content)
    }
    for (const [revision, content] of changes) {
      assert.equal(contents.get(revision) ?? content, content)
      contents.set(revision, content)
    }
    // Every live object is the newest change of its name.
    for (const entry of store.list('/things'))
      if (entry.revision > last) assert.ok(changes.has(entry.revision) || entry.revision <= oldestRevision)
    last = store.revision
  }
  assert.ok(acknowledgedInAll > rounds * 10)
})
