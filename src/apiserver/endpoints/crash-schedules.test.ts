import assert from 'node:assert/strict'
import { copyFileSync, existsSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { createResourceRegistry } from '#apiserver/registry/resource-registry.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { openForTest, scratch } from '#apiserver/storage/store.fixture.ts'
import type { RequestContext, Target, Verbs, WatchOutput } from '../request/api-request.ts'
import { noListQuery, noWatchQuery } from './verbs.fixture.ts'
import { createVerbs } from './verbs.ts'
import { repeats, seed } from '#test/effort.ts'

const schedules = repeats({ default: 12, long: 300 })
const definition = defineResource({ group: 'example.com', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false })
const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const

/** A server process between two crashes. */
interface ServerInstance {
  readonly store: ObjectStore
  readonly verbs: Verbs
  readonly file: string
}

/** State that the checker keeps across crashes. */
interface Ledger {
  /**
   * Content of each revision, as acknowledged or served. A revision must never show other content.
   */
  readonly contents: Map<number, string>
  /** Newest acknowledged state by name. A crash must not undo it. */
  readonly acknowledged: Map<string, { readonly revision: number; readonly value: string | undefined }>
  highest: number
}

async function startInstance(file: string): Promise<ServerInstance> {
  const store = openForTest(file, {
    now: () => Date.now(),
    // A short history, so that watches often expire and compaction runs all the time.
    retention: { changes: 12, ageMs: 0, bytes: 0 },
    ring: { changes: 8, ageMs: 0, bytes: 1 << 20 },
  })
  const registry = createResourceRegistry([definition])
  const verbs = createVerbs({ store, registry, admission: [], now: () => Date.now(), randomUuid: () => 'uid', random: () => 0.5 })
  return { store, verbs, file }
}

const target = (name: string): Target => ({ definition, namespace: '', name, subresource: '' })
const options = { dryRun: false, fieldValidation: 'Ignore' } as const
function contextOf(signal: AbortSignal): RequestContext {
  return { user: { username: 'tester', groups: [] }, warn: () => {}, signal, fieldManager: 'test' }
}
const context = contextOf(new AbortController().signal)

function hold(ledger: Ledger, revision: number, content: string): void {
  assert.equal(ledger.contents.get(revision) ?? content, content, `revision ${revision} holds two contents`)
  ledger.contents.set(revision, content)
}

async function write(server: ServerInstance, ledger: Ledger, name: string, value: string | undefined): Promise<void> {
  try {
    if (value === undefined) {
      const { entry } = await server.verbs.delete(target(name), { dryRun: false }, context)
      acknowledge(ledger, name, entry.revision, undefined)
      return
    }
    const body = { object: { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name }, value }, duplicates: [] }
    const known = server.store.getPending(definition.storageKey, '', name) !== undefined
    const entry = known
      ? await server.verbs.update(target(name), body, options, context)
      : await server.verbs.create(target(''), body, options, context)
    acknowledge(ledger, name, entry.revision, value)
  } catch (error) {
    // A conflict: another writer updated or deleted the object first.
    if (!(error instanceof StatusError) || error.code === 500) throw error
  }
}

function acknowledge(ledger: Ledger, name: string, revision: number, value: string | undefined): void {
  hold(ledger, revision, `${name} ${value ?? 'deleted'}`)
  ledger.highest = Math.max(ledger.highest, revision)
  const before = ledger.acknowledged.get(name)
  if (before === undefined || before.revision < revision) ledger.acknowledged.set(name, { revision, value })
}

/** A client that lists and watches, and resumes after every crash. */
class Follower {
  readonly state = new Map<string, string>()
  readonly #ledger: Ledger
  #revision = 0
  #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  async follow(server: ServerInstance): Promise<void> {
    if (this.#revision === 0) await this.#list(server)
    this.#stop = new AbortController()
    const query = { ...noWatchQuery, resourceVersion: String(this.#revision) }
    this.#running = server.verbs
      .watch(target(''), query, (output) => this.#see(output), contextOf(this.#stop.signal))
      .catch(async (error: unknown) => {
        // 410 Gone: missed changes are compacted, so the client must list again.
        if (!(error instanceof StatusError) || error.code !== 410) throw error
        this.#revision = 0
        if (!this.#stop.signal.aborted) await this.follow(server)
      })
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #list(server: ServerInstance): Promise<void> {
    const { entries, revision } = await server.verbs.list(target(''), noListQuery, context)
    this.state.clear()
    for (const { object } of entries) this.state.set(object.metadata?.name ?? '', valueOf(object))
    this.#revision = revision
  }

  #see(output: WatchOutput): void {
    assert.ok(output.type !== 'BOOKMARK')
    const { object, revision } = output.entry
    const name = object.metadata?.name ?? ''
    assert.ok(revision > this.#revision, `event ${revision} after ${this.#revision}`)
    this.#revision = revision
    assert.equal(this.state.has(name), output.type !== 'ADDED', `${output.type} of ${name}`)
    const deleted = output.type === 'DELETED'
    hold(this.#ledger, revision, `${name} ${deleted ? 'deleted' : valueOf(object)}`)
    if (deleted) this.state.delete(name)
    else this.state.set(name, valueOf(object))
  }
}

function valueOf(object: object): string {
  return (object as { value?: string }).value ?? ''
}

/**
 * Copies the files as kill -9 leaves them: complete up to the last commit, then a random part of
 * the commits after it.
 */
function crashed(server: ServerInstance, to: string, walBytes: number, below: (limit: number) => number): void {
  for (const suffix of ['', '-wal']) if (existsSync(`${server.file}${suffix}`)) copyFileSync(`${server.file}${suffix}`, `${to}${suffix}`)
  const wal = `${to}-wal`
  const bytes = existsSync(wal) ? statSync(wal).size : 0
  if (bytes > walBytes) truncateSync(wal, walBytes + below(bytes - walBytes + 1))
}

function walBytesOf({ file }: ServerInstance): number {
  return existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0
}

async function runSchedule(number: number): Promise<void> {
  using directory = scratch()
  const below = createSeededRandom(seed + number).below
  const ledger: Ledger = { contents: new Map(), acknowledged: new Map(), highest: 0 }
  const followers = Array.from({ length: 3 }, () => new Follower(ledger))
  let server = await startInstance(join(directory.path, 'server-0.db'))
  const crashes = 1 + below(3)
  for (let crash = 1; crash <= crashes; crash += 1) {
    for (const follower of followers) await follower.follow(server)
    const writes: Promise<void>[] = []
    for (let count = 5 + below(25); count > 0; count -= 1) {
      const name = names[below(names.length)] ?? 'a'
      writes.push(write(server, ledger, name, below(4) === 0 ? undefined : `${crash}-${count}`))
      if (below(3) === 0) await writes.at(-1)
      if (below(6) === 0) {
        const follower = followers[below(followers.length)]
        await follower?.stop()
        await follower?.follow(server)
      }
    }
    // Some writes are acknowledged, others are still in flight at the crash.
    if (below(2) === 0) await Promise.all(writes)
    const acknowledgedBytes = walBytesOf(server)
    for (const follower of followers) await follower.stop()
    const cut = { contents: new Map(ledger.contents), acknowledged: new Map(ledger.acknowledged), highest: ledger.highest }
    const lost: Ledger = { contents: new Map(), acknowledged: new Map(), highest: 0 }
    const unfinished = Array.from({ length: below(6) }, (_, index) =>
      write(server, lost, names[below(names.length)] ?? 'a', `lost-${crash}-${index}`),
    )
    await new Promise((resolve) => setImmediate(resolve))
    const next = join(directory.path, `server-${crash}.db`)
    crashed(server, next, acknowledgedBytes, below)
    await Promise.all([...writes, ...unfinished])
    await server.store[Symbol.asyncDispose]()
    Object.assign(ledger, { highest: cut.highest })
    restore(ledger.contents, cut.contents)
    restore(ledger.acknowledged, cut.acknowledged)

    server = await startInstance(next)
    assert.ok(server.store.revision >= ledger.highest, `revision ${server.store.revision} after ${ledger.highest} was acknowledged`)
    for (const [name, { revision, value }] of ledger.acknowledged) {
      const entry = server.store.get(definition.storageKey, '', name)
      if (entry === undefined || entry.revision < revision)
        assert.equal(value, undefined, `${name} at ${revision} was acknowledged and is gone`)
      else if (entry.revision === revision) assert.equal(valueOf(entry.object), value)
    }
  }
  for (const follower of followers) await follower.follow(server)
  await new Promise((resolve) => setImmediate(resolve))
  const state = new Map(server.store.list(definition.storageKey).map(({ object }) => [object.metadata?.name ?? '', valueOf(object)]))
  for (const follower of followers) {
    assert.deepEqual(follower.state, state)
    await follower.stop()
  }
  await server.store[Symbol.asyncDispose]()
}

function restore<K, V>(map: Map<K, V>, to: ReadonlyMap<K, V>): void {
  map.clear()
  for (const [key, value] of to) map.set(key, value)
}

test(
  `list and watch stay consistent through ${schedules} schedules of writers, watchers and crashes (seed ${seed})`,
  { timeout: 1_800_000 },
  async () => {
    for (let number = 0; number < schedules; number += 1) {
      try {
        await runSchedule(number)
      } catch (error) {
        throw new Error(`schedule ${number} of seed ${seed} failed`, { cause: error })
      }
    }
  },
)
