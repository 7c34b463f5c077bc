import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  ApiextensionsV1Api,
  ApiException,
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  V1ConfigMap,
  type V1Deployment,
  Watch,
} from '@kubernetes/client-node'
import { eventually } from '../support/machine.ts'
import { startTestApi, type TestApi } from '../support/api-server.ts'

// The unmodified JavaScript client of Kubernetes.
suite('@kubernetes/client-node', () => {
  let server: TestApi
  const config = new KubeConfig()
  let core: CoreV1Api
  let objects: KubernetesObjectApi
  const namespace = 'js'

  before(async () => {
    server = await startTestApi()
    config.loadFromFile(server.kubeconfig)
    core = config.makeApiClient(CoreV1Api)
    objects = KubernetesObjectApi.makeApiClient(config)
    await core.createNamespace({ body: { metadata: { name: namespace } } })
  })
  after(() => server[Symbol.asyncDispose]())

  const configMap = (name: string, data: Record<string, string>): V1ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  })
  const failsWith = (code: number, reason: string) => (error: unknown) => {
    assert.ok(error instanceof ApiException)
    assert.equal(error.code, code)
    assert.equal((JSON.parse(String(error.body)) as { reason: string }).reason, reason)
    return true
  }

  test('creates, reads, lists by pages and selectors, replaces and deletes', async () => {
    for (const name of ['a', 'b', 'c']) {
      await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { set: 'pages' } }, data: { name } } })
    }
    const first = await core.listNamespacedConfigMap({ namespace, labelSelector: 'set=pages', limit: 2 })
    assert.deepEqual(
      first.items.map(({ metadata }) => metadata?.name),
      ['a', 'b'],
    )
    const rest = await core.listNamespacedConfigMap({ namespace, labelSelector: 'set=pages', _continue: first.metadata?._continue ?? '' })
    assert.deepEqual(
      rest.items.map(({ metadata }) => metadata?.name),
      ['c'],
    )

    const read = await core.readNamespacedConfigMap({ namespace, name: 'a' })
    assert.ok(read.metadata?.creationTimestamp instanceof Date)
    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: Object.assign(new V1ConfigMap(), read, { data: { name: 'new' } }),
    })
    assert.equal(replaced.data?.['name'], 'new')
    await assert.rejects(core.replaceNamespacedConfigMap({ namespace, name: 'a', body: read }), failsWith(409, 'Conflict'))

    await core.deleteNamespacedConfigMap({ namespace, name: 'a' })
    await assert.rejects(core.readNamespacedConfigMap({ namespace, name: 'a' }), failsWith(404, 'NotFound'))
  })

  test('patches with all patch types', async () => {
    const patch = async (strategy: PatchStrategy, body: unknown): Promise<Record<string, string> | undefined> =>
      (await core.patchNamespacedConfigMap({ namespace, name: 'patched', body }, setHeaderOptions('Content-Type', strategy))).data
    await core.createNamespacedConfigMap({ namespace, body: configMap('patched', { a: '1', b: '2' }) })
    assert.deepEqual(await patch(PatchStrategy.JsonPatch, [{ op: 'replace', path: '/data/a', value: '3' }]), { a: '3', b: '2' })
    assert.deepEqual(await patch(PatchStrategy.MergePatch, { data: { b: null } }), { a: '3' })
    assert.deepEqual(await patch(PatchStrategy.StrategicMergePatch, { data: { c: '4' } }), { a: '3', c: '4' })
    await assert.rejects(patch(PatchStrategy.JsonPatch, [{ op: 'test', path: '/data/a', value: 'no' }]), failsWith(422, 'Invalid'))
  })

  test('applies on the server, with conflicts and force', async () => {
    const apply = (manager: string, data: Record<string, string>, force: boolean = false): Promise<V1ConfigMap> =>
      objects.patch(configMap('applied', data), undefined, undefined, manager, force, PatchStrategy.ServerSideApply)
    await apply('one', { a: '1', b: '1' })
    await assert.rejects(apply('two', { a: '2' }), failsWith(409, 'Conflict'))
    assert.deepEqual((await apply('two', { a: '2' }, true)).data, { a: '2', b: '1' })
    const left = await apply('one', {})
    assert.deepEqual(left.data, { a: '2' })
    assert.deepEqual(left.metadata?.managedFields?.map(({ manager }) => manager).toSorted(), ['one', 'two'])
  })

  test('discovers kinds, including custom resources', async () => {
    const extensions = config.makeApiClient(ApiextensionsV1Api)
    const schema = {
      openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
    }
    await extensions.createCustomResourceDefinition({
      body: {
        metadata: { name: 'toys.js.example' },
        spec: {
          group: 'js.example',
          scope: 'Namespaced',
          names: { plural: 'toys', kind: 'Toy' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      },
    })
    interface Toy extends KubernetesObject {
      spec: { size: number }
    }
    const toy: Toy = { apiVersion: 'js.example/v1', kind: 'Toy', metadata: { name: 'ball', namespace }, spec: { size: 3 } }
    assert.equal((await objects.create(toy)).spec.size, 3)
    const custom = config.makeApiClient(CustomObjectsApi)
    const place = { group: 'js.example', version: 'v1', namespace, plural: 'toys' }
    const wrong = { ...toy, metadata: { name: 'bad' }, spec: { size: 'large' } }
    await assert.rejects(custom.createNamespacedCustomObject({ ...place, body: wrong }), failsWith(422, 'Invalid'))
    const list = (await custom.listNamespacedCustomObject(place)) as { items: Toy[] }
    assert.deepEqual(
      list.items.map(({ metadata }) => metadata?.name),
      ['ball'],
    )
    await objects.delete(toy)
  })

  test('watches, and resumes at the last resourceVersion', async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`
    const start = await core.listNamespacedConfigMap({ namespace })
    const events: string[] = []
    const watching = await new Watch(config).watch(
      path,
      { resourceVersion: start.metadata?.resourceVersion, allowWatchBookmarks: true },
      (type, object: V1ConfigMap) => events.push(`${type} ${object.metadata?.name}`),
      () => {},
    )
    await core.createNamespacedConfigMap({ namespace, body: configMap('watched', { a: '1' }) })
    await core.patchNamespacedConfigMap(
      { namespace, name: 'watched', body: { data: { a: '2' } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    )
    await core.deleteNamespacedConfigMap({ namespace, name: 'watched' })
    await eventually(
      () => events.length === 3,
      () => events.join(),
    )
    watching.abort()
    assert.deepEqual(events, ['ADDED watched', 'MODIFIED watched', 'DELETED watched'])
  })

  test('runs an informer that follows all changes', async () => {
    const apps = config.makeApiClient(AppsV1Api)
    const informer = makeInformer<V1Deployment>(config, `/apis/apps/v1/namespaces/${namespace}/deployments`, () =>
      apps.listNamespacedDeployment({ namespace }),
    )
    const seen: string[] = []
    informer.on('add', ({ metadata }) => seen.push(`add ${metadata?.name}`))
    informer.on('update', ({ metadata }) => seen.push(`update ${metadata?.name}`))
    informer.on('delete', ({ metadata }) => seen.push(`delete ${metadata?.name}`))
    await informer.start()
    const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const body = { metadata: { name: 'web' }, spec: { replicas: 0, selector: { matchLabels: { app: 'x' } }, template } }
    const made = await apps.createNamespacedDeployment({ namespace, body })
    assert.equal(made.spec?.revisionHistoryLimit, 10)
    await eventually(
      () => seen.includes('add web'),
      () => seen.join(),
    )
    await apps.patchNamespacedDeployment(
      { namespace, name: 'web', body: { spec: { paused: true } } },
      setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
    )
    await eventually(
      () => seen.includes('update web'),
      () => seen.join(),
    )
    assert.equal(informer.get('web', namespace)?.spec?.paused, true)
    await apps.deleteNamespacedDeployment({ namespace, name: 'web' })
    await eventually(
      () => seen.includes('delete web'),
      () => seen.join(),
    )
    await informer.stop()
  })
})
