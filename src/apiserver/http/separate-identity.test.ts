import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import { separateIdentity } from './separate-identity.ts'

suite('separateIdentity()', () => {
  test('returns headers without identity unchanged', () => {
    const headers = { accept: 'a, b' }
    assert.equal(separateIdentity(headers, ['accept', 'a', 'accept', 'b']), headers)
  })
  test('separates values, and decodes them as UTF-8', () => {
    const name = Buffer.from('Jürgen 水').toString('latin1')
    const raw = [
      'Impersonate-User',
      name,
      'Impersonate-Group',
      'a, b',
      'accept',
      'x',
      'impersonate-group',
      'c',
      'X-Remote-User',
      'caf\u00e9',
    ]
    const headers = { 'impersonate-user': name, 'impersonate-group': 'a, b, c', accept: 'x', 'x-remote-user': 'caf\u00e9' }
    assert.deepEqual(separateIdentity(headers, raw), {
      'impersonate-user': ['Jürgen 水'],
      'impersonate-group': ['a, b', 'c'],
      accept: 'x',
      // Invalid UTF-8 stays as it is.
      'x-remote-user': ['café'],
    })
  })
})

suite('Identity headers', () => {
  let api: TestServer
  before(async () => {
    api = await startTestServer()
  })
  after(() => api[Symbol.asyncDispose]())
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const headers = { 'impersonate-user': Buffer.from('Jürgen').toString('latin1'), 'impersonate-group': ['a, system:masters', 'b'] }
  const expected = { username: 'Jürgen', groups: ['a, system:masters', 'b', 'system:authenticated'] }
  const userOf = (text: string): unknown => (JSON.parse(text) as { status: { userInfo: unknown } }).status.userInfo

  test('are read the same in HTTP/2', async () => {
    const session = connect(api.server.url, { ca: api.authority.cert, ...api.admin })
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers })
    stream.end('{}')
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    session.close()
    assert.deepEqual(userOf(text), expected)
  })
  test('are read the same in HTTP/1.1', async () => {
    const options = { method: 'POST', headers, ca: api.authority.cert, ...api.admin, agent: false as const }
    const text = await new Promise<string>((resolve, reject) => {
      const asked = httpsRequest(`${api.server.url}${path}`, options, (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += String(chunk)))
        response.on('end', () => resolve(body))
      })
      asked.on('error', reject)
      // A Buffer, as a string body makes Node encode the headers as UTF-8 once more.
      asked.end(Buffer.from('{}'))
    })
    assert.deepEqual(userOf(text), expected)
  })
})
