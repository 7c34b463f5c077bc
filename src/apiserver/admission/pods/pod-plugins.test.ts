import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PodSpec } from '#api/core/v1/pod.ts'
import { builtInPlugins } from '../built-in-plugins.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { runMutating, runValidating } from '../run.ts'
import { type Loose, startTestServer, type TestServer } from '#apiserver/endpoints/verbs.fixture.ts'

async function withCluster(work: (server: TestServer) => Promise<void>): Promise<void> {
  let plugins: readonly AdmissionPlugin[] = []
  const late: AdmissionPlugin = {
    name: 'late',
    mutate: (request) => runMutating(plugins, request),
    validate: (request) => runValidating(plugins, request),
  }
  await using server = await startTestServer([late])
  plugins = builtInPlugins({ store: server.store, now: server.time.now, random: () => 0, hasControllers: true, hasPodNetwork: true })
  await work(server)
}

const pod = (name: string, spec: Partial<PodSpec> = {}, annotations: Record<string, string> = {}): Loose => ({
  metadata: { name, namespace: 'default', annotations },
  spec: { containers: [{ name: 'main', image: 'x' }], ...spec },
})
const specOf = (object: Loose): PodSpec => object.spec as PodSpec
const account = (name: string, more: object = {}): Loose => ({ metadata: { name, namespace: 'default' }, ...more })
const refusal = (message: string) => (error: Error) => {
  assert.equal(error.message, message)
  return true
}

suite('ServiceAccount admission', () => {
  test('sets the default account and mounts a token, the CA and the namespace', () =>
    withCluster(async (server) => {
      await server.create('serviceaccounts', account('default', { imagePullSecrets: [{ name: 'registry' }] }))
      const spec = specOf(await server.create('pods', pod('a')))
      assert.deepEqual(
        [spec.serviceAccountName, spec.serviceAccount, spec.imagePullSecrets],
        ['default', 'default', [{ name: 'registry' }]],
      )
      assert.deepEqual(spec.containers[0]?.volumeMounts, [
        { name: 'kube-api-access-bbbbb', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
      ])
      assert.deepEqual(spec.volumes, [
        {
          name: 'kube-api-access-bbbbb',
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
            ],
          },
        },
      ])
    }))

  for (const [who, ofPod, ofAccount] of [
    ['the pod', { automountServiceAccountToken: false }, {}],
    ['the account', {}, { automountServiceAccountToken: false }],
  ] as const) {
    test(`mounts nothing when ${who} disables it`, () =>
      withCluster(async (server) => {
        await server.create('serviceaccounts', account('default', ofAccount))
        assert.equal(specOf(await server.create('pods', pod('a', ofPod))).volumes, undefined)
      }))
  }

  test('refuses an account that does not exist', () =>
    withCluster(async (server) => {
      const creating = server.create('pods', pod('a', { serviceAccountName: 'x' }))
      const says = 'pods "a" is forbidden: error looking up service account default/x: serviceaccount "x" not found'
      await assert.rejects(creating, refusal(says))
    }))

  test('waits for the default account of a new namespace', () =>
    withCluster(async (server) => {
      const creating = server.create('pods', pod('a'))
      await server.create('serviceaccounts', account('default'))
      assert.equal(specOf(await creating).serviceAccountName, 'default')
    }))

  test('leaves mirror pods unchanged', () =>
    withCluster(async (server) => {
      const spec = specOf(await server.create('pods', pod('a', {}, { 'kubernetes.io/config.mirror': 'x' })))
      assert.deepEqual([spec.serviceAccountName, spec.volumes], [undefined, undefined])
    }))
})

suite('Priority admission', () => {
  const run = async (server: TestServer, spec: Partial<PodSpec>): Promise<PodSpec> =>
    specOf(await server.create('pods', pod('a', { automountServiceAccountToken: false, ...spec })))
  const withClasses = (work: (server: TestServer) => Promise<void>): Promise<void> =>
    withCluster(async (server) => {
      await server.create('serviceaccounts', account('default'))
      await server.create('priorityclasses', { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' })
      await work(server)
    })

  test('resolves the class to a number', () =>
    withClasses(async (server) => {
      const { priority, preemptionPolicy } = await run(server, { priorityClassName: 'high' })
      assert.deepEqual([priority, preemptionPolicy], [1000, 'Never'])
    }))

  test('uses the global default, or zero', () =>
    withClasses(async (server) => {
      assert.deepEqual((await run(server, {})).priority, 0)
      await server.create('priorityclasses', { metadata: { name: 'usual' }, value: 7, globalDefault: true })
      const { spec } = await server.create('pods', pod('b'))
      assert.deepEqual([(spec as PodSpec).priority, (spec as PodSpec).priorityClassName], [7, 'usual'])
      const second = server.create('priorityclasses', { metadata: { name: 'other' }, value: 8, globalDefault: true })
      const says =
        'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist'
      await assert.rejects(second, refusal(says))
    }))

  for (const [spec, why] of [
    [{ priorityClassName: 'none' }, 'no PriorityClass with name none was found'],
    [
      { priorityClassName: 'high', priority: 5 },
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    ],
  ] as const) {
    test(`refuses: ${why}`, () =>
      withClasses(async (server) => {
        await assert.rejects(run(server, spec), refusal(`pods "a" is forbidden: ${why}`))
      }))
  }
})

test('refuses reserved names and values of priority classes, and changes of a value', () =>
  withCluster(async (server) => {
    const make = (name: string, value: number): Promise<Loose> => server.create('priorityclasses', { metadata: { name }, value })
    await assert.rejects(make('system-mine', 1))
    await assert.rejects(make('mine', 1_000_000_001), /maximum allowed value of a user defined priority is 1000000000/)
    const made = await make('mine', 5)
    assert.equal(made['preemptionPolicy'], 'PreemptLowerPriority')
    await assert.rejects(server.update('priorityclasses', { ...made, value: 6 }), /value: Forbidden: may not be changed in an update\./)
  }))

suite('Other plugins for pods, nodes and storage', () => {
  test('add tolerations of five minutes, unless the pod has its own', () =>
    withCluster(async (server) => {
      await server.create('serviceaccounts', account('default'))
      const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 }
      const { tolerations } = specOf(await server.create('pods', pod('a', { tolerations: [own] })))
      assert.deepEqual(tolerations, [
        own,
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ])
    }))

  test('taint a new node', () =>
    withCluster(async (server) => {
      const { spec } = await server.create('nodes', { metadata: { name: 'n1' } })
      assert.deepEqual((spec as { taints: unknown }).taints, [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }])
    }))

  test('set the newest default storage class, and finalizers of storage in use', () =>
    withCluster(async (server) => {
      const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
      await server.create('storageclasses', { metadata: { name: 'old', annotations }, provisioner: 'x' })
      await server.create('storageclasses', { metadata: { name: 'none' }, provisioner: 'x' })
      const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
      const made = await server.create('persistentvolumeclaims', { metadata: { name: 'a', namespace: 'default' }, spec: claim })
      assert.equal((made.spec as { storageClassName: string }).storageClassName, 'old')
      assert.deepEqual(made.metadata?.finalizers, ['kubernetes.io/pvc-protection'])
      const none = await server.create('persistentvolumeclaims', {
        metadata: { name: 'b', namespace: 'default' },
        spec: { ...claim, storageClassName: '' },
      })
      assert.equal((none.spec as { storageClassName: string }).storageClassName, '')
    }))
})

suite('RuntimeClass admission', () => {
  const kata = {
    metadata: { name: 'kata' },
    handler: 'kata',
    overhead: { podFixed: { memory: '64Mi' } },
    scheduling: { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'kata', operator: 'Exists' }] },
  }
  const withKata = (work: (server: TestServer) => Promise<void>) =>
    withCluster(async (server) => {
      await server.create('serviceaccounts', account('default'))
      await server.create('runtimeclasses', kata)
      await work(server)
    })

  test('sets overhead and scheduling of the class', () =>
    withKata(async (server) => {
      const spec = specOf(await server.create('pods', pod('a', { runtimeClassName: 'kata', nodeSelector: { zone: 'a' } })))
      assert.deepEqual([spec.overhead, spec.nodeSelector], [{ memory: '64Mi' }, { zone: 'a', disk: 'ssd' }])
      assert.ok(spec.tolerations?.some(({ key, operator }) => key === 'kata' && operator === 'Exists'))
    }))

  for (const [name, spec, why] of [
    ['of an unknown class', { runtimeClassName: 'none' }, 'pod rejected: RuntimeClass "none" not found'],
    [
      'that contradicts its class',
      { runtimeClassName: 'kata', nodeSelector: { disk: 'hdd' } },
      'conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd',
    ],
    [
      'that costs something else',
      { runtimeClassName: 'kata', overhead: { memory: '1Mi' } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      'that costs more without class',
      { overhead: { memory: '1Mi' } },
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
  ] as const) {
    test(`refuses a pod ${name}`, () =>
      withKata(async (server) => {
        await assert.rejects(server.create('pods', pod('a', spec)), refusal(`pods "a" is forbidden: ${why}`))
      }))
  }
})
