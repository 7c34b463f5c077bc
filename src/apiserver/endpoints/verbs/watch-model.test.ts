import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { WatchOutput } from '#apiserver/request/api-request.ts'
import { type Loose, noListQuery, noWatchQuery, startTestServer, type TestServer } from '../verbs.fixture.ts'

const colors = ['red', 'green', 'blue'] as const
const names = ['a', 'b', 'c', 'd'] as const

type Step = { readonly kind: 'put'; readonly name: string; readonly color: string } | { readonly kind: 'delete'; readonly name: string }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), name: fc.constantFrom(...names), color: fc.constantFrom(...colors) }),
  fc.record({ kind: fc.constant('delete' as const), name: fc.constantFrom(...names) }),
)

async function take(server: TestServer, { kind, name, ...rest }: Step): Promise<void> {
  const target = server.target('widgets', name)
  try {
    if (kind === 'delete') {
      await server.verbs.delete(target, { dryRun: false }, server.context)
      return
    }
    const { color } = rest as { color: string }
    const body = { metadata: { labels: { color } }, spec: { color } }
    await server.verbs.patch(target, { type: 'merge', body }, { dryRun: false, fieldValidation: 'Strict' }, server.context)
  } catch (error) {
    if (kind === 'put' && isNotFound(error)) await create(server, name, (rest as { color: string }).color)
    else if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

async function create(server: TestServer, name: string, color: string): Promise<void> {
  await server
    .create('widgets', { metadata: { name, namespace: 'default', labels: { color } }, spec: { color } })
    .catch((error: { reason?: string }) => {
      if (error.reason !== 'AlreadyExists') throw error
    })
}

/** A client's cache, built from one list and the events after it. */
class Mirror {
  readonly objects = new Map<string, string>()
  last = 0
  apply(output: WatchOutput): void {
    assert.ok(output.type !== 'BOOKMARK')
    const { name = '', resourceVersion = '' } = output.entry.object.metadata ?? {}
    assert.ok(output.entry.revision > this.last || output.change === undefined, 'revisions increase')
    this.last = Math.max(this.last, output.entry.revision)
    const known = this.objects.has(name)
    if (output.type === 'ADDED') assert.ok(!known, 'what is added was not there')
    else assert.ok(known, 'what is changed or deleted was there')
    if (output.type === 'DELETED') this.objects.delete(name)
    else this.objects.set(name, resourceVersion)
  }
}

function state(server: TestServer, labelSelector: string): Promise<Map<string, string>> {
  return server.verbs
    .list(server.target('widgets'), { ...noListQuery, labelSelector }, server.context)
    .then(({ entries }) => new Map(entries.map(({ object }) => [object.metadata?.name ?? '', object.metadata?.resourceVersion ?? ''])))
}

test('list and a filtered watch converge to the state, from any starting point', async () => {
  await using server = await startTestServer()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 8 }),
      fc.constantFrom('', 'color=red', 'color!=red'),
      async (rounds, labelSelector) => {
        const query = { ...noWatchQuery, labelSelector }
        const stop = new AbortController()
        const context = { ...server.context, signal: stop.signal }
        const fromState = new Mirror()
        const watching = [server.verbs.watch(server.target('widgets'), query, (output) => fromState.apply(output), context)]
        const mirrors = [fromState]
        for (const steps of rounds) {
          // Concurrent, so that they share commits and race for names.
          await Promise.all(steps.map((each) => take(server, each)))
          const listed = await server.verbs.list(server.target('widgets'), { ...noListQuery, labelSelector }, server.context)
          const mirror = new Mirror()
          for (const { object } of listed.entries) mirror.objects.set(object.metadata?.name ?? '', object.metadata?.resourceVersion ?? '')
          const from = { ...query, resourceVersion: String(listed.revision) }
          watching.push(server.verbs.watch(server.target('widgets'), from, (output) => mirror.apply(output), context))
          mirrors.push(mirror)
        }
        const now = await state(server, labelSelector)
        stop.abort()
        await Promise.all(watching)
        for (const mirror of mirrors) assert.deepEqual(Object.fromEntries(mirror.objects), Object.fromEntries(now))
      },
    ),
    { numRuns: 60 },
  )
})

test('watch delivers every change once when it is interrupted and resumed anywhere', async () => {
  await using server = await startTestServer()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 25 }), async (steps) => {
      const seen: string[] = []
      const whole: string[] = []
      let last = server.store.revision
      const note =
        (list: string[]) =>
        (output: WatchOutput): void => {
          assert.ok(output.type !== 'BOOKMARK')
          list.push(`${output.type} ${output.entry.object.metadata?.name} ${output.entry.revision}`)
        }
      const all = new AbortController()
      const from = (revision: number): typeof noWatchQuery => ({
        ...noWatchQuery,
        labelSelector: 'color=red',
        resourceVersion: String(revision),
      })
      const uncut = server.verbs.watch(server.target('widgets'), from(last), note(whole), { ...server.context, signal: all.signal })
      let part = new AbortController()
      const cut = (): Promise<void> =>
        server.verbs.watch(
          server.target('widgets'),
          from(last),
          (output) => {
            note(seen)(output)
            if (output.type !== 'BOOKMARK') last = output.entry.revision
          },
          { ...server.context, signal: part.signal },
        )
      let running = cut()
      for (const [each, breakOff] of steps) {
        if (breakOff) {
          part.abort()
          await running
        }
        await take(server, each)
        if (!breakOff) continue
        part = new AbortController()
        running = cut()
      }
      part.abort()
      all.abort()
      await Promise.all([running, uncut])
      assert.deepEqual(seen, whole)
    }),
    { numRuns: 40 },
  )
})

test('list shows one consistent state on all pages during concurrent writes', async () => {
  await using server = await startTestServer()
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 10 }),
      fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      async (before, between) => {
        for (const each of before) await take(server, each)
        const whole = await server.verbs.list(server.target('widgets'), noListQuery, server.context)
        const paged: Loose[] = []
        let token = ''
        for (let page = 0; page === 0 || token !== ''; page++) {
          const result = await server.verbs.list(server.target('widgets'), { ...noListQuery, limit: 1, continue: token }, server.context)
          assert.equal(result.revision, whole.revision)
          paged.push(...result.entries.map(({ object }) => object as Loose))
          token = result.continue ?? ''
          await Promise.all((between[page] ?? []).map((each) => take(server, each)))
        }
        assert.deepEqual(
          paged,
          whole.entries.map(({ object }) => object),
        )
      },
    ),
    { numRuns: 40 },
  )
})
