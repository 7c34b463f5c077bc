import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { createComponentEndpoint } from './component-endpoint.ts'

test('/healthz has the body of KubeVirt: the version of the API server, and that of the configuration in force', async () => {
  const kubevirt = { metadata: { namespace: 'kubevirt', name: 'kubevirt', resourceVersion: '7' } } as KubeVirt
  const stored: KubeVirt[] = []
  const answers: (() => object)[] = [
    () => {
      throw new TypeError('no route to host')
    },
    () => ({ gitVersion: 'v1.33.0' }),
  ]
  const endpoint = createComponentEndpoint({
    kubevirts: { list: () => stored },
    version: async () => answers.shift()?.() ?? assert.fail('asked again'),
    health: { address: { host: '127.0.0.1', port: 0 }, checks: { healthz: {}, readyz: { leader: () => 'no leader' } } },
  })
  const server = createServer((request, response) => void endpoint(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ask = async (path: string): Promise<{ code: number; text: string }> => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers: { connection: 'close' } })
    return { code: response.status, text: await response.text() }
  }
  const healthz = async (): Promise<unknown> => {
    const { code, text } = await ask('//healthz')
    return [code, JSON.parse(text)]
  }
  assert.deepEqual(await healthz(), [
    500,
    { apiserver: { connectivity: 'failed', error: 'no route to host' }, 'config-resource-version': '' },
  ])
  stored.push(kubevirt)
  const good = { apiserver: { connectivity: 'ok', version: { gitVersion: 'v1.33.0' } }, 'config-resource-version': '7' }
  assert.deepEqual(await healthz(), [200, good])
  stored[0] = { ...kubevirt, metadata: { ...kubevirt.metadata, resourceVersion: '8' } }
  assert.deepEqual(await healthz(), [200, { ...good, 'config-resource-version': '8' }])
  assert.equal((await ask('/readyz')).code, 500)
  assert.equal((await ask('/livez')).text, 'ok')
  server.close()
})
