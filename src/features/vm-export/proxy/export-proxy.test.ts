import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createPlainServer, request, type IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { notFound } from '#apimachinery/errors.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { certificateNames } from '#features/certificates/index.ts'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { externalPathOf } from './export-publisher.ts'
import { createExportProxy } from './export-proxy.ts'

const lifetime = { nowMs: Date.now(), lifetimeMs: 3_600_000 }

test('the export proxy leads to the server of a ready export only, with its token and nothing else', async () => {
  const [authority, other] = [
    await createAuthority({ commonName: 'a', ...lifetime }),
    await createAuthority({ commonName: 'b', ...lifetime }),
  ]
  const names = [{ type: 'dns', value: 'virt-export-out.n.svc' }] as const
  const serving = await authority.issue({ subject: 'CN=x', usage: 'server', names, ...lifetime })
  const seen: IncomingMessage[] = []
  const server = createServer({ cert: serving.certificate, key: serving.key }, (incoming, response) => {
    seen.push(incoming)
    response.writeHead(206, { 'content-range': 'bytes 0-1/9', 'x-own': 'y' }).end('ok')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  let phase = 'Ready'
  let trusted = authority.own.certificate
  const client = {
    get: (resource: { kind: string }, { name }: { name: string }) =>
      resource.kind === configMaps.kind
        ? Promise.resolve({ data: { [certificateNames.bundleKey]: trusted } })
        : name === 'out'
          ? Promise.resolve({ metadata: { namespace: 'n', name }, status: { phase } })
          : Promise.reject(notFound(configMaps, name)),
  } as unknown as Client
  const addressOf = (): { host: string; port: number } => ({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  const proxy = createExportProxy({ client, log: silentLogger, addressOf })
  const front = createPlainServer((incoming, response) => void proxy.serve(incoming, response))
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const ask = async (path: string, method = 'GET'): Promise<readonly [number | undefined, string]> => {
    const headers = { 'x-kubevirt-export-token': 't', cookie: 'secret', authorization: 'Bearer me', range: 'bytes=0-1' }
    const sent = request({ host: '127.0.0.1', port: (front.address() as AddressInfo).port, path, method, headers, agent: false })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    assert.equal(response.headers['x-own'], undefined)
    return [response.statusCode, Buffer.concat((await response.toArray()) as Buffer[]).toString()]
  }
  const base = externalPathOf('n', 'out')
  assert.ok(proxy.handles({ url: `${base}/x` }) && !proxy.handles({ url: '/apis' }))
  assert.deepEqual(await ask(`${base}/volumes/a/disk.img`), [206, 'ok'])
  const { url, headers } = seen[0] ?? assert.fail('nothing has arrived')
  assert.deepEqual(
    [url, headers['x-kubevirt-export-token'], headers['range'], headers.cookie, headers.authorization],
    ['/volumes/a/disk.img', 't', 'bytes=0-1', undefined, undefined],
  )
  const codes = [await ask(`${externalPathOf('n', 'none')}/x`), await ask(base), await ask(`${base}/x`, 'POST')].map(([code]) => code)
  assert.deepEqual(codes, [404, 400, 405])
  phase = 'Pending'
  assert.equal((await ask(`${base}/x`))[0], 503)
  phase = 'Ready'
  trusted = other.own.certificate
  assert.equal((await ask(`${base}/x`))[0], 503, 'a server without a certificate of the authority')
  assert.equal(seen.length, 1)
  front.close()
  server.close()
})
