import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { suite, test } from 'node:test'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import { TransportError, type Client } from '#client/client.ts'
import { found, startTestCluster, until } from '#features/cluster.fixture.ts'
import { guestsOnDisk, qemuBinary, testHost, webVm } from '#features/node-agent/guest.fixture.ts'

const patienceMs = 60_000

/**
 * Returns a client that fails permanently at the creation of a record: before the API server stores
 * it, or before the response.
 */
function dyingWithRecord(client: Client, moment: 'before' | 'after', onDeath: () => void): Client {
  let isDead = false
  const alive = async <T>(perform: () => Promise<T>): Promise<T> => {
    if (isDead) throw new TransportError('the agent was killed')
    return perform()
  }
  return {
    ...client,
    get: (resource, key, options) => alive(() => client.get(resource, key, options)),
    patch: (resource, key, patch, options) => alive(() => client.patch(resource, key, patch, options)),
    update: (resource, object, options) => alive(() => client.update(resource, object, options)),
    create: (resource, object, options) =>
      alive(async () => {
        const create = (): Promise<never> => client.create<never, never>(resource as never, object as never, options)
        if ((resource as { readonly kind: string }).kind !== hardwareRecords.kind) return create()
        if (moment === 'after') await create()
        isDead = true
        onDeath()
        throw new TransportError('the agent was killed')
      }),
  }
}

suite("an agent that is killed while it records the guest's hardware", { skip: !existsSync(qemuBinary) }, () => {
  for (const moment of ['before', 'after'] as const) {
    test(`${moment} the record exists: the next agent finishes, and exactly one record exists`, async () => {
      await using cluster = await startTestCluster({ host: await testHost(), hardwareQuietMs: 0 })
      const death = Promise.withResolvers<void>()
      for (const part of ['virt-controller', 'kubelet'] as const) cluster.start(part)
      const stop = cluster.start('node-agent', (client) => dyingWithRecord(client, moment, death.resolve))
      await cluster.client.create(virtualMachines, webVm('Always', 1))
      await death.promise
      await stop()
      assert.equal(guestsOnDisk(cluster)[0]?.hardware, undefined)
      cluster.start('node-agent')
      const kept = await until(() => guestsOnDisk(cluster)[0]?.hardware, patienceMs)
      const record = await found(cluster.client, hardwareRecords, 'web')
      assert.equal(record?.fingerprint, kept)
      assert.equal(record.history.length, 1)
      assert.equal(cluster.writes.filter(({ resource }) => resource === hardwareRecords.plural).length, 1)
    })
  }
})
