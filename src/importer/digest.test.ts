import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { startFileServer, type Route } from './http/file-server.fixture.ts'
import { runWorker, type WorkerEnd } from './run-worker.ts'
import type { DigestTask } from './task/task.ts'

const manifest = Buffer.from(JSON.stringify({ mediaType: 'application/vnd.oci.image.index.v1+json', manifests: [] }))
const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`

function registry(header: Record<string, string>): Record<string, Route> {
  return {
    '/v2/': (_request, response) => void response.writeHead(200).end(),
    '/v2/images/a/manifests/latest': ({ method }, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/vnd.oci.image.index.v1+json', ...header })
        .end(method === 'HEAD' ? '' : manifest),
  }
}

function ask(source: DigestTask['source']): Promise<WorkerEnd> {
  return runWorker({
    environment: { IMPORTER_TASK: JSON.stringify({ kind: 'digest', source }) },
    signal: AbortSignal.timeout(20_000),
    temporary: '/nowhere',
    onError: () => undefined,
  })
}

suite('a worker that asks for a digest', () => {
  for (const [name, header] of [
    ['that the registry tells', { 'docker-content-digest': digest }],
    ['of a manifest that it reads', {}],
  ] as const)
    test(`finds the one ${name}`, async () => {
      await using server = await startFileServer(registry(header))
      const url = `docker://${new URL(server.origin).host}/images/a:latest`
      const { result, exitCode } = await ask({ kind: 'registry', url, insecureSkipVerify: true })
      assert.deepEqual([result.digest, exitCode], [digest, 0])
    })

  test('finds another one when the file of a server changes', async () => {
    await using server = await startFileServer({ '/a': { content: Buffer.from('a') } })
    const source = { kind: 'http', url: `${server.origin}/a`, headers: [], insecureSkipVerify: false } as const
    const [first, again] = [await ask(source), await ask(source)]
    assert.equal(first.result.digest, again.result.digest)
    server.routes.set('/a', { content: Buffer.from('b') })
    assert.notEqual((await ask(source)).result.digest, first.result.digest)
    server.routes.set('/a', { content: Buffer.from('b'), etag: 'none' })
    assert.deepEqual([(await ask(source)).result.reason, (await ask(source)).result.digest], ['SourceUnversioned', undefined])
  })

  test('refuses sources that have no digest', async () => {
    const { result } = await ask({ kind: 'blank' } as never)
    assert.equal(result.reason, 'TaskInvalid')
  })
})
