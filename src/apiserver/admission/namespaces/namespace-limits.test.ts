import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { PodSpec } from '#api/core/v1/pod.ts'
import { type Loose, startTestServer, type TestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { builtInPlugins, finalPlugins } from '../built-in-plugins.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { runMutating, runValidating } from '../run.ts'

async function withServer(work: (server: TestServer) => Promise<void>): Promise<void> {
  let plugins: readonly AdmissionPlugin[] = []
  const late: AdmissionPlugin = {
    name: 'late',
    mutate: (request) => runMutating(plugins, request),
    validate: (request) => runValidating(plugins, request),
  }
  await using server = await startTestServer([late])
  const options = { store: server.store, now: server.time.now, random: () => 0, hasControllers: false, hasPodNetwork: true }
  plugins = [...builtInPlugins(options), ...finalPlugins(options)]
  await work(server)
}

const pod = (name: string, resources: object = {}, spec: Partial<PodSpec> = {}): Loose => ({
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'x', resources }], ...spec },
})
const quota = (hard: object, more: object = {}): Loose => ({ metadata: { name: 'q', namespace: 'default' }, spec: { hard, ...more } })
const range = (limit: object): Loose => ({ metadata: { name: 'r', namespace: 'default' }, spec: { limits: [limit] } })
const refusal = (why: string) => (error: Error) => {
  assert.equal(error.message, why)
  return true
}

suite('ResourceQuota admission', () => {
  test('counts objects and reports used, requested and limited', () =>
    withServer(async (server) => {
      await server.create('resourcequotas', quota({ pods: '2', 'count/configmaps': '1' }))
      await server.create('pods', pod('a'))
      await server.create('pods', pod('b'))
      const says = 'pods "c" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2'
      await assert.rejects(server.create('pods', pod('c')), refusal(says))
      await server.create('configmaps', { metadata: { name: 'a', namespace: 'default' } })
      const second = server.create('configmaps', { metadata: { name: 'b', namespace: 'default' } })
      const full =
        'configmaps "b" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1'
      await assert.rejects(second, refusal(full))
      await server.create('configmaps', { metadata: { name: 'b', namespace: 'other' } })
    }))

  test("sums container requests in the quota's notation, and requires containers to set them", () =>
    withServer(async (server) => {
      await server.create('resourcequotas', quota({ 'requests.cpu': '1', 'limits.memory': '1Gi' }))
      const silent = 'pods "a" is forbidden: failed quota: q: must specify limits.memory for: main; requests.cpu for: main'
      await assert.rejects(server.create('pods', pod('a')), refusal(silent))
      const resources = { requests: { cpu: '600m' }, limits: { memory: '600Mi' } }
      await server.create('pods', pod('a', resources))
      const says =
        'pods "b" is forbidden: exceeded quota: q, requested: limits.memory=600Mi,requests.cpu=600m, used: limits.memory=600Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1'
      await assert.rejects(server.create('pods', pod('b', resources)), refusal(says))
    }))

  test('counts what a resize adds, and a limit range bounds it', () =>
    withServer(async (server) => {
      await server.create('resourcequotas', quota({ 'requests.memory': '2Gi' }))
      await server.create('limitranges', range({ type: 'Container', max: { memory: '4Gi' } }))
      await server.create('pods', pod('a', { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } }))
      const resize = (memory: string, limit: string): Promise<unknown> => {
        const resources = { requests: { memory }, limits: { memory: limit } }
        const body = { spec: { containers: [{ name: 'main', resources }] } }
        const options = { dryRun: false, fieldValidation: 'Strict' } as const
        return server.verbs.patch(server.target('pods', 'a', 'resize'), { type: 'strategic', body }, options, server.context)
      }
      await assert.rejects(resize('1Gi', '5Gi'), /maximum memory usage per Container is 4Gi, but limit is 5Gi/)
      await assert.rejects(resize('3Gi', '4Gi'), /exceeded quota: q, requested: requests.memory=2Gi, used: requests.memory=1Gi/)
      await resize('2Gi', '4Gi')
    }))

  test('releases what is deleted or finished', () =>
    withServer(async (server) => {
      await server.create('resourcequotas', quota({ pods: '1' }))
      const made = await server.create('pods', pod('a'))
      await server.update('pods', { ...made, status: { phase: 'Succeeded' } }, 'status')
      await server.create('pods', pod('b'))
      await server.verbs.delete(server.target('pods', 'b'), { dryRun: false }, server.context)
      await server.create('pods', pod('c'))
    }))

  test('charges nothing for a name that is taken', () =>
    withServer(async (server) => {
      await server.create('resourcequotas', quota({ pods: '2' }))
      await server.create('pods', pod('a'))
      await assert.rejects(server.create('pods', pod('a')), /already exists/)
      await server.create('pods', pod('b'))
    }))

  test('counts only pods that match its scopes', () =>
    withServer(async (server) => {
      await server.create('resourcequotas', quota({ pods: '0' }, { scopes: ['BestEffort'] }))
      await server.create('pods', pod('a', { requests: { cpu: '1' } }))
      await assert.rejects(server.create('pods', pod('b')))
    }))

  test('charges nothing for a dry run', () =>
    withServer(async (server) => {
      await server.create('resourcequotas', quota({ pods: '1' }))
      await server.create('pods', pod('a'), { dryRun: true })
      await server.create('pods', pod('b'))
    }))

  test('lets claims grow within the quota', () =>
    withServer(async (server) => {
      await server.create('resourcequotas', quota({ 'requests.storage': '10Gi' }))
      const claim = (name: string, storage: string): Loose => ({
        metadata: { name, namespace: 'default' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
      })
      await server.create('persistentvolumeclaims', claim('a', '6Gi'))
      const says =
        'persistentvolumeclaims "b" is forbidden: exceeded quota: q, requested: requests.storage=5Gi, used: requests.storage=6Gi, limited: requests.storage=10Gi'
      await assert.rejects(server.create('persistentvolumeclaims', claim('b', '5Gi')), refusal(says))
    }))

  test('is never exceeded by concurrent creates', async () => {
    const attempts = fc.array(fc.record({ cpu: fc.integer({ min: 1, max: 5 }), turns: fc.nat(3) }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(attempts, fc.integer({ min: 1, max: 15 }), (wishes, limit) =>
        withServer(async (server) => {
          await server.create('resourcequotas', quota({ 'requests.cpu': String(limit) }))
          const results = await Promise.allSettled(
            wishes.map(async ({ cpu, turns }, index) => {
              for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
              await server.create('pods', pod(`p${index}`, { requests: { cpu: String(cpu) } }))
              return cpu
            }),
          )
          const granted = results.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0)
          assert.ok(granted <= limit)
          // Each refused request would have exceeded the quota together with the granted ones.
          for (const [index, result] of results.entries()) {
            if (result.status === 'rejected') assert.ok(granted + (wishes[index]?.cpu ?? 0) > limit)
          }
        }),
      ),
      { numRuns: 20 },
    )
  })
})

suite('LimitRanger admission', () => {
  test('sets container defaults and an annotation', () =>
    withServer(async (server) => {
      await server.create('limitranges', range({ type: 'Container', max: { cpu: '2' }, defaultRequest: { memory: '64Mi' } }))
      const made = await server.create('pods', pod('a'))
      const [container] = (made.spec as PodSpec).containers
      assert.deepEqual(container?.resources, { limits: { cpu: '2' }, requests: { cpu: '2', memory: '64Mi' } })
      assert.equal(
        made.metadata?.annotations?.['kubernetes.io/limit-ranger'],
        'LimitRanger plugin set: cpu, memory request for container main; cpu limit for container main',
      )
    }))

  const cases: { limit: object; resources: object; why: string }[] = [
    {
      limit: { type: 'Container', max: { cpu: '1' } },
      resources: { limits: { cpu: '2' } },
      why: 'maximum cpu usage per Container is 1, but limit is 2',
    },
    {
      limit: { type: 'Container', min: { memory: '100Mi' } },
      resources: { requests: { memory: '50Mi' } },
      why: 'minimum memory usage per Container is 100Mi, but request is 50Mi',
    },
    { limit: { type: 'Pod', max: { cpu: '1' } }, resources: {}, why: 'maximum cpu usage per Pod is 1.  No limit is specified' },
    {
      limit: { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      resources: { requests: { cpu: '1' }, limits: { cpu: '3' } },
      why: 'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    },
  ]
  for (const { limit, resources, why } of cases) {
    test(`refuses: ${why}`, () =>
      withServer(async (server) => {
        await server.create('limitranges', range(limit))
        await assert.rejects(server.create('pods', pod('a', resources)), refusal(`pods "a" is forbidden: ${why}`))
      }))
  }

  test('refuses claims that are too large', () =>
    withServer(async (server) => {
      await server.create('limitranges', range({ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }))
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } }
      const says = 'persistentvolumeclaims "a" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi'
      await assert.rejects(server.create('persistentvolumeclaims', { metadata: { name: 'a', namespace: 'default' }, spec }), refusal(says))
    }))
})
