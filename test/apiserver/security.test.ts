import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { type ClientHttp2Session, connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type EmbeddedApi, startEmbeddedApi } from '#apiserver/embedded-api.ts'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'

// A user without rights is refused on every path that the server advertises, so that a new one is
// not forgotten.

interface Answer {
  readonly status: number
  readonly value: { readonly reason?: string; readonly message?: string }
}

interface Question {
  readonly method: string
  readonly path: string
  /** A request such as `create pods/log`. */
  readonly what: string
}

interface DiscoveredResource {
  readonly name: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

/** Requests that are allowed to every authenticated user, as on every cluster. */
const forAll: ReadonlySet<string> = new Set([
  'create selfsubjectaccessreviews',
  'create selfsubjectrulesreviews',
  'create selfsubjectreviews',
  ...['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences'].flatMap((resource) =>
    ['get', 'list', 'watch'].map((verb) => `${verb} ${resource}`),
  ),
])
const methods: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}
const ofCollections: ReadonlySet<string> = new Set(['list', 'watch', 'create', 'deletecollection'])

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.io' },
  spec: {
    group: 'example.io',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

function questionsAbout(base: string, { name: resource, namespaced, verbs }: DiscoveredResource): Question[] {
  const [plural = '', subresource] = resource.split('/')
  const places = namespaced ? [`${base}/namespaces/default/${plural}`] : [`${base}/${plural}`]
  return verbs.flatMap((verb) => {
    const what = `${verb} ${resource}`
    const method = methods[verb] ?? 'GET'
    const everywhere = namespaced && subresource === undefined && (verb === 'list' || verb === 'watch') ? [`${base}/${plural}`] : []
    return [...places, ...everywhere].map((place) => {
      const path = subresource !== undefined ? `${place}/default/${subresource}` : ofCollections.has(verb) ? place : `${place}/default`
      return { method, what, path: verb === 'watch' ? `${path}?watch=1` : path }
    })
  })
}

suite('requests without rights', () => {
  let directory: string
  let api: EmbeddedApi
  let session: ClientHttp2Session
  const questions: Question[] = []

  const ask = (token: string | undefined, method: string, path: string, body?: object): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = {
        ':method': method,
        ':path': path,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        'content-type': path.includes('fieldManager=')
          ? 'application/apply-patch+yaml'
          : method === 'PATCH'
            ? 'application/merge-patch+json'
            : 'application/json',
      }
      const stream = session.request(headers, { endStream: false })
      let status = 0
      let text = ''
      stream.on('response', (headers) => {
        status = Number(headers[':status'])
        // An answer that does not end is one that should not have begun.
        if (path.endsWith('watch=1') && status === 200) stream.close()
      })
      stream.on('data', (chunk: Buffer) => (text += String(chunk)))
      stream.on('error', reject)
      stream.on('close', () => resolve({ status, value: (/^[{[]/.test(text) ? JSON.parse(text) : {}) as Answer['value'] }))
      stream.end(method === 'GET' ? '' : JSON.stringify(body ?? { metadata: { name: 'default' } }))
    })
  const read = async <T>(path: string): Promise<T> => (await ask('root', 'GET', path)).value as T

  const tokenFor = async (account: string): Promise<string> => {
    const { status, value } = await ask('root', 'POST', `/api/v1/namespaces/default/serviceaccounts/${account}/token`, { spec: {} })
    assert.equal(status, 201, value.message ?? '')
    return (value as { status: { token: string } }).status.token
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'security-'))
    const authority = await createTestAuthority()
    api = await startEmbeddedApi({
      database: join(directory, 'state.db'),
      synchronous: 'NORMAL',
      port: 0,
      tls: { ...(await authority.issue('apiserver', [], true)), clientCa: authority.cert },
      tokens: [
        { token: 'root', username: 'root', groups: ['system:masters'] },
        { token: 'eve', username: 'eve', groups: ['visitors'] },
      ],
      version: versionInfo('test', { commit: '', date: '', platform: 'linux/amd64' }),
      now: () => Date.now(),
      random: () => randomInt(2 ** 32) / 2 ** 32,
      log: { info: () => {}, warn: () => {}, error: (fields, message) => console.error(message, fields) },
    })
    session = connect(api.server.url, { ca: authority.cert })
    assert.equal((await ask('root', 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgets)).status, 201)
    while (api.registry.find('example.io', 'v1', 'widgets') === undefined) await new Promise((resolve) => setImmediate(resolve))
    const groups = (await read<{ groups: { versions: { groupVersion: string }[] }[] }>('/apis')).groups
    const bases = ['/api/v1', ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`))]
    for (const base of bases) {
      const { resources } = await read<{ resources: DiscoveredResource[] }>(base)
      for (const resource of resources) questions.push(...questionsAbout(base, resource))
    }
  })
  after(async () => {
    session.destroy()
    await api[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  /** Sends all requests, and returns those with an unexpected answer. */
  const surprises = async (token: string | undefined, expected: (question: Question, answer: Answer) => boolean): Promise<string[]> => {
    const found: string[] = []
    for (const question of questions) {
      const answer = await ask(token, question.method, question.path)
      if (!expected(question, answer)) found.push(`${question.method} ${question.path}: ${answer.status} ${answer.value.message ?? ''}`)
    }
    return found
  }
  const isForbidden = ({ what }: Question, { status, value }: Answer): boolean =>
    forAll.has(what) ? status !== 401 && status !== 403 : status === 403 && value.reason === 'Forbidden'

  test('discovery lists many endpoints', () => {
    assert.ok(questions.length > 200, `${questions.length} questions`)
    for (const what of [
      'create pods',
      'get pods/log',
      'create serviceaccounts/token',
      'patch widgets/status',
      'create tokenreviews',
      'deletecollection secrets',
    ]) {
      assert.ok(
        questions.some((question) => question.what === what),
        what,
      )
    }
  })
  test('a user without rights is refused at every endpoint', async () => {
    const { revision } = api.store
    assert.deepEqual(await surprises(undefined, (_question, { status }) => status === 401 || status === 403), [])
    assert.deepEqual(await surprises('wrong', (_question, { status, value }) => status === 401 && value.reason === 'Unauthorized'), [])
    assert.equal(api.store.revision, revision)
  })
  test('a user can change nothing', async () => {
    const { revision } = api.store
    assert.deepEqual(await surprises('eve', isForbidden), [])
    assert.equal(api.store.revision, revision)
  })
  test('a service account can change nothing', async () => {
    await ask('root', 'POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bot' } })
    const token = await tokenFor('bot')
    const { revision } = api.store
    assert.deepEqual(await surprises(token, isForbidden), [])
    assert.equal(api.store.revision, revision)
  })
  test('other paths are forbidden too, except health and version', async () => {
    for (const path of [
      '/',
      '/api',
      '/apis',
      '/openapi/v2',
      '/openapi/v3',
      '/metrics',
      '/logs',
      '/debug',
      '/.well-known/openid-configuration',
      '/openid/v1/jwks',
    ]) {
      assert.equal((await ask(undefined, 'GET', path)).status, 403, path)
    }
    for (const path of ['/healthz', '/readyz', '/livez', '/version']) assert.equal((await ask(undefined, 'GET', path)).status, 200, path)
    assert.equal((await ask('eve', 'GET', '/metrics')).status, 403)
  })

  test('a service account that may write roles and bindings cannot escalate its rights', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1'
    const inDefault = `${rbac}/namespaces/default`
    const write = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'], verbs: ['create', 'update', 'patch', 'get'] }
    await ask('root', 'POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'climber' } })
    const climber = { kind: 'ServiceAccount', name: 'climber', namespace: 'default' }
    await ask('root', 'POST', `${rbac}/clusterroles`, { metadata: { name: 'climber' }, rules: [write] })
    await ask('root', 'POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: 'climber' },
      roleRef: { kind: 'ClusterRole', name: 'climber' },
      subjects: [climber],
    })
    const token = await tokenFor('climber')

    const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
    const refRole = (kind: string, name: string): object => ({ metadata: { name: 'up' }, roleRef: { kind, name }, subjects: [climber] })
    const apply = 'fieldManager=me&force=true'
    const applied = (kind: string, name: string, more: object): object => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name },
      ...more,
    })
    const tries: readonly (readonly [string, string, object])[] = [
      ['POST', `${inDefault}/rolebindings`, refRole('ClusterRole', 'cluster-admin')],
      ['POST', `${inDefault}/rolebindings`, refRole('ClusterRole', 'admin')],
      ['POST', `${rbac}/clusterrolebindings`, refRole('ClusterRole', 'cluster-admin')],
      ['POST', `${inDefault}/roles`, { metadata: { name: 'up' }, rules: [everything] }],
      ['POST', `${inDefault}/roles`, { metadata: { name: 'up' }, rules: [{ ...write, verbs: ['escalate'] }] }],
      ['POST', `${rbac}/clusterroles`, { metadata: { name: 'up' }, rules: [{ ...write, verbs: ['bind'] }] }],
      ['POST', `${rbac}/clusterroles`, { metadata: { name: 'up' }, rules: [], aggregationRule: { clusterRoleSelectors: [{}] } }],
      ['PATCH', `${rbac}/clusterroles/climber`, { rules: [everything] }],
      ['PATCH', `${rbac}/clusterroles/climber?${apply}`, applied('ClusterRole', 'climber', { rules: [everything] })],
      ['PATCH', `${rbac}/clusterroles/up?${apply}`, applied('ClusterRole', 'up', { rules: [everything] })],
      [
        'PATCH',
        `${inDefault}/rolebindings/up?${apply}`,
        applied('RoleBinding', 'up', { ...refRole('ClusterRole', 'admin'), metadata: { name: 'up' } }),
      ],
      ['PATCH', `${rbac}/clusterroles/climber`, { aggregationRule: { clusterRoleSelectors: [{}] } }],
      ['PATCH', `${rbac}/clusterroles/cluster-admin`, { metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } } }],
      ['PATCH', `${rbac}/clusterrolebindings/cluster-admin`, { subjects: [climber] }],
    ]
    for (const [method, path, body] of tries) {
      const { status, value } = await ask(token, method, path, body)
      assert.equal(status, 403, `${method} ${path} ${JSON.stringify(body)}: ${status} ${value.message}`)
    }
    // What it has, it may hand on.
    const handedOn = await ask(token, 'POST', `${inDefault}/rolebindings`, refRole('ClusterRole', 'climber'))
    assert.equal(handedOn.status, 201, handedOn.value.message ?? '')
    assert.equal((await ask(token, 'GET', '/api/v1/namespaces/default/secrets')).status, 403)
  })
})
