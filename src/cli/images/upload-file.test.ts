import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Client } from '#client/client.ts'
import { testContext } from '../cli-context.fixture.ts'
import { CommandError } from '../context.ts'
import { uploadFile } from './upload-file.ts'

const content = randomBytes(3_000_000)
const digits = createHash('sha256').update(content).digest('hex')
const client = { create: async () => ({ status: { token: 't' } }) } as unknown as Client

suite('uploadFile()', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upload-'))
    await writeFile(join(folder, 'image'), content)
  })
  after(() => rm(folder, { recursive: true }))

  type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void
  const uploadTo = async (handler: Handler): Promise<{ readonly asked: readonly IncomingMessage[]; readonly stderr: string }> => {
    const asked: IncomingMessage[] = []
    const server = createServer((request, response) => {
      asked.push(request)
      request.on('error', () => {})
      void Promise.resolve(handler(request, response)).catch(() => {})
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { context, printed } = testContext({})
    const image = {
      path: join(folder, 'image'),
      bytes: content.length,
      virtualBytes: undefined,
      digest: { algorithm: 'sha256', digits },
    } as const
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await uploadFile(
        { ...context, sleep: async () => {} },
        { client, server: { url, isInsecure: false }, key: { namespace: 'n', name: 'a' }, image },
      )
    } finally {
      server.close()
      server.closeAllConnections()
    }
    return { asked, stderr: printed.stderr }
  }

  test('sends each byte once, over as many connections as it takes, with the digest of the file', async () => {
    const parts: Buffer[] = []
    const kept = (): number => parts.reduce((sum, { length }) => sum + length, 0)
    let breaks = 0
    const { asked, stderr } = await uploadTo(async (request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(204, { 'upload-offset': kept(), 'upload-complete': '?0' }).end()
      if (kept() > 0) assert.deepEqual([request.method, request.headers['upload-offset']], ['PATCH', String(kept())])
      const mayBreak = breaks < 7
      for await (const chunk of request as AsyncIterable<Buffer>) {
        parts.push(chunk)
        if (!mayBreak || parts.length % 5 !== 0) continue
        breaks++
        return void request.destroy()
      }
      response.writeHead(200).end()
    })
    assert.equal(breaks, 7)
    assert.ok(Buffer.concat(parts).equals(content))
    assert.ok(asked.every(({ url }) => url === `/v1beta1/upload-async?upload=sha256:${digits}`))
    assert.equal(asked.at(-1)?.headers['repr-digest'], `sha-256=:${Buffer.from(digits, 'hex').toString('base64')}:`)
    assert.match(stderr, /note: the upload is continued/)
  })

  test('sends nothing that is there', async () => {
    const { asked } = await uploadTo((_request, response) => void response.writeHead(204, { 'upload-complete': '?1' }).end())
    assert.deepEqual(
      asked.map(({ method }) => method),
      ['HEAD'],
    )
  })

  test('sends the whole file to a server that knows nothing of continuing, such as CDI', async () => {
    let bytes = 0
    const { asked } = await uploadTo(async (request, response) => {
      for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length
      response.writeHead(200).end()
    })
    assert.equal(bytes, content.length)
    assert.deepEqual(
      asked.map(({ method, url }) => `${method} ${url?.split('?')[0]}`),
      ['HEAD /v1beta1/upload-async', 'POST /v1beta1/upload-async'],
    )
    assert.equal(asked.at(-1)?.headers['repr-digest'], undefined)
  })

  test('gives up what is refused, and a server that is never there', async () => {
    const refused = uploadTo((request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(204, { 'upload-offset': 0, 'upload-complete': '?0' }).end()
      request.resume()
      response.writeHead(400).end('Saving stream failed: it has the sha256 of another one')
    })
    await assert.rejects(refused, (error) => error instanceof CommandError && error.message.includes('another one'))
    let asked = 0
    const away = uploadTo((_request, response) => {
      asked++
      response.writeHead(503).end()
    })
    await assert.rejects(away, CommandError)
    assert.equal(asked, 30)
  })
})
