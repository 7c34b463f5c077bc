import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startTestServer, type TestServer } from './api-server.fixture.ts'
import { startApiServer } from './api-server.ts'
import { connectTo, type TestClient } from './http/http2-client.fixture.ts'
import { AddressInUse } from './http/listener.ts'

type Json = Record<string, unknown>
const asJson = { 'content-type': 'application/json' }
const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }
const configMap = (name: string, value = '1'): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: value } })

suite('startApiServer()', () => {
  let api: TestServer
  let admin: TestClient
  const inDev = '/api/v1/namespaces/dev/configmaps'

  before(async () => {
    api = await startTestServer()
    admin = connectTo(api)
    await admin.request('POST', '/api/v1/namespaces', {
      headers: asJson,
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dev' } },
    })
  })
  after(async () => {
    admin[Symbol.dispose]()
    await api[Symbol.asyncDispose]()
    // No request of the tests may cause an internal error.
    assert.deepEqual(api.failures, [])
  })

  const reasonOf = async (client: TestClient, method: string, path: string, headers = {}, body?: unknown): Promise<[number, unknown]> => {
    const answer = await client.request(method, path, { headers, body })
    const status = answer.value as Json
    assert.equal(status['kind'], 'Status')
    assert.equal(status['code'], answer.status)
    return [answer.status, status['reason']]
  }

  test('creates, reads, updates and deletes', async () => {
    const created = await admin.request('POST', inDev, { headers: asJson, body: configMap('life') })
    assert.equal(created.status, 201)
    assert.equal(created.text.at(-1), '\n')
    assert.equal(created.headers['cache-control'], 'no-cache, private')
    const read = await admin.request('GET', `${inDev}/life`)
    assert.deepEqual(read.value, created.value)
    const merge = { 'content-type': 'application/merge-patch+json' }
    const patched = await admin.request('PATCH', `${inDev}/life`, { headers: merge, body: { data: { key: '2' } } })
    assert.deepEqual((patched.value as Json)['data'], { key: '2' })
    const deleted = await admin.request('DELETE', `${inDev}/life`)
    assert.equal((deleted.value as Json)['status'], 'Success')
    assert.equal((await admin.request('GET', `${inDev}/life`)).status, 404)
  })

  const refusals = [
    ['an unknown path', 'GET', '/nowhere', {}, undefined, 404, 'NotFound'],
    ['an unknown resource', 'GET', '/api/v1/things', {}, undefined, 404, 'NotFound'],
    ['an unknown subresource', 'GET', `${inDev}/a/log`, {}, undefined, 404, 'NotFound'],
    [
      'a cluster-wide resource in a namespace',
      'GET',
      '/apis/rbac.authorization.k8s.io/v1/namespaces/dev/clusterroles',
      {},
      undefined,
      404,
      'NotFound',
    ],
    ['creation across namespaces', 'POST', '/api/v1/configmaps', asJson, {}, 405, 'MethodNotAllowed'],
    ['an unknown method', 'PROPFIND', `${inDev}/a`, {}, undefined, 405, 'MethodNotAllowed'],
    ['an unknown answer format', 'GET', inDev, { accept: 'text/html' }, undefined, 406, 'NotAcceptable'],
    ['an unknown body format', 'POST', inDev, { 'content-type': 'text/plain' }, 'x', 415, 'UnsupportedMediaType'],
    [
      'a strategic patch of a custom kind',
      'PATCH',
      '/apis/example.io/v1/namespaces/dev/widgets/a',
      { 'content-type': 'application/strategic-merge-patch+json' },
      {},
      415,
      'UnsupportedMediaType',
    ],
    ['an empty body', 'POST', inDev, asJson, undefined, 400, 'BadRequest'],
    ['broken JSON', 'POST', inDev, asJson, '{', 400, 'BadRequest'],
    ['a list as body', 'POST', inDev, asJson, '[]', 400, 'BadRequest'],
    ['a bad selector', 'GET', `${inDev}?labelSelector=a%20b%20c`, {}, undefined, 400, 'BadRequest'],
    ['a bad selector of a watch', 'GET', `${inDev}?watch=1&labelSelector=a%20b%20c`, {}, undefined, 400, 'BadRequest'],
    ['a bad limit', 'GET', `${inDev}?limit=many`, {}, undefined, 400, 'BadRequest'],
    ['a bad timeout', 'GET', `${inDev}?timeout=invalid`, {}, undefined, 400, 'BadRequest'],
    ['a bad dry run', 'POST', `${inDev}?dryRun=Some`, asJson, configMap('a'), 422, 'Invalid'],
    ['a body that is too large', 'POST', inDev, asJson, 'x'.repeat(3 * 1024 * 1024 + 1), 413, 'RequestEntityTooLarge'],
  ] as const
  for (const [name, method, path, headers, body, code, reason] of refusals) {
    test(`refuses ${name}`, async () => assert.deepEqual(await reasonOf(admin, method, path, headers, body), [code, reason]))
  }

  for (const [verb, path, accept] of [
    ['get', '/a', 'application/vnd.kubernetes.protobuf'],
    ['list', '', 'application/vnd.kubernetes.protobuf'],
    ['watch', '?watch=1', 'application/vnd.kubernetes.protobuf;stream=watch'],
  ] as const) {
    test(`refuses to ${verb} custom objects in protobuf only`, async () => {
      const { status, value } = await admin.request('GET', `/apis/example.io/v1/namespaces/dev/widgets${path}`, { headers: { accept } })
      const { reason, message } = value as Json
      const accepted = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
      assert.deepEqual([status, reason], [406, 'NotAcceptable'])
      assert.equal(message, `only the following media types are accepted: ${accepted}`)
    })
  }

  test('answers 401 to a wrong token, and 403 without rights', async () => {
    using wrong = connectTo(api, 'wrong-token')
    using bob = connectTo(api, 'bob-token')
    using nobody = connectTo(api, '')
    assert.deepEqual(await reasonOf(wrong, 'GET', inDev), [401, 'Unauthorized'])
    assert.deepEqual(await reasonOf(bob, 'GET', inDev), [403, 'Forbidden'])
    assert.deepEqual(await reasonOf(nobody, 'GET', '/api'), [403, 'Forbidden'])
    assert.equal((await bob.request('GET', '/api')).status, 200)
    assert.equal((await nobody.request('GET', '/readyz')).text, 'ok')
    assert.deepEqual(await reasonOf(nobody, 'GET', '/readyz/ping'), [403, 'Forbidden'])
  })

  test('names the checks that probes ask for', async () => {
    const text = async (path: string): Promise<string> => (await admin.request('GET', path)).text
    for (const title of ['healthz', 'livez', 'readyz']) {
      const lines = (await text(`/${title}?verbose`)).split('\n')
      for (const name of ['ping', 'log', 'etcd', 'poststarthook/crd-informer-synced']) assert.ok(lines.includes(`[+]${name} ok`), name)
      assert.deepEqual(lines.slice(-2), [`${title} check passed`, ''])
      assert.equal(await text(`/${title}/ping`), 'ok')
      assert.match(await text(`/${title}?verbose&exclude=etcd`), /^\[\+\]etcd excluded: ok$/m)
    }
    assert.ok((await text('/readyz?verbose')).includes('[+]informer-sync ok\n'))
    assert.equal((await admin.request('GET', '/livez/nothing')).status, 404)
  })

  test('impersonates for authorized users', async () => {
    using bob = connectTo(api, 'bob-token')
    const asBob = { 'impersonate-user': 'bob', 'impersonate-group': 'dev' }
    assert.deepEqual(await reasonOf(admin, 'GET', inDev, asBob), [403, 'Forbidden'])
    assert.deepEqual(await reasonOf(bob, 'GET', inDev, { 'impersonate-user': 'admin' }), [403, 'Forbidden'])
  })

  test('names the FlowSchema and the priority level of the acting user, also when it is refused', async () => {
    await using limited = await startTestServer({
      flows: { classify: (_, { username }) => ({ schema: 's', schemaUid: `s-${username}`, level: 'l', levelUid: `l-${username}` }) },
    })
    const uids = async (client: TestClient, headers = {}): Promise<readonly unknown[]> => {
      const answer = await client.request('GET', '/api/v1/configmaps', { headers })
      return [
        answer.status,
        ...['schema', 'level'].map((part) => answer.headers[`x-kubernetes-pf-${part === 'schema' ? 'flow' : 'priority'}${part}-uid`]),
      ]
    }
    using root = connectTo(limited)
    using bob = connectTo(limited, 'bob-token')
    using wrong = connectTo(limited, 'wrong-token')
    assert.deepEqual(await uids(root), [200, 's-admin', 'l-admin'])
    assert.deepEqual(await uids(root, { 'impersonate-user': 'ann' }), [403, 's-ann', 'l-ann'])
    assert.deepEqual(await uids(bob), [403, 's-bob', 'l-bob'])
    assert.deepEqual(await uids(wrong), [401, undefined, undefined])
  })

  test('serves access reviews', async () => {
    const review = { spec: { resourceAttributes: { verb: 'list', resource: 'configmaps', namespace: 'dev' } } }
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    using bob = connectTo(api, 'bob-token')
    const allowed = async (client: TestClient): Promise<unknown> =>
      ((await client.request('POST', path, { headers: asJson, body: review })).value as { status: Json }).status['allowed']
    assert.equal(await allowed(admin), true)
    assert.equal(await allowed(bob), false)
  })

  test('lists in pages, with the stored JSON', async () => {
    for (const name of ['page-a', 'page-b', 'page-c']) await admin.request('POST', inDev, { headers: asJson, body: configMap(name) })
    const first = (await admin.request('GET', `${inDev}?limit=2`)).value as { kind: string; metadata: Json; items: { metadata: Json }[] }
    assert.equal(first.kind, 'ConfigMapList')
    assert.equal(first.metadata['remainingItemCount'], 1)
    const rest = (await admin.request('GET', `${inDev}?limit=2&continue=${String(first.metadata['continue'])}`)).value as typeof first
    assert.deepEqual(
      [...first.items, ...rest.items].map((item) => item.metadata['name']),
      ['page-a', 'page-b', 'page-c'],
    )
    await admin.request('DELETE', inDev)
    assert.deepEqual(((await admin.request('GET', inDev)).value as typeof first).items, [])
  })

  test('renders tables, metadata and YAML', async () => {
    await admin.request('POST', inDev, { headers: asJson, body: configMap('view') })
    const table = (await admin.request('GET', inDev, { headers: asTable })).value as { rows: { cells: unknown[]; object: Json }[] }
    assert.equal(table.rows[0]?.cells[0], 'view')
    assert.equal(table.rows[0]?.object['kind'], 'PartialObjectMetadata')
    const metadata = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }
    const partial = (await admin.request('GET', inDev, { headers: metadata })).value as { items: Json[] }
    assert.deepEqual(Object.keys(partial.items[0] ?? {}).toSorted(), ['apiVersion', 'kind', 'metadata'])
    const yaml = await admin.request('GET', `${inDev}/view`, { headers: { accept: 'application/yaml' } })
    assert.equal(yaml.headers['content-type'], 'application/yaml')
    assert.match(yaml.text, /^kind: ConfigMap$/m)
    const pretty = await admin.request('GET', `${inDev}/view`, { headers: { 'user-agent': 'curl/8' } })
    assert.match(pretty.text, /^ {2}"kind": "ConfigMap"/m)
    await admin.request('DELETE', inDev)
  })

  test('has no effect when the answer cannot be rendered', async () => {
    await admin.request('POST', inDev, { headers: asJson, body: configMap('kept') })
    assert.deepEqual(await reasonOf(admin, 'DELETE', `${inDev}/kept?includeObject=0`, asTable), [400, 'BadRequest'])
    assert.equal((await admin.request('GET', `${inDev}/kept`)).status, 200)
    await admin.request('DELETE', `${inDev}/kept`)
  })

  test('reads YAML, and warns about unknown fields', async () => {
    const body = 'apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: y}\nspec: {size: 1, sise: 2}\n'
    const path = '/apis/example.io/v1/namespaces/dev/widgets'
    const created = await admin.request('POST', path, { headers: { 'content-type': 'application/yaml' }, body })
    assert.equal(created.status, 201)
    assert.deepEqual((created.value as Json)['spec'], { size: 1 })
    assert.equal(created.headers['warning'], '299 - "unknown field \\"spec.sise\\""')
    assert.deepEqual(await reasonOf(admin, 'POST', `${path}?fieldValidation=Strict`, { 'content-type': 'application/yaml' }, body), [
      400,
      'BadRequest',
    ])
  })

  test('answers methods named like JavaScript properties as unknown ones', async () => {
    for (const method of ['constructor', '__proto__', 'OTHER']) {
      assert.equal((await admin.request(method, inDev)).status, 405)
      using nobody = connectTo(api, '')
      assert.equal((await nobody.request(method, inDev)).status, 403)
    }
  })

  test('limits the size of warnings', async () => {
    const data = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`unknown${index}`, 1]))
    const path = '/apis/example.io/v1/namespaces/dev/widgets'
    const answer = await admin.request('POST', path, {
      headers: asJson,
      body: { apiVersion: 'example.io/v1', kind: 'Widget', metadata: { name: 'loud' }, spec: data },
    })
    assert.equal(answer.status, 201)
    assert.ok(String(answer.headers['warning']).length < 8192)
  })

  test('echoes the audit ID, or creates one', async () => {
    assert.equal((await admin.request('GET', '/version', { headers: { 'audit-id': 'mine' } })).headers['audit-id'], 'mine')
    assert.match(String((await admin.request('GET', '/version')).headers['audit-id']), /^[\da-f-]{36}$/)
  })

  test('answers 404 below /version and /metrics', async () => {
    for (const path of ['/version/nothing', '/metrics/nothing']) assert.equal((await admin.request('GET', path)).status, 404, path)
  })

  test('compresses large answers where accepted', async () => {
    await admin.request('POST', inDev, { headers: asJson, body: configMap('large', 'x'.repeat(200_000)) })
    const small = await admin.request('GET', `${inDev}/large`, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(small.headers['content-encoding'], 'gzip')
    const plain = await admin.request('GET', `${inDev}/large`)
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.deepEqual(gunzipSync(small.bytes), plain.bytes)
    await admin.request('DELETE', `${inDev}/large`)
  })

  test('sends a list of megabytes plain and compressed, and survives a disconnect', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `long-${index}`)
    for (const name of names) await admin.request('POST', inDev, { headers: asJson, body: configMap(name, name.repeat(40_000)) })
    const list = inDev
    const plain = await admin.request('GET', list)
    assert.equal(Number(plain.headers['content-length']), plain.bytes.length)
    const { items } = JSON.parse(plain.bytes.toString()) as { items: { metadata: { name: string } }[] }
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('long-')),
      names,
    )
    const small = await admin.request('GET', list, { headers: { 'accept-encoding': 'gzip' } })
    assert.deepEqual(gunzipSync(small.bytes), plain.bytes)
    const pretty = await admin.request('GET', `${list}?pretty=true`)
    assert.deepEqual(JSON.parse(pretty.bytes.toString()), JSON.parse(plain.bytes.toString()))
    for (const encoding of ['identity', 'gzip']) {
      const stream = admin.session.request({ ':path': list, 'accept-encoding': encoding })
      stream.once('data', () => stream.close(constants.NGHTTP2_CANCEL))
      await once(stream, 'close')
    }
    assert.deepEqual((await admin.request('GET', list)).bytes, plain.bytes)
    for (const name of names) await admin.request('DELETE', `${inDev}/${name}`)
  })

  test('serves aggregated discovery with an ETag', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'
    const full = await admin.request('GET', '/apis', { headers: { accept } })
    assert.equal(full.headers['content-type'], 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList')
    const same = await admin.request('GET', '/apis', { headers: { accept, 'if-none-match': String(full.headers.etag) } })
    assert.equal(same.status, 304)
    assert.equal(same.bytes.length, 0)
  })

  suite('watch', () => {
    test('streams changes', async () => {
      const { revision } = api.store
      const { stream, events } = admin.watch(`${inDev}?watch=1&resourceVersion=${revision}`)
      await admin.request('POST', inDev, { headers: asJson, body: configMap('seen') })
      await admin.request('DELETE', `${inDev}/seen`)
      const added = await events.next()
      const deleted = await events.next()
      assert.equal(added.value?.type, 'ADDED')
      assert.equal((added.value?.object['metadata'] as Json | undefined)?.['name'], 'seen')
      assert.equal(deleted.value?.type, 'DELETED')
      stream.close()
    })

    test('starts with the present state without a version', async () => {
      await admin.request('POST', inDev, { headers: asJson, body: configMap('here') })
      const { stream, events } = admin.watch(`${inDev}/here?watch=1`)
      assert.equal((await events.next()).value?.type, 'ADDED')
      stream.close()
      await admin.request('DELETE', `${inDev}/here`)
    })

    test('describes table columns once', async () => {
      const { stream, events } = admin.watch(`${inDev}?watch=1&resourceVersion=${api.store.revision}`, asTable)
      await admin.request('POST', inDev, { headers: asJson, body: configMap('row') })
      await admin.request('DELETE', `${inDev}/row`)
      assert.ok(Array.isArray((await events.next()).value?.object['columnDefinitions']))
      assert.equal((await events.next()).value?.object['columnDefinitions'], null)
      stream.close()
    })

    test('ends after timeoutSeconds', async () => {
      const { events } = admin.watch(`${inDev}?watch=1&resourceVersion=${api.store.revision}&timeoutSeconds=0`)
      assert.equal((await events.next()).done, true)
    })

    test('is removed when the client disconnects', async () => {
      const before = api.server.watches
      const { stream } = admin.watch(`${inDev}?watch=1&resourceVersion=${api.store.revision}`)
      await new Promise((resolve) => stream.once('response', resolve))
      assert.equal(api.server.watches, before + 1)
      stream.close()
      for (let turn = 0; turn < 100 && api.server.watches > before; turn++) await new Promise((resolve) => setTimeout(resolve, 5))
      assert.equal(api.server.watches, before)
    })

    test('ends at shutdown', async () => {
      await using other = await startTestServer()
      using client = connectTo(other)
      const { stream, events } = client.watch('/api/v1/namespaces?watch=1')
      await new Promise((resolve) => stream.once('response', resolve))
      const [end] = await Promise.all([events.next(), other.server.stop(1000)])
      assert.equal(end.done, true)
    })
  })

  test('serves HTTP/1.1', async () => {
    const options = { ca: api.authority.cert, ...api.admin, ALPNProtocols: ['http/1.1'], agent: false as const }
    const status = await new Promise((resolve, reject) => {
      const request = httpsRequest(`${api.server.url}/api/v1/namespaces/dev`, options, (response) => {
        response.resume()
        response.on('end', () => resolve([response.statusCode, response.httpVersion]))
      })
      request.on('error', reject)
      request.end()
    })
    assert.deepEqual(status, [200, '1.1'])
  })

  test('rejects with AddressInUse', async () => {
    const { store, registry, verbs, authority } = api
    const tls = { ...(await authority.issue('again', [], true)), clientCa: authority.cert }
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const version = {
      major: '',
      minor: '',
      gitVersion: '',
      gitCommit: '',
      gitTreeState: '',
      buildDate: '',
      goVersion: '',
      compiler: '',
      platform: '',
    }
    const again = startApiServer({ port: api.server.port, tls, store, registry, verbs, version, log, now: () => 0, random: () => 0 })
    await assert.rejects(again, (error: unknown) => error instanceof AddressInUse && error.port === api.server.port)
  })
})
