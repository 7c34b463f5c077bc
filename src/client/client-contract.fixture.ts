import assert from 'node:assert/strict'
import test from 'node:test'
import { isAlreadyExists, isConflict, isExpired, isInvalid, isNotFound, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { ConfigMap } from '#api/core/v1/config-map.ts'
import { configMaps, namespaces } from '#api/core/v1/resources.ts'
import type { Client, WatchEvent } from './client.ts'

/** A server with config maps and the custom resource below, seen through the client under test. */
export interface ClientUnderTest extends AsyncDisposable {
  readonly client: Client
  /** Discards the history before the current revision, if the server can. */
  compact?(): Promise<void>
}

interface Widget extends KubeObject {
  spec?: { size?: number }
  status?: { phase?: string }
}

const widgets: ResourceType<Widget> = { group: 'example.io', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true }
const namespace = 'default'

function configMap(name: string, data: Record<string, string>, labels: Record<string, string> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, labels }, data }
}

/** Every client must behave like this, whatever lies between it and the verbs. */
export function testClientContract(name: string, setup: () => Promise<ClientUnderTest>): void {
  const contract = (what: string, run: (client: Client, under: ClientUnderTest) => Promise<void | 'unsupported'>): void => {
    test(`${name}: ${what}`, async (context) => {
      await using under = await setup()
      for (const namespace of ['default', 'other']) await createNamespace(under.client, namespace)
      if ((await run(under.client, under)) === 'unsupported') context.skip('the server cannot do this')
    })
  }

  contract('create, get, update, patch and delete work on one object', async (client) => {
    const created = await client.create(configMaps, configMap('a', { x: '1' }))
    assert.match(created.metadata.uid ?? '', /^[0-9a-f-]{36}$/)
    const key = { namespace, name: 'a' }
    assert.deepEqual(await client.get(configMaps, key), created)
    const updated = await client.update(configMaps, { ...created, data: { x: '2' } })
    assert.notEqual(updated.metadata.resourceVersion, created.metadata.resourceVersion)
    const merged = await client.patch(configMaps, key, { type: 'merge', body: { data: { y: '3' } } })
    assert.deepEqual(merged.data, { x: '2', y: '3' })
    const replaced = await client.patch(configMaps, key, { type: 'json', operations: [{ op: 'remove', path: '/data/x' }] })
    assert.deepEqual(replaced.data, { y: '3' })
    const strategic = await client.patch(configMaps, key, { type: 'strategic', body: { data: { y: null, z: '4' } } })
    assert.deepEqual(strategic.data, { z: '4' })
    await client.delete(configMaps, key)
    await assert.rejects(client.get(configMaps, key), isNotFound)
  })

  contract('apply creates, changes and owns fields', async (client) => {
    const apply = (data: Record<string, string>, fieldManager: string, force = false) =>
      client.patch(
        configMaps,
        { namespace, name: 'applied' },
        { type: 'apply', body: { ...configMap('applied', {}), data } as KubeObject, fieldManager, force },
      )
    const first = await apply({ a: '1', b: '1' }, 'one').catch((error: unknown) => error as StatusError)
    if (first instanceof StatusError && first.reason === 'UnsupportedMediaType') return 'unsupported'
    assert.deepEqual((first as ConfigMap).data, { a: '1', b: '1' })
    assert.deepEqual((await apply({ a: '1' }, 'one')).data, { a: '1' })
    await assert.rejects(apply({ a: '2' }, 'two'), isConflict)
    assert.deepEqual((await apply({ a: '2' }, 'two', true)).data, { a: '2' })
    return undefined
  })

  contract('the server names objects that have a prefix only', async (client) => {
    const made = await client.create(configMaps, { ...configMap('', {}), metadata: { namespace, generateName: 'made-' } })
    assert.match(made.metadata.name ?? '', /^made-[a-z0-9]{5}$/)
  })

  contract('refusals are StatusErrors with their reason', async (client) => {
    const created = await client.create(configMaps, configMap('a', {}))
    await assert.rejects(client.create(configMaps, configMap('a', {})), isAlreadyExists)
    await client.update(configMaps, { ...created, data: { x: '1' } })
    await assert.rejects(client.update(configMaps, { ...created, data: { x: '2' } }), isConflict)
    await assert.rejects(client.create(configMaps, configMap('Not A Name', {})), isInvalid)
    await assert.rejects(client.delete(configMaps, { namespace, name: 'none' }), isNotFound)
    await assert.rejects(client.patch(configMaps, { namespace, name: 'none' }, { type: 'merge', body: {} }), isNotFound)
    const unknown: ResourceType<KubeObject> = { group: 'none.io', version: 'v1', kind: 'None', plural: 'nones', namespaced: false }
    await assert.rejects(client.list(unknown), isNotFound)
  })

  contract('list narrows by namespace, labels and fields, and knows the kind of each item', async (client) => {
    await client.create(configMaps, configMap('a', {}, { app: 'x' }))
    await client.create(configMaps, configMap('b', {}, { app: 'y' }))
    await client.create(configMaps, {
      ...configMap('c', {}, { app: 'x' }),
      metadata: { namespace: 'other', name: 'c', labels: { app: 'x' } },
    })
    const names = async (options: Parameters<Client['list']>[1]): Promise<(string | undefined)[]> =>
      (await client.list(configMaps, options)).items.map((item) => item.metadata.name)
    assert.deepEqual(await names({}), ['a', 'b', 'c'])
    assert.deepEqual(await names({ namespace }), ['a', 'b'])
    assert.deepEqual(await names({ labelSelector: 'app in (x)' }), ['a', 'c'])
    assert.deepEqual(await names({ namespace, labelSelector: 'app!=x' }), ['b'])
    assert.deepEqual(await names({ fieldSelector: 'metadata.name=b' }), ['b'])
    const { items } = await client.list(configMaps)
    assert.deepEqual(
      items.map((item) => [item.apiVersion, item.kind]),
      items.map(() => ['v1', 'ConfigMap']),
    )
  })

  contract('list gives pages of one revision', async (client) => {
    for (let i = 0; i < 5; i++) await client.create(configMaps, configMap(`c${i}`, {}))
    const first = await client.list(configMaps, { namespace, limit: 2 })
    await client.create(configMaps, configMap('c1a', {}))
    const received = [...first.items]
    for (let token = first.metadata.continue; token !== undefined && token !== '';) {
      const page = await client.list(configMaps, { namespace, limit: 2, continue: token })
      assert.equal(page.metadata.resourceVersion, first.metadata.resourceVersion)
      received.push(...page.items)
      token = page.metadata.continue
    }
    assert.deepEqual(
      received.map((item) => item.metadata.name),
      ['c0', 'c1', 'c2', 'c3', 'c4'],
    )
  })

  contract('watch tells what happens after a revision, in order, with selector transitions', async (client) => {
    await client.create(configMaps, configMap('before', {}, { app: 'x' }))
    const { resourceVersion = '' } = (await client.list(configMaps)).metadata
    const stop = new AbortController()
    const events: WatchEvent<ConfigMap>[] = []
    const watching = follow(client, { resourceVersion, labelSelector: 'app=x', signal: stop.signal }, events, 4, stop)
    const created = await client.create(configMaps, configMap('a', {}, { app: 'x' }))
    const key = { namespace, name: 'a' }
    const changed = await client.patch(configMaps, key, { type: 'merge', body: { data: { k: 'v' } } })
    const left = await client.patch(configMaps, key, { type: 'merge', body: { metadata: { labels: { app: 'y' } } } })
    await client.create(configMaps, configMap('b', {}, { app: 'y' }))
    await client.patch(configMaps, key, { type: 'merge', body: { metadata: { labels: { app: 'x' } } } })
    await watching
    assert.deepEqual(
      events.map((event) => event.type),
      ['ADDED', 'MODIFIED', 'DELETED', 'ADDED'],
    )
    assert.deepEqual(events[0]?.object, created)
    assert.deepEqual(events[1]?.object, changed)
    assert.equal(events[2]?.object.metadata.labels?.['app'], 'x', 'a leaving object shows what it was')
    assert.equal(events[2]?.object.metadata.resourceVersion, left.metadata.resourceVersion)
  })

  contract('watch tells of deletions with the revision of the deletion', async (client) => {
    const created = await client.create(configMaps, configMap('a', { x: '1' }))
    const stop = new AbortController()
    const events: WatchEvent<ConfigMap>[] = []
    const { resourceVersion = '' } = created.metadata
    const watching = follow(client, { resourceVersion, signal: stop.signal }, events, 1, stop)
    await client.delete(configMaps, { namespace, name: 'a' })
    await watching
    assert.equal(events[0]?.type, 'DELETED')
    assert.deepEqual(events[0].object.data, { x: '1' })
    assert.ok(Number(events[0].object.metadata.resourceVersion) > Number(resourceVersion))
  })

  contract('watch can begin with what is there, and says when that is all', async (client) => {
    await client.create(configMaps, configMap('a', {}))
    await client.create(configMaps, configMap('b', {}))
    const stop = new AbortController()
    const events: WatchEvent<ConfigMap>[] = []
    const initial = { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan' } as const
    await follow(client, { ...initial, signal: stop.signal }, events, 3, stop)
    assert.deepEqual(
      events.map((event) => event.type),
      ['ADDED', 'ADDED', 'BOOKMARK'],
    )
    assert.equal(events[2]?.object.metadata.annotations?.['k8s.io/initial-events-end'], 'true')
  })

  contract('watch ends quietly when its signal aborts, also when nothing has happened, and when the server ends it', async (client) => {
    const stop = new AbortController()
    const events: WatchEvent<ConfigMap>[] = []
    const quiet = follow(
      client,
      { signal: stop.signal, resourceVersion: (await client.list(configMaps)).metadata.resourceVersion ?? '' },
      events,
      1,
      stop,
    )
    setTimeout(() => stop.abort(new Error('enough')), 50)
    await quiet
    const timed = new AbortController()
    await follow(client, { signal: timed.signal, timeoutSeconds: 1 }, events, 1, timed)
    assert.deepEqual(events, [])
    const late = new AbortController()
    late.abort()
    await follow(client, { signal: late.signal }, events, 1, late)
  })

  contract('watch throws 410 when its revision is no longer known', async (client, under) => {
    if (under.compact === undefined) return 'unsupported'
    const { resourceVersion = '' } = (await client.create(configMaps, configMap('a', {}))).metadata
    for (let i = 0; i < 5; i++)
      await client.patch(configMaps, { namespace, name: 'a' }, { type: 'merge', body: { data: { i: String(i) } } })
    await under.compact()
    const stop = new AbortController()
    await assert.rejects(follow(client, { resourceVersion, signal: stop.signal }, [], 1, stop), isExpired)
    return undefined
  })

  contract('the status subresource changes nothing but the status', async (client) => {
    const created = await client.create(widgets, { metadata: { namespace, name: 'w' }, spec: { size: 1 }, status: { phase: 'ignored' } })
    assert.equal(created.status, undefined)
    const key = { namespace, name: 'w' }
    const both = { spec: { size: 2 }, status: { phase: 'Ready' } }
    const status = await client.patch(widgets, key, { type: 'merge', body: both }, { subresource: 'status' })
    assert.deepEqual([status.spec, status.status, status.metadata?.generation], [{ size: 1 }, { phase: 'Ready' }, 1])
    const spec = await client.patch(widgets, key, { type: 'merge', body: { spec: { size: 3 }, status: { phase: 'no' } } })
    assert.deepEqual([spec.spec, spec.status, spec.metadata?.generation], [{ size: 3 }, { phase: 'Ready' }, 2])
    const updated = await client.update(widgets, { ...spec, status: { phase: 'Done' } }, { subresource: 'status' })
    assert.deepEqual(updated.status, { phase: 'Done' })
  })

  contract('a dry run says what would be, and stores nothing', async (client) => {
    const dry = await client.create(configMaps, configMap('a', { x: '1' }), { dryRun: true })
    assert.deepEqual(dry.data, { x: '1' })
    await assert.rejects(client.get(configMaps, { namespace, name: 'a' }), isNotFound)
    await client.create(configMaps, configMap('a', { x: '1' }))
    await client.delete(configMaps, { namespace, name: 'a' }, { dryRun: true })
    await client.get(configMaps, { namespace, name: 'a' })
  })

  contract('delete heeds its preconditions', async (client) => {
    const created = await client.create(configMaps, configMap('a', {}))
    const key = { namespace, name: 'a' }
    await assert.rejects(client.delete(configMaps, key, { preconditions: { uid: 'other' } }), isConflict)
    await client.delete(configMaps, key, { preconditions: { uid: created.metadata.uid ?? '' } })
  })

  contract('a finalizer holds an object until it is taken off', async (client) => {
    await client.create(configMaps, { ...configMap('a', {}), metadata: { namespace, name: 'a', finalizers: ['example.io/hold'] } })
    const key = { namespace, name: 'a' }
    await client.delete(configMaps, key)
    assert.notEqual((await client.get(configMaps, key)).metadata.deletionTimestamp, undefined)
    await client.patch(configMaps, key, { type: 'merge', body: { metadata: { finalizers: null } } })
    await assert.rejects(client.get(configMaps, key), isNotFound)
  })

  contract('unknown fields are refused when asked to be strict', async (client) => {
    const odd = { ...configMap('a', {}), odd: true } as ConfigMap
    await assert.rejects(client.create(configMaps, odd, { fieldValidation: 'Strict' }), StatusError)
    await client.create(configMaps, odd, { fieldValidation: 'Ignore' })
  })

  contract('what is given may be changed afterwards', async (client) => {
    const given = configMap('a', { x: '1' })
    await client.create(configMaps, given)
    Object.assign(given.data ?? {}, { x: '2' })
    assert.deepEqual((await client.get(configMaps, { namespace, name: 'a' })).data, { x: '1' })
  })

  contract('a signal that has aborted rejects with its reason', async (client) => {
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    const isReason = (error: unknown): boolean => error === reason
    await assert.rejects(client.get(configMaps, { namespace, name: 'a' }, { signal }), isReason)
    await assert.rejects(client.list(configMaps, { signal }), isReason)
    await assert.rejects(client.create(configMaps, configMap('a', {}), { signal }), isReason)
  })
}

async function createNamespace(client: Client, name: string): Promise<void> {
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
}

/** Collects events until there are enough, then stops the watch. */
async function follow(
  client: Client,
  options: Parameters<Client['watch']>[1],
  events: WatchEvent<ConfigMap>[],
  count: number,
  stop: AbortController,
): Promise<void> {
  for await (const event of client.watch(configMaps, options)) {
    events.push(event)
    if (events.length >= count) stop.abort()
  }
}
