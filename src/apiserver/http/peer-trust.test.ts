import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import { createTestAuthority, type TestAuthority, type TestCertificate } from './tls.fixture.ts'

interface WhoAmI {
  readonly code?: number
  readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } }
}

// One CA signs users, another signs front proxies.
suite('Front proxies', () => {
  let api: TestServer
  let proxies: TestAuthority
  const asCarol = { 'x-remote-user': 'carol', 'x-remote-group': 'ops', 'x-remote-extra-scopes': 'read' }

  before(async () => {
    const [authority, proxyAuthority] = await Promise.all([createTestAuthority(), createTestAuthority('proxies')])
    proxies = proxyAuthority
    const serving = await authority.issue('apiserver', [], true)
    api = await startTestServer({
      tls: { ...serving, clientCa: authority.cert, proxyCa: proxies.cert },
      proxyNames: ['front-proxy'],
      authorizer: () => ({ allowed: true, reason: '' }),
    })
    Object.assign(api, { authority, admin: await authority.issue('alice', ['dev']) })
  })
  after(() => api[Symbol.asyncDispose]())

  const whoAmI = (client: TestCertificate | undefined, headers: Record<string, string>): Promise<WhoAmI> =>
    new Promise((resolve, reject) => {
      const session = connect(api.server.url, { ca: api.authority.cert, ...client })
      session.on('error', reject)
      const stream = session.request({ ':method': 'POST', ':path': '/apis/authentication.k8s.io/v1/selfsubjectreviews', ...headers })
      let text = ''
      stream.on('data', (chunk: Buffer) => (text += String(chunk)))
      stream.on('error', reject)
      stream.on('end', () => {
        session.close()
        resolve(JSON.parse(text) as WhoAmI)
      })
      stream.end('{}')
    })

  test('authenticate other users', async () => {
    const { status } = await whoAmI(await proxies.issue('front-proxy'), asCarol)
    assert.deepEqual(status?.userInfo, { username: 'carol', groups: ['ops', 'system:authenticated'], extra: { scopes: ['read'] } })
  })
  test('are anonymous without X-Remote-User', async () => {
    assert.equal((await whoAmI(await proxies.issue('front-proxy'), {})).code, 401)
    assert.equal((await whoAmI(await proxies.issue('root', ['system:masters']), {})).code, 401)
  })
  test('must have an allowed name', async () => assert.equal((await whoAmI(await proxies.issue('other'), asCarol)).code, 401))
  test('are not clients with a certificate of the users CA', async () => {
    assert.equal((await whoAmI(api.admin, asCarol)).status?.userInfo?.username, 'alice')
    assert.equal((await whoAmI(await api.authority.issue('front-proxy'), asCarol)).status?.userInfo?.username, 'front-proxy')
  })
  test('are not clients without a certificate, or with one of a CA of the same name', async () => {
    assert.equal((await whoAmI(undefined, asCarol)).status?.userInfo?.username, 'system:anonymous')
    const namesake = await createTestAuthority('proxies')
    assert.equal((await whoAmI(await namesake.issue('front-proxy'), asCarol)).code, 401)
    const leaf = await namesake.issue('front-proxy')
    assert.equal((await whoAmI({ ...leaf, cert: `${leaf.cert}\n${proxies.cert}` }, asCarol)).code, 401)
    const ofUsers = await api.authority.issue('front-proxy')
    const padded = await whoAmI({ ...ofUsers, cert: `${ofUsers.cert}\n${proxies.cert}` }, asCarol)
    assert.equal(padded.status?.userInfo?.username, 'front-proxy')
  })
})
