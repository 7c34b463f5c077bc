import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { askSnapshot, captured, contentOfSnapshot, makeVm, small, snapshotWhere, takeSnapshot } from './snapshot.fixture.ts'

const namespace = 'default'
const key = { namespace, name: 'web' }

async function startWithVm(spec: Parameters<typeof makeVm>[1] = {}): Promise<TestCluster> {
  const cluster = await startTestCluster()
  cluster.start('virt-controller')
  await makeVm(cluster, spec)
  await captured(cluster)
  return cluster
}

async function revisionsOwnedBy({ client }: TestCluster, kind: string): Promise<ControllerRevision[]> {
  const { items } = await client.list(controllerRevisions, { namespace })
  return items.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.kind === kind))
}

async function running({ client }: TestCluster): Promise<void> {
  await until(async () => {
    const vm = await found(client, virtualMachines, 'web')
    return vm?.status?.observedGeneration === vm?.metadata.generation && vm?.status?.created === true
  })
}

suite('a snapshot', () => {
  test('of a halted VM contains the revisions in the VM status (KubeVirt issue 18738)', async () => {
    await using cluster = await startWithVm()
    const snapshot = await takeSnapshot(cluster)
    const content = await contentOfSnapshot(cluster, snapshot)
    const spec = content.spec.source.virtualMachine?.spec
    const owned = await revisionsOwnedBy(cluster, 'VirtualMachineSnapshot')
    const named = Object.fromEntries(owned.map(({ metadata, data }) => [String(data?.['kind']), metadata.name]))
    const { instancetype, preference } = spec ?? {}
    assert.deepEqual(named, {
      VirtualMachineInstancetype: instancetype?.revisionName,
      VirtualMachinePreference: preference?.revisionName,
    })
    assert.equal(content.spec.source.virtualMachine?.metadata?.uid, snapshot.status?.sourceUID)
    assert.deepEqual(
      [snapshot.status?.phase, snapshot.status?.indications, snapshot.status?.snapshotVolumes],
      ['Succeeded', undefined, undefined],
    )
  })

  test('unlocks the VM and does not change its spec', async () => {
    await using cluster = await startWithVm()
    const before = await cluster.client.get(virtualMachines, key)
    await takeSnapshot(cluster)
    const after = await cluster.client.get(virtualMachines, key)
    assert.deepEqual([after.spec, after.status, after.metadata.finalizers], [before.spec, before.status, before.metadata.finalizers])
  })

  test('can be taken after the instance type was deleted', async () => {
    await using cluster = await startWithVm()
    await cluster.client.delete(virtualMachineInstancetypes, { namespace, name: 'small' })
    const content = await contentOfSnapshot(cluster, await takeSnapshot(cluster))
    const name = content.spec.source.virtualMachine?.spec?.instancetype?.revisionName ?? ''
    assert.deepEqual((await cluster.client.get(controllerRevisions, { namespace, name })).data?.['spec'], small)
  })

  test('of a running VM contains the start state of the guest, without changes that wait for a restart', async () => {
    await using cluster = await startWithVm({ runStrategy: 'Always' })
    const { client } = cluster
    await running(cluster)
    await client.create(virtualMachineInstancetypes, {
      metadata: { name: 'big', namespace },
      spec: { cpu: { guest: 64 }, memory: { guest: '1Gi' } },
    })
    const template = { spec: { domain: { devices: { rng: {} } } } }
    await client.patch(virtualMachines, key, { type: 'merge', body: { spec: { instancetype: { name: 'big' }, template } } })
    await until(async () =>
      (await client.get(virtualMachines, key)).status?.conditions?.some(
        ({ type, status }) => type === 'RestartRequired' && status === 'True',
      ),
    )
    const snapshot = await takeSnapshot(cluster)
    const spec = (await contentOfSnapshot(cluster, snapshot)).spec.source.virtualMachine?.spec
    assert.deepEqual([spec?.instancetype?.name, spec?.template.spec.domain.devices], ['small', {}])
    const revision = await client.get(controllerRevisions, { namespace, name: spec?.instancetype?.revisionName ?? '' })
    assert.deepEqual(revision.data?.['spec'], small)
    assert.deepEqual(snapshot.status?.indications, ['Online', 'NoGuestAgent'])
  })

  test('of a running VM contains live updates since the start', async () => {
    await using cluster = await startWithVm({ runStrategy: 'Always' })
    await running(cluster)
    await cluster.client.patch(virtualMachines, key, { type: 'merge', body: { spec: { runStrategy: 'Manual' } } })
    await running(cluster)
    const spec = (await contentOfSnapshot(cluster, await takeSnapshot(cluster))).spec.source.virtualMachine?.spec
    assert.equal(spec?.runStrategy, 'Manual')
  })

  test('lists excluded volumes', async () => {
    const volumes = [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'image', containerDisk: { image: 'x' } },
    ]
    const disks = volumes.map(({ name }) => ({ name, disk: {} }))
    await using cluster = await startWithVm({ template: { spec: { domain: { devices: { disks } }, volumes } } })
    const { status } = await takeSnapshot(cluster)
    assert.deepEqual([status?.indications, status?.snapshotVolumes], [['PartialSnapshot'], { excludedVolumes: ['data'] }])
  })

  test('waits for its VM, and for others that hold it', async () => {
    await using cluster = await startTestCluster()
    cluster.start('virt-controller')
    await askSnapshot(cluster)
    const waiting = await snapshotWhere(cluster, ({ status }) => status?.phase === 'InProgress')
    assert.equal(waiting.status?.readyToUse, false)
    await makeVm(cluster)
    await snapshotWhere(cluster, ({ status }) => status?.readyToUse === true)
  })

  test('of a missing VM fails after the deadline', async () => {
    await using cluster = await startTestCluster()
    cluster.start('virt-controller')
    // Creation times are whole seconds: after 1s the first look could already be too late.
    await askSnapshot(cluster, { failureDeadline: '2s' })
    const { status } = await snapshotWhere(cluster, (one) => one.status?.phase === 'Failed')
    assert.equal(status?.error?.message, 'snapshot deadline exceeded: Source does not exist')
  })

  test('that misses its deadline fails, and unlocks the VM', async () => {
    await using cluster = await startTestCluster()
    cluster.start('virt-controller')
    await makeVm(cluster, { instancetype: { name: 'missing', kind: 'VirtualMachineInstancetype' } })
    await askSnapshot(cluster, { failureDeadline: '2s' })
    const problem = await snapshotWhere(cluster, ({ status }) => status?.error !== undefined)
    assert.match(problem.status?.error?.message ?? '', /missing/)
    const failed = await snapshotWhere(cluster, ({ status }) => status?.phase === 'Failed')
    assert.equal(failed.status?.readyToUse, false)
    assert.deepEqual(failed.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`).toSorted(), [
      'Failure=True snapshot deadline exceeded',
      'Progressing=False snapshot deadline exceeded',
      'Ready=False Not ready',
    ])
    const vm = await cluster.client.get(virtualMachines, key)
    assert.deepEqual([vm.status?.snapshotInProgress, vm.metadata.finalizers?.length], [undefined, 1])
  })

  test('deletes its content and revisions when it is deleted', async () => {
    await using cluster = await startWithVm()
    await takeSnapshot(cluster)
    await cluster.client.delete(virtualMachineSnapshots, { namespace, name: 'snap' })
    await until(async () => (await found(cluster.client, virtualMachineSnapshots, 'snap')) === undefined)
    await until(async () => (await revisionsOwnedBy(cluster, 'VirtualMachineSnapshot')).length === 0)
    assert.deepEqual((await cluster.client.list(virtualMachineSnapshotContents, { namespace })).items, [])
  })

  test('deletes content that a slow controller creates after its deletion', async () => {
    await using cluster = await startWithVm()
    const { metadata, spec } = await contentOfSnapshot(cluster, await takeSnapshot(cluster))
    await cluster.client.delete(virtualMachineSnapshots, { namespace, name: 'snap' })
    const left = async (): Promise<number> => (await cluster.client.list(virtualMachineSnapshotContents, { namespace })).items.length
    await until(async () => (await left()) === 0)
    const { name = '', finalizers = [], ownerReferences = [] } = metadata
    await cluster.client.create(virtualMachineSnapshotContents, { metadata: { name, namespace, finalizers, ownerReferences }, spec })
    await until(async () => (await left()) === 0)
  })

  test('keeps content with deletion policy Retain, and all of its revisions', async () => {
    await using cluster = await startWithVm()
    const snapshot = await takeSnapshot(cluster, { deletionPolicy: 'Retain' })
    await cluster.client.delete(virtualMachineSnapshots, { namespace, name: 'snap' })
    await until(async () => (await found(cluster.client, virtualMachineSnapshots, 'snap')) === undefined)
    assert.deepEqual((await contentOfSnapshot(cluster, snapshot)).metadata.ownerReferences ?? [], [])
    assert.equal((await revisionsOwnedBy(cluster, 'VirtualMachineSnapshotContent')).length, 2)
  })

  test('that was removed by force leaves neither locks nor finalizers', async () => {
    await using cluster = await startWithVm()
    const { client } = cluster
    const metadata = { finalizers: ['kubevirt.io/virtualMachineControllerFinalize', 'snapshot.kubevirt.io/snapshot-source-protection'] }
    await client.patch(virtualMachines, key, { type: 'merge', body: { metadata } })
    await client.patch(virtualMachines, key, { type: 'merge', body: { status: { snapshotInProgress: 'gone' } } }, { subresource: 'status' })
    await until(async () => {
      const vm = await client.get(virtualMachines, key)
      return vm.status?.snapshotInProgress === undefined && vm.metadata.finalizers?.length === 1
    })
  })

  test('that was deleted leaves no lock behind, also when another one has its name', async () => {
    await using cluster = await startWithVm()
    const { client } = cluster
    const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'another' }
    await client.create(virtualMachineSnapshots, { metadata: { name: 'namesake', namespace }, spec: { source } })
    await client.patch(
      virtualMachines,
      key,
      { type: 'merge', body: { status: { snapshotInProgress: 'namesake' } } },
      { subresource: 'status' },
    )
    await until(async () => (await client.get(virtualMachines, key)).status?.snapshotInProgress === undefined)
  })

  test('of a VM that is deleted meanwhile is complete or fails, and does not block the deletion', async () => {
    await using cluster = await startWithVm({ runStrategy: 'Always' })
    await running(cluster)
    await askSnapshot(cluster, { failureDeadline: '2s' })
    await cluster.client.delete(virtualMachines, key)
    const snapshot = await snapshotWhere(cluster, ({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed')
    await until(async () => (await found(cluster.client, virtualMachines, 'web')) === undefined)
    await until(async () => (await found(cluster.client, virtualMachineInstances, 'web')) === undefined)
    if (snapshot.status?.phase === 'Failed') return
    const spec = (await contentOfSnapshot(cluster, snapshot)).spec.source.virtualMachine?.spec
    await cluster.client.get(controllerRevisions, { namespace, name: spec?.instancetype?.revisionName ?? '' })
  })
})
