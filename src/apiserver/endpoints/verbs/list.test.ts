import assert from 'node:assert/strict'
import { test } from 'node:test'

import { StatusError } from '#apimachinery/errors.ts'
import type { ListQuery, ListResult } from '#apiserver/request/api-request.ts'
import { encodeContinue } from '../read/continue-token.ts'
import { shortHistory, type Loose, noListQuery, startTestServer, type TestServer } from '../verbs.fixture.ts'

const widget = (name: string, namespace = 'default', color = 'red'): Loose => ({
  metadata: { name, namespace, labels: { color } },
  spec: { color },
})

function list(server: TestServer, query: Partial<ListQuery> = {}, namespace: string | undefined = 'default'): Promise<ListResult> {
  return server.verbs.list({ ...server.target('widgets'), namespace }, { ...noListQuery, ...query }, server.context)
}

async function listAll(server: TestServer, query: Partial<ListQuery> = {}): Promise<ListResult> {
  return server.verbs.list({ ...server.target('widgets'), namespace: undefined }, { ...noListQuery, ...query }, server.context)
}

const names = (result: ListResult): string[] => result.entries.map(({ object }) => `${object.metadata?.namespace}/${object.metadata?.name}`)

async function seeded(): Promise<TestServer> {
  const server = await startTestServer()
  await server.create('widgets', widget('b', 'other', 'blue'))
  for (const name of ['c', 'a', 'b']) await server.create('widgets', widget(name, 'default', name === 'a' ? 'green' : 'red'))
  return server
}

test('list() sorts by namespace and name, at the newest revision', async () => {
  await using server = await seeded()
  const all = await listAll(server)
  assert.deepEqual(names(all), ['default/a', 'default/b', 'default/c', 'other/b'])
  assert.equal(all.revision, server.store.revision)
  assert.equal(all.continue, undefined)
  assert.deepEqual(names(await list(server, {}, 'other')), ['other/b'])
})

const selections: readonly { readonly query: Partial<ListQuery>; readonly found: string[] }[] = [
  { query: { labelSelector: 'color=red' }, found: ['default/b', 'default/c'] },
  { query: { labelSelector: 'color in (green,blue)' }, found: ['default/a', 'other/b'] },
  { query: { labelSelector: '!color' }, found: [] },
  { query: { fieldSelector: 'metadata.name=b' }, found: ['default/b', 'other/b'] },
  { query: { fieldSelector: 'metadata.name=b,metadata.namespace!=default' }, found: ['other/b'] },
  { query: { fieldSelector: 'spec.color=green' }, found: ['default/a'] },
  { query: { fieldSelector: 'spec.color=red', labelSelector: 'color!=red' }, found: [] },
]

test('list() applies selectors', async () => {
  await using server = await seeded()
  for (const { query, found } of selections) assert.deepEqual(names(await listAll(server, query)), found, JSON.stringify(query))
  assert.deepEqual(names(await list(server, { fieldSelector: 'metadata.name=b' })), ['default/b'])
})

const refusals: readonly { readonly name: string; readonly query: Partial<ListQuery>; readonly code: number; readonly message?: string }[] =
  [
    { name: 'a bad label selector', query: { labelSelector: 'a in b' }, code: 400 },
    { name: 'an unknown field', query: { fieldSelector: 'spec.size=3' }, code: 400, message: 'field label not supported: spec.size' },
    { name: 'a version that is no number', query: { resourceVersion: 'new' }, code: 400 },
    { name: 'a match without a version', query: { resourceVersionMatch: 'Exact' }, code: 422 },
    { name: 'an unknown match', query: { resourceVersion: '5', resourceVersionMatch: 'Near' }, code: 422 },
    { name: 'exactly version 0', query: { resourceVersion: '0', resourceVersionMatch: 'Exact' }, code: 422 },
    { name: 'a broken continuation', query: { continue: 'abc' }, code: 400 },
    { name: 'an exact version from the future', query: { resourceVersion: '9999999', resourceVersionMatch: 'Exact' }, code: 504 },
    {
      name: 'a continuation with a version',
      query: { continue: encodeContinue({ revision: 2, namespace: '', name: 'a' }), resourceVersion: '2' },
      code: 400,
      message: 'specifying resource version is not allowed when using continue',
    },
  ]

for (const { name, query, code, message } of refusals) {
  test(`list() refuses ${name}`, async () => {
    await using server = await seeded()
    await assert.rejects(listAll(server, query), { code, ...(message === undefined ? {} : { message }) })
  })
}

test('list() shows one revision on all pages, with any writes between them', async () => {
  await using server = await seeded()
  const first = await listAll(server, { limit: 2 })
  assert.deepEqual(names(first), ['default/a', 'default/b'])
  assert.equal(first.remainingItemCount, 2)
  await server.create('widgets', widget('bb'))
  await server.verbs.delete(server.target('widgets', 'c'), { dryRun: false }, server.context)
  const second = await listAll(server, { limit: 1, continue: first.continue ?? '' })
  assert.deepEqual([names(second), second.revision, second.remainingItemCount], [['default/c'], first.revision, 1])
  const third = await listAll(server, { limit: 1, continue: second.continue ?? '' })
  assert.deepEqual([names(third), third.revision, third.continue], [['other/b'], first.revision, undefined])
  assert.deepEqual(names(await listAll(server)), ['default/a', 'default/b', 'default/bb', 'other/b'])
})

test('list() with selectors omits remainingItemCount', async () => {
  await using server = await seeded()
  const first = await listAll(server, { limit: 1, labelSelector: 'color=red' })
  assert.deepEqual([names(first), first.remainingItemCount], [['default/b'], undefined])
  const second = await listAll(server, { limit: 1, labelSelector: 'color=red', continue: first.continue ?? '' })
  assert.deepEqual(names(second), ['default/c'])
})

test('list() shows the past state for an exact version, or a version with a limit', async () => {
  await using server = await seeded()
  const then = String(server.store.revision)
  await server.create('widgets', widget('d'))
  assert.deepEqual(names(await list(server, { resourceVersion: then, resourceVersionMatch: 'Exact' })), [
    'default/a',
    'default/b',
    'default/c',
  ])
  assert.equal((await list(server, { resourceVersion: then, limit: 10 })).revision, Number(then))
  assert.equal((await list(server, { resourceVersion: then })).revision, server.store.revision)
  assert.equal((await list(server, { resourceVersion: then, resourceVersionMatch: 'NotOlderThan' })).entries.length, 4)
})

test('list() ignores the limit at version 0', async () => {
  await using server = await seeded()
  const result = await listAll(server, { resourceVersion: '0', limit: 1 })
  assert.deepEqual([result.entries.length, result.continue], [4, undefined])
})

test('list() expires a continue token by its age alone', async () => {
  await using server = await seeded()
  const first = await listAll(server, { limit: 1 })
  server.time.pass(4 * 60_000)
  const second = await listAll(server, { limit: 1, continue: first.continue ?? '' })
  server.time.pass(2 * 60_000)
  await assert.rejects(listAll(server, { limit: 1, continue: second.continue ?? '' }), { code: 410, reason: 'Expired' })
})

test('list() answers 410 to an expired continue token, with a token for an inconsistent continuation', async () => {
  await using server = await startTestServer([], shortHistory)
  for (const name of ['a', 'b', 'c']) await server.create('widgets', widget(name))
  const first = await listAll(server, { limit: 1 })
  for (let round = 0; round < 5; round++) {
    server.time.pass(60_000)
    await server.create('widgets', widget(`c${round}`))
  }
  const error = await listAll(server, { limit: 1, continue: first.continue ?? '' }).catch((reason: unknown) => reason)
  assert.ok(error instanceof StatusError)
  assert.deepEqual([error.code, error.reason], [410, 'Expired'])
  const rest = await listAll(server, { limit: 10, continue: error.status.metadata.continue ?? '' })
  assert.deepEqual(
    names(rest),
    ['b', 'c', 'c0', 'c1', 'c2', 'c3', 'c4'].map((name) => `default/${name}`),
  )
  assert.equal(rest.revision, server.store.revision)
  await assert.rejects(listAll(server, { resourceVersion: String(first.revision), resourceVersionMatch: 'Exact' }), {
    code: 410,
    reason: 'Expired',
  })
})

test('get() waits for a future version, and gives up without writes', async () => {
  await using server = await startTestServer()
  await server.create('widgets', { metadata: { name: 'a', namespace: 'default' } })
  const now = server.store.revision
  const at = (revision: number): Promise<unknown> =>
    server.verbs.get(server.target('widgets', 'a'), server.context, { resourceVersion: String(revision) })
  await at(0)
  await at(now)
  const waiting = at(now + 1)
  await server.create('widgets', { metadata: { name: 'b', namespace: 'default' } })
  server.time.pass(100)
  await waiting
  const inVain = assert.rejects(at(now + 100), (error: { code?: number }) => error.code === 504)
  for (let turn = 0; turn < 200; turn += 1) {
    server.time.pass(20)
    await Promise.resolve()
  }
  await inVain
})
