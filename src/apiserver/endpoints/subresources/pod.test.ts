import assert from 'node:assert/strict'
import { test } from 'node:test'

import { isConflict, isNotFound, StatusError } from '#apimachinery/errors.ts'
import { type Loose, startTestServer, type TestServer } from '../verbs.fixture.ts'

const mutation = { dryRun: false, fieldValidation: 'Strict' } as const
const pod = (name: string, metadata: object = {}, spec: object = {}): Loose => ({
  metadata: { name, namespace: 'default', ...metadata },
  spec: { containers: [{ name: 'c', image: 'busybox' }], ...spec },
})

function post(server: TestServer, name: string, subresource: string, object: Loose): Promise<unknown> {
  return server.verbs.create(server.target('pods', name, subresource), { object, duplicates: [] }, mutation, server.context)
}

const bind = (server: TestServer, name: string, node: string): Promise<unknown> =>
  post(server, name, 'binding', { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: node } })

test('create defaults phase, quality of service, policies and pull policy of a pod', async () => {
  await using server = await startTestServer()
  const made = await server.create('pods', pod('a'))
  const spec = made.spec as Loose & { containers: Loose[] }
  assert.deepEqual(made.status, { phase: 'Pending', qosClass: 'BestEffort' })
  assert.deepEqual(
    [spec['restartPolicy'], spec['terminationGracePeriodSeconds'], spec['dnsPolicy'], spec['schedulerName']],
    ['Always', 30, 'ClusterFirst', 'default-scheduler'],
  )
  assert.equal(spec.containers[0]?.['imagePullPolicy'], 'Always')
})

const qualities: readonly { readonly name: string; readonly resources: object; readonly quality: string }[] = [
  { name: 'only a request', resources: { requests: { cpu: '1' } }, quality: 'Burstable' },
  { name: 'limits alone', resources: { limits: { cpu: '1', memory: '1Gi' } }, quality: 'Guaranteed' },
  {
    name: 'limits equal to requests in other words',
    resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } },
    quality: 'Guaranteed',
  },
  { name: 'a smaller request', resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } }, quality: 'Burstable' },
]

for (const { name, resources, quality } of qualities) {
  test(`a pod with ${name} is ${quality}`, async () => {
    await using server = await startTestServer()
    const made = await server.create('pods', pod('a', {}, { containers: [{ name: 'c', image: 'x:1', resources }] }))
    assert.equal((made.status as Loose)['qosClass'], quality)
  })
}

test('binding sets the node of a pod once', async () => {
  await using server = await startTestServer()
  await server.create('pods', pod('a'))
  const results = await Promise.allSettled([bind(server, 'a', 'one'), bind(server, 'a', 'two')])
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  await assert.rejects(bind(server, 'a', 'three'), { reason: 'Conflict' })
  const bound = await server.get('pods', 'a')
  const { conditions } = bound.status as { conditions: Loose[] }
  assert.deepEqual([conditions[0]?.['type'], conditions[0]?.status], ['PodScheduled', 'True'])
  assert.equal((bound.spec as Loose)['nodeName'], results[0]?.status === 'fulfilled' ? 'one' : 'two')
  await assert.rejects(bind(server, 'none', 'one'), isNotFound)
})

const senseless: readonly (readonly [string, object])[] = [
  ['a way out of the folder of nodes', { target: { name: '../../tmp/mine' } }],
  ['a node that is no text', { target: { name: { x: 1 } } }],
  ['an annotation that is no text', { metadata: { annotations: { a: 1 } }, target: { name: 'one' } }],
  ['an annotation without a proper key', { metadata: { annotations: { 'a b': '1' } }, target: { name: 'one' } }],
]
for (const [what, binding] of senseless) {
  test(`binding refuses ${what}`, async () => {
    await using server = await startTestServer()
    const made = await server.create('pods', pod('a'))
    await assert.rejects(
      post(server, 'a', 'binding', binding as Loose),
      (error: unknown) => error instanceof StatusError && [400, 422].includes(error.code),
    )
    assert.deepEqual(await server.get('pods', 'a'), made)
  })
}

for (const seconds of ['5', 0.5, 1e300]) {
  test(`delete refuses ${JSON.stringify(seconds)} seconds of grace for a pod`, async () => {
    await using server = await startTestServer()
    await server.create('pods', pod('a', {}, { nodeName: 'n' }))
    const query = { dryRun: false, gracePeriodSeconds: seconds as number }
    await assert.rejects(server.verbs.delete(server.target('pods', 'a'), query, server.context), { reason: 'BadRequest' })
    await assert.rejects(post(server, 'a', 'eviction', { deleteOptions: { gracePeriodSeconds: seconds } } as Loose), {
      reason: 'BadRequest',
    })
    assert.equal((await server.get('pods', 'a')).metadata?.deletionTimestamp, undefined)
  })
}

test('update allows only images, tolerations and deadlines of a pod spec to change', async () => {
  await using server = await startTestServer()
  const made = await server.create('pods', pod('a'))
  const { containers } = made.spec as { containers: Loose[] }
  const change = (spec: object): Promise<Loose> =>
    server.verbs
      .patch(server.target('pods', 'a'), { type: 'merge', body: { spec } }, mutation, server.context)
      .then(({ entry }) => entry.object as Loose)
  await assert.rejects(change({ nodeName: 'n' }), (error: unknown) => {
    assert.ok(error instanceof StatusError)
    assert.deepEqual(
      error.status.details?.causes?.map(({ field, reason }) => [field, reason]),
      [['spec', 'FieldValueForbidden']],
    )
    return true
  })
  const next = await change({
    containers: containers.map((container) => ({ ...container, image: 'busybox:2' })),
    tolerations: [{ key: 'x', operator: 'Exists' }],
  })
  assert.equal(next.metadata?.generation, 2)
})

function budget(status: object, spec: object = {}): Loose {
  return {
    metadata: { name: 'budget', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } }, ...spec },
    status,
  }
}

async function guarded(server: TestServer, status: object, podStatus: object, spec: object = {}): Promise<void> {
  const made = await server.create('pods', pod('a', { labels: { app: 'x' } }))
  await server.update('pods', { ...made, status: podStatus }, 'status')
  const wanted = budget(status, spec)
  const guard = await server.create('poddisruptionbudgets', wanted)
  await server.update('poddisruptionbudgets', { ...guard, status: { observedGeneration: 1, expectedPods: 1, ...status } }, 'status')
}

const evict = (server: TestServer): Promise<unknown> =>
  post(server, 'a', 'eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a', namespace: 'default' } })
const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
const unready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }
const full = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 }
const spare = { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 }

const evictions: readonly {
  readonly name: string
  readonly status: object
  readonly pod: object
  readonly spec?: object
  readonly code?: number
}[] = [
  { name: 'a spare pod', status: spare, pod: running },
  { name: 'a pod that is needed', status: full, pod: running, code: 429 },
  { name: 'a pod whose budget is not up to date', status: { ...spare, observedGeneration: 0 }, pod: running, code: 429 },
  { name: 'a pod that is not ready while others are', status: full, pod: unready },
  {
    name: 'a pod that is not ready and missed',
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1 },
    pod: unready,
    code: 429,
  },
  {
    name: 'a pod that is not ready and always may go',
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1 },
    pod: unready,
    spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  },
  { name: 'a pod that is over', status: full, pod: { phase: 'Failed' } },
]

for (const each of evictions) {
  test(`eviction ${each.code === undefined ? 'deletes' : 'spares'} ${each.name}`, async () => {
    await using server = await startTestServer()
    await guarded(server, each.status, each.pod, each.spec)
    if (each.code === undefined) {
      await evict(server)
      await assert.rejects(server.get('pods', 'a'), isNotFound)
      return
    }
    await assert.rejects(evict(server), (error: unknown) => {
      assert.ok(error instanceof StatusError)
      assert.deepEqual([error.code, error.status.details?.causes?.[0]?.reason], [each.code, 'DisruptionBudget'])
      return true
    })
    await server.get('pods', 'a')
  })
}

test('eviction takes one disruption from the budget', async () => {
  await using server = await startTestServer()
  await guarded(server, spare, running)
  await evict(server)
  const { status } = (await server.get('poddisruptionbudgets', 'budget')) as { status?: Loose }
  assert.deepEqual([status?.['disruptionsAllowed'], status?.['disruptedPods']], [0, { a: '2026-11-21T10:00:00Z' }])
})

test('eviction sets the DisruptionTarget condition', async () => {
  await using server = await startTestServer()
  await guarded(server, spare, running)
  const bound = await server.get('pods', 'a')
  await server.verbs.create(
    server.target('pods', 'a', 'binding'),
    { object: { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } } as Loose, duplicates: [] },
    mutation,
    server.context,
  )
  assert.ok(bound.metadata?.deletionTimestamp === undefined)
  await evict(server)
  const { metadata, status } = (await server.get('pods', 'a')) as { metadata?: Loose; status?: { conditions: Loose[] } }
  assert.ok(metadata?.['deletionTimestamp'] !== undefined)
  const condition = status?.conditions.find(({ type }) => type === 'DisruptionTarget')
  assert.deepEqual([condition?.['status'], condition?.['reason']], ['True', 'EvictionByEvictionAPI'])
})

test('eviction as a dry run checks the budget and takes no disruption', async () => {
  await using server = await startTestServer()
  await guarded(server, spare, running)
  await post(server, 'a', 'eviction', { kind: 'Eviction', metadata: { name: 'a' }, deleteOptions: { dryRun: ['All'] } })
  await server.get('pods', 'a')
  const { status } = (await server.get('poddisruptionbudgets', 'budget')) as { status?: Loose }
  assert.deepEqual([status?.['disruptionsAllowed'], status?.['disruptedPods']], [1, undefined])
})

test('eviction refuses a pod with two budgets', async () => {
  await using server = await startTestServer()
  await guarded(server, spare, running)
  await server.create('poddisruptionbudgets', { ...budget(spare), metadata: { name: 'second', namespace: 'default' } })
  await assert.rejects(evict(server), (error: unknown) => {
    assert.ok(error instanceof StatusError)
    assert.deepEqual([error.code, error.reason], [500, ''])
    return true
  })
})

test('eviction with a precondition that fails conflicts, and takes one disruption at most', async () => {
  await using server = await startTestServer()
  await guarded(server, { disruptionsAllowed: 5, currentHealthy: 6, desiredHealthy: 1 }, running)
  const evicting = post(server, 'a', 'eviction', {
    kind: 'Eviction',
    metadata: { name: 'a' },
    deleteOptions: { preconditions: { uid: 'other' } },
  })
  await assert.rejects(evicting, isConflict)
  await server.get('pods', 'a')
  const { status } = (await server.get('poddisruptionbudgets', 'budget')) as { status?: Loose }
  assert.equal(status?.['disruptionsAllowed'], 4)
})

test('validation requires exactly one valid rule of a disruption budget', async () => {
  await using server = await startTestServer()
  for (const [spec, field] of [
    [{ minAvailable: 1, maxUnavailable: 1 }, 'spec'],
    [{ minAvailable: -1 }, 'spec.minAvailable'],
    [{ minAvailable: undefined, maxUnavailable: 'half' }, 'spec.maxUnavailable'],
    [{ minAvailable: '101%' }, 'spec.minAvailable'],
    [{ unhealthyPodEvictionPolicy: 'x' }, 'spec.unhealthyPodEvictionPolicy'],
  ] as const) {
    await assert.rejects(server.create('poddisruptionbudgets', budget({}, spec)), (error: unknown) => {
      assert.ok(error instanceof StatusError)
      assert.equal(error.status.details?.causes?.[0]?.field, field)
      return true
    })
  }
})

const sized = (resources: object): Loose => ({ spec: { containers: [{ name: 'c', resources }] } })

function resize(server: TestServer, body: Loose): Promise<unknown> {
  return server.verbs.patch(server.target('pods', 'a', 'resize'), { type: 'strategic', body }, mutation, server.context)
}

async function startResizable(status: Loose = {}): Promise<TestServer> {
  const server = await startTestServer()
  const resources = { requests: { cpu: '100m', memory: '1Gi' }, limits: { memory: '2Gi' } }
  await server.create('pods', pod('a', {}, { containers: [{ name: 'c', image: 'x:1', resources }] }))
  const body = { status: { containerStatuses: [{ name: 'c', image: '', imageID: '', state: { running: {} }, resources, ...status }] } }
  await server.verbs.patch(server.target('pods', 'a', 'status'), { type: 'merge', body }, mutation, server.context)
  return server
}

test('resize changes the resources of a running pod, and nothing else', async () => {
  await using server = await startResizable()
  const before = await server.get('pods', 'a')
  const body = { ...sized({ requests: { cpu: '200m', memory: '3Gi' }, limits: { memory: '4Gi' } }), metadata: { labels: { a: 'b' } } }
  await resize(server, { ...body, status: { phase: 'Failed' } })
  const after = await server.get('pods', 'a')
  const [container] = (after.spec as { containers: Loose[] }).containers
  assert.deepEqual(container?.['resources'], { requests: { cpu: '200m', memory: '3Gi' }, limits: { memory: '4Gi' } })
  assert.deepEqual([after.status, after.metadata?.labels, container?.['image']], [before.status, undefined, 'x:1'])
  assert.equal(after.metadata?.generation, (before.metadata?.generation ?? 0) + 1)
})

const unacceptable: readonly (readonly [string, Loose, RegExp])[] = [
  ['a smaller memory limit', sized({ limits: { memory: '1Gi' } }), /memory limits cannot be decreased/],
  ['a request above the limit', sized({ requests: { memory: '3Gi' } }), /must be less than or equal to memory limit of 2Gi/],
  ['another class', sized({ requests: { cpu: '1', memory: '2Gi' }, limits: { cpu: '1' } }), /QOS Class may not change/],
  ['another resource', sized({ limits: { 'example.com/gpu': '1' } }), /only cpu and memory resources are mutable/],
  ['no request', sized({ requests: { cpu: null } }), /resource requests cannot be removed/],
  ['a further container', { spec: { containers: [{ name: 'd', image: 'x:1' }] } }, /may not be added or removed/],
]
for (const [what, body, message] of unacceptable) {
  test(`resize refuses ${what}`, async () => {
    await using server = await startResizable()
    await assert.rejects(resize(server, body), (error: unknown) => error instanceof StatusError && message.test(error.message))
  })
}

test('resize refuses pods whose kubelet does not report resources', async () => {
  await using server = await startResizable({ resources: null })
  await assert.rejects(resize(server, sized({ requests: { cpu: '200m' } })), /node without support for resize/)
})
