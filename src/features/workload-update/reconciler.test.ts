import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { kubeVirts, virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { fixedConfig } from '#features/cluster-config/live-config.fixture.ts'
import { createEvacuationController } from '#features/evacuation/index.ts'
import { imageHash } from '#features/vmi/index.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { startTestCluster, until, type TestCluster } from '../cluster.fixture.ts'
import { node } from '../evacuation/node.fixture.ts'
import { guest as vmiOf, launcher } from '#features/eviction/vmi.fixture.ts'
import { createWorkloadUpdateController } from './controller.ts'

const image = 'launcher:v2'

/** Two updated nodes with guests in an old launcher, and no migration controller. */
class UpdateFixture implements AsyncDisposable {
  readonly client: TestCluster['client']
  readonly #cluster: TestCluster
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>

  constructor(cluster: TestCluster) {
    this.#cluster = cluster
    const { client } = (this.client = cluster.client) && cluster
    const informers = createInformerSet({ client, clock, log, freeze: true })
    const live = fixedConfig({ workloadUpdateMethods: ['LiveMigrate', 'Evict'] })
    const options = { client, recorder: { event: () => {} }, clock, log, informers, live, launcherImage: image }
    // Adds the index of migrations.
    createEvacuationController(options)
    const controller = createWorkloadUpdateController(options)
    this.#running = Promise.all([informers, controller].map((part) => part.run(this.#stop.signal)))
  }

  async start(name: string, strategy: string, isMigratable: boolean): Promise<void> {
    const { apiVersion, kind, spec, status } = vmiOf(strategy, isMigratable, { launcherContainerImageVersion: 'launcher:v1' })
    const metadata = { name, namespace: 'default' }
    const made = await this.client.create<VirtualMachineInstance>(virtualMachineInstances, {
      apiVersion,
      kind,
      metadata,
      spec,
      status,
    } as never)
    const uid = made.metadata.uid ?? ''
    const labels = { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': uid }
    const pod = launcher({ metadata: { name: `virt-launcher-${name}`, namespace: 'default', labels, ownerReferences: [] } })
    await this.client.create(pods, { ...pod, spec: { nodeName: 'n1', containers: [{ name: 'compute', image: 'x' }] } } as never)
    const body = { status: { phase: 'Running' } }
    await this.client.patch(
      pods,
      { namespace: 'default', name: `virt-launcher-${name}` },
      { type: 'merge', body },
      { subresource: 'status' },
    )
  }

  async migrations(): Promise<readonly VirtualMachineInstanceMigration[]> {
    return (await this.client.list(virtualMachineInstanceMigrations, { namespace: 'default' })).items
  }

  async succeed({ metadata, spec }: VirtualMachineInstanceMigration): Promise<void> {
    const vmi = { namespace: 'default', name: spec.vmiName ?? '' }
    const moved = { status: { nodeName: 'n2', launcherContainerImageVersion: image } }
    await this.client.patch(virtualMachineInstances, vmi, { type: 'merge', body: moved })
    const key = { namespace: 'default', name: metadata.name ?? '' }
    const body = { status: { phase: 'Succeeded' } }
    await this.client.patch(virtualMachineInstanceMigrations, key, { type: 'merge', body }, { subresource: 'status' })
  }

  async reasonOf(name: string): Promise<string | undefined> {
    const vmi = await this.client.get(virtualMachineInstances, { namespace: 'default', name })
    return vmi.status?.conditions?.find(({ type }) => type === 'steadyvm.io/UpdatePending')?.reason
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#cluster[Symbol.asyncDispose]()
  }
}

suite('workload updates', () => {
  test('migrate a canary, then the others, evict guests that may be shut down, and report what the rest waits for', async () => {
    const cluster = await startTestCluster()
    const labels = { 'steadyvm.io/launcher-release': imageHash(image) }
    for (const name of ['n1', 'n2']) await cluster.client.create(nodes, node(name, { labels }) as never)
    await using fixture = new UpdateFixture(cluster)
    for (const name of ['a', 'b', 'c']) await fixture.start(name, 'LiveMigrate', true)
    await fixture.start('stoppable', 'None', false)
    await fixture.start('stuck', 'LiveMigrate', false)
    await cluster.client.create(kubeVirts, { metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: {} } as never)

    const [first] = await until(async () => ((await fixture.migrations()).length > 0 ? fixture.migrations() : false))
    assert.ok(first !== undefined)
    assert.deepEqual(first.spec, { vmiName: 'a', priority: 'system-critical', addedNodeSelector: labels })
    await until(async () => (await fixture.reasonOf('stuck')) === 'NotMigratable')
    assert.equal(await fixture.reasonOf('b'), 'WaitingForCanary')
    assert.equal((await fixture.migrations()).length, 1)
    await until(async () =>
      (await cluster.client.list(pods, { namespace: 'default' })).items.every(
        ({ metadata }) => metadata.name !== 'virt-launcher-stoppable' || metadata.deletionTimestamp !== undefined,
      ),
    )
    await fixture.succeed(first)
    await until(async () => (await fixture.migrations()).length === 3)
    const kubevirt = await until(async () => {
      const found = await cluster.client.get(kubeVirts, { namespace: 'kubevirt', name: 'kubevirt' })
      return found.status?.steadyvm?.workloadUpdate?.waiting?.['WaitingForCanary'] === undefined && found
    })
    assert.notEqual(kubevirt.status?.steadyvm?.workloadUpdate?.lastBatchTime, undefined)
    await until(async () => (await fixture.reasonOf('a')) === undefined)
  })
})
