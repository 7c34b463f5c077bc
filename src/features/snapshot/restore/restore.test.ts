import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { askRestore, captured, makeVm, pinnedOf, restoreTo, restoreWhere, small, takeSnapshot } from '../snapshot.fixture.ts'

const namespace = 'default'
const key = { namespace, name: 'web' }
const big = { cpu: { guest: 4 }, memory: { guest: '128Mi', overcommitPercent: 0 } }

async function startWithSnapshot(spec: Parameters<typeof makeVm>[1] = {}): Promise<TestCluster> {
  const cluster = await startTestCluster()
  cluster.start('virt-controller')
  await makeVm(cluster, spec)
  await captured(cluster)
  await takeSnapshot(cluster)
  return cluster
}

/** Switches the VM to another type, and changes the type of the snapshot. */
async function moveOn(cluster: TestCluster): Promise<void> {
  const { client } = cluster
  await client.create(virtualMachineInstancetypes, { metadata: { name: 'big', namespace }, spec: big })
  await client.patch(virtualMachineInstancetypes, { namespace, name: 'small' }, { type: 'merge', body: { spec: { cpu: { guest: 9 } } } })
  await client.patch(virtualMachines, key, { type: 'merge', body: { spec: { instancetype: { name: 'big' } } } })
  await until(async () => (await client.get(virtualMachines, key)).status?.instancetypeRef?.name === 'big')
}

suite('a restore', () => {
  test('restores a VM, also after its instance type was changed or deleted', async () => {
    await using cluster = await startWithSnapshot()
    await moveOn(cluster)
    const vm = await restoreTo(cluster, 'web')
    assert.deepEqual(vm.spec.instancetype, { name: 'small', kind: 'VirtualMachineInstancetype' })
    const { instancetype } = await pinnedOf(cluster, vm)
    assert.deepEqual(instancetype, { owner: 'VirtualMachine/web', spec: small })
    // The state is stable: applying the manifest again is no refresh, nor is another reconcile of
    // the VM controller.
    await cluster.client.patch(virtualMachines, key, { type: 'merge', body: { metadata: { labels: { again: 'yes' } } } })
    await cluster.client.patch(virtualMachines, key, { type: 'merge', body: { spec: { template: { metadata: { labels: { a: 'b' } } } } } })
    assert.deepEqual((await pinnedOf(cluster, await captured(cluster)))['instancetype'], instancetype)
    assert.equal(vm.status?.restoreInProgress, undefined)
  })

  test('restores revisions that were deleted, as after their upgrade (defect 10 of KubeVirt)', async () => {
    await using cluster = await startWithSnapshot()
    const { client } = cluster
    await moveOn(cluster)
    const { items } = await client.list(controllerRevisions, { namespace })
    const old = items.find(({ metadata }) => metadata.name?.startsWith('web-small'))
    await client.delete(controllerRevisions, { namespace, name: old?.metadata.name ?? '' })
    assert.deepEqual((await pinnedOf(cluster, await restoreTo(cluster, 'web')))['instancetype'], {
      owner: 'VirtualMachine/web',
      spec: small,
    })
  })

  test('creates a VM that does not exist, halted and with its own revisions', async () => {
    await using cluster = await startWithSnapshot()
    await moveOn(cluster)
    await cluster.client.delete(virtualMachineInstancetypes, { namespace, name: 'small' })
    const patches = ['{"op": "add", "path": "/metadata/labels", "value": {"is": "new"}}']
    const vm = await restoreTo(cluster, 'copy', { patches })
    assert.deepEqual([vm.spec.runStrategy, vm.metadata.labels], ['Halted', { is: 'new' }])
    assert.equal(vm.metadata.annotations?.['steadyvm.io/restoring'], undefined)
    assert.deepEqual((await pinnedOf(cluster, vm))['instancetype'], { owner: 'VirtualMachine/copy', spec: small })
    await captured(cluster, 'copy')
  })

  test('belongs to its VM, and does not bring back one that is deleted while it waits', async () => {
    await using cluster = await startWithSnapshot({ runStrategy: 'Always' })
    const { client } = cluster
    await until(async () => (await client.get(virtualMachines, key)).status?.created)
    await askRestore(cluster, 'web', { targetReadinessPolicy: 'WaitEventually' })
    const waiting = await restoreWhere(cluster, ({ status }) => isTrue(status?.conditions, 'Progressing'))
    assert.deepEqual(
      waiting.metadata.ownerReferences?.map(({ kind, name, controller }) => `${kind}/${name} ${controller}`),
      ['VirtualMachine/web true'],
    )
    await client.delete(virtualMachines, key)
    await until(async () => (await found(client, virtualMachineRestores, 'back')) === undefined)
    assert.equal(await found(client, virtualMachines, 'web'), undefined)
  })

  test('creates a deleted VM again', async () => {
    await using cluster = await startWithSnapshot()
    await cluster.client.delete(virtualMachines, key)
    await until(async () => (await found(cluster.client, virtualMachines, 'web')) === undefined)
    assert.deepEqual((await pinnedOf(cluster, await restoreTo(cluster, 'web')))['instancetype'], {
      owner: 'VirtualMachine/web',
      spec: small,
    })
  })

  test('leaves an instance type that a patch has chosen to the VM controller', async () => {
    await using cluster = await startWithSnapshot()
    await moveOn(cluster)
    const patches = ['{"op": "replace", "path": "/spec/instancetype/name", "value": "big"}']
    await restoreTo(cluster, 'copy', { patches })
    const pinned = await pinnedOf(cluster, await captured(cluster, 'copy'))
    assert.deepEqual((pinned['instancetype'] as { spec: unknown }).spec, big)
  })

  test('keeps the run strategy, and does not start the restored VM', async () => {
    await using cluster = await startWithSnapshot({ runStrategy: 'Manual' })
    const vm = await restoreTo(cluster, 'web')
    assert.equal(vm.spec.runStrategy, 'Manual')
    assert.equal(await found(cluster.client, virtualMachineInstances, 'web'), undefined)
  })

  test('refuses a VM that is not the source of the snapshot', async () => {
    await using cluster = await startWithSnapshot()
    await makeVm(cluster, {}, 'other')
    const before = await captured(cluster, 'other')
    await askRestore(cluster, 'other')
    await restoreWhere(cluster, ({ status }) => isTrue(status?.conditions, 'Failure'))
    const after = await cluster.client.get(virtualMachines, { namespace, name: 'other' })
    assert.deepEqual([after.spec, after.status?.restoreInProgress], [before.spec, undefined])
  })

  test('of a snapshot that KubeVirt took at v1alpha1 gives the VM revisions of the newest version', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    cluster.start('virt-controller')
    await makeVm(cluster)
    await captured(cluster)
    await takeSnapshot(cluster)
    // As KubeVirt 0.57 would have stored it: the spec alone.
    const { items } = await client.list(virtualMachineSnapshotContents, { namespace })
    const content = items[0]
    const spec = Buffer.from(JSON.stringify({ cpu: { guest: 7 }, memory: { guest: '96Mi' } })).toString('base64')
    const data = { apiVersion: '', spec }
    await client.create(controllerRevisions, { metadata: { name: 'snap-small-u-1', namespace }, data, revision: 0 })
    const path = '/spec/source/virtualMachine/spec/instancetype/revisionName'
    const operations = [{ op: 'replace', path, value: 'snap-small-u-1' } as const]
    await client.patch(virtualMachineSnapshotContents, { namespace, name: content?.metadata.name ?? '' }, { type: 'json', operations })
    const vm = await restoreTo(cluster, 'web')
    const pinned = await pinnedOf(cluster, vm)
    assert.deepEqual((pinned['instancetype'] as { spec: unknown }).spec, { cpu: { guest: 7 }, memory: { guest: '96Mi' } })
    assert.match(vm.status?.instancetypeRef?.controllerRevisionRef?.name ?? '', /^web-small-v1beta1-/)
  })

  const policies = [
    { policy: 'FailImmediate', ends: 'Failure' },
    { policy: 'WaitGracePeriod', ends: 'Progressing' },
    { policy: 'WaitEventually', ends: 'Progressing' },
    { policy: 'StopTarget', ends: 'Ready' },
  ] as const
  for (const { policy, ends } of policies) {
    test(`of a running VM with policy ${policy} ends as ${ends}`, async () => {
      await using cluster = await startWithSnapshot({ runStrategy: 'Always' })
      await until(async () => (await cluster.client.get(virtualMachines, key)).status?.created)
      await askRestore(cluster, 'web', { targetReadinessPolicy: policy })
      await restoreWhere(cluster, ({ status }) => isTrue(status?.conditions, ends))
      const vm = await cluster.client.get(virtualMachines, key)
      assert.equal(vm.spec.runStrategy, policy === 'StopTarget' ? 'Halted' : 'Always')
      assert.equal(vm.status?.restoreInProgress, undefined)
      if (ends !== 'Progressing') return
      // It continues by itself when the user stops the VM.
      await cluster.client.patch(virtualMachines, key, { type: 'merge', body: { spec: { runStrategy: 'Halted' } } })
      await restoreWhere(cluster, ({ status }) => status?.complete === true)
    })
  }

  test('keeps its snapshot until it is complete', async () => {
    await using cluster = await startWithSnapshot({ runStrategy: 'Always' })
    const { client } = cluster
    await until(async () => (await client.get(virtualMachines, key)).status?.created)
    await askRestore(cluster, 'web', { targetReadinessPolicy: 'WaitEventually' })
    await restoreWhere(cluster, ({ status }) => isTrue(status?.conditions, 'Progressing'))
    await client.delete(virtualMachineSnapshots, { namespace, name: 'snap' })
    await until(async () => (await client.get(virtualMachineSnapshots, { namespace, name: 'snap' })).status?.phase === 'Deleting')
    await client.patch(virtualMachines, key, { type: 'merge', body: { spec: { runStrategy: 'Halted' } } })
    await restoreWhere(cluster, ({ status }) => status?.complete === true)
    await until(async () => (await found(client, virtualMachineSnapshots, 'snap')) === undefined)
  })

  test('that was removed by force leaves no lock', async () => {
    await using cluster = await startWithSnapshot()
    const { client } = cluster
    await client.patch(virtualMachines, key, { type: 'merge', body: { status: { restoreInProgress: 'gone' } } }, { subresource: 'status' })
    await until(async () => (await client.get(virtualMachines, key)).status?.restoreInProgress === undefined)
  })

  test('that was deleted leaves no VM behind that a slow controller has begun to create', async () => {
    await using cluster = await startWithSnapshot()
    const { client } = cluster
    const annotations = { 'steadyvm.io/restoring': 'gone', 'restore.kubevirt.io/lastRestoreUID': 'gone-0001' }
    const { spec } = await client.get(virtualMachines, key)
    await client.create(virtualMachines, { metadata: { name: 'begun', namespace: key.namespace, annotations }, spec })
    await until(async () => (await found(client, virtualMachines, 'begun')) === undefined)
  })

  test('that is deleted also deletes a VM that it has only begun to create', async () => {
    await using cluster = await startWithSnapshot()
    const { client } = cluster
    const { items } = await client.list(controllerRevisions, { namespace })
    // Without its copy the snapshot cannot be restored.
    const copies = items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'VirtualMachineSnapshot')
    await client.delete(virtualMachineInstancetypes, { namespace, name: 'small' })
    for (const { metadata } of copies) await client.delete(controllerRevisions, { namespace, name: metadata.name ?? '' })
    await askRestore(cluster, 'copy')
    const told = await restoreWhere(
      cluster,
      ({ status }) => status?.conditions?.some(({ reason = '' }) => reason.includes('snap-small')) === true,
    )
    assert.equal(told.status?.complete, false)
    const reason = told.status?.conditions?.find(({ type }) => type === 'Progressing')?.reason ?? ''
    assert.match(
      reason,
      /^The snapshot's copy "snap-small-[^"]*" is gone: restore it from a backup, or delete the VirtualMachineRestore, which/,
    )
    assert.notEqual(await found(client, virtualMachines, 'copy'), undefined)
    await client.delete(virtualMachineRestores, { namespace, name: 'back' })
    await until(async () => (await found(client, virtualMachines, 'copy')) === undefined)
    await until(async () => (await found(client, virtualMachineRestores, 'back')) === undefined)
  })
})
