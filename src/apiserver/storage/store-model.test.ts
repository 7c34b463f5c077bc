import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import fc from 'fast-check'

import { type Change, type ObjectStore, RevisionCompacted, RevisionMismatch, StorageFailed } from './object-store.ts'
import type { ObjectStoreOptions } from './store-options.ts'
import { ManualTime, openForTest, scratch, thing } from './store.fixture.ts'
import { repeats } from '#test/effort.ts'

const resources = ['/pods', '/nodes', 'coordination.k8s.io/leases']
const namespaces = ['x', 'x-y']
const names = ['a', 'b', 'c']

/** An accepted write in the model, which forgets nothing. */
interface Fact {
  readonly revision: number
  readonly resource: string
  readonly key: string
  readonly value: number | undefined
}

type State = Map<string, { readonly revision: number; readonly value: number }>

/** Computes the state at a revision by replaying all writes. */
function stateAt(facts: readonly Fact[], resource: string, revision: number): State {
  const state: State = new Map()
  for (const fact of facts) {
    if (fact.revision > revision || fact.resource !== resource) continue
    if (fact.value === undefined) state.delete(fact.key)
    else state.set(fact.key, { revision: fact.revision, value: fact.value })
  }
  return state
}

function render(state: State): string[] {
  const split = (key: string): string[] => key.split('/')
  const compare = (a: string[], b: string[]): number => (a[0] === b[0] ? (a[1]! < b[1]! ? -1 : 1) : a[0]! < b[0]! ? -1 : 1)
  return [...state].toSorted(([a], [b]) => compare(split(a), split(b))).map(([key, { revision, value }]) => `${key}@${revision}=${value}`)
}

function valueOf(object: object): number {
  return (object as { readonly value: number }).value
}

function renderList(entries: ReturnType<ObjectStore['list']>): string[] {
  return entries.map((entry) => {
    const { namespace, name, resourceVersion } = entry.object.metadata ?? {}
    assert.equal(resourceVersion, String(entry.revision))
    assert.deepEqual(JSON.parse(entry.json.toString()), entry.object)
    return `${namespace}/${name}@${entry.revision}=${valueOf(entry.object)}`
  })
}

/** Follows one resource by its changes, and compares with the model after each. */
class Follower {
  readonly #resource: string
  readonly #state: State
  readonly #facts: () => readonly Fact[]
  revision: number
  constructor(resource: string, state: State, revision: number, facts: () => readonly Fact[]) {
    this.#resource = resource
    this.#state = state
    this.#facts = facts
    this.revision = revision
  }
  readonly listener = (change: Change): void => {
    assert.ok(change.revision > this.revision, 'order')
    assert.equal(change.resource, this.#resource)
    const { namespace, name } = change.entry.object.metadata ?? {}
    const key = `${namespace}/${name}`
    const before = this.#state.get(key)
    assert.equal(change.previous?.revision, before?.revision)
    assert.equal(change.previous === undefined ? undefined : valueOf(change.previous.object), before?.value)
    assert.equal(change.entry.revision, change.revision)
    assert.equal(change.type === 'ADDED', before === undefined)
    if (change.type === 'DELETED') {
      assert.equal(valueOf(change.entry.object), before?.value)
      this.#state.delete(key)
    } else this.#state.set(key, { revision: change.revision, value: valueOf(change.entry.object) })
    this.revision = change.revision
    assert.deepEqual(render(this.#state), render(stateAt(this.#facts(), this.#resource, change.revision)))
  }
  check(revision: number): void {
    assert.deepEqual(render(this.#state), render(stateAt(this.#facts(), this.#resource, revision)))
  }
}

const command = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      resource: fc.constantFrom(...resources),
      key: fc.tuple(fc.constantFrom(...namespaces), fc.constantFrom(...names)),
      remove: fc.boolean(),
      /** True to send a wrong expected revision. */
      stale: fc.nat(9).map((number) => number === 0),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('follow' as const), resource: fc.constantFrom(...resources), back: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('listAt' as const), resource: fc.constantFrom(...resources), back: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('reopen' as const, 'crash' as const, 'fail' as const) }) },
)

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

/** Runs commands against a store and the model. */
class Run {
  readonly #directory: { readonly path: string; readonly file: string }
  readonly #options: Partial<ObjectStoreOptions>
  readonly #time = new ManualTime(1_000_000)
  #file: string
  #store: ObjectStore
  /** Committed and pending writes, in order. */
  #facts: Fact[] = []
  #followers: { readonly follower: Follower; readonly subscription: Disposable }[] = []
  #outcomes: Promise<void>[] = []
  #blocker: DatabaseSync | undefined
  readonly #errors: unknown[] = []
  #values = 0
  #generation = 0

  constructor(directory: { readonly path: string; readonly file: string }, options: Partial<ObjectStoreOptions>) {
    this.#directory = directory
    this.#options = {
      ...options,
      now: this.#time.now,
      after: this.#time.after,
      busyTimeoutMs: 0,
      onError: (error) => this.#errors.push(error),
    }
    this.#file = directory.file
    this.#store = openForTest(this.#file, this.#options)
  }

  async all(commands: readonly Command[]): Promise<void> {
    for (const each of commands) {
      this.#time.pass(1)
      await this.#one(each)
    }
    await this.#settle()
    this.#compare()
    await this.#store[Symbol.asyncDispose]()
  }

  async #one(each: Command): Promise<void> {
    switch (each.kind) {
      case 'write':
        return this.#write(each.resource, each.key, each.remove, each.stale)
      case 'turn':
        await turn()
        return this.#compare()
      case 'follow':
        return this.#follow(each.resource, Math.max(1, this.#store.revision - each.back))
      case 'listAt':
        return this.#listAt(each.resource, Math.max(1, this.#store.revision - each.back))
      case 'pass':
        return this.#time.pass(each.ms)
      case 'reopen':
        await this.#settle()
        await this.#store[Symbol.asyncDispose]()
        return this.#open()
      case 'crash':
        return await this.#crash()
      case 'fail':
        return await this.#fail()
    }
  }

  #newest(resource: string, key: string): Fact | undefined {
    return this.#facts.findLast((fact) => fact.resource === resource && fact.key === key)
  }

  #write(resource: string, [namespace, name]: [string, string], remove: boolean, stale: boolean): void {
    const key = `${namespace}/${name}`
    const newest = this.#newest(resource, key)
    const actual = newest?.value === undefined ? 0 : newest.revision
    this.#values += 1
    const value = remove && actual !== 0 ? undefined : this.#values
    const expected = stale ? actual + 1 : actual
    const outcome = this.#store.write({
      resource,
      namespace,
      name,
      expected,
      object: value === undefined ? undefined : thing(name, value, namespace),
    })
    if (stale) {
      this.#outcomes.push(assert.rejects(outcome, new RevisionMismatch(actual)))
      return
    }
    const pending = this.#store.getPending(resource, namespace, name)
    const revision = pending?.revision ?? Number.NaN
    if (value !== undefined) assert.ok(revision > (this.#facts.at(-1)?.revision ?? 1))
    const fact: Fact = { resource, key, value, revision: value === undefined ? this.#deletionRevision() : revision }
    this.#facts.push(fact)
    this.#outcomes.push(
      outcome.then(
        (entry) => assert.equal(entry.revision, fact.revision),
        (error: unknown) => {
          assert.ok(error instanceof StorageFailed)
          assert.ok(this.#blocker !== undefined || this.#generation > 0)
        },
      ),
    )
  }

  /**
   * A deletion returns no entry with a revision, but every accepted write takes the next number.
   */
  #deletionRevision(): number {
    return Math.max(this.#facts.at(-1)?.revision ?? 1, this.#base) + 1
  }

  #base = 1

  #follow(resource: string, after: number): void {
    const follower = new Follower(resource, stateAt(this.#facts, resource, after), after, () => this.#facts)
    try {
      const subscription = this.#store.subscribe(resource, after, follower.listener)
      follower.check(this.#store.revision)
      this.#followers.push({ follower, subscription })
    } catch (error) {
      this.#checkCompacted(error, after)
    }
  }

  #listAt(resource: string, revision: number): void {
    try {
      assert.deepEqual(renderList(this.#store.listAt(resource, undefined, revision)), render(stateAt(this.#facts, resource, revision)))
      const inNamespace = renderList(this.#store.listAt(resource, 'x', revision))
      assert.deepEqual(
        inNamespace,
        render(stateAt(this.#facts, resource, revision)).filter((line) => line.startsWith('x/')),
      )
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error
      this.#checkCompacted(error, revision)
    }
  }

  /** Only history beyond the limits may be refused. */
  #checkCompacted(error: unknown, revision: number): void {
    if (!(error instanceof RevisionCompacted)) throw error
    assert.ok(revision < error.oldest)
    assert.ok(error.oldest <= this.#store.revision)
  }

  #compare(): void {
    assert.deepEqual(this.#errors, [])
    for (const resource of resources) {
      assert.deepEqual(renderList(this.#store.list(resource)), render(stateAt(this.#facts, resource, this.#store.revision)))
    }
    for (const { follower } of this.#followers) follower.check(this.#store.revision)
  }

  async #settle(): Promise<void> {
    const outcomes = this.#outcomes
    this.#outcomes = []
    await Promise.all(outcomes)
  }

  #open(): void {
    for (const { subscription } of this.#followers) subscription[Symbol.dispose]()
    this.#followers = []
    const before = this.#facts.at(-1)?.revision ?? 1
    this.#store = openForTest(this.#file, this.#options)
    this.#base = this.#store.revision
    assert.ok(this.#store.revision >= before)
    this.#compare()
  }

  /**
   * Opens a copy of the files, as a kill would leave them. Pending writes are lost, as they were
   * never acknowledged.
   */
  async #crash(): Promise<void> {
    this.#generation += 1
    const copy = join(this.#directory.path, `crash-${this.#generation}.db`)
    copyFileSync(this.#file, copy)
    if (existsSync(`${this.#file}-wal`)) copyFileSync(`${this.#file}-wal`, `${copy}-wal`)
    const { revision } = this.#store
    const abandoned = this.#store
    const facts = this.#facts.filter((fact) => fact.revision <= revision)
    await this.#settle()
    await abandoned[Symbol.asyncDispose]()
    this.#facts = facts
    this.#file = copy
    this.#open()
  }

  /** Makes the next commits fail, then work again. */
  async #fail(): Promise<void> {
    await this.#settle()
    const { revision } = this.#store
    this.#blocker = new DatabaseSync(this.#file)
    this.#blocker.exec('BEGIN IMMEDIATE')
    this.#write('/pods', ['x', 'a'], false, false)
    this.#write('/pods', ['x', 'a'], true, false)
    this.#write('/nodes', ['x', 'a'], false, false)
    const attempted = this.#facts.at(-1)?.revision ?? 1
    await this.#settle()
    assert.ok(this.#store.failure instanceof StorageFailed)
    assert.equal(this.#store.revision, revision)
    this.#facts = this.#facts.filter((fact) => fact.revision <= revision)
    this.#compare()
    this.#blocker.exec('ROLLBACK')
    this.#blocker.close()
    this.#blocker = undefined
    this.#base = attempted
    this.#write('/pods', ['x', 'a'], false, false)
    await this.#settle()
    assert.equal(this.#store.failure, undefined)
  }
}

const plenty = { changes: 1e6, bytes: 1e9, ageMs: 1e9 }
const profiles: { readonly name: string; readonly options: Partial<ObjectStoreOptions> }[] = [
  { name: 'all history in memory', options: { ring: plenty, retention: plenty } },
  { name: 'most history in the log', options: { ring: { ...plenty, changes: 3 }, retention: plenty } },
  { name: 'little history', options: { ring: { ...plenty, changes: 2 }, retention: { changes: 5, bytes: 1e9, ageMs: 2000 } } },
  { name: 'hardly any history', options: { ring: { ...plenty, changes: 1 }, retention: { changes: 1, bytes: 0, ageMs: 1 } } },
]

for (const { name, options } of profiles) {
  test(`SqliteStore agrees with a model at every revision, with ${name}`, async () => {
    const property = fc.asyncProperty(fc.array(command, { maxLength: 120, size: 'max' }), async (commands) => {
      using directory = scratch()
      await new Run(directory, options).all(commands)
    })
    await fc.assert(property, { numRuns: repeats({ default: 4, long: 25 }) })
  })
}
