import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expired, forbidden } from '#apimachinery/errors.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { TransportError, type Client } from '#client/client.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { migrateStorage, type Migration } from './migrate.ts'
import { storedVersionsOf } from './stored-versions.ts'
import { startWidgets, widgets, type Widgets } from './widgets.fixture.ts'

const count = 7

async function migrate(of: Widgets, client: Client = of.client): Promise<Migration> {
  return migrateStorage(client, await of.definition(), { concurrency: 3 })
}

/** Asserts the invariant at every moment: status.storedVersions names every stored version. */
async function assertTruthful(of: Widgets): Promise<void> {
  const named = (await of.definition()).status?.storedVersions ?? []
  for (const version of Object.keys(of.stored())) assert.ok(named.includes(version), `${version} is stored and not named`)
}

suite('migrateStorage()', () => {
  test('migrates all objects to the storage version, so that the other one can be removed', async () => {
    await using of = await startWidgets(count)
    assert.deepEqual(of.stored(), { v1: count, v2: 1 })
    await assert.rejects(of.keepOnly('v2'))
    const progress: number[][] = []
    const before = await of.definition()
    const migration = await migrateStorage(of.client, before, { concurrency: 3, onProgress: (...numbers) => progress.push(numbers) })
    assert.deepEqual(migration, {
      definition: 'testlets.kubevirt.io',
      from: ['v1'],
      to: 'v2',
      objects: count + 1,
      refusals: [],
      outcome: 'migrated',
    })
    assert.deepEqual(progress, [[count + 1, count + 1]])
    assert.deepEqual(of.stored(), { v2: count + 1 })
    assert.deepEqual(storedVersionsOf(await of.definition()), { storage: 'v2', stale: [] })
    await of.keepOnly('v2')
    assert.equal((await of.client.list(widgets)).items.length, count + 1)
  })

  test('does not write objects that are already stored in the storage version', async () => {
    await using of = await startWidgets(count)
    await migrate(of)
    const versions = async (): Promise<unknown> => (await of.client.list(widgets)).items.map(({ metadata }) => metadata?.resourceVersion)
    const before = await versions()
    await migrate(of)
    assert.deepEqual(await versions(), before)
  })

  test('can be killed at every write, before and after, and be run again', async () => {
    for (const moment of ['before', 'after'] as const) {
      for (let write = 1; write <= count + 2; write++) {
        await using of = await startWidgets(count)
        const crashing = crashingClient(of.client, { write, moment }, () => {})
        await assert.rejects(migrateStorage(crashing, await of.definition(), { concurrency: 1 }), TransportError)
        await assertTruthful(of)
        assert.equal((await migrate(of)).outcome, 'migrated')
        assert.deepEqual(of.stored(), { v2: count + 1 })
      }
    }
  })

  test('counts objects that other clients write or delete meanwhile as migrated', async () => {
    await using of = await startWidgets(count)
    const busy: Client = {
      ...of.client,
      list: async (resource, options) => {
        const page = await of.client.list(resource, options)
        const key = { namespace: 'default', name: 'old-1' }
        await of.client.patch(widgets, key, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })
        await of.client.delete(widgets, { namespace: 'default', name: 'old-2' })
        return page
      },
    }
    assert.equal((await migrate(of, busy)).outcome, 'migrated')
    assert.deepEqual(of.stored(), { v2: count })
  })

  test('supports two concurrent migrations', async () => {
    await using of = await startWidgets(count)
    const migrations = await Promise.all([migrate(of), migrate(of)])
    assert.ok(migrations.some(({ outcome }) => outcome === 'migrated'))
    assert.deepEqual(of.stored(), { v2: count + 1 })
    await assertTruthful(of)
  })

  test("keeps storedVersions when the CRD's storage version has changed meanwhile", async () => {
    await using of = await startWidgets(count)
    let isFirst = true
    const turning: Client = {
      ...of.client,
      patch: async (resource, key, patch, options) => {
        if (isFirst && options?.subresource === 'status') {
          isFirst = false
          await of.storeAs('v1')
          await of.client.create(widgets, { metadata: { namespace: 'default', name: 'late' } })
          await of.storeAs('v2')
        }
        return of.client.patch(resource, key, patch, options)
      },
    }
    assert.equal((await migrate(of, turning)).outcome, 'changed')
    await assertTruthful(of)
    assert.equal((await migrate(of)).outcome, 'migrated')
    assert.deepEqual(of.stored(), { v2: count + 2 })
  })

  test('trims storedVersions when another part of the CRD has changed meanwhile', async () => {
    await using of = await startWidgets(count)
    const labelling: Client = {
      ...of.client,
      list: async (resource, options) => {
        const body = { metadata: { labels: { x: 'y' } } }
        await of.client.patch(customResourceDefinitions, { name: 'testlets.kubevirt.io' }, { type: 'merge', body })
        return of.client.list(resource, options)
      },
    }
    assert.equal((await migrate(of, labelling)).outcome, 'migrated')
  })

  test('names the objects that cannot be written, and keeps the old version', async () => {
    await using of = await startWidgets(count)
    const refusing: Client = {
      ...of.client,
      patch: async (resource, key, patch, options) => {
        if (key.name === 'old-3') throw forbidden(resource, 'old-3', 'not this one')
        return of.client.patch(resource, key, patch, options)
      },
    }
    const { outcome, refusals, objects } = await migrate(of, refusing)
    assert.deepEqual([outcome, objects, refusals.map(({ object }) => object)], ['refused', count + 1, ['default/old-3']])
    assert.match(refusals[0]?.message ?? '', /not this one/)
    assert.deepEqual(of.stored(), { v1: 1, v2: count })
    await assertTruthful(of)
  })

  test('restarts when the continue token has expired', async () => {
    await using of = await startWidgets(count)
    let lists = 0
    const forgetful: Client = {
      ...of.client,
      list: async (resource, options) => {
        if (++lists === 2) throw expired('the continue parameter is too old')
        const page = await of.client.list(resource, { ...options, limit: 3 })
        return page
      },
    }
    assert.equal((await migrate(of, forgetful)).outcome, 'migrated')
    assert.deepEqual(of.stored(), { v2: count + 1 })
  })

  test('reports that no version is served', async () => {
    await using of = await startWidgets(1)
    const definition = await of.definition()
    const versions = definition.spec.versions.map((version) => ({ ...version, served: false }))
    const unserved = { ...definition, spec: { ...definition.spec, versions } }
    assert.equal((await migrateStorage(of.client, unserved, { concurrency: 1 })).outcome, 'unserved')
  })
})
