import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'

import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { type Loose, noListQuery, noWatchQuery, startTestServer, type TestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { type CustomResources, serveCustomResources } from './serve-custom-resources.ts'

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { cron: { type: 'string' }, replicas: { type: 'integer', default: 1 } } },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
}

function crd(plural = 'tabs', more: Partial<CustomResourceDefinition['spec']['names']> = {}): CustomResourceDefinition & Loose {
  const kind = plural[0]?.toUpperCase() + plural.slice(1, -1)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.stable.example.com` },
    spec: {
      group: 'stable.example.com',
      scope: 'Namespaced',
      names: { plural, kind, categories: ['all'], ...more },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Cron', type: 'string', jsonPath: '.spec.cron' },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          selectableFields: [{ jsonPath: '.spec.cron' }],
        },
      ],
    },
  }
}

interface Served extends AsyncDisposable {
  readonly server: TestServer
  readonly resources: CustomResources
  readonly errors: unknown[]
}

async function start(): Promise<Served> {
  const server = await startTestServer()
  const errors: unknown[] = []
  const resources = serveCustomResources({
    ...server,
    now: server.time.now,
    randomUuid: randomUUID,
    onError: (error) => void errors.push(error),
  })
  return {
    server,
    resources,
    errors,
    [Symbol.asyncDispose]: async () => {
      resources[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function establish({ server, resources }: Served, definition: Loose = crd()): Promise<CustomResourceDefinition> {
  await server.create('customresourcedefinitions', definition)
  await resources.settled()
  return (await server.get('customresourcedefinitions', definition.metadata?.name ?? '')) as unknown as CustomResourceDefinition
}

const tab = (name: string, more: object = {}): Loose => ({
  apiVersion: 'stable.example.com/v1',
  kind: 'Tab',
  metadata: { name, namespace: 'default', ...more },
  spec: { cron: '* * * * *' },
})

test('a definition is established, and its objects have its names, defaults, columns and fields', async () => {
  await using served = await start()
  const { server } = served
  const made = await establish(served)
  assert.ok(isTrue(made.status?.conditions, 'NamesAccepted') && isTrue(made.status?.conditions, 'Established'))
  assert.deepEqual(made.status?.storedVersions, ['v1'])
  assert.deepEqual(made.status?.acceptedNames, { plural: 'tabs', singular: 'tab', kind: 'Tab', listKind: 'TabList', categories: ['all'] })
  const object = await server.create('tabs', tab('a'))
  assert.deepEqual(object.spec, { cron: '* * * * *', replicas: 1 })
  const { columns } = server.definition('tabs')
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['Name', 'Cron', 'Age'],
  )
  assert.deepEqual(
    columns.map(({ cell }) => cell(object, server.time.nowMs + 120_000)),
    ['a', '* * * * *', '2m'],
  )
  const found = await server.verbs.list(server.target('tabs'), { ...noListQuery, fieldSelector: 'spec.cron=* * * * *' }, server.context)
  assert.equal(found.entries.length, 1)
  assert.deepEqual(served.errors, [])
})

test('a definition with taken names is not served until they are free', async () => {
  await using served = await start()
  const { server, resources } = served
  await establish(served)
  const late = await establish(served, crd('tubs', { shortNames: ['tab'] }))
  assert.equal(isTrue(late.status?.conditions, 'Established'), false)
  assert.equal(late.status?.conditions?.find(({ type }) => type === 'NamesAccepted')?.reason, 'ShortNamesConflict')
  assert.equal(server.registry.find('stable.example.com', 'v1', 'tubs'), undefined)
  await server.verbs.delete(server.target('customresourcedefinitions', 'tabs.stable.example.com'), { dryRun: false }, server.context)
  await resources.settled()
  assert.notEqual(server.registry.find('stable.example.com', 'v1', 'tubs'), undefined)
})

test('deleting a definition deletes its objects first, and waits for finalizers', async () => {
  await using served = await start()
  const { server, resources } = served
  await establish(served)
  await server.create('tabs', tab('free'))
  const held = await server.create('tabs', tab('held', { finalizers: ['example.com/hold'] }))
  const name = 'tabs.stable.example.com'
  const result = await server.verbs.delete(server.target('customresourcedefinitions', name), { dryRun: false }, server.context)
  assert.equal(result.kind, 'pending')
  await resources.settled()
  await assert.rejects(server.get('tabs', 'free'), isNotFound)
  const ending = (await server.get('customresourcedefinitions', name)) as unknown as CustomResourceDefinition
  assert.ok(isTrue(ending.status?.conditions, 'Terminating'))
  await assert.rejects(server.create('tabs', tab('late')), {
    code: 403,
    message: 'tabs.stable.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
  })

  const latest = await server.get('tabs', 'held')
  await server.update('tabs', { ...latest, metadata: { ...latest.metadata, finalizers: [] } })
  assert.equal(held.metadata?.uid, latest.metadata?.uid)
  await resources.settled()
  await assert.rejects(server.get('customresourcedefinitions', name), isNotFound)
  assert.equal(server.registry.find('stable.example.com', 'v1', 'tabs'), undefined)
  assert.deepEqual(served.errors, [])
})

test('a definition with a finalizer reports when its objects are gone', async () => {
  await using served = await start()
  const { server, resources } = served
  const name = 'tabs.stable.example.com'
  const definition = await establish(served)
  await server.update('customresourcedefinitions', {
    ...definition,
    metadata: { ...definition.metadata, finalizers: ['example.com/hold'] },
  })
  await server.create('tabs', tab('free'))
  await server.verbs.delete(server.target('customresourcedefinitions', name), { dryRun: false }, server.context)
  await resources.settled()
  const ending = (await server.get('customresourcedefinitions', name)) as unknown as CustomResourceDefinition
  const condition = ending.status?.conditions?.find(({ type }) => type === 'Terminating')
  assert.deepEqual(
    [condition?.status, condition?.reason, ending.metadata.finalizers],
    ['False', 'InstanceDeletionCompleted', ['example.com/hold']],
  )
  await server.update('customresourcedefinitions', { ...ending, metadata: { ...ending.metadata, finalizers: [] } })
  await assert.rejects(server.get('customresourcedefinitions', name), isNotFound)
  assert.deepEqual(served.errors, [])
})

test('two versions serve the same object with their own schema', async () => {
  await using served = await start()
  const { server } = served
  const definition = crd()
  const [v1] = definition.spec.versions
  assert.ok(v1 !== undefined)
  const v2Schema: StructuralSchema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { cron: { type: 'string' }, mode: { type: 'string', default: 'fast' } } } },
  }
  definition.spec.versions = [
    { ...v1, storage: false },
    { ...v1, name: 'v2', schema: { openAPIV3Schema: v2Schema } },
  ]
  await establish(served, definition)
  const [first, second] = [
    server.registry.find('stable.example.com', 'v1', 'tabs'),
    server.registry.find('stable.example.com', 'v2', 'tabs'),
  ]
  assert.ok(first !== undefined && second !== undefined)
  await server.verbs.create(
    { ...server.target('tabs'), definition: first },
    { object: tab('a'), duplicates: [] },
    { dryRun: false, fieldValidation: 'Strict' },
    server.context,
  )
  const inFirst = await server.verbs.get({ ...server.target('tabs', 'a'), definition: first }, server.context)
  const inSecond = await server.verbs.get({ ...server.target('tabs', 'a'), definition: second }, server.context)
  assert.equal(inFirst.object.apiVersion, 'stable.example.com/v1')
  assert.equal(inSecond.object.apiVersion, 'stable.example.com/v2')
  assert.deepEqual((inSecond.object as Loose).spec, { cron: '* * * * *', mode: 'fast' })
  assert.equal(server.store.get('stable.example.com/tabs', 'default', 'a')?.object.apiVersion, 'stable.example.com/v2')
  assert.deepEqual(JSON.parse(inSecond.json.toString()), inSecond.object)
})

test('a changed schema applies to the next request, and to running watches', async () => {
  await using served = await start()
  const { server, resources } = served
  const made = await establish(served)
  await server.create('tabs', tab('a'))
  const seen: unknown[] = []
  const stop = new AbortController()
  const watching = server.verbs.watch(
    server.target('tabs'),
    noWatchQuery,
    (output) => void seen.push(output.type === 'BOOKMARK' ? output : (output.entry.object as Loose).spec),
    { ...server.context, signal: stop.signal },
  )
  const [version] = made.spec.versions
  assert.ok(version !== undefined)
  const next: StructuralSchema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { cron: { type: 'string' }, zone: { type: 'string', default: 'UTC' } } } },
  }
  await server.update('customresourcedefinitions', {
    ...made,
    spec: { ...made.spec, versions: [{ ...version, schema: { openAPIV3Schema: next } }] },
  } as Loose)
  await resources.settled()
  assert.deepEqual((await server.get('tabs', 'a')).spec, { cron: '* * * * *', zone: 'UTC' })
  await server.create('tabs', tab('b'))
  stop.abort()
  await watching
  assert.deepEqual(seen, [
    { cron: '* * * * *', replicas: 1 },
    { cron: '* * * * *', zone: 'UTC' },
  ])
})

test('watches of a version end when it is no longer served', async () => {
  await using served = await start()
  const { server, resources } = served
  await establish(served)
  const watching = server.verbs.watch(server.target('tabs'), noWatchQuery, () => {}, server.context)
  await server.verbs.delete(server.target('customresourcedefinitions', 'tabs.stable.example.com'), { dryRun: false }, server.context)
  await resources.settled()
  server.time.pass(1000)
  await watching
})

test('stored definitions are served from the start', async () => {
  await using served = await start()
  const { server, resources } = served
  await establish(served)
  resources[Symbol.dispose]()
  server.registry.remove('stable.example.com', 'v1', 'tabs')
  using again = serveCustomResources({
    ...server,
    now: server.time.now,
    randomUuid: randomUUID,
    onError: (error) => assert.fail(String(error)),
  })
  assert.notEqual(server.registry.find('stable.example.com', 'v1', 'tabs'), undefined)
  await again.settled()
})

test('values that violate a new schema are dropped on read and refused on write', async () => {
  await using served = await start()
  const { server, resources } = served
  const open: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const withTemplate = (template: StructuralSchema): StructuralSchema => ({
    type: 'object',
    properties: { spec: { type: 'object', properties: { template, count: { type: 'integer', default: 1 } } } },
  })
  const definition = crd()
  const [version] = definition.spec.versions
  assert.ok(version !== undefined)
  definition.spec.versions = [{ ...version, schema: { openAPIV3Schema: withTemplate(open) }, selectableFields: [] }]
  const made = await establish(served, definition)
  const template = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 1, labels: { a: 'b' }, own: true } }
  await server.create('tabs', { ...tab('a'), spec: { template } })
  const embedded = withTemplate({ ...open, 'x-kubernetes-embedded-resource': true })
  await server.update('customresourcedefinitions', {
    ...made,
    spec: { ...made.spec, versions: [{ ...version, selectableFields: [], schema: { openAPIV3Schema: embedded } }] },
  } as Loose)
  await resources.settled()
  const read = await server.get('tabs', 'a')
  assert.deepEqual(read.spec, { count: 1, template: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 'b' } } } })
  await assert.rejects(server.create('tabs', { ...tab('b'), spec: { template: { ...template, metadata: { name: 1 } } } }), {
    code: 400,
    message: /^Tab in version "v1" cannot be handled as a Tab: spec\.template\.metadata: Invalid value: /,
  })
  // A read object can be written back, and is stored pruned.
  const written = await server.update('tabs', read)
  assert.notEqual(written.metadata?.resourceVersion, read.metadata?.resourceVersion)
})

test('a deprecated version warns and names the newest one', async () => {
  await using served = await start()
  const { server } = served
  const definition = crd()
  const [v1] = definition.spec.versions
  assert.ok(v1 !== undefined)
  definition.spec.versions = [
    { ...v1, name: 'v1beta1', storage: false, deprecated: true },
    { ...v1, name: 'v2alpha1', storage: false },
    v1,
    { ...v1, name: 'v2', storage: false, deprecated: true, deprecationWarning: 'too new' },
  ]
  await establish(served, definition)
  const warningOf = (version: string): string | undefined => server.registry.find('stable.example.com', version, 'tabs')?.deprecationWarning
  assert.equal(warningOf('v1beta1'), 'stable.example.com/v1beta1 Tab is deprecated; use stable.example.com/v1 Tab')
  assert.equal(warningOf('v2'), 'too new')
  assert.equal(warningOf('v1'), undefined)
})

test('writing objects again migrates them, after which the old version can be removed', async () => {
  await using served = await start()
  const { server, resources } = served
  const definition = crd()
  const [v1] = definition.spec.versions
  assert.ok(v1 !== undefined)
  await establish(served, definition)
  await server.create('tabs', tab('a'))
  const current = async (): Promise<CustomResourceDefinition & Loose> =>
    (await server.get('customresourcedefinitions', 'tabs.stable.example.com')) as CustomResourceDefinition & Loose
  const withVersions = async (versions: readonly object[]): Promise<void> => {
    const latest = await current()
    await server.update('customresourcedefinitions', { ...latest, spec: { ...latest.spec, versions: [...versions] } } as Loose)
    await resources.settled()
  }
  const v2 = { ...v1, name: 'v2' }
  await withVersions([{ ...v1, storage: false }, v2])
  assert.deepEqual((await current()).status?.storedVersions, ['v1', 'v2'])
  await assert.rejects(withVersions([v2]), /status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions/)

  const object = await server.get('tabs', 'a')
  const migrated = await server.update('tabs', object)
  assert.ok(Number(migrated.metadata?.resourceVersion) > Number(object.metadata?.resourceVersion))
  assert.equal(server.store.get('stable.example.com/tabs', 'default', 'a')?.object.apiVersion, 'stable.example.com/v2')
  assert.equal((await server.update('tabs', migrated)).metadata?.resourceVersion, migrated.metadata?.resourceVersion)

  const latest = await current()
  await server.update('customresourcedefinitions', { ...latest, status: { ...latest.status, storedVersions: ['v2'] } } as Loose, 'status')
  await resources.settled()
  await withVersions([v2])
  assert.deepEqual((await current()).status?.storedVersions, ['v2'])
  assert.deepEqual((await server.get('tabs', 'a')).spec, object.spec)
})
