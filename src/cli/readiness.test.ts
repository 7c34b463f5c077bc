import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Client } from '#client/client.ts'
import type { MachineConfig } from '#machine/config.ts'
import { missingParts } from './readiness.ts'

const components = ['apiserver', 'virt-api', 'virt-controller', 'virt-handler']

/** All that an earlier life of the cluster has left in the API: everything is ready. */
const client = {
  list: (resource: { plural: string }) =>
    Promise.resolve({
      items:
        resource.plural === 'nodes'
          ? [{ metadata: { name: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }]
          : components.map((name) => ({ metadata: { name: `${name}-n1` }, status: { containerStatuses: [{ name, ready: true }] } })),
    }),
} as unknown as Client

async function listen(port: number, status: () => number): Promise<Server> {
  const server = createServer((_, response) => response.writeHead(status()).end())
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

test('a control plane is ready when its components say so themselves, whatever the API remembers of them', async () => {
  let status = 500
  // Any free port will do for one of the four; the others follow from it.
  const health = await listen(0, () => status)
  const { port } = health.address() as { port: number }
  const config = { apiPort: port - 3, nodes: ['n1'] } as unknown as MachineConfig
  const others = await Promise.all([port - 1, port + 7].map((other) => listen(other, () => 200)))
  try {
    assert.equal(await missingParts(client, config), 'virt-api on n1')
    status = 200
    assert.equal(await missingParts(client, config), undefined)
    others[1]?.close()
    assert.equal(await missingParts(client, config), 'virt-handler on n1')
  } finally {
    for (const server of [health, ...others]) server.close()
  }
})
