import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import { dataImportCrons, dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { SubjectAccessReview } from '#api/authorization/v1/subject-access-review.ts'
import type { Client } from '#client/client.ts'
import { found, until, type TestCluster } from '#features/cluster.fixture.ts'
import { startImportCluster } from '#features/data-volume/import-cluster.fixture.ts'
import { importName } from './imports/import-name.ts'
import { conditions, names } from './names.ts'
import { cronKey, cronOf, dataSourceKey, importNames, look, namespace, selectedImage, startImageWorld } from './image-world.fixture.ts'

const reasonOf = (cron: DataImportCron, type: string): string | undefined => findCondition(cron.status?.conditions, type)?.reason

async function reaches({ client }: TestCluster, type: string, reason: string): Promise<DataImportCron> {
  return until(async () => {
    const cron = await client.get(dataImportCrons, cronKey)
    return reasonOf(cron, type) === reason ? cron : undefined
  })
}

async function selects(cluster: TestCluster, digest: string): Promise<string> {
  const name = importName(dataSourceKey.name, digest)
  await until(async () => (await selectedImage(cluster.client))?.name === name)
  return name
}

suite('A DataImportCron', () => {
  test('imports an image once it has its digest, and again when the tag moves', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    await using world = startImageWorld(cluster)
    const first = world.move()
    cluster.start('virt-controller')
    await client.create(dataImportCrons, cronOf({}))
    const name = await selects(cluster, first)
    const cron = await reaches(cluster, 'UpToDate', 'UpToDate')
    assert.deepEqual(cron.status?.currentImports, [{ DataVolumeName: name, Digest: first }])
    assert.deepEqual([cron.status?.lastImportedPVC?.name, cron.status?.sourceFormat], [name, 'pvc'])
    assert.equal(cron.metadata.annotations?.[names.desiredDigest], first)
    assert.equal(reasonOf(cron, 'Progressing'), 'NoImport')
    const dataVolume = await client.get(dataVolumes, { namespace, name })
    assert.equal(dataVolume.spec.source?.registry?.url, `docker://registry.example/fedora@${first}`)
    await until(async () => findCondition((await client.get(dataSources, dataSourceKey)).status?.conditions, 'Ready')?.status === 'True')
    await until(async () => (await client.list(pods, { namespace })).items.length === 0)

    await look(client)
    await until(() => world.asked() === 2)
    await until(async () => (await client.get(dataImportCrons, cronKey)).metadata.annotations?.[names.nextCronTime] !== undefined)
    assert.deepEqual(await importNames(client), [name])

    const second = world.move()
    await look(client)
    await selects(cluster, second)
    assert.ok((await importNames(client)).includes(name))
  })

  test('says why the digest is unknown, and why an import fails, and goes on with the next image', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    await using world = startImageWorld(cluster)
    world.isDown = true
    cluster.start('virt-controller')
    await client.create(dataImportCrons, cronOf({}))
    const cron = await reaches(cluster, conditions.polled, 'SourceUnreachable')
    assert.equal(reasonOf(cron, 'UpToDate'), 'NoDigest')
    world.isDown = false
    const broken = world.move('broken')
    await look(client)
    const failed = await reaches(cluster, 'UpToDate', 'ImportFailed')
    assert.match(findCondition(failed.status?.conditions, 'UpToDate')?.message ?? '', /the image is damaged/)
    assert.equal((await selectedImage(client))?.name, undefined)
    const good = world.move()
    await look(client)
    await selects(cluster, good)
    assert.ok(!(await importNames(client)).includes(importName(dataSourceKey.name, broken)))
  })

  test('keeps the image in use, and a pinned one, and as many others as it is told', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    await using world = startImageWorld(cluster)
    cluster.start('virt-controller')
    const first = world.move()
    await client.create(dataImportCrons, cronOf({ importsToKeep: 0 }, { [names.pin]: first }))
    await reaches(cluster, 'UpToDate', 'UpToDate')
    const second = world.move()
    await look(client)
    const pinned = await reaches(cluster, 'UpToDate', 'Pinned')
    assert.equal(pinned.status?.lastImportedPVC?.name, importName('fedora', first))
    assert.equal((await importNames(client)).length, 2)
    await client.patch(dataImportCrons, cronKey, { type: 'merge', body: { metadata: { annotations: { [names.pin]: null } } } })
    const name = await selects(cluster, second)
    await until(async () => (await importNames(client)).length === 1)
    assert.deepEqual(await importNames(client), [name])
    await client.patch(dataImportCrons, cronKey, { type: 'merge', body: { metadata: { annotations: { [names.pin]: 'lost' } } } })
    await reaches(cluster, 'UpToDate', 'PinNotFound')
    assert.equal((await selectedImage(client))?.name, name)
  })

  test('is not blocked by an import that hangs', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    await using world = startImageWorld(cluster)
    cluster.start('virt-controller')
    world.move('hung')
    await client.create(dataImportCrons, cronOf({}, { [names.importDeadline]: '1s' }))
    await reaches(cluster, 'Progressing', 'ImportProgressing')
    const next = world.move()
    await look(client)
    await selects(cluster, next)
    assert.equal((await importNames(client)).length, 1)
  })

  test('imports again when the default storage class changes, and keeps the image until then', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    await using world = startImageWorld(cluster)
    cluster.start('virt-controller')
    const digest = world.move()
    await client.create(dataImportCrons, cronOf({ importsToKeep: 1 }))
    const name = await selects(cluster, digest)
    await client.create(storageClasses, {
      metadata: { name: 'fast', annotations: { 'storageclass.kubevirt.io/is-default-virt-class': 'true' } },
      provisioner: 'steadyvm.io/local',
    })
    await until(async () => ((await selectedImage(client))?.name ?? name) !== name)
    const { claim } = (await selectedImage(client)) ?? {}
    assert.deepEqual([claim?.spec?.storageClassName, claim?.metadata.annotations?.[names.podPhase]], ['fast', 'Succeeded'])
    await until(async () => (await importNames(client)).length === 1)
  })

  test('leaves a DataSource alone that leads to an image of a user, until it has a label', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    await using world = startImageWorld(cluster)
    const digest = world.move()
    const key = { namespace, name: 'own' }
    await client.create(persistentVolumeClaims, {
      metadata: key,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    })
    await client.create(dataSources, { metadata: dataSourceKey, spec: { source: { pvc: key } } })
    cluster.start('virt-controller')
    await client.create(dataImportCrons, cronOf({}))
    await reaches(cluster, 'UpToDate', 'DataSourceNotManaged')
    assert.deepEqual(await importNames(client), [])
    await client.patch(dataSources, dataSourceKey, { type: 'merge', body: { metadata: { labels: { [names.cronLabel]: 'true' } } } })
    await selects(cluster, digest)
    assert.notEqual(await found(client, persistentVolumeClaims, 'own'), undefined)
  })

  test('copies a volume of another namespace only with the right of its service account', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    const other = { namespace: 'kube-system', name: 'disk' }
    await client.create(persistentVolumeClaims, {
      metadata: other,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    })
    const asked: object[] = []
    const denying = (own: Client): Client => ({
      ...own,
      create: (resource, object, options) => {
        if (resource.kind !== 'SubjectAccessReview') return own.create<never, never>(resource as never, object as never, options)
        asked.push(object)
        return Promise.resolve({ ...object, status: { allowed: false } } as never)
      },
    })
    cluster.start('virt-controller', denying)
    const template = { spec: { source: { pvc: other }, storage: {} } }
    await client.create(dataImportCrons, cronOf({ template, serviceAccountName: 'images' }))
    await reaches(cluster, 'Progressing', 'NotAuthorized')
    const { user, resourceAttributes } = (asked[0] as SubjectAccessReview).spec
    assert.equal(user, 'system:serviceaccount:default:images')
    assert.deepEqual([resourceAttributes?.namespace, resourceAttributes?.subresource], ['kube-system', 'source'])
    assert.deepEqual(await importNames(client), [])
  })

  test('leads a second DataSource to its own, and leaves that of a user alone', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    await using world = startImageWorld(cluster)
    const digest = world.move()
    cluster.start('virt-controller')
    await client.create(dataImportCrons, cronOf({ retentionPolicy: 'None' }, { [names.defaultDataSource]: 'any' }))
    const name = await selects(cluster, digest)
    const any = { namespace, name: 'any' }
    await until(async () => (await client.get(dataSources, any)).status?.source?.pvc?.name === name)
    await client.delete(dataImportCrons, cronKey)
    await until(async () => (await client.list(dataSources, { namespace })).items.length === 0)
    await client.create(persistentVolumeClaims, {
      metadata: any,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    })
    await client.create(dataSources, { metadata: any, spec: { source: { pvc: any } } })
    await until(async () => (await client.get(dataSources, any)).status?.source?.pvc !== undefined)
    await client.create(dataImportCrons, cronOf({}, { [names.defaultDataSource]: 'any' }))
    await selects(cluster, digest)
    assert.deepEqual((await client.get(dataSources, any)).spec.source, { pvc: any })
  })

  test('leaves the DataSource of another one alone', async () => {
    await using cluster = await startImportCluster()
    const { client } = cluster
    await using world = startImageWorld(cluster)
    const digest = world.move()
    cluster.start('virt-controller')
    await client.create(dataImportCrons, cronOf({}))
    await selects(cluster, digest)
    const second = { namespace, name: 'second' }
    await client.create(dataImportCrons, { ...cronOf({}), metadata: second })
    await until(async () => reasonOf(await client.get(dataImportCrons, second), 'UpToDate') === 'ErrDataSourceAlreadyManaged')
    await client.delete(dataImportCrons, cronKey)
    await until(async () => reasonOf(await client.get(dataImportCrons, second), 'UpToDate') === 'UpToDate')
  })

  for (const [retentionPolicy, rest] of [
    ['All', 1],
    ['None', 0],
  ] as const)
    test(`leaves ${retentionPolicy} of its images when it is deleted`, async () => {
      await using cluster = await startImportCluster()
      const { client } = cluster
      await using world = startImageWorld(cluster)
      const digest = world.move()
      const stop = cluster.start('virt-controller')
      await client.create(dataImportCrons, cronOf({ retentionPolicy }))
      await selects(cluster, digest)
      await reaches(cluster, 'UpToDate', 'UpToDate')
      await stop()
      // Also while no controller runs.
      await client.delete(dataImportCrons, cronKey)
      cluster.start('virt-controller')
      await until(async () => (await client.list(persistentVolumeClaims, { namespace })).items.length === rest)
      await until(async () => (await client.list(dataSources, { namespace })).items.length === rest)
      assert.equal((await importNames(client)).length, rest)
    })
})
