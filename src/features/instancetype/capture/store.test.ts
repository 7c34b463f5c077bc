import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { isConflict } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { TransportError } from '#client/client.ts'
import { startTestCluster, type TestCluster } from '#features/cluster.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { defaultForm, instancetypeOf, preferenceOf, vmOf, revisionOf } from '../instancetype.fixture.ts'
import { capture, type Captured } from './capture.ts'

const namespace = 'default'
const kinds = [
  { family: 'instancetype', resource: virtualMachineInstancetypes, kind: 'VirtualMachineInstancetype' },
  { family: 'instancetype', resource: virtualMachineClusterInstancetypes, kind: 'VirtualMachineClusterInstancetype' },
  { family: 'instancetype', resource: virtualMachineClusterInstancetypes, kind: undefined },
  { family: 'preference', resource: virtualMachinePreferences, kind: 'VirtualMachinePreference' },
  { family: 'preference', resource: virtualMachineClusterPreferences, kind: 'virtualmachineclusterpreferences' },
  { family: 'preference', resource: virtualMachineClusterPreferences, kind: undefined },
] as const

function captureIn({ client }: TestCluster, vm: VirtualMachine): Promise<Captured> {
  return capture({ client, clock: systemClock, lookup: { client }, objection: () => undefined, format: defaultForm, historyLimit: 10 }, vm)
}

async function createVm({ client }: TestCluster, spec: Partial<VirtualMachineSpec>): Promise<VirtualMachine> {
  return client.create(virtualMachines, { metadata: { name: 'web', namespace }, spec: { ...vmOf().spec, ...spec } } as VirtualMachine)
}

async function createType({ client }: TestCluster, metadata: object = {}): Promise<KubeObject> {
  const { spec } = instancetypeOf()
  return client.create(virtualMachineInstancetypes, { metadata: { name: 'small', namespace, ...metadata }, spec })
}

const named = { instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' } }

suite('storing', () => {
  for (const { family, resource, kind } of kinds) {
    test(`captures a ${resource.kind} for a matcher with kind ${kind ?? 'unset'}`, async () => {
      await using cluster = await startTestCluster()
      const { client } = cluster
      const metadata = { name: 'small', ...(resource.namespaced ? { namespace } : {}) }
      const object = family === 'instancetype' ? instancetypeOf() : preferenceOf()
      const { spec } = await client.create(resource as typeof virtualMachineInstancetypes, { metadata, spec: object.spec } as KubeObject)
      const vm = await createVm(cluster, { [family]: { name: 'small', ...(kind === undefined ? {} : { kind }) } })
      const { vm: pinned, inForce, failure } = await captureIn(cluster, vm)
      assert.equal(failure, undefined)
      assert.deepEqual(pinned.spec, vm.spec)
      const ref = pinned.status?.[`${family}Ref`]
      assert.deepEqual([ref?.name, ref?.kind], ['small', kind])
      const stored = await client.get(controllerRevisions, { namespace, name: ref?.controllerRevisionRef?.name ?? '' })
      assert.equal(stored.metadata.labels?.['instancetype.kubevirt.io/object-kind'], resource.kind)
      assert.deepEqual(stored.data?.['spec'], spec)
      assert.deepEqual(inForce?.[family]?.object.spec, spec)
      assert.equal(
        (await client.get(virtualMachines, { namespace, name: 'web' })).metadata.resourceVersion,
        pinned.metadata.resourceVersion,
      )
    })
  }

  test('does nothing for a VM without matchers', async () => {
    await using cluster = await startTestCluster()
    const vm = await createVm(cluster, {})
    assert.equal((await captureIn(cluster, vm)).vm, vm)
  })

  test('uses the revision that the spec names, and creates none', async () => {
    await using cluster = await startTestCluster()
    const vm = await createVm(cluster, { instancetype: { ...named.instancetype, revisionName: 'mine' } })
    const { metadata, ...rest } = revisionOf(vm, instancetypeOf())
    await cluster.client.create(controllerRevisions, { ...rest, metadata: { ...metadata, name: 'mine', namespace } })
    const { vm: pinned } = await captureIn(cluster, vm)
    assert.equal(pinned.status?.instancetypeRef?.controllerRevisionRef?.name, 'mine')
    assert.equal((await cluster.client.list(controllerRevisions, { namespace })).items.length, 1)
  })

  test('uses an existing revision with an equal spec, and adopts it when it has no owner', async () => {
    for (const isOwned of [true, false]) {
      await using cluster = await startTestCluster()
      const type = await createType(cluster)
      const vm = await createVm(cluster, named)
      const spec = { cpu: { guest: 2 }, memory: { guest: '1024Mi' }, gpus: [], nodeSelector: null }
      const revision = revisionOf(vm, { ...instancetypeOf(), metadata: type.metadata ?? {} })
      const { ownerReferences = [], ...metadata } = revision.metadata
      await cluster.client.create(controllerRevisions, {
        ...revision,
        metadata: { ...metadata, ...(isOwned ? { ownerReferences } : {}) },
        data: { ...revision.data, spec },
      })
      const { vm: pinned, failure } = await captureIn(cluster, vm)
      assert.equal(failure, undefined)
      assert.equal(pinned.status?.instancetypeRef?.controllerRevisionRef?.name, metadata.name)
      const kept = await cluster.client.get(controllerRevisions, { namespace, name: metadata.name ?? '' })
      assert.deepEqual(kept.metadata.ownerReferences, ownerReferences)
      assert.deepEqual(kept.data?.['spec'], spec)
    }
  })

  test('does not use the revision of a deleted VM of the same name, which garbage collection will delete', async () => {
    await using cluster = await startTestCluster()
    const type = await createType(cluster)
    const vm = await createVm(cluster, named)
    const earlier = { ...vm, metadata: { ...vm.metadata, uid: 'earlier' } }
    const foreign = revisionOf(earlier, { ...instancetypeOf(), metadata: type.metadata ?? {} })
    // An owner that exists nowhere: the garbage collector would delete the revision at once.
    const client = { ...cluster.client, get: async () => foreign as never }
    await cluster.client.create(controllerRevisions, { ...foreign, metadata: { ...foreign.metadata, ownerReferences: [] } })
    const lookup = { client: cluster.client }
    const { failure } = await capture(
      { client, clock: systemClock, lookup, objection: () => undefined, format: defaultForm, historyLimit: 10 },
      vm,
    )
    assert.equal(failure?.reason, 'FailedCreate')
  })

  test('keeps the publisher labels of a type, and shortens names that are too long for labels', async () => {
    await using cluster = await startTestCluster()
    const prefix = 'instancetype.kubevirt.io'
    const name = 'n'.repeat(150)
    await createType(cluster, { name, labels: { [`${prefix}/vendor`]: 'me', [`${prefix}/common-instancetypes-version`]: 'v1', x: 'y' } })
    const vm = await createVm(cluster, { instancetype: { ...named.instancetype, name } })
    const { vm: pinned, failure } = await captureIn(cluster, vm)
    assert.equal(failure, undefined)
    const key = { namespace, name: pinned.status?.instancetypeRef?.controllerRevisionRef?.name ?? '' }
    const { labels = {} } = (await cluster.client.get(controllerRevisions, key)).metadata
    assert.deepEqual([labels[`${prefix}/vendor`], labels[`${prefix}/common-instancetypes-version`], labels['x']], ['me', 'v1', undefined])
    assert.ok((labels[`${prefix}/object-name`] ?? '').length <= 63)
    assert.equal((await captureIn(cluster, pinned)).vm, pinned, 'and it is found again')
  })

  test('copies the failure policy', async () => {
    await using cluster = await startTestCluster()
    await createType(cluster)
    const vm = await createVm(cluster, { instancetype: { ...named.instancetype, inferFromVolumeFailurePolicy: 'Ignore' } })
    const { vm: pinned } = await captureIn(cluster, vm)
    assert.equal(pinned.status?.instancetypeRef?.inferFromVolumeFailurePolicy, 'Ignore')
  })

  test('passes on conflicts of the VM and transport errors', async () => {
    await using cluster = await startTestCluster()
    await createType(cluster)
    const vm = await createVm(cluster, named)
    await cluster.client.patch(virtualMachines, { namespace, name: 'web' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })
    await assert.rejects(captureIn(cluster, vm), isConflict)
    const away = { ...cluster.client, get: () => Promise.reject(new TransportError('away')) }
    await assert.rejects(
      capture(
        { client: away, clock: systemClock, lookup: { client: away }, objection: () => undefined, format: defaultForm, historyLimit: 10 },
        vm,
      ),
      TransportError,
    )
  })
})
