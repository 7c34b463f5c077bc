import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { keyFor, namesOf, startTaskWorld, type TaskWorld } from '../../task-world.fixture.ts'
import { modifyDataObject } from './task.ts'

const manifest = (kind: string, metadata: object = { name: 'disk' }): string =>
  JSON.stringify({ apiVersion: 'cdi.kubevirt.io/v1beta1', kind, metadata, spec: {} })
const volume = manifest('DataVolume')
const source = manifest('DataSource')
const done = { phase: 'Succeeded', conditions: [{ type: 'Bound', status: 'True' }] }
const failing = {
  phase: 'ImportInProgress',
  restartCount: 4,
  conditions: [{ type: 'Running', status: 'False', reason: 'Error', message: 'no such file' }],
}

suite('the task modify-data-object', () => {
  let world: TaskWorld
  beforeEach(async () => {
    world = await startTaskWorld()
  })
  afterEach(() => world[Symbol.asyncDispose]())

  /** A client whose created objects get a status at once. */
  const withStatus = (status: object): Client => ({
    ...world.client,
    create: async (resource, object, options) =>
      world.client.create<never, never>(resource as never, { ...object, status } as never, options),
  })
  const add = (resource: ResourceType<KubeObject>, metadata: object = {}): Promise<unknown> =>
    world.api.create(resource, { metadata: { ...keyFor('disk'), ...metadata } } as KubeObject)

  for (const [title, parameters, status, code] of [
    ['a volume is created', { manifest: volume }, {}, 0],
    ['a source is created', { manifest: source }, {}, 0],
    ['the volume is filled', { manifest: volume, waitForSuccess: 'true', timeout: '1m' }, done, 0],
    [
      'the source is ready',
      { manifest: source, waitForSuccess: 'true', timeout: '1m' },
      { conditions: [{ type: 'Ready', status: 'True' }] },
      0,
    ],
    ['the volume is not bound', { manifest: volume, waitForSuccess: 'true', timeout: '1m' }, { phase: 'Succeeded' }, 5],
    ['the import fails again and again', { manifest: volume, waitForSuccess: 'true', timeout: '1m' }, failing, 5],
    ['the import has failed', { manifest: volume, waitForSuccess: 'true', timeout: '1m' }, { phase: 'Failed' }, 5],
    [
      'the import takes too long',
      { manifest: volume, waitForSuccess: 'true', timeout: '1m' },
      { phase: 'ImportInProgress', progress: '3.0%' },
      5,
    ],
    [
      'the source does not become ready',
      { manifest: source, waitForSuccess: 'true', timeout: '1m' },
      { conditions: [{ type: 'Ready', status: 'False' }] },
      5,
    ],
    ['the manifest is missing', {}, {}, 2],
    ['the manifest is of another kind', { manifest: manifest('DataImportCron') }, {}, 2],
    ['the manifest is of another group', { manifest: volume.replace('cdi.kubevirt.io', 'example.com') }, {}, 2],
    ['the object has no name', { manifest: manifest('DataVolume', {}) }, {}, 2],
    ['waitForSuccess is neither true nor false', { manifest: volume, waitForSuccess: 'maybe' }, {}, 2],
    ['the limit is no duration', { manifest: volume, timeout: '1' }, {}, 2],
    ['the kind to delete is missing', { deleteObject: 'true', deleteObjectName: 'disk' }, {}, 2],
    ['the kind to delete is another one', { deleteObject: 'true', deleteObjectName: 'disk', deleteObjectKind: 'Pod' }, {}, 2],
    ['the name to delete is missing', { deleteObject: 'true', deleteObjectKind: 'DataVolume' }, {}, 2],
    ['there is nothing to delete', { deleteObject: 'true', deleteObjectKind: 'DataSource', deleteObjectName: 'disk' }, {}, 0],
  ] as const)
    test(`ends with ${code} when ${title}`, async () => {
      const end = await world.run(modifyDataObject, { parameters, client: withStatus(status) })
      assert.equal(end.code, code, end.log)
      assert.deepEqual(end.results, code === 0 ? { name: 'disk', namespace: 'default' } : {})
    })

  for (const [kind, resource] of [
    ['DataVolume', dataVolumes],
    ['DataSource', dataSources],
    ['PersistentVolumeClaim', persistentVolumeClaims],
  ] as const)
    test(`deletes a ${kind}`, async () => {
      await add(resource as ResourceType<KubeObject>)
      const parameters = { deleteObject: 'true', deleteObjectKind: kind, deleteObjectName: 'disk', manifest: 'a: [' }
      const end = await world.run(modifyDataObject, { parameters })
      assert.equal(end.code, 0, end.log)
      assert.deepEqual(namesOf(world, resource as ResourceType<KubeObject>), [])
    })

  test('replaces an object on request only', async () => {
    await add(dataVolumes as ResourceType<KubeObject>)
    const before = world.api.peek(dataVolumes, 'default', 'disk')?.metadata?.uid
    assert.equal((await world.run(modifyDataObject, { parameters: { manifest: volume } })).code, 4)
    assert.equal(world.api.peek(dataVolumes, 'default', 'disk')?.metadata?.uid, before)
    const end = await world.run(modifyDataObject, { parameters: { manifest: volume, allowReplace: 'true' } })
    assert.equal(end.code, 0, end.log)
    assert.notEqual(world.api.peek(dataVolumes, 'default', 'disk')?.metadata?.uid, before)
  })

  test('replaces a claim whose volume is gone', async () => {
    await add(persistentVolumeClaims as ResourceType<KubeObject>)
    const end = await world.run(modifyDataObject, { parameters: { manifest: volume, allowReplace: 'true' } })
    assert.equal(end.code, 0, end.log)
    assert.deepEqual(namesOf(world, persistentVolumeClaims as ResourceType<KubeObject>), [])
  })

  test('ends with 5 when the old object is not deleted in time', async () => {
    await add(dataVolumes as ResourceType<KubeObject>, { finalizers: ['example.com/keep'] })
    const end = await world.run(modifyDataObject, { parameters: { manifest: volume, allowReplace: 'true', timeout: '10s' } })
    assert.equal(end.code, 5, end.log)
  })

  test('a run that was killed between any two writes is taken up, and replaces its own object no more', async () => {
    for (const metadata of [{ name: 'disk' }, { generateName: 'disk-' }])
      for (let write = 1; write <= 2; write += 1)
        for (const moment of ['before', 'after'] as const) {
          await using fresh = await startTaskWorld()
          await fresh.api.create(dataVolumes, { metadata: keyFor('disk') } as KubeObject)
          const parameters = { manifest: manifest('DataVolume', metadata), allowReplace: 'true' }
          await fresh.run(modifyDataObject, { parameters, client: crashingClient(fresh.client, { write, moment }, () => {}) })
          const between = fresh.api.all(dataVolumes).find(({ metadata: { annotations } }) => annotations !== undefined)?.metadata.uid
          const end = await fresh.run(modifyDataObject, { parameters })
          assert.equal(end.code, 0, end.log)
          const made = fresh.api.all(dataVolumes).filter(({ metadata: { annotations } }) => annotations !== undefined)
          assert.deepEqual([made.length, made[0]?.metadata.name], [1, end.results['name']])
          if (between !== undefined) assert.equal(made[0]?.metadata.uid, between)
        }
  })
})
