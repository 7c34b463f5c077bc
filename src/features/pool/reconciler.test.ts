import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachinePools } from '#api/pool/v1beta1/resources.ts'
import type { VirtualMachinePool, VirtualMachinePoolSpec } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { crashingClient } from '#cluster/crashing-client.fixture.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import { createExpectations } from '#runtime/controller/expectations.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import { holdsFinalizer } from './members/finalizer.ts'
import { poolNameOf, revisionLabel } from './names.ts'
import { createPoolReconciler, membersByPool } from './reconciler.ts'

const key = { namespace: 'shop', name: 'web' }
const { signal } = new AbortController()

/** A cache that always shows the current state, with the index of workload controllers. */
function freshCache<T extends KubeObject>(api: MemoryApi, resource: ResourceType<T>): Informer<T> {
  const cache: Partial<Informer<T>> = {
    get: (namespace, name) => api.peek(resource, namespace, name),
    list: () => api.all(resource),
    byIndex: (index, value) =>
      api
        .all(resource)
        .filter((object) =>
          index === membersByPool ? holdsFinalizer(object) && `shop/${poolNameOf(object)}` === value : controllerOf(object)?.uid === value,
        ),
  }
  return cache as Informer<T>
}

/** A cluster with one pool, and a controller of VMs that starts and ends guests at once. */
class Cluster {
  readonly api = new MemoryApi()
  readonly events: string[] = []
  #generation = 0

  async apply(spec: Partial<VirtualMachinePoolSpec> & { image?: string }): Promise<void> {
    const { image = 'old', ...more } = spec
    const labels = { app: 'web' }
    const template = { metadata: { labels: { image } }, spec: { domain: { devices: {} } } }
    const full = { selector: { matchLabels: labels }, virtualMachineTemplate: { metadata: { labels }, spec: { template } }, ...more }
    const generation = ++this.#generation
    if (generation === 1) {
      await this.api.create(virtualMachinePools, { metadata: { ...key, generation }, spec: full } as VirtualMachinePool)
      return
    }
    const old = await this.api.get(virtualMachinePools, key)
    await this.api.update(virtualMachinePools, { ...old, metadata: { ...old.metadata, generation }, spec: full })
  }

  /** Starts the controller with an empty memory and reconciles once. */
  async reconcile(client: Client = this.api): Promise<void> {
    const { api } = this
    const reconcile = createPoolReconciler({
      client,
      pools: freshCache(api, virtualMachinePools),
      vms: freshCache(api, virtualMachines),
      vmis: freshCache(api, virtualMachineInstances),
      revisions: freshCache(api, controllerRevisions),
      expectations: createExpectations({ clock: systemClock }),
      recorder: { event: (_, type, reason, message) => void this.events.push(`${type} ${reason} ${message}`) },
      clock: systemClock,
    })
    await reconcile(key, { signal })
  }

  async runGuests(): Promise<void> {
    for (const vm of this.api.all(virtualMachines)) {
      const { name = '', namespace = '' } = vm.metadata
      if (isBeingDeleted(vm) || this.api.peek(virtualMachineInstances, namespace, name) !== undefined) continue
      await this.api.create(virtualMachineInstances, {
        metadata: {
          name,
          namespace,
          ownerReferences: [controllerReference(virtualMachines, vm)],
          labels: vm.spec.template.metadata?.labels ?? {},
        },
        spec: vm.spec.template.spec,
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      })
    }
    for (const { metadata } of this.api.all(virtualMachineInstances)) {
      const { name = '', namespace = '' } = metadata
      if (this.api.peek(virtualMachines, namespace, name) === undefined) await this.api.delete(virtualMachineInstances, { namespace, name })
    }
  }

  async settle(): Promise<void> {
    for (let pass = 0; pass < 12; pass++) {
      await this.reconcile()
      await this.runGuests()
    }
  }

  /** Names of VMs, each with the image of its VM and of its guest. */
  state(): string {
    return this.api
      .all(virtualMachines)
      .map(({ metadata: { name = '', namespace = '' }, spec }) => {
        const guest = this.api.peek(virtualMachineInstances, namespace, name)
        return `${name} ${spec.template.metadata?.labels?.['image']}/${guest?.metadata.labels?.['image']}`
      })
      .toSorted()
      .join(', ')
  }

  revisions(): string {
    return this.api
      .all(controllerRevisions)
      .map(({ metadata }) => metadata.name)
      .join()
  }
}

suite('the pool reconciler', () => {
  test('creates, updates and deletes VMs, and keeps one revision', async () => {
    const cluster = new Cluster()
    await cluster.apply({ replicas: 2 })
    await cluster.settle()
    assert.equal(cluster.state(), 'web-0 old/old, web-1 old/old')
    await cluster.apply({ replicas: 3, image: 'new' })
    await cluster.settle()
    assert.equal(cluster.state(), 'web-0 new/new, web-1 new/new, web-2 new/new')
    assert.equal(cluster.revisions(), 'web-2')
    await cluster.apply({ replicas: 0, image: 'new' })
    await cluster.settle()
    assert.equal(cluster.state(), '')
    const { status } = await cluster.api.get(virtualMachinePools, key)
    assert.deepEqual([status?.replicas, status?.labelSelector, status?.conditions], [0, 'app=web', []])
  })

  test('restarts no more guests at a time than may be unavailable', async () => {
    const cluster = new Cluster()
    await cluster.apply({ replicas: 3 })
    await cluster.settle()
    await cluster.apply({ replicas: 3, image: 'new', maxUnavailable: 1 })
    await cluster.reconcile()
    assert.equal(cluster.state(), 'web-0 new/old, web-1 new/old, web-2 new/old')
    for (let pass = 0; pass < 4; pass++) {
      await cluster.reconcile()
      assert.equal(cluster.api.all(virtualMachineInstances).length, 2)
      await cluster.reconcile()
      assert.equal(cluster.api.all(virtualMachineInstances).length, 2)
      await cluster.runGuests()
      if (!cluster.state().includes('/old')) return
    }
    assert.fail(cluster.state())
  })

  test('keeps what others added to a VM', async () => {
    const cluster = new Cluster()
    await cluster.apply({ replicas: 1 })
    await cluster.settle()
    const vmKey = { namespace: 'shop', name: 'web-0' }
    const hotplugged = { template: { spec: { volumes: [{ name: 'hot', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } }] } } }
    const body = { metadata: { labels: { team: 'a' } }, spec: { runStrategy: 'Halted', ...hotplugged } }
    await cluster.api.patch(virtualMachines, vmKey, { type: 'merge', body })
    await cluster.apply({ replicas: 1, image: 'new' })
    await cluster.settle()
    const { metadata, spec } = await cluster.api.get(virtualMachines, vmKey)
    assert.deepEqual(metadata.labels, { app: 'web', team: 'a', [revisionLabel]: 'web-2' })
    assert.deepEqual([spec.runStrategy, spec.template.spec.volumes?.length], ['Halted', 1])
    assert.equal(spec.template.metadata?.labels?.['image'], 'new')
  })

  test('lets a VM go that no longer has its labels, and replaces it', async () => {
    const cluster = new Cluster()
    await cluster.apply({ replicas: 1 })
    await cluster.settle()
    const vmKey = { namespace: 'shop', name: 'web-0' }
    await cluster.api.patch(virtualMachines, vmKey, { type: 'merge', body: { metadata: { labels: { app: 'alone' } } } })
    await cluster.settle()
    assert.equal(cluster.state(), 'web-0 old/old, web-1 old/old')
    const { metadata } = await cluster.api.get(virtualMachines, vmKey)
    assert.deepEqual([metadata.ownerReferences, metadata.finalizers], [[], []])
  })

  for (const [statePreservation, owners] of [
    ['Disabled', 1],
    ['Offline', 0],
  ] as const)
    test(`state preservation ${statePreservation}: ${owners} owners of the disk of a deleted VM`, async () => {
      const cluster = new Cluster()
      await cluster.apply({ replicas: 1, scaleInStrategy: { proactive: { statePreservation } } })
      await cluster.settle()
      const vm = await cluster.api.get(virtualMachines, { namespace: 'shop', name: 'web-0' })
      const disk = { namespace: 'shop', name: 'disk' }
      await cluster.api.create(persistentVolumeClaims, {
        metadata: { ...disk, ownerReferences: [controllerReference(virtualMachines, vm)] },
        spec: {},
      })
      await cluster.apply({ replicas: 0, scaleInStrategy: { proactive: { statePreservation } } })
      await cluster.settle()
      assert.equal(cluster.state(), '')
      const { metadata } = await cluster.api.get(persistentVolumeClaims, disk)
      assert.equal(metadata.ownerReferences?.length, owners)
    })

  test('waits for the end of the revision of an earlier pool of its name', async () => {
    const cluster = new Cluster()
    const revision = { namespace: 'shop', name: 'web-1' }
    await cluster.api.create(controllerRevisions, { metadata: revision, revision: 1 })
    await cluster.apply({ replicas: 1 })
    await assert.rejects(cluster.reconcile(), /ControllerRevision "web-1" belongs to another object/)
    const { status } = await cluster.api.get(virtualMachinePools, key)
    assert.deepEqual(
      status?.conditions?.map(({ type, reason }) => [type, reason]),
      [['ReplicaFailure', 'FailedScaleOut']],
    )
    await cluster.api.delete(controllerRevisions, revision)
    await cluster.settle()
    assert.equal(cluster.state(), 'web-0 old/old')
    assert.deepEqual((await cluster.api.get(virtualMachinePools, key)).status?.conditions, [])
  })

  test('is idle when nothing changes, and reports a pause once', async () => {
    const cluster = new Cluster()
    await cluster.apply({ replicas: 2, paused: true })
    await cluster.settle()
    assert.deepEqual(cluster.events, ['Normal SuccessfulPaused Pool is paused'])
    await cluster.apply({ replicas: 2 })
    await cluster.settle()
    assert.equal(cluster.events.filter((event) => event.includes('unpaused')).length, 1)
    cluster.api.calls.length = 0
    await cluster.settle()
    assert.deepEqual(cluster.api.calls, [])
  })

  test('releases VMs whose pool is gone', async () => {
    const cluster = new Cluster()
    await cluster.apply({ replicas: 2 })
    await cluster.settle()
    await cluster.api.patch(virtualMachinePools, key, { type: 'merge', body: { metadata: { finalizers: [] } } })
    await cluster.api.delete(virtualMachinePools, key)
    await cluster.reconcile()
    assert.deepEqual(
      cluster.api.all(virtualMachines).map(({ metadata }) => metadata.finalizers),
      [[], []],
    )
  })

  test('releases VMs that the garbage collector has orphaned before', async () => {
    const cluster = new Cluster()
    await cluster.apply({ replicas: 1 })
    await cluster.settle()
    const vmKey = { namespace: 'shop', name: 'web-0' }
    await cluster.api.delete(virtualMachinePools, key)
    await cluster.api.patch(virtualMachines, vmKey, { type: 'merge', body: { metadata: { ownerReferences: [] } } })
    await cluster.settle()
    assert.deepEqual((await cluster.api.get(virtualMachines, vmKey)).metadata.finalizers, [])
    assert.deepEqual(cluster.api.all(virtualMachinePools), [])
  })

  test('arrives, wherever it is killed', async () => {
    for (const isDone of [false, true])
      for (let atWrite = 1; ; atWrite++) {
        const cluster = new Cluster()
        const { client } = crashingClient(cluster.api, { atWrite, isDone })
        const pass = async (): Promise<boolean> => {
          const survived = await cluster.reconcile(client).then(
            () => true,
            () => false,
          )
          await cluster.runGuests()
          return survived
        }
        const run = async (): Promise<boolean> => {
          for (let count = 0; count < 6; count++) if (!(await pass())) return false
          return true
        }
        await cluster.apply({ replicas: 3 })
        let survived = await run()
        await cluster.settle()
        await cluster.apply({
          replicas: 2,
          image: 'new',
          scaleInStrategy: { proactive: { selectionPolicy: { sortPolicy: 'AscendingOrder' } } },
        })
        survived = (await run()) && survived
        await cluster.settle()
        assert.equal(cluster.state(), 'web-1 new/new, web-2 new/new', `write ${atWrite}, ${isDone ? 'done' : 'not done'}`)
        assert.equal(cluster.revisions(), 'web-2')
        await cluster.api.delete(virtualMachinePools, key)
        survived = (await run()) && survived
        await cluster.settle()
        assert.deepEqual(
          [cluster.api.all(virtualMachinePools).length, ...cluster.api.all(virtualMachines).map(({ metadata }) => metadata.finalizers)],
          [0, [], []],
        )
        if (survived) break
      }
  })
})
