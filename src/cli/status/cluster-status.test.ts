import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbidden, notFound, pathNotFound, StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { MachineConfig } from '#machine/home/config.ts'
import { readClusterStatus } from './cluster-status.ts'

const config = { apiPort: 7443, nodes: ['n1'] } as MachineConfig
const node = { metadata: { name: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }

function clientWith(guests: () => object[], platforms: () => object[] = () => [], cdi?: Record<string, string>): Client {
  const list = async ({ plural }: { plural: string }): Promise<object> => {
    if (plural === 'virtualmachineinstances') return { items: guests() }
    if (plural === 'hyperconvergeds') return { items: platforms() }
    return { items: plural === 'nodes' ? [node] : [] }
  }
  const get = (resource: { group: string; plural: string }, { name }: { name: string }): Promise<object> =>
    cdi === undefined ? Promise.reject(notFound(resource, name)) : Promise.resolve({ metadata: { name, labels: cdi } })
  return { list, get } as unknown as Client
}

const fail = (error: Error) => (): never => {
  throw error
}

test('readClusterStatus() reports components and nodes when the VMI CRD is gone', async () => {
  const { installed, guests, unreadyNodes, components } = await readClusterStatus(clientWith(fail(pathNotFound())), config)
  assert.deepEqual([installed, guests, unreadyNodes], [false, [], []])
  assert.ok(components.length > 0)
})

test('readClusterStatus() lists guests, and throws other errors', async () => {
  const vmi = { metadata: { namespace: 'a', name: 'web' }, status: { phase: 'Running', nodeName: 'n1' } }
  const { installed, guests } = await readClusterStatus(
    clientWith(() => [vmi]),
    config,
  )
  assert.deepEqual([installed, guests], [true, [{ namespace: 'a', name: 'web', phase: 'Running', node: 'n1' }]])
  const refused = forbidden({ group: 'kubevirt.io', plural: 'virtualmachineinstances' }, '', 'no')
  await assert.rejects(readClusterStatus(clientWith(fail(refused)), config), StatusError)
})

test('readClusterStatus() has the upgrade of the platform until it is complete', async () => {
  const upgrade = { from: 'v0.1.0', to: 'v0.2.0', stage: 'Components', startedAt: '2026-01-01T00:00:00Z' }
  const read = async (platforms: () => object[]): Promise<unknown> =>
    (
      await readClusterStatus(
        clientWith(() => [], platforms),
        config,
      )
    ).platformUpgrade
  assert.deepEqual(await read(() => [{ status: { steadyvm: { upgrade } } }]), upgrade)
  assert.equal(await read(() => [{ status: { steadyvm: { upgrade: { ...upgrade, completedAt: '2026-01-01T00:01:00Z' } } } }]), undefined)
  assert.equal(await read(fail(pathNotFound())), undefined)
})

test('readClusterStatus() says that imports are left to CDI where its CRDs are', async () => {
  const read = async (labels: Record<string, string>): Promise<unknown> =>
    (
      await readClusterStatus(
        clientWith(
          () => [],
          () => [],
          labels,
        ),
        config,
      )
    ).importsByCdi
  assert.deepEqual([await read({ 'cdi.kubevirt.io': '' }), await read({ 'kubevirt.io': '' })], [true, undefined])
})
