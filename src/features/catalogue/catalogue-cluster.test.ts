import { managedByLabel, manager } from '#api/access/managed.ts'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  virtualMachineClusterInstancetypes as types,
  virtualMachineClusterPreferences as preferences,
} from '#api/instancetype/v1beta1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { startTestCluster, until, type TestCluster } from '../cluster.fixture.ts'
import { catalogueInstancetypes } from './instancetypes.ts'
import { cataloguePreferences } from './preferences.ts'

const size = catalogueInstancetypes().length + cataloguePreferences().length
const key = { namespace: 'kubevirt', name: 'kubevirt' }

async function count({ client }: TestCluster): Promise<number> {
  return (await client.list(types)).items.length + (await client.list(preferences)).items.length
}

async function deploy({ client }: TestCluster, enabled: boolean): Promise<void> {
  const body = { spec: { configuration: { commonInstancetypesDeployment: { enabled } } } }
  await client.patch(kubeVirts, key, { type: 'merge', body })
}

/** Runs the controllers until one of their writes is their last. */
async function untilDeath(cluster: TestCluster, death: CrashPoint): Promise<void> {
  let isDead = false
  const stop = cluster.start('virt-controller', (client) => crashingClient(client, death, () => (isDead = true)))
  await until(() => isDead)
  await stop()
}

/** Writes of the catalogue's controllers so far, without the events that tell of them. */
function writes({ writes: all }: TestCluster): readonly { readonly verb: string; readonly name: string }[] {
  return all.filter(({ resource }) => resource === types.plural || resource === preferences.plural)
}

async function withCatalogue(use: (cluster: TestCluster, stop: () => Promise<void>) => Promise<void>): Promise<void> {
  await using cluster = await startTestCluster()
  await cluster.client.create(kubeVirts, { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: key, spec: {} })
  const stop = cluster.start('virt-controller')
  await until(async () => (await count(cluster)) === size)
  await use(cluster, stop)
}

suite('the controllers of the catalogue', () => {
  test('create it with one write per object, and write nothing after a restart', () =>
    withCatalogue(async (cluster, stop) => {
      await until(() => writes(cluster).length === size)
      assert.ok(writes(cluster).every(({ verb }) => verb === 'create'))
      await stop()
      // Looked at last, after everything else that controllers start with.
      const metadata = { name: 'zzz', labels: { [managedByLabel]: manager } }
      await cluster.client.create(types, { metadata, spec: { cpu: { guest: 1 }, memory: { guest: '1Gi' } } })
      await cluster.client.create(preferences, { metadata, spec: {} })
      cluster.start('virt-controller')
      await until(async () => (await count(cluster)) === size)
      assert.deepEqual(
        writes(cluster)
          .slice(size)
          .map(({ verb, name }) => `${verb} ${name}`),
        ['delete zzz', 'delete zzz'],
      )
    }))

  test('revert edits and deletions, remove other objects with their label, and keep objects of users', () =>
    withCatalogue(async (cluster) => {
      const { client } = cluster
      const spec = { cpu: { guest: 7 }, memory: { guest: '7Gi' } }
      await client.create(types, { metadata: { name: 'mine' }, spec })
      await client.create(types, { metadata: { name: 'u1.huge', labels: { [managedByLabel]: manager } }, spec })
      await client.patch(types, { name: 'u1.medium' }, { type: 'merge', body: { spec } })
      await client.delete(types, { name: 'u1.large' })
      await client.patch(preferences, { name: 'fedora' }, { type: 'merge', body: { metadata: { labels: { [managedByLabel]: null } } } })
      await until(async () => (await client.get(types, { name: 'u1.medium' })).spec.cpu.guest === 1)
      await until(async () => (await count(cluster)) === size + 1)
      await until(async () => (await client.get(preferences, { name: 'fedora' })).metadata.labels?.[managedByLabel] === manager)
      await assert.rejects(client.get(types, { name: 'u1.huge' }), isNotFound)
      assert.equal((await client.get(types, { name: 'u1.large' })).spec.cpu.guest, 2)
      assert.deepEqual((await client.get(types, { name: 'mine' })).spec.cpu, spec.cpu)
    }))

  test('remove it when it is disabled, and recreate it when it is enabled', () =>
    withCatalogue(async (cluster) => {
      await cluster.client.create(types, { metadata: { name: 'mine' }, spec: { cpu: { guest: 1 }, memory: { guest: '1Gi' } } })
      await deploy(cluster, false)
      await until(async () => (await count(cluster)) === 1)
      await deploy(cluster, true)
      await until(async () => (await count(cluster)) === size + 1)
    }))

  for (const moment of ['before', 'after'] as const) {
    test(`continue after they were killed ${moment} any write`, async () => {
      for (const write of [1, 2, Math.floor(size / 2), size]) {
        await using cluster = await startTestCluster()
        await cluster.client.create(kubeVirts, { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: key, spec: {} })
        await untilDeath(cluster, { write, moment })
        const stop = cluster.start('virt-controller')
        await until(async () => (await count(cluster)) === size)
        await stop()
        await deploy(cluster, false)
        await untilDeath(cluster, { write, moment })
        cluster.start('virt-controller')
        await until(async () => (await count(cluster)) === 0)
      }
    })
  }
})
