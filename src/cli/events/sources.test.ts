import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { CommandError } from '../context.ts'
import type { Conditioned } from './occurrence.ts'
import { narrowToWatchable } from './sources.ts'

/** Answers reviews of a user who may watch some resources. */
function clientOf(watchable: readonly string[]): Pick<Client, 'create'> {
  const create = (_resource: unknown, review: unknown): Promise<unknown> => {
    const { spec } = review as { spec: { resourceAttributes: { verb: string; resource: string; namespace: string } } }
    const { verb, resource, namespace } = spec.resourceAttributes
    return Promise.resolve({ ...spec, status: { allowed: verb === 'watch' && namespace === 'n' && watchable.includes(resource) } })
  }
  return { create } as Pick<Client, 'create'>
}

suite('narrowToWatchable()', () => {
  const listable = {
    readable: [virtualMachines, virtualMachineInstances] as unknown as readonly ResourceType<Conditioned>[],
    forbidden: ['kubevirts'],
  }
  test('names what may be listed, but not watched', async () => {
    const access = await narrowToWatchable(clientOf(['events', 'virtualmachines']), listable, { namespace: 'n' })
    assert.deepEqual(
      access.readable.map(({ plural }) => plural),
      ['virtualmachines'],
    )
    assert.deepEqual(access.forbidden, ['kubevirts', 'virtualmachineinstances'])
  })
  test('refuses to follow events that may not be watched', async () => {
    await assert.rejects(narrowToWatchable(clientOf(['virtualmachines']), listable, { namespace: 'n' }), CommandError)
  })
})
