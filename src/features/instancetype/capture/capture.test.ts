import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { startTestCluster, type TestCluster } from '#features/cluster.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { findInstancetype } from '../find/find.ts'
import { defaultForm, instancetypeOf, preferenceOf, vmOf, revisionOf } from '../instancetype.fixture.ts'
import { UnexpectedKind } from '../matcher.ts'
import { CaptureFailed } from './capture-failed.ts'
import { capture } from './capture.ts'
import { decodeRevision } from '../codec/codec.ts'
import { revisionLabels } from '../codec/labels.ts'

suite('wantedRevision()', () => {
  test('has the metadata and data that KubeVirt writes', () => {
    const object = {
      ...instancetypeOf(),
      metadata: {
        ...instancetypeOf().metadata,
        resourceVersion: '811',
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { x: 'y' },
        annotations: { a: 'b' },
        managedFields: [],
        finalizers: ['f/g'],
      },
    }
    const revision = revisionOf(vmOf(), object)
    assert.equal(revision.metadata.name, 'web-small-v1beta1-7c0e0000-0000-4000-8000-000000000000-3')
    assert.equal(revision.metadata.namespace, 'team-a')
    assert.deepEqual(revision.metadata.labels, {
      'instancetype.kubevirt.io/object-generation': '3',
      'instancetype.kubevirt.io/object-kind': 'VirtualMachineInstancetype',
      'instancetype.kubevirt.io/object-name': 'small',
      'instancetype.kubevirt.io/object-uid': '7c0e0000-0000-4000-8000-000000000000',
      'instancetype.kubevirt.io/object-version': 'v1beta1',
    })
    assert.deepEqual(revision.metadata.ownerReferences, [
      {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        name: 'web',
        uid: '99999999-0000-4000-8000-000000000000',
        controller: true,
        blockOwnerDeletion: true,
      },
    ])
    assert.deepEqual(revision.data, {
      apiVersion: 'instancetype.kubevirt.io/v1beta1',
      kind: 'VirtualMachineInstancetype',
      metadata: {
        name: 'small',
        namespace: 'team-a',
        uid: '7c0e0000-0000-4000-8000-000000000000',
        generation: 3,
        resourceVersion: '811',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } },
    })
    assert.equal(revision.revision, 0)
    assert.deepEqual(decodeRevision(revision, 'instancetype').object.spec, object.spec)
  })

  test('shortens names that are too long for labels, and keeps them distinct', () => {
    const long = (end: string): ReturnType<typeof instancetypeOf> => ({
      ...instancetypeOf(),
      metadata: { name: 'n'.repeat(240) + end, uid: 'u' },
    })
    const [a, b] = [revisionOf(vmOf(), long('a')), revisionOf(vmOf(), long('b'))]
    assert.ok((a.metadata.name ?? '').length <= 253 && a.metadata.name !== b.metadata.name)
    assert.ok((a.metadata.labels?.[revisionLabels.name] ?? '').length <= 63)
  })
})

async function withVm(work: (cluster: TestCluster, vm: VirtualMachine) => Promise<void>): Promise<void> {
  await using cluster = await startTestCluster()
  const { client } = cluster
  const named = { namespace: 'default' }
  await client.create(virtualMachineInstancetypes, { metadata: { ...named, name: 'small' }, spec: instancetypeOf().spec })
  await client.create(virtualMachinePreferences, { metadata: { ...named, name: 'linux' }, spec: preferenceOf().spec })
  const spec = {
    ...vmOf().spec,
    instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' },
    preference: { name: 'linux', kind: 'virtualmachinepreferences' },
  }
  await work(cluster, await client.create(virtualMachines, { metadata: { ...named, name: 'web' }, spec } as VirtualMachine))
}

async function captured({ client }: TestCluster, vm: VirtualMachine): Promise<VirtualMachine> {
  const { vm: pinned, failure } = await capture(
    { client, clock: systemClock, lookup: { client }, objection: () => undefined, format: defaultForm, historyLimit: 10 },
    vm,
  )
  if (failure !== undefined) throw failure
  return pinned
}

suite('capture()', () => {
  test('stores both objects with one status patch, and writes nothing the second time', () =>
    withVm(async (cluster, vm) => {
      const pinned = await captured(cluster, vm)
      assert.match(pinned.status?.instancetypeRef?.controllerRevisionRef?.name ?? '', /^web-small-v1beta1-[0-9a-f-]{36}-1$/)
      assert.equal(pinned.status?.preferenceRef?.kind, 'virtualmachinepreferences')
      assert.deepEqual(pinned.spec, vm.spec)
      const again = await captured(cluster, pinned)
      assert.equal(again.metadata.resourceVersion, pinned.metadata.resourceVersion)
    }))

  test('keeps the captured hardware when the instance type is changed or deleted', () =>
    withVm(async (cluster, vm) => {
      const { client } = cluster
      const pinned = await captured(cluster, vm)
      const key = { namespace: 'default', name: 'small' }
      await client.patch(virtualMachineInstancetypes, key, { type: 'merge', body: { spec: { cpu: { guest: 9 } } } })
      assert.equal((await findInstancetype({ client }, pinned))?.object.spec.cpu.guest, 2)
      await client.delete(virtualMachineInstancetypes, key)
      assert.equal((await findInstancetype({ client }, pinned))?.object.spec.cpu.guest, 2)
    }))

  test('captures again when the kind in the matcher changes, and drops the reference of a removed matcher', () =>
    withVm(async (cluster, vm) => {
      const { client } = cluster
      const pinned = await captured(cluster, vm)
      const { preference: _, ...spec } = pinned.spec
      const switched = await client.update(virtualMachines, { ...pinned, spec: { ...spec, instancetype: { name: 'small' } } })
      await assert.rejects(
        captured(cluster, switched),
        (error) => error instanceof CaptureFailed && error.reason === 'FailedFindInstancetype',
      )
      const waiting = await client.get(virtualMachines, { namespace: 'default', name: 'web' })
      assert.equal(waiting.status?.preferenceRef, undefined, 'what was removed is forgotten although the other is missing')
      const { instancetype: _i, ...bare } = waiting.spec
      const freed = await captured(cluster, await client.update(virtualMachines, { ...waiting, spec: bare }))
      assert.deepEqual([freed.status?.instancetypeRef, freed.status?.preferenceRef], [undefined, undefined])
    }))

  test('prefers the revision that the spec names', () =>
    withVm(async (cluster, vm) => {
      const { client } = cluster
      const pinned = await captured(cluster, vm)
      const revision = pinned.status?.instancetypeRef?.controllerRevisionRef?.name ?? ''
      const key = { namespace: 'default', name: 'small' }
      await client.patch(virtualMachineInstancetypes, key, { type: 'merge', body: { spec: { cpu: { guest: 9 } } } })
      const instancetype = { name: 'small', kind: 'VirtualMachineInstancetype', revisionName: revision }
      const named = { ...pinned, spec: { ...pinned.spec, instancetype }, status: {} }
      assert.equal((await findInstancetype({ client }, named))?.object.spec.cpu.guest, 2)
    }))

  test('captures a deleted revision again only while the live object is unchanged', () =>
    withVm(async (cluster, vm) => {
      const { client } = cluster
      const pinned = await captured(cluster, vm)
      const key = { namespace: 'default', name: pinned.status?.instancetypeRef?.controllerRevisionRef?.name ?? '' }
      await client.delete(controllerRevisions, key)
      await captured(cluster, pinned)
      assert.ok(await client.get(controllerRevisions, key))
      await client.delete(controllerRevisions, key)
      await client.patch(
        virtualMachineInstancetypes,
        { namespace: 'default', name: 'small' },
        { type: 'merge', body: { spec: { cpu: { guest: 9 } } } },
      )
      await assert.rejects(
        captured(cluster, pinned),
        (error) => error instanceof CaptureFailed && error.reason === 'FailedFindInstancetype',
      )
    }))

  test('rejects an existing revision of that name with other content', () =>
    withVm(async (cluster, vm) => {
      const { client } = cluster
      const live = await findInstancetype({ client }, vm)
      assert.ok(live !== undefined)
      const other = { ...live.object, spec: { ...live.object.spec, cpu: { guest: 7 } } }
      const revision = revisionOf(vm, other)
      const name = revision.metadata.name
      await client.create(controllerRevisions, revision)
      await assert.rejects(captured(cluster, vm), (error) => {
        assert.ok(error instanceof CaptureFailed)
        const told = `error encountered while storing instancetype.kubevirt.io controllerRevisions: found existing ControllerRevision with unexpected data: ${name}`
        return error.reason === 'FailedCreate' && error.message === told
      })
    }))

  test('reports unknown kinds', async () => {
    const vm = { ...vmOf(), spec: { ...vmOf().spec, instancetype: { name: 'a', kind: 'Pod' } } }
    await assert.rejects(findInstancetype({ client: { get: () => assert.fail('not asked') } }, vm), UnexpectedKind)
  })
})
