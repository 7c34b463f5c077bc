import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Client } from '#client/client.ts'
import type { MachineConfig } from '#machine/home/config.ts'
import { unreadyComponents } from './component-readiness.ts'

const config = { apiPort: 7443, nodes: ['n1'] } as MachineConfig
const node = { metadata: { name: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }

interface PodFacts {
  readonly ready?: boolean
  readonly leaving?: boolean
}

function pod(component: string, port: number, { ready = true, leaving = false }: PodFacts = {}): object {
  return {
    metadata: { labels: { 'kubevirt.io': component }, ...(leaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { nodeName: 'n1', containers: [{ readinessProbe: { httpGet: { port } } }] },
    status: { podIP: '127.0.0.1', containerStatuses: [{ name: component, ready }] },
  }
}

const clientOf = (pods: readonly object[]): Client =>
  ({ list: ({ plural }: { plural: string }) => Promise.resolve({ items: plural === 'nodes' ? [node] : pods }) }) as unknown as Client

async function listen(status: () => number): Promise<Server & { readonly port: number }> {
  const server = createServer((_, response) => response.writeHead(status()).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(server, { port: (server.address() as { port: number }).port })
}

test('unreadyComponents() trusts the health endpoints and not the recorded pod status', async () => {
  let status = 500
  const api = await listen(() => status)
  const others = await listen(() => 200)
  const base = ['apiserver', 'virt-operator', 'virt-controller'].map((component) => pod(component, others.port))
  const agent = pod('virt-handler', others.port)
  const all = [...base, pod('virt-api', api.port), agent]
  try {
    assert.equal(await unreadyComponents(clientOf(all), config), 'virt-api on n1')
    status = 200
    assert.equal(await unreadyComponents(clientOf(all), config), undefined)
    assert.equal(await unreadyComponents(clientOf(all.slice(0, -1)), config), 'virt-handler on n1 (not started)')
    // During a rollout one ready pod of two is enough; a terminating one does not count.
    const another = pod('virt-api', api.port, { ready: false })
    assert.equal(await unreadyComponents(clientOf([another, ...all]), config), undefined)
    assert.equal(
      await unreadyComponents(clientOf([...base, agent, pod('virt-api', api.port, { leaving: true })]), config),
      'virt-api on n1 (not started)',
    )
  } finally {
    for (const server of [api, others]) server.close()
  }
})
