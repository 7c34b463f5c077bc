import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import { notFound, pathNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createRevisionCollector } from './index.ts'
import { sharedRevision as newSharedRevision } from './collectable-revision.fixture.ts'

const namespace = 'default'
const long = '2020-01-01T00:00:00Z'

/** A shared revision that was claimed long ago. */
const sharedRevision = (name: string): ControllerRevision =>
  newSharedRevision(name, { namespace, annotations: { 'steadyvm.io/claimed-at': long } })

const matcher = (revisionName: string): object => ({ name: 'small', revisionName })
const template = { spec: { domain: { devices: {} } } }

/** A kind of reference to a revision. */
type Naming = (cluster: TestCluster, name: string) => Promise<unknown>

const vmWith = (client: Client, spec: object, status: object = {}): Promise<VirtualMachine> =>
  client
    .create(virtualMachines, { metadata: { name: 'web', namespace }, spec: { runStrategy: 'Halted', template, ...spec } } as VirtualMachine)
    .then(({ metadata: { name = '' } }) =>
      client.patch(virtualMachines, { namespace, name }, { type: 'merge', body: { status } }, { subresource: 'status' }),
    )

const namings: Readonly<Record<string, Naming>> = {
  'the spec of a VM': ({ client }, name) => vmWith(client, { instancetype: matcher(name) }),
  'the status of a VM': ({ client }, name) => vmWith(client, {}, { preferenceRef: { controllerRevisionRef: { name } } }),
  'the history of a VM': ({ client }, name) => vmWith(client, {}, { steadyvm: { instancetype: { history: [name] } } }),
  'a recorded new name in a VM': ({ client }, name) =>
    vmWith(client, { instancetype: matcher('old') }, { steadyvm: { replaced: { old: name } } }),
  'a start revision': async ({ client }, name) => {
    const vm = await vmWith(client, {}, { steadyvm: { replaced: { old: name } } })
    const { uid = '' } = vm.metadata
    const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid }
    await client.create(controllerRevisions, {
      metadata: { name: `revision-start-vm-${uid}-1`, namespace, ownerReferences: [owner] },
      data: { spec: { instancetype: matcher('old') } },
      revision: 1,
    } as ControllerRevision)
  },
}

/** One pass of a collector whose cache knows no references, so that it has to ask the API. */
async function collect(client: Pick<Client, 'list' | 'delete'>, revisions: readonly ControllerRevision[]): Promise<number | undefined> {
  const collector = createRevisionCollector({
    client,
    revisions: { byIndex: () => revisions },
    isNamed: () => false,
    clock: { now: () => Date.now() },
    log,
  })
  const { requeueAfterMs } = await collector({ namespace: '', name: namespace }, { signal: new AbortController().signal })
  return requeueAfterMs
}

suite('the collector', () => {
  for (const [by, name] of Object.entries(namings)) {
    test(`keeps a revision that is referenced by ${by}, and deletes one that is not`, async () => {
      await using cluster = await startTestCluster()
      const { client } = cluster
      const revisions = [
        await client.create(controllerRevisions, sharedRevision('shared-used')),
        await client.create(controllerRevisions, sharedRevision('shared-unused')),
      ]
      await name(cluster, 'shared-used')
      await collect(client, revisions)
      assert.ok(await found(client, controllerRevisions, 'shared-used'))
      assert.equal(await found(client, controllerRevisions, 'shared-unused'), undefined)
    })
  }

  test('keeps a revision that the content of a snapshot references, at any position of the list', async () => {
    const revisions = [sharedRevision('shared-used'), sharedRevision('shared-unused')]
    const source = { virtualMachine: { spec: { instancetype: matcher('shared-used') } } }
    const pages = [[{ metadata: { name: 'other' } }], [{ metadata: { name: 'content' }, spec: { source } }]]
    const deleted: string[] = []
    const client = {
      list: async <T extends KubeObject>(resource: ResourceType<T>, options: { continue?: string } = {}) => {
        if (resource.kind !== virtualMachineSnapshotContents.kind) return { metadata: {}, items: [] }
        const page = Number(options.continue ?? 0)
        return { metadata: page === 0 ? { continue: '1' } : {}, items: pages[page] as unknown as T[] }
      },
      delete: async (_: unknown, key: { name: string }) => void deleted.push(key.name),
    }
    await collect(client, revisions)
    assert.deepEqual(deleted, ['shared-unused'])
  })

  test('deletes nothing while VMs cannot be listed, but does not require snapshots', async () => {
    const deleted: string[] = []
    const clientWithout = (kind: string, error: Error): Pick<Client, 'list' | 'delete'> => ({
      list: async (resource) => {
        if (resource.kind === kind) throw error
        return { metadata: {}, items: [] }
      },
      delete: async (_, key) => void deleted.push(key.name),
    })
    await assert.rejects(collect(clientWithout('VirtualMachine', notFound(virtualMachines, '')), [sharedRevision('shared-a')]))
    await assert.rejects(collect(clientWithout('ControllerRevision', notFound(controllerRevisions, '')), [sharedRevision('shared-a')]))
    assert.deepEqual(deleted, [])
    await collect(clientWithout('VirtualMachineSnapshotContent', pathNotFound()), [sharedRevision('shared-a')])
    assert.deepEqual(deleted, ['shared-a'])
  })

  test('keeps a revision that is claimed after it was read', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    const unclaimed = await client.create(controllerRevisions, sharedRevision('shared-a'))
    const body = { metadata: { annotations: { 'steadyvm.io/claimed-at': new Date().toISOString() } } }
    await client.patch(controllerRevisions, { namespace, name: 'shared-a' }, { type: 'merge', body })
    await collect(client, [unclaimed])
    assert.ok(await found(client, controllerRevisions, 'shared-a'))
  })

  test('runs in virt-controller, and keeps revisions that are not shared', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    const own = { ...sharedRevision('own'), metadata: { name: 'own', namespace } }
    await client.create(controllerRevisions, own)
    await client.create(controllerRevisions, sharedRevision('shared-used'))
    await client.create(controllerRevisions, sharedRevision('shared-unused'))
    await vmWith(client, { instancetype: matcher('shared-used') })
    cluster.start('virt-controller')
    await until(async () => (await found(client, controllerRevisions, 'shared-unused')) === undefined)
    assert.ok(await found(client, controllerRevisions, 'shared-used'))
    assert.ok(await found(client, controllerRevisions, 'own'))
  })
})
