import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { credentialIdExtra } from '#api/access/component-users.ts'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import { connectTo, type TestClient } from '#apiserver/http/http2-client.fixture.ts'
import type { AuditEvent, RecordedBodies } from './audit-event.ts'
import { createAuditor } from './auditor.ts'

suite('createAuditor()', () => {
  let api: TestServer
  let admin: TestClient
  let bob: TestClient
  const recorded: (AuditEvent & { readonly bodies: RecordedBodies })[] = []
  const maps = '/api/v1/namespaces/dev/configmaps'
  const asJson = { 'content-type': 'application/json' }

  before(async () => {
    const audit = createAuditor(
      { omitStages: ['RequestReceived'], rules: [{ level: 'None', nonResourceURLs: ['/version'] }, { level: 'RequestResponse' }] },
      (event, bodies) => recorded.push({ ...event, bodies }),
      () => Date.now(),
    )
    api = await startTestServer({ audit })
    admin = connectTo(api)
    bob = connectTo(api, 'bob-token')
    await admin.request('POST', '/api/v1/namespaces', { headers: asJson, body: { metadata: { name: 'dev' } } })
  })
  after(async () => {
    admin[Symbol.dispose]()
    bob[Symbol.dispose]()
    await api[Symbol.asyncDispose]()
  })
  const last = (): (typeof recorded)[number] | undefined => recorded.at(-1)

  test('records user, object, impersonation and result', async () => {
    const headers = {
      ...asJson,
      'audit-id': 'a1',
      'user-agent': 'tester',
      'impersonate-user': 'root',
      'impersonate-group': 'system:masters',
    }
    await admin.request('POST', maps, { headers, body: JSON.stringify({ metadata: { name: 'a' } }) })
    const { requestReceivedTimestamp, stageTimestamp, bodies, ...event } = last() ?? assert.fail()
    const extra = event.user.extra?.[credentialIdExtra]
    assert.match(extra?.join() ?? '', /^X509SHA256=[0-9a-f]{64}$/)
    assert.match(requestReceivedTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    assert.ok(stageTimestamp >= requestReceivedTimestamp)
    assert.deepEqual(event, {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      auditID: 'a1',
      stage: 'ResponseComplete',
      requestURI: maps,
      verb: 'create',
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'], extra: { [credentialIdExtra]: extra } },
      impersonatedUser: { username: 'root', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['127.0.0.1'],
      userAgent: 'tester',
      objectRef: { resource: 'configmaps', namespace: 'dev', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    })
    assert.equal(bodies.request?.bytes.toString(), '{"metadata":{"name":"a"}}')
    assert.match(bodies.response?.toString() ?? '', /"uid"/)
  })

  test('records refusals with their reason', async () => {
    await bob.request('DELETE', `${maps}/a`)
    assert.equal(last()?.responseStatus?.reason, 'Forbidden')
    assert.equal(last()?.annotations?.['authorization.k8s.io/decision'], 'forbid')
    await bob.request('DELETE', `${maps}/a`, { headers: { authorization: 'Bearer wrong' } })
    assert.deepEqual([last()?.user, last()?.responseStatus?.code], [{}, 401])
    assert.ok(!JSON.stringify(recorded).includes('-token'))
  })

  test('never records secrets', async () => {
    const body = JSON.stringify({ metadata: { name: 's' }, stringData: { password: 'hunter2' } })
    await admin.request('POST', '/api/v1/namespaces/dev/secrets', { headers: asJson, body })
    assert.equal(last()?.level, 'Metadata')
    assert.equal(last()?.bodies.response, undefined)
    await admin.request('GET', '/api/v1/namespaces/dev/secrets')
    assert.deepEqual([last()?.level, last()?.bodies.request, last()?.bodies.response], ['Metadata', undefined, undefined])
  })

  test('drops messages that may quote secrets, and truncates others', async () => {
    const patch = (path: string, value: string): Promise<unknown> =>
      admin.request('PATCH', `${path}?fieldValidation=Strict`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: `{"data":{"a":"x","a":"${value}"}}`,
      })
    await patch('/api/v1/namespaces/dev/secrets/s', 'aHVudGVyMg==')
    assert.equal(last()?.responseStatus?.code, 422)
    assert.ok(!JSON.stringify(last()?.responseStatus).includes('aHVudGVyMg'))
    await patch(`${maps}/a`, 'long'.repeat(10_000))
    assert.match(last()?.responseStatus?.message ?? '', /duplicate|long/)
    assert.ok(JSON.stringify(last()?.responseStatus).length < 20_000)
  })

  test('records a watch at its start and end', async () => {
    const { stream } = admin.watch(`${maps}?watch=1`)
    await new Promise((resolve) => stream.once('response', resolve))
    assert.deepEqual([last()?.verb, last()?.stage], ['watch', 'ResponseStarted'])
    stream.close()
    while (last()?.stage !== 'ResponseComplete') await new Promise((resolve) => setImmediate(resolve))
    assert.equal(last()?.verb, 'watch')
  })

  test('omits the stages that the policy omits', async () => {
    const before_ = recorded.length
    await admin.request('GET', '/version')
    assert.equal(recorded.length, before_)
  })
})
