import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
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

/** Where the components of a machine answer, counted from its API's port. */
const offsets = { virtApi: 3, virtController: 2, virtHandler: 10 }

/** Any free ports will do, as long as they lie as those of a machine do: somebody else may have one of them. */
async function listenTogether(status: () => number): Promise<{ readonly apiPort: number; readonly servers: readonly Server[] }> {
  for (;;) {
    const first = await listen(0, status)
    const apiPort = (first.address() as AddressInfo).port - offsets.virtApi
    const others = [offsets.virtController, offsets.virtHandler].map((offset) => listen(apiPort + offset, () => 200))
    const results = await Promise.allSettled(others)
    const servers = [first, ...results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))]
    if (servers.length === 3) return { apiPort, servers }
    for (const server of servers) server.close()
  }
}

test('a control plane is ready when its components say so themselves, whatever the API remembers of them', async () => {
  let status = 500
  const { apiPort, servers } = await listenTogether(() => status)
  const config = { apiPort, nodes: ['n1'] } as unknown as MachineConfig
  try {
    assert.equal(await missingParts(client, config), 'virt-api on n1')
    status = 200
    assert.equal(await missingParts(client, config), undefined)
    servers[2]?.close()
    assert.equal(await missingParts(client, config), 'virt-handler on n1')
  } finally {
    for (const server of servers) server.close()
  }
})
