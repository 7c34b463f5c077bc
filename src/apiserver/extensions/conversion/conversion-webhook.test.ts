import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'

import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import type { Target, WatchOutput, WatchQuery } from '#apiserver/request/api-request.ts'
import { type Loose, noListQuery, noWatchQuery, startTestServer, type TestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { serveCustomResources } from '../serve-custom-resources.ts'
import { type ConvertObject, startConversionWebhook, type TestConversionWebhook } from './conversion-webhook.fixture.ts'

const group = 'stable.example.com'
const schemaWith = (properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties }, status: { type: 'object', properties: { ready: { type: 'boolean' } } } },
})

/** v1 has one text `hostPort`, v2 has `host` and `port`. */
const split: ConvertObject = (object, apiVersion) => {
  const spec = (object['spec'] ?? {}) as { hostPort?: string; host?: string; port?: string }
  if (apiVersion === `${group}/v2`) {
    const [host, port] = (spec.hostPort ?? ':').split(':')
    return { ...object, apiVersion, spec: { host, port } }
  }
  return { ...object, apiVersion, spec: { hostPort: `${spec.host ?? ''}:${spec.port ?? ''}` } }
}

function crd({ conversion }: TestConversionWebhook): CustomResourceDefinition & Loose {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `ends.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'ends', kind: 'End' },
      conversion,
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schemaWith({ hostPort: { type: 'string' } }) },
          subresources: { status: {} },
        },
        {
          name: 'v2',
          served: true,
          storage: false,
          schema: { openAPIV3Schema: schemaWith({ host: { type: 'string', minLength: 1 }, port: { type: 'string', default: '80' } }) },
          subresources: { status: {} },
          selectableFields: [{ jsonPath: '.spec.host' }],
        },
      ],
    },
  }
}

interface Served extends AsyncDisposable {
  readonly server: TestServer
  readonly webhook: TestConversionWebhook
  readonly target: (version: 'v1' | 'v2', name?: string, subresource?: string) => Target
  readonly create: (version: 'v1' | 'v2', object: Loose, dryRun?: boolean) => Promise<Loose>
}

const end = (version: 'v1' | 'v2', name: string, spec: object, more: object = {}): Loose => ({
  apiVersion: `${group}/${version}`,
  kind: 'End',
  metadata: { name, namespace: 'default', ...more },
  spec,
})

async function start(): Promise<Served> {
  await using stack = new AsyncDisposableStack()
  const webhook = stack.use(await startConversionWebhook(split))
  const server = stack.use(await startTestServer())
  const resources = stack.use(
    serveCustomResources({ ...server, now: server.time.now, randomUuid: randomUUID, onError: (error) => assert.fail(String(error)) }),
  )
  await server.create('customresourcedefinitions', crd(webhook))
  await resources.settled()
  const held = stack.move()
  const target: Served['target'] = (version, name = '', subresource = '') => {
    const definition = server.registry.find(group, version, 'ends')
    assert.ok(definition !== undefined)
    return { definition, namespace: 'default', name, subresource }
  }
  return {
    server,
    webhook,
    target,
    create: async (version, object, dryRun = false) => {
      const body = { object, duplicates: [] }
      return (await server.verbs.create(target(version), body, { dryRun, fieldValidation: 'Strict' }, server.context)).object as Loose
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** Returns the stored spec of the object `a`. */
function storedSpec({ store }: TestServer): unknown {
  const stored = store.get(`${group}/ends`, 'default', 'a')?.object as Loose | undefined
  return stored?.spec
}

interface Watching {
  readonly events: string[]
  readonly ended: Promise<void>
  stop(): Promise<void>
  /** Resolves after this number of events. */
  until(count: number): Promise<void>
}

function watch({ server, target }: Served, version: 'v1' | 'v2', query: Partial<WatchQuery> = {}): Watching {
  const stop = new AbortController()
  const events: string[] = []
  let arrived = Promise.withResolvers<void>()
  const emit = (output: WatchOutput): void => {
    if (output.type === 'BOOKMARK') events.push('BOOKMARK')
    else {
      const { object } = output.entry
      assert.equal(object.apiVersion, `${group}/${version}`)
      assert.equal(object.metadata?.resourceVersion, String(output.entry.revision))
      events.push(`${output.type} ${object.metadata?.name} ${Object.values((object as Loose).spec ?? {}).join('+')}`)
    }
    arrived.resolve()
    arrived = Promise.withResolvers()
  }
  const ended = server.verbs.watch(target(version), { ...noWatchQuery, ...query }, emit, { ...server.context, signal: stop.signal })
  let isOver = false
  void ended.catch(() => {}).finally(() => (isOver = true))
  return {
    events,
    ended,
    stop: () => {
      stop.abort()
      return ended
    },
    until: async (count) => {
      while (events.length < count) {
        assert.ok(!isOver, `the watch is over after ${events.length} events`)
        await Promise.race([arrived.promise, ended])
      }
    },
  }
}

test('create stores the converted object, and reads return the requested version', async () => {
  await using served = await start()
  const { server, target } = served
  const made = await served.create('v2', end('v2', 'a', { host: 'h' }))
  assert.deepEqual(made.spec, { host: 'h', port: '80' })
  assert.deepEqual(storedSpec(server), { hostPort: 'h:80' })
  const first = await server.verbs.get(target('v1', 'a'), server.context)
  assert.deepEqual((first.object as Loose).spec, { hostPort: 'h:80' })
  const second = await server.verbs.get(target('v2', 'a'), server.context)
  assert.deepEqual(second.object, made)
  assert.deepEqual(JSON.parse(second.json.toString()), second.object)
})

test('update, patch, status, dry run and delete work in a converted version', async () => {
  await using served = await start()
  const { server, target, webhook } = served
  const options = { dryRun: false, fieldValidation: 'Strict' } as const
  const made = await served.create('v2', end('v2', 'a', { host: 'h', port: '1' }, { finalizers: ['example.com/hold'] }))
  const body = { object: { ...made, spec: { host: 'g', port: '2' } } as KubeObject, duplicates: [] }
  const updated = await server.verbs.update(target('v2', 'a'), body, options, server.context)
  assert.equal(updated.object.metadata?.generation, 2)
  const change = { type: 'merge', body: { spec: { port: '3' } } } as const
  const rehearsed = await server.verbs.patch(target('v2', 'a'), change, { ...options, dryRun: true }, server.context)
  assert.deepEqual((rehearsed.entry.object as Loose).spec, { host: 'g', port: '3' })
  const { entry } = await server.verbs.patch(target('v2', 'a'), change, options, server.context)
  assert.deepEqual((entry.object as Loose).spec, { host: 'g', port: '3' })
  const status = { type: 'merge', body: { status: { ready: true } } } as const
  const ready = await server.verbs.patch(target('v2', 'a', 'status'), status, options, server.context)
  assert.deepEqual([(ready.entry.object as Loose).status, ready.entry.object.metadata?.generation], [{ ready: true }, 3])
  assert.deepEqual(storedSpec(server), { hostPort: 'g:3' })
  const asked = webhook.questions.length
  const same = await server.verbs.patch(target('v2', 'a'), change, options, server.context)
  assert.equal(same.entry.revision, ready.entry.revision)
  assert.equal(webhook.questions.length, asked, 'a patch that changes nothing asks nobody: the view is remembered')
  const marked = await server.verbs.delete(target('v2', 'a'), { dryRun: false }, server.context)
  assert.equal(marked.kind, 'pending')
  const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const
  const last = await server.verbs.patch(target('v2', 'a'), release, options, server.context)
  assert.deepEqual((last.entry.object as Loose).spec, { host: 'g', port: '3' })
  assert.equal(server.store.get(`${group}/ends`, 'default', 'a'), undefined)
})

test('list converts in one call, applies selectors to the requested version, and fills pages', async () => {
  await using served = await start()
  const { server, target, webhook } = served
  for (const name of ['a', 'b', 'c']) await served.create('v1', end('v1', name, { hostPort: `${name === 'b' ? 'x' : 'y'}:1` }))
  webhook.questions.length = 0
  const all = await server.verbs.list(target('v2'), noListQuery, server.context)
  assert.deepEqual(
    all.entries.map(({ object }) => (object as Loose).spec),
    [
      { host: 'y', port: '1' },
      { host: 'x', port: '1' },
      { host: 'y', port: '1' },
    ],
  )
  const chosen = await server.verbs.list(target('v2'), { ...noListQuery, fieldSelector: 'spec.host=y' }, server.context)
  assert.deepEqual(
    chosen.entries.map(({ object }) => object.metadata?.name),
    ['a', 'c'],
  )
  assert.deepEqual(
    webhook.questions.map((objects) => objects.length),
    [3],
  )
  const page = await server.verbs.list(target('v2'), { ...noListQuery, limit: 2 }, server.context)
  assert.equal(page.entries.length, 2)
  assert.equal(page.remainingItemCount, 1)
  await assert.rejects(async () => server.verbs.list(target('v1'), { ...noListQuery, fieldSelector: 'spec.host=y' }, server.context), {
    message: 'field label not supported: spec.host',
  })
  const gone = await server.verbs.deleteCollection(
    target('v2'),
    { ...noListQuery, fieldSelector: 'spec.host=y' },
    { dryRun: false },
    server.context,
  )
  assert.equal(gone.entries.length, 2)
  assert.equal(server.store.list(`${group}/ends`).length, 1)
})

test('watch in a converted version keeps the order of state and changes, also during a conversion', async () => {
  await using served = await start()
  const { server, webhook, target } = served
  await served.create('v1', end('v1', 'a', { hostPort: 'h:1' }))
  const gate = Promise.withResolvers<void>()
  webhook.hold = gate.promise
  const converted = watch(served, 'v2', { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true })
  const stored = watch(served, 'v1')
  await served.create('v1', end('v1', 'b', { hostPort: 'h:2' }))
  await served.create('v1', end('v1', 'c', { hostPort: 'h:3' }))
  await server.verbs.delete(target('v1', 'b'), { dryRun: false }, server.context)
  assert.deepEqual(stored.events, ['ADDED a h:1', 'ADDED b h:2', 'ADDED c h:3', 'DELETED b h:2'], 'nobody else waits')
  server.time.pass(61_000)
  assert.deepEqual(converted.events, [])
  gate.resolve()
  await converted.until(5)
  assert.deepEqual(converted.events, ['ADDED a h+1', 'BOOKMARK', 'ADDED b h+2', 'ADDED c h+3', 'DELETED b h+2'])
  await converted.stop()
  await stored.stop()
})

test('watches of the same converted version share one call per change', async () => {
  await using served = await start()
  const { webhook } = served
  const [one, two] = [watch(served, 'v2'), watch(served, 'v2')]
  webhook.questions.length = 0
  await served.create('v1', end('v1', 'a', { hostPort: 'h:1' }))
  await Promise.all([one.until(1), two.until(1)])
  assert.equal(webhook.questions.length, 1)
  await Promise.all([one.stop(), two.stop()])
})

test('watch with a selector computes transitions from converted states', async () => {
  await using served = await start()
  const { server, target } = served
  const watching = watch(served, 'v2', { fieldSelector: 'spec.host=h' })
  const to = async (hostPort: string): Promise<void> => {
    const change = { type: 'merge', body: { spec: { hostPort } } } as const
    await server.verbs.patch(target('v1', 'a'), change, { dryRun: false, fieldValidation: 'Strict' }, server.context)
  }
  await served.create('v1', end('v1', 'a', { hostPort: 'g:1' }))
  await to('h:1')
  await to('h:2')
  await to('g:2')
  await watching.until(3)
  assert.deepEqual(watching.events, ['ADDED a h+1', 'MODIFIED a h+2', 'DELETED a h+2'])
  await watching.stop()
})

test('watch ends with the error of a failed conversion, and can be resumed', async () => {
  await using served = await start()
  const { server, webhook } = served
  const watching = watch(served, 'v2')
  await served.create('v1', end('v1', 'a', { hostPort: 'h:1' }))
  await watching.until(1)
  const { revision } = server.store
  webhook.convert = () => ({})
  await served.create('v1', end('v1', 'b', { hostPort: 'h:2' }))
  await assert.rejects(watching.ended, {
    code: 500,
    message:
      'conversion webhook for stable.example.com/v1, Kind=End returned invalid object at index 0: invalid groupVersion (expected stable.example.com/v2, received )',
  })
  webhook.convert = split
  const resumed = watch(served, 'v2', { resourceVersion: String(revision) })
  await resumed.until(1)
  assert.deepEqual(resumed.events, ['ADDED b h+2'])
  await resumed.stop()
})

test('watch ends when it is too far behind its conversion', async () => {
  await using served = await start()
  const { webhook, server } = served
  const gate = Promise.withResolvers<void>()
  webhook.hold = gate.promise
  const watching = watch(served, 'v2')
  const { revision } = server.store
  await served.create('v1', end('v1', 'first', { hostPort: 'h:1' }))
  await Promise.all(Array.from({ length: 1100 }, (_, index) => served.create('v1', end('v1', `n${index}`, { hostPort: 'h:1' }))))
  await watching.ended
  gate.resolve()
  await nextTurn()
  assert.deepEqual(watching.events, [])
  assert.equal(server.store.list(`${group}/ends`).length, 1101)
  // A resumed watch replays any number of missed changes.
  const resumed = watch(served, 'v2', { resourceVersion: String(revision) })
  await resumed.until(1101)
  assert.deepEqual([resumed.events[0], new Set(resumed.events).size], ['ADDED first h+1', 1101])
  await resumed.stop()
})

interface Refusal {
  readonly name: string
  readonly message: string
  readonly convert?: ConvertObject
  readonly answer?: (response: { uid: string; convertedObjects?: unknown[]; result: object }) => unknown
}

const prefix = 'conversion webhook for stable.example.com/v2, Kind=End'
const changed =
  (change: object): ConvertObject =>
  (object, apiVersion) => ({
    ...object,
    apiVersion,
    metadata: { ...object.metadata, ...change },
  })
const refusals: readonly Refusal[] = [
  { name: 'another name', convert: changed({ name: 'b' }), message: `${prefix} returned invalid object: must have the same name: a != b` },
  {
    name: 'another namespace',
    convert: changed({ namespace: 'other' }),
    message: `${prefix} returned invalid object: must have the same namespace: default != other`,
  },
  {
    name: 'another kind',
    convert: (object, apiVersion) => ({ ...object, apiVersion, kind: 'Begin' }),
    message: `${prefix} returned invalid object at index 0: invalid kind (expected End, received Begin)`,
  },
  {
    name: 'labels that are no text',
    convert: changed({ labels: { a: 1 } }),
    message: `${prefix} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
  },
  {
    name: 'nothing',
    answer: (response) => ({ ...response, convertedObjects: [] }),
    message: `${prefix} returned 0 objects, expected 1`,
  },
  {
    name: 'a failure',
    answer: (response) => ({ ...response, result: { status: 'Failure', message: 'no such host' } }),
    message: `${prefix} failed: no such host`,
  },
  {
    name: 'a failure without reason',
    answer: (response) => ({ ...response, result: { status: 'Failure' } }),
    message: `${prefix} failed: response.result.status was 'Failure', not 'Success'`,
  },
  { name: 'no response', answer: () => undefined, message: `${prefix} failed: no response provided` },
]

for (const { name, message, convert, answer } of refusals) {
  test(`a webhook that answers with ${name} fails the request, dry runs included, and nothing is stored`, async () => {
    await using served = await start()
    if (convert !== undefined) served.webhook.convert = convert
    if (answer !== undefined) served.webhook.answer = answer
    for (const dryRun of [true, false]) {
      await assert.rejects(served.create('v2', end('v2', 'a', { host: 'h' }), dryRun), { code: 500, reason: '', message })
    }
    assert.equal(served.server.store.list(`${group}/ends`).length, 0)
  })
}

test('conversion may change labels and annotations, and no other metadata', async () => {
  await using served = await start()
  served.webhook.convert = (object, apiVersion) => ({
    ...(split(object, apiVersion) as KubeObject),
    metadata: { ...object.metadata, labels: { by: apiVersion.slice(-2) }, ownerReferences: [{ name: 'x' }], generation: 99 },
  })
  const made = await served.create('v2', end('v2', 'a', { host: 'h' }))
  assert.deepEqual([made.metadata?.labels, made.metadata?.generation, made.metadata?.ownerReferences], [{ by: 'v2' }, 1, undefined])
})

test('an update without a change is stored when it migrates the object to the storage version', async () => {
  await using served = await start()
  const { server, target } = served
  const made = await served.create('v1', end('v1', 'a', { hostPort: 'h:1' }))
  const definition = (await server.get('customresourcedefinitions', `ends.${group}`)) as unknown as CustomResourceDefinition
  const versions = definition.spec.versions.map((version) => ({ ...version, storage: version.name === 'v2' }))
  const moved = await server.update('customresourcedefinitions', { ...definition, spec: { ...definition.spec, versions } } as Loose)
  assert.deepEqual((moved.status as { storedVersions: string[] }).storedVersions, ['v1', 'v2'])
  const options = { dryRun: false, fieldValidation: 'Strict' } as const
  const written = await server.verbs.update(target('v1', 'a'), { object: made, duplicates: [] }, options, server.context)
  assert.ok(written.revision > Number(made.metadata?.resourceVersion))
  assert.equal(written.object.metadata?.generation, 1)
  assert.deepEqual(storedSpec(server), { host: 'h', port: '1' })
  const again = await server.verbs.update(target('v1', 'a'), { object: written.object, duplicates: [] }, options, server.context)
  assert.equal(again.revision, written.revision)
})

test('server-side apply keeps fields that were applied in another version, and detects conflicts', async () => {
  await using served = await start()
  const { server, target } = served
  const options = { dryRun: false, fieldValidation: 'Strict' } as const
  const apply = async (version: 'v1' | 'v2', fieldManager: string, spec: object): Promise<Loose> => {
    const body = { apiVersion: `${group}/${version}`, kind: 'End', metadata: { name: 'a' }, spec }
    const patch = { type: 'apply', body, fieldManager, force: false } as const
    const context = { ...server.context, fieldManager }
    return (await server.verbs.patch(target(version, 'a'), patch, options, context)).entry.object as Loose
  }
  const made = await apply('v2', 'one', { host: 'h', port: '1' })
  assert.deepEqual(made.spec, { host: 'h', port: '1' })
  assert.deepEqual(storedSpec(server), { hostPort: 'h:1' })
  const again = await apply('v2', 'one', { host: 'h', port: '1' })
  assert.equal(again.metadata?.resourceVersion, made.metadata?.resourceVersion, 'applying the same again changes nothing')
  await assert.rejects(apply('v2', 'two', { host: 'g' }), { code: 409 })
  const moved = await apply('v1', 'one', { hostPort: 'h:2' })
  assert.deepEqual(moved.spec, { hostPort: 'h:2' })
  const second = await server.verbs.get(target('v2', 'a'), server.context)
  assert.deepEqual((second.object as Loose).spec, { host: 'h', port: '2' })
})

test('scale is read and written in the version that has it', async () => {
  await using served = await start()
  const { server, target } = served
  const definition = (await server.get('customresourcedefinitions', `ends.${group}`)) as CustomResourceDefinition & Loose
  const scale = { specReplicasPath: '.spec.port', statusReplicasPath: '.status.n' }
  const versions = definition.spec.versions.map((version) =>
    version.name === 'v1'
      ? version
      : {
          ...version,
          subresources: { ...version.subresources, scale },
          schema: { openAPIV3Schema: schemaWith({ host: { type: 'string' }, port: { type: 'integer' } }) },
        },
  )
  served.webhook.convert = (object, apiVersion) => {
    const converted = split(object, apiVersion) as Loose
    const spec = converted.spec as { port?: string }
    return spec.port === undefined ? converted : { ...converted, spec: { ...spec, port: Number(spec.port) } }
  }
  await server.update('customresourcedefinitions', { ...definition, spec: { ...definition.spec, versions } } as Loose)
  await served.create('v1', end('v1', 'a', { hostPort: 'h:3' }))
  const read = await server.verbs.get(target('v2', 'a', 'scale'), server.context)
  assert.deepEqual((read.object as Loose).spec, { replicas: 3 })
  const change = { type: 'merge', body: { spec: { replicas: 5 } } } as const
  await server.verbs.patch(target('v2', 'a', 'scale'), change, { dryRun: false, fieldValidation: 'Strict' }, server.context)
  assert.deepEqual(storedSpec(server), { hostPort: 'h:5' })
})
