import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import { connectTo, type TestClient } from '#apiserver/http/http2-client.fixture.ts'
import { createServiceAccountTokens, type ServiceAccountTokens } from '#apiserver/service-accounts/service-account-tokens.ts'
import { generateSigningKey } from '#apiserver/service-accounts/signing-key.ts'

suite('createReviews()', () => {
  let api: TestServer
  let admin: TestClient
  let bob: TestClient
  const bot = { metadata: { name: 'bot', namespace: 'dev', uid: 'u' } }
  const accountTokens: ServiceAccountTokens = createServiceAccountTokens({
    signingKey: generateSigningKey(),
    store: { get: (resource) => (resource === '/serviceaccounts' ? { object: bot, revision: 1, json: Buffer.alloc(0) } : undefined) },
    now: () => Date.now(),
    randomUuid: () => 'id',
  })
  const asJson = { 'content-type': 'application/json' }

  before(async () => {
    api = await startTestServer({ accountTokens })
    admin = connectTo(api)
    bob = connectTo(api, 'bob-token')
    const rbac = '/apis/rbac.authorization.k8s.io/v1'
    const role = {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['a'] }],
    }
    const binding = {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'dev' }],
    }
    for (const [plural, body] of [['clusterroles', role] as const, ['clusterrolebindings', binding] as const])
      assert.equal((await admin.request('POST', `${rbac}/${plural}`, { headers: asJson, body })).status, 201)
  })
  after(async () => {
    admin[Symbol.dispose]()
    bob[Symbol.dispose]()
    await api[Symbol.asyncDispose]()
  })

  interface Answer {
    readonly code?: number
    readonly message?: string
    readonly status?: unknown
  }
  const ask = async (client: TestClient, path: string, spec: object): Promise<Answer> =>
    (await client.request('POST', `/apis/${path}`, { headers: asJson, body: { spec } })).value as Answer
  const authorization = 'authorization.k8s.io/v1'
  const getA = { verb: 'get', resource: 'configmaps', name: 'a', namespace: 'dev' }
  const byRole = {
    allowed: true,
    reason: 'RBAC: allowed by ClusterRoleBinding "reader" of ClusterRole "reader" to Group "dev"',
  }

  test('refuses to render an answer as a table', async () => {
    const path = `/apis/${authorization}/selfsubjectaccessreviews`
    const accept = (value: string) =>
      admin.request('POST', path, { headers: { ...asJson, accept: value }, body: { spec: { resourceAttributes: getA } } })
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    assert.deepEqual([(await accept(table)).status, (await accept(`${table},application/json`)).status], [406, 201])
  })

  test('reports whether the caller may, and by which binding', async () => {
    const self = (resourceAttributes: object): Promise<Answer> =>
      ask(bob, `${authorization}/selfsubjectaccessreviews`, { resourceAttributes })
    assert.deepEqual((await self(getA)).status, byRole)
    assert.deepEqual((await self({ ...getA, name: 'b' })).status, { allowed: false })
    // Selectors are accepted and have no effect.
    assert.deepEqual((await self({ ...getA, labelSelector: { rawSelector: 'x=y' } })).status, byRole)
    const path = await ask(bob, `${authorization}/selfsubjectaccessreviews`, { nonResourceAttributes: { verb: 'get', path: '/version' } })
    assert.equal((path.status as { allowed: boolean }).allowed, true)
  })
  test('reports whether others may, to authorized callers', async () => {
    const spec = { user: 'eve', groups: ['dev'], extra: { a: ['b'] }, resourceAttributes: getA }
    assert.deepEqual((await ask(admin, `${authorization}/subjectaccessreviews`, spec)).status, byRole)
    assert.deepEqual((await ask(admin, `${authorization}/namespaces/dev/localsubjectaccessreviews`, spec)).status, byRole)
    assert.equal((await ask(bob, `${authorization}/subjectaccessreviews`, spec)).code, 403)
  })
  const senseless: readonly (readonly [string, string, object, number, RegExp])[] = [
    ['no attributes', 'selfsubjectaccessreviews', {}, 422, /exactly one of nonResourceAttributes or resourceAttributes must be specified/],
    [
      'two kinds of attributes',
      'selfsubjectaccessreviews',
      { resourceAttributes: getA, nonResourceAttributes: { path: '/' } },
      422,
      /cannot be specified in combination with resourceAttributes/,
    ],
    ['nobody', 'subjectaccessreviews', { resourceAttributes: getA }, 422, /at least one of user or group must be specified/],
    [
      'another namespace',
      'namespaces/prod/localsubjectaccessreviews',
      { user: 'eve', resourceAttributes: getA },
      400,
      /spec.resourceAttributes.namespace must match namespace: prod/,
    ],
    ['no namespace', 'selfsubjectrulesreviews', {}, 400, /no namespace on request/],
    ['a text for attributes', 'selfsubjectaccessreviews', { resourceAttributes: 'x' }, 400, /cannot unmarshal string/],
  ]
  for (const [what, path, spec, code, message] of senseless) {
    test(`refuses a review with ${what}`, async () => {
      const answer = await ask(admin, `${authorization}/${path}`, spec)
      assert.equal(answer.code, code)
      assert.match(answer.message ?? '', message)
    })
  }
  test('lists the rules of the caller in a namespace', async () => {
    const { status } = await ask(bob, `${authorization}/selfsubjectrulesreviews`, { namespace: 'dev' })
    const { resourceRules, nonResourceRules, incomplete } = status as {
      resourceRules: object[]
      nonResourceRules: object[]
      incomplete: boolean
    }
    assert.ok(resourceRules.some((rule) => JSON.stringify(rule).includes('"configmaps"')))
    assert.ok(nonResourceRules.length > 0)
    assert.equal(incomplete, false)
  })

  suite('of tokens', () => {
    const review = async (spec: object): Promise<unknown> => (await ask(admin, 'authentication.k8s.io/v1/tokenreviews', spec)).status
    const subject = { namespace: 'dev', serviceaccount: { name: 'bot', uid: 'u' } }
    test('returns the user', async () => {
      const token = accountTokens.issue(subject, accountTokens.audiences, 600)
      const { user, ...status } = (await review({ token })) as { user: { username: string } }
      assert.equal(user.username, 'system:serviceaccount:dev:bot')
      assert.deepEqual(status, { authenticated: true, audiences: accountTokens.audiences })
      assert.equal(((await review({ token: 'bob-token' })) as { user: { username: string } }).user.username, 'bob')
    })
    test('returns the valid audiences', async () => {
      const token = accountTokens.issue(subject, ['vault', 'files'], 600)
      assert.deepEqual(((await review({ token, audiences: ['files', 'x'] })) as { audiences: string[] }).audiences, ['files'])
      for (const wrong of [{ token }, { token, audiences: ['x'] }, { token: 'bob-token', audiences: ['x'] }, { token: 'none' }]) {
        const { user, error, ...rest } = (await review(wrong)) as { user: object; error: string }
        assert.deepEqual([user, rest], [{}, {}])
        assert.match(error, /invalid bearer token/)
      }
    })
    test('requires a token', async () => assert.equal((await ask(admin, 'authentication.k8s.io/v1/tokenreviews', {})).code, 400))
    test('is published in OpenID discovery', async () => {
      const configuration = (await admin.request('GET', '/.well-known/openid-configuration')).value as { issuer: string; jwks_uri: string }
      assert.equal(configuration.issuer, accountTokens.issuer)
      assert.equal(configuration.jwks_uri, `${api.server.url}/openid/v1/jwks`)
      const answer = await admin.request('GET', '/openid/v1/jwks')
      assert.equal(answer.headers['content-type'], 'application/jwk-set+json')
      assert.deepEqual(answer.value, { keys: accountTokens.publicKeys })
      assert.equal((await admin.request('GET', '/openid/v1/other')).status, 404)
    })
  })
})
