import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { connectTo } from '#apiserver/http/http2-client.fixture.ts'
import { type AggregationTest, startAggregationTest } from '../aggregation.fixture.ts'
import { type ExtensionServer, floodBytes, startExtensionServer } from '../extension-server.fixture.ts'

const flunders = '/apis/example.test/v1/namespaces/dev/flunders'

for (const http2 of [true, false])
  suite(`createProxy() over ${http2 ? 'HTTP/2' : 'HTTP/1.1'}`, () => {
    let environment: AggregationTest
    let extension: ExtensionServer

    before(async () => {
      environment = await startAggregationTest({
        tokens: [{ token: 'bob-token', username: 'bob', uid: 'u-bob', groups: ['dev'] }],
      })
      const { certificate, requestHeader } = environment
      extension = await startExtensionServer({ certificate, requestHeaderCa: requestHeader.cert, http2 })
      await environment.expose(extension.port)
      await environment.register()
      await environment.untilAvailable('True', 'Passed')
    })
    after(async () => {
      await environment[Symbol.asyncDispose]()
      await extension[Symbol.asyncDispose]()
      assert.deepEqual(environment.api.failures, [])
    })

    test('forwards requests and answers', async () => {
      const answer = await environment.admin.request('GET', `${flunders}/one?pretty=false`, { headers: { 'audit-id': 'mine' } })
      assert.equal(answer.status, 200)
      assert.equal((answer.value as { kind: string }).kind, 'Flunder')
      assert.equal(answer.headers['x-backend'], 'yes')
      assert.equal(answer.headers['audit-id'], 'mine')
      const request = extension.received.at(-1)
      assert.equal(request?.url, `${flunders}/one?pretty=false`)
      assert.equal(request.httpVersion, http2 ? '2.0' : '1.1')
      assert.equal(request.client, 'front-proxy-client')
      assert.equal(request.headers['audit-id'], 'mine')
      assert.equal(http2 ? request.headers[':authority'] : request.headers['host'], 'extension.dev.svc:443')
    })

    test('sends the identity of the user, and none of its credentials', async () => {
      await environment.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'flunders' },
        rules: [{ apiGroups: ['example.test'], resources: ['flunders'], verbs: ['list'] }],
      })
      await environment.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'flunders' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'flunders' },
        subjects: [{ kind: 'User', name: 'bob' }],
      })
      using bob = connectTo(environment.api, 'bob-token')
      const forged = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters', 'x-remote-extra-a': 'b' }
      assert.equal((await bob.request('GET', flunders, { headers: forged })).status, 200)
      const headers = extension.received.at(-1)?.headers ?? {}
      assert.deepEqual([headers['x-remote-user'], headers['x-remote-uid']], ['bob', 'u-bob'])
      // One header field per group, as servers do not split them.
      assert.deepEqual(extension.received.at(-1)?.groups, ['dev', 'system:authenticated'])
      assert.equal(headers['x-remote-extra-a'], undefined)
      assert.equal(headers['authorization'], undefined)
    })

    test('does not let a body pass as a second request', async () => {
      const hidden = `GET ${flunders}/hidden HTTP/1.1\r\nhost: x\r\nx-remote-user: root\r\nx-remote-group: system:masters\r\n\r\n`
      for (const method of ['DELETE', 'GET', 'OPTIONS'])
        await environment.admin.request(method, `${flunders}?a=${method}`, { body: hidden })
      // Everything sent before has been read when this is answered.
      await environment.admin.request('GET', `${flunders}/one`)
      assert.deepEqual(
        extension.received.filter(({ url, headers }) => url.endsWith('/hidden') || headers['x-remote-user'] === 'root'),
        [],
      )
    })

    test('sends the impersonated user', async () => {
      const answer = await environment.admin.request('GET', flunders, {
        headers: { 'impersonate-user': 'bob', 'impersonate-extra-scopes.x%2fy': 'all' },
      })
      assert.equal(answer.status, 200)
      const headers = extension.received.at(-1)?.headers ?? {}
      assert.equal(headers['x-remote-user'], 'bob')
      assert.equal(headers['x-remote-extra-scopes.x%2fy'], 'all')
      assert.ok(!Object.keys(headers).some((name) => name.startsWith('impersonate-')))
    })

    test('forwards only authorized requests', async () => {
      using bob = connectTo(environment.api, 'bob-token')
      const earlier = extension.received.length
      const answer = await bob.request('GET', `${flunders}/one`)
      assert.equal(answer.status, 403)
      assert.match(answer.text, /flunders\.example\.test \\"one\\" is forbidden: User \\"bob\\" cannot get resource/)
      assert.equal(extension.received.length, earlier)
    })

    test('streams bodies of any size, and lets the backend answer early', async () => {
      const body = 'x'.repeat(5 * 1024 * 1024)
      const answer = await environment.admin.request('POST', flunders, { body })
      assert.equal(answer.status, 201)
      assert.equal(answer.text, body)
      const refused = await environment.admin.request('POST', `${flunders}/refuse`, { body })
      assert.equal(refused.status, 403)
    })

    test('refuses ambiguous paths', async () => {
      const count = extension.received.length
      for (const path of ['one%2Ftalk', 'one%2ftalk', '..', '%2e%2e/secrets', 'one//talk', '%2E', 'a%5cb', 'a%252Fb']) {
        const answer = await environment.admin.request('GET', `${flunders}/${path}`)
        assert.deepEqual([answer.status, (answer.value as { reason: string }).reason], [400, 'BadRequest'], path)
      }
      assert.equal(extension.received.length, count)
      assert.equal((await environment.admin.request('GET', `${flunders}/?limit=1`)).status, 404)
      assert.equal(extension.received.at(-1)?.url, `${flunders}/?limit=1`)
    })

    test('applies back-pressure', async () => {
      const stream = environment.admin.session.request({ ':path': `${flunders}/flood` })
      await once(stream, 'response')
      await extension.floodStopped()
      assert.ok(extension.flooded < floodBytes)
      let got = 0
      for await (const chunk of stream as AsyncIterable<Buffer>) got += chunk.length
      assert.equal(got, floodBytes)
    })

    test('breaks the answer off when the backend does', async () => {
      const stream = environment.admin.session.request({ ':path': `${flunders}/half` })
      const readAll = async (): Promise<void> => {
        for await (const _ of stream);
      }
      await assert.rejects(readAll, { code: 'ERR_HTTP2_STREAM_ERROR' })
    })

    test('forwards answers without a body', async () => {
      const answer = await environment.admin.request('GET', `${flunders}/nothing`)
      assert.deepEqual([answer.status, answer.text], [204, ''])
      assert.equal((await environment.admin.request('HEAD', `${flunders}/one`)).status, 200)
    })

    test('serves HTTP/1.1 clients as well', async () => {
      const { port } = environment.api.server
      const ask = (method: string, path: string, body: readonly string[], headers: Record<string, string> = {}): Promise<string> =>
        new Promise((resolve, reject) => {
          const options = {
            port,
            host: '127.0.0.1',
            method,
            path: `${flunders}${path}`,
            headers,
            ca: environment.api.authority.cert,
            ...environment.api.admin,
          }
          const request = httpsRequest(options, (response) => {
            let text = `${response.statusCode} `
            response.setEncoding('utf8')
            response.on('data', (chunk: string) => (text += chunk))
            response.on('end', () => resolve(text))
          })
          request.on('error', reject)
          for (const chunk of body) request.write(chunk)
          request.end()
        })
      assert.equal(await ask('POST', '', ['in ', 'pieces']), '201 in pieces')
      assert.equal(await ask('POST', '', ['whole'], { 'content-length': '5' }), '201 whole')
      assert.match(await ask('GET', '/one', []), /^200 \{"apiVersion":"example.test\/v1"/)
      assert.equal(await ask('GET', '/nothing', []), '204 ')
      assert.match(await ask('POST', '/refuse', ['x'.repeat(1_000_000)]), /^403 /)
    })

    test('refuses redirects', async () => {
      const answer = await environment.admin.request('GET', `${flunders}/redirect`)
      assert.deepEqual([answer.status, answer.text], [502, 'the backend attempted to redirect this request, which is not permitted\n'])
    })

    test('forwards watches, and ends them when clients disconnect', async () => {
      const { stream, events } = environment.admin.watch(`${flunders}?watch=true`)
      assert.equal((await events.next()).value.type, 'ADDED')
      extension.emit({ type: 'DELETED', object: {} })
      assert.equal((await events.next()).value.type, 'DELETED')
      assert.equal(extension.watches, 1)
      stream.close()
      while (extension.watches > 0) await new Promise((resolve) => setImmediate(resolve))
    })

    test('forwards discovery, 404s included', async () => {
      const list = (await environment.admin.request('GET', '/apis/example.test/v1')).value as { resources: { name: string }[] }
      assert.deepEqual(
        list.resources.map(({ name }) => name),
        ['flunders', 'flunders/talk'],
      )
      const missing = await environment.admin.request('GET', `${flunders}/two`)
      assert.deepEqual([missing.status, (missing.value as { message: string }).message], [404, 'no such flunder'])
    })
  })
