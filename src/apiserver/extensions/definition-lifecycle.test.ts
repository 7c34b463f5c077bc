import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'

import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { withType } from '#apimachinery/meta/resource-type.ts'
import { forbidden, isNotFound } from '#apimachinery/errors.ts'
import type { AdmissionPlugin } from '#apiserver/admission/chain.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import { type Loose, noWatchQuery, startTestServer, type TestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { type CustomResources, serveCustomResources } from './serve-custom-resources.ts'

const group = 'stable.example.com'

function crd(plural: string, names: Partial<CustomResourceDefinition['spec']['names']> = {}): CustomResourceDefinition & Loose {
  const kind = (plural[0]?.toUpperCase() ?? '') + plural.slice(1, -1)
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } },
  } as const
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, ...names },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
}

const tab = (name: string, more: object = {}): Loose => ({ metadata: { name, namespace: 'default', ...more }, spec: { a: 'b' } })

interface Served extends AsyncDisposable {
  readonly server: TestServer
  readonly resources: CustomResources
  readonly errors: unknown[]
}

async function start(plugins: readonly AdmissionPlugin[] = []): Promise<Served> {
  const server = await startTestServer(plugins)
  const errors: unknown[] = []
  const resources = serve(server, errors)
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

function serve(server: TestServer, errors: unknown[] = [], verbs: Verbs = server.verbs): CustomResources {
  const { store, registry, time } = server
  const onError = (error: unknown): void => void errors.push(error)
  return serveCustomResources({ store, registry, verbs, now: time.now, timers: time, randomUuid: randomUUID, onError })
}

const definitionOf = async (server: TestServer, plural: string): Promise<CustomResourceDefinition & Loose> =>
  (await server.get('customresourcedefinitions', `${plural}.${group}`)) as CustomResourceDefinition & Loose

const conditionOf = async (server: TestServer, plural: string, type: string): Promise<string> => {
  const { status, reason } = findCondition((await definitionOf(server, plural)).status?.conditions, type) ?? {}
  return `${status ?? ''} ${reason ?? ''}`
}

const remove = (server: TestServer, plural: string): Promise<unknown> =>
  server.verbs.delete(server.target('customresourcedefinitions', `${plural}.${group}`), { dryRun: false }, server.context)

test('free names are accepted, and the last conflict is reported', async () => {
  await using served = await start()
  const { server, resources } = served
  await server.create('customresourcedefinitions', crd('tabs', { shortNames: ['tb'] }))
  await resources.settled()
  await server.create('customresourcedefinitions', crd('tubs', { shortNames: ['tb', 'tu'], kind: 'Tab', categories: ['all'] }))
  await resources.settled()
  const { status } = await definitionOf(server, 'tubs')
  assert.deepEqual(status?.acceptedNames, { plural: 'tubs', kind: '', categories: ['all'] })
  const condition = findCondition(status?.conditions, 'NamesAccepted')
  assert.deepEqual([condition?.reason, condition?.message], ['ListKindConflict', '"TabList" is already in use'])
  assert.equal(await conditionOf(server, 'tubs', 'Established'), 'False NotAccepted')
})

test('names go to one of two definitions created at the same time', async () => {
  await using served = await start()
  const { server, resources } = served
  await Promise.all(
    ['tabs', 'tubs', 'tebs'].map((plural) => server.create('customresourcedefinitions', crd(plural, { shortNames: ['t'] }))),
  )
  await resources.settled()
  const given = await Promise.all(['tabs', 'tubs', 'tebs'].map((plural) => conditionOf(server, plural, 'NamesAccepted')))
  assert.deepEqual(given.toSorted(), ['False ShortNamesConflict', 'False ShortNamesConflict', 'True NoConflicts'])
})

test('a released name goes to the definition that waits for it', async () => {
  await using served = await start()
  const { server, resources } = served
  await server.create('customresourcedefinitions', crd('tabs', { shortNames: ['t'] }))
  await resources.settled()
  await server.create('customresourcedefinitions', crd('tubs', { shortNames: ['t'] }))
  await resources.settled()
  const first = await definitionOf(server, 'tabs')
  const { shortNames: _, ...names } = first.spec.names
  await server.update('customresourcedefinitions', { ...first, spec: { ...first.spec, names } } as Loose)
  await resources.settled()
  assert.equal(await conditionOf(server, 'tubs', 'NamesAccepted'), 'True NoConflicts')
  assert.equal(await conditionOf(server, 'tubs', 'Established'), 'True InitialNamesAccepted')
})

test('a definition in a *.k8s.io group reports its approval', async () => {
  await using served = await start()
  const { server, resources } = served
  const definition = crd('tabs')
  definition.spec.group = 'x.k8s.io'
  definition.metadata = { name: 'tabs.x.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } }
  await server.create('customresourcedefinitions', definition)
  await resources.settled()
  const { status } = (await server.get('customresourcedefinitions', 'tabs.x.k8s.io')) as CustomResourceDefinition & Loose
  const condition = findCondition(status?.conditions, 'KubernetesAPIApprovalPolicyConformant')
  assert.deepEqual([condition?.status, condition?.reason], ['False', 'UnapprovedAnnotation'])
})

test('a deletion is pending in its answer, and is repeated after a refusal', async () => {
  let refuses = true
  const guard: AdmissionPlugin = {
    name: 'Guard',
    validate({ operation, target }) {
      if (refuses && operation === 'DELETE' && target.definition.plural === 'tabs')
        throw forbidden(target.definition, target.name, 'not now')
    },
  }
  await using served = await start([guard])
  const { server, resources, errors } = served
  await server.create('customresourcedefinitions', crd('tabs'))
  await resources.settled()
  await server.create('tabs', tab('a'))
  await remove(server, 'tabs')
  assert.equal(await conditionOf(server, 'tabs', 'Terminating'), 'True InstanceDeletionPending')
  await resources.settled()
  assert.equal(await conditionOf(server, 'tabs', 'Terminating'), 'True InstanceDeletionFailed')
  assert.ok(errors.length > 0 && errors.length < 4)
  refuses = false
  server.time.pass(2000)
  await resources.settled()
  await assert.rejects(definitionOf(server, 'tabs'), isNotFound)
  assert.equal(server.store.list(`${group}/tabs`).length, 0)
})

test('an object is not stored when its definition is deleted during its admission', async () => {
  const gate = Promise.withResolvers<void>()
  const slow: AdmissionPlugin = {
    name: 'Slow',
    validate: ({ operation, target }) => (operation === 'CREATE' && target.definition.plural === 'tabs' ? gate.promise : undefined),
  }
  await using served = await start([slow])
  const { server, resources } = served
  await server.create('customresourcedefinitions', crd('tabs'))
  await resources.settled()
  const target = server.target('tabs')
  const creating = server.verbs.create(
    target,
    { object: withType(target.definition, tab('a')), duplicates: [] },
    { dryRun: false, fieldValidation: 'Strict' },
    server.context,
  )
  await remove(server, 'tabs')
  await resources.settled()
  // A new definition of the same name is another kind.
  await server.create('customresourcedefinitions', crd('tabs'))
  await resources.settled()
  gate.resolve()
  await assert.rejects(creating, isNotFound)
  assert.equal(server.store.list(`${group}/tabs`).length, 0)
})

test('a watch ends with its definition, even when another of the same name follows at once', async () => {
  await using served = await start()
  const { server, resources } = served
  await server.create('customresourcedefinitions', crd('tabs'))
  await resources.settled()
  const watching = server.verbs.watch(server.target('tabs'), noWatchQuery, () => {}, server.context)
  await nextTurn()
  await remove(server, 'tabs')
  await resources.settled()
  await server.create('customresourcedefinitions', crd('tabs'))
  await resources.settled()
  await server.create('tabs', tab('a'))
  await watching
})

/** Verbs that fail after this number of writes, like those of a killed process. */
function failingVerbs(verbs: Verbs, writes: number): Verbs {
  let left = writes
  const never = new Promise<never>(() => {})
  const guard =
    <A extends unknown[], R>(write: (...args: A) => Promise<R>): ((...args: A) => Promise<R>) =>
    (...args) =>
      left-- > 0 ? write(...args) : never
  return { ...verbs, update: guard(verbs.update.bind(verbs)), delete: guard(verbs.delete.bind(verbs)) }
}

for (let writes = 0; writes < 6; writes++) {
  test(`a server finishes a deletion after a crash before write ${writes + 1}`, async () => {
    await using server = await startTestServer()
    {
      using _dying = serve(server, [], failingVerbs(server.verbs, writes))
      await server.create('customresourcedefinitions', crd('tabs'))
      for (let turns = 0; turns < 20; turns++) await nextTurn()
      if (server.registry.find(group, 'v1', 'tabs') !== undefined) {
        for (const name of ['a', 'b']) await server.create('tabs', tab(name))
        await remove(server, 'tabs')
        for (let turns = 0; turns < 20; turns++) await nextTurn()
      }
    }
    const errors: unknown[] = []
    using next = serve(server, errors)
    await next.settled()
    const left = server.store.get('apiextensions.k8s.io/customresourcedefinitions', '', `tabs.${group}`)?.object as
      | CustomResourceDefinition
      | undefined
    // Either deletion is complete, or the definition exists and is served.
    if (left === undefined) assert.equal(server.store.list(`${group}/tabs`).length, 0)
    else assert.ok(isTrue(left.status?.conditions, 'Established'))
    assert.equal(left === undefined, writes > 0)
    assert.deepEqual(errors, [])
  })
}
