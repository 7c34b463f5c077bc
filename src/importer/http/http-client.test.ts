import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { issueTestCertificates } from '../certificates.fixture.ts'
import type { ImportFailure } from '../failure.ts'
import { createHttpClient, type HttpClientOptions } from './http-client.ts'
import { type Route, startFileServer } from './file-server.fixture.ts'

const signal = new AbortController().signal
const content = Buffer.from('content')

/** Sends a GET, and returns status and body. */
async function get(url: string, options: Partial<HttpClientOptions> = {}, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  using client = createHttpClient({ authorities: [], insecureSkipVerify: false, idleMs: 5_000, ...options })
  const { body } = await client.send({ url: new URL(url), headers }, signal)
  return Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>)).toString()
}

const reasonOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => 'none',
    (error: unknown) => (error as ImportFailure).reason,
  )

suite('createHttpClient()', () => {
  test('trusts the authorities that it is given, and no others', async () => {
    const { authority, server: tls } = await issueTestCertificates()
    await using server = await startFileServer({ '/file': { content } }, { cert: tls.certificate, key: tls.key })
    assert.equal(await get(`${server.origin}/file`, { authorities: [authority] }), 'content')
    assert.equal(await get(`${server.origin}/file`, { insecureSkipVerify: true }), 'content')
    assert.equal(await reasonOf(get(`${server.origin}/file`)), 'CertificateNotTrusted')
  })

  test('follows no redirect from HTTPS to HTTP', async () => {
    const { authority, server: tls } = await issueTestCertificates()
    await using plain = await startFileServer({ '/file': { content } })
    const away: Route = (_request, response) => void response.writeHead(302, { location: `${plain.origin}/file` }).end()
    await using server = await startFileServer({ '/file': away }, { cert: tls.certificate, key: tls.key })
    assert.equal(await reasonOf(get(`${server.origin}/file`, { authorities: [authority] })), 'RedirectRefused')
    assert.deepEqual(plain.requests, [])
  })

  test('sends headers to the server that they are for, and to no other', async () => {
    await using other = await startFileServer({ '/file': { content } })
    await using own = await startFileServer({
      '/here': (_request, response) => void response.writeHead(307, { location: '/there' }).end(),
      '/there': (_request, response) => void response.writeHead(302, { location: `${other.origin}/file` }).end(),
    })
    assert.equal(await get(`${own.origin}/here`, {}, { authorization: 'Basic secret', 'x-token': 'secret' }), 'content')
    assert.deepEqual(
      own.headers.map((each) => each['x-token']),
      ['secret', 'secret'],
    )
    assert.deepEqual([other.headers[0]?.authorization, other.headers[0]?.['x-token']], [undefined, undefined])
  })

  test('tells why a server was not read', async () => {
    await using server = await startFileServer({
      '/busy': (_request, response) => void response.writeHead(503).end('<p>come   back</p>'),
      '/private': (_request, response) => void response.writeHead(403).end(),
    })
    const cases = ['busy', 'private', 'missing'].map((path) => reasonOf(get(`${server.origin}/${path}`)))
    assert.deepEqual(await Promise.all(cases), ['SourceUnreachable', 'SourceRefused', 'SourceNotFound'])
    assert.equal(await reasonOf(get('http://127.0.0.1:1/file')), 'SourceUnreachable')
    assert.equal(await reasonOf(get('ftp://127.0.0.1/file')), 'TaskInvalid')
  })
})
