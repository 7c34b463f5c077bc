import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachineInstancetypes } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { forbidden, notFound } from '#apimachinery/errors.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client, ListOptions } from '#client/client.ts'
import { readClusterState } from './read-cluster-state.ts'

type Lists = Pick<Client, 'get' | 'list'>

/** A client with three pages of VMs, which refuses some kinds. */
function clientWith(refuse: (resource: ResourceType<unknown>) => Error | undefined): { client: Lists; asked: string[] } {
  const asked: string[] = []
  const list = async (resource: ResourceType<unknown>, options: ListOptions = {}): Promise<object> => {
    asked.push(`${options.namespace ?? '*'}/${resource.plural}`)
    const refusal = refuse(resource)
    if (refusal !== undefined) throw refusal
    if (resource.kind !== 'VirtualMachine') return { items: [] }
    const page = Number(options.continue ?? '0')
    return { metadata: page < 2 ? { continue: String(page + 1) } : {}, items: [{ metadata: { name: `vm-${page}`, namespace: 'a' } }] }
  }
  return { client: { list, get: () => assert.fail('nothing is read by name') } as unknown as Lists, asked }
}

suite('readClusterState()', () => {
  test('reads all pages, and namespaced kinds in the requested namespace, except the configuration', async () => {
    const { client, asked } = clientWith(() => undefined)
    const cluster = await readClusterState(client, { namespace: 'a' })
    assert.equal(cluster.list(virtualMachines).length, 3)
    assert.ok(asked.includes('a/virtualmachineinstancetypes'))
    for (const everywhere of ['*/virtualmachineclusterinstancetypes', '*/kubevirts']) assert.ok(asked.includes(everywhere), everywhere)
  })

  test('continues without kinds that the cluster does not serve, and without an unreadable configuration', async () => {
    const gaps: string[] = []
    const { client } = clientWith((resource) => {
      if (resource.kind === 'KubeVirt') return forbidden(resource, '', 'no')
      return resource.plural === virtualMachineInstancetypes.plural ? notFound(resource, '') : undefined
    })
    assert.equal((await readClusterState(client, { onGap: (gap) => gaps.push(gap) })).list(virtualMachines).length, 3)
    assert.equal(gaps.length, 2)
  })

  test('fails when VMs may not be read', async () => {
    const { client } = clientWith((resource) => (resource.kind === 'VirtualMachine' ? forbidden(resource, '', 'no') : undefined))
    await assert.rejects(readClusterState(client), { reason: 'Forbidden' })
  })
})
