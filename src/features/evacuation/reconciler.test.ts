import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { fixedConfig } from '#features/cluster-config/live-config.fixture.ts'
import { createDisruptionBudgetController } from '#features/disruption-budget/index.ts'
import { interceptEviction } from '#features/eviction/index.ts'
import { startTestCluster, until, type TestCluster } from '../cluster.fixture.ts'
import { guest, launcher } from '#features/eviction/vmi.fixture.ts'
import { createEvacuationController } from './controller.ts'
import { node } from './node.fixture.ts'

const config = () => ({ evictionStrategy: 'None' }) as const
const web = { namespace: 'default', name: 'web' }

/**
 * A cluster with two nodes and a guest on the first, with controllers of evacuations and budgets,
 * and without one that runs migrations.
 */
class EvacuationFixture implements AsyncDisposable {
  readonly client: TestCluster['client']
  readonly events: string[] = []
  readonly #cluster: TestCluster
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>

  constructor(cluster: TestCluster) {
    this.#cluster = cluster
    this.client = cluster.client
    const { client } = cluster
    const informers = createInformerSet({ client, clock, log, freeze: true })
    const recorder = { event: (_: unknown, type: string, reason: string) => void this.events.push(`${type} ${reason}`) }
    const options = { client, recorder, clock, log, informers, live: fixedConfig(config()) }
    const parts = [createEvacuationController(options), createDisruptionBudgetController(options)]
    this.#running = Promise.all([informers, ...parts].map((part) => part.run(this.#stop.signal)))
  }

  vmi(): Promise<VirtualMachineInstance> {
    return this.client.get(virtualMachineInstances, web)
  }

  async migrations(): Promise<readonly VirtualMachineInstanceMigration[]> {
    return (await this.client.list(virtualMachineInstanceMigrations, { namespace: 'default' })).items
  }

  minimum(): Promise<number | string | false | undefined> {
    return this.client.list(podDisruptionBudgets, { namespace: 'default' }).then(({ items }) => items[0]?.spec?.minAvailable ?? false)
  }

  /** Creates the guest and its launcher. */
  async start(strategy: string, isMigratable: boolean): Promise<void> {
    const { apiVersion, kind, spec, status } = guest(strategy, isMigratable)
    const made = await this.client.create<VirtualMachineInstance>(virtualMachineInstances, {
      apiVersion,
      kind,
      metadata: web,
      spec,
      status,
    } as never)
    await this.addPod('virt-launcher-web-aaaaa', made.metadata.uid ?? '', 'n1')
  }

  async addPod(name: string, uid: string, nodeName: string): Promise<void> {
    const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid, controller: true }
    const labels = { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': uid }
    const made = launcher({ metadata: { name, namespace: 'default', labels, ownerReferences: [owner] } })
    await this.client.create(pods, { ...made, spec: { nodeName, containers: [{ name: 'compute', image: 'x' }] } } as never)
  }

  /** Reports whether the VMI has the EvictionRequested condition. */
  async isAsked(): Promise<boolean> {
    return (await this.vmi()).status?.conditions?.some(({ type }) => type === 'EvictionRequested') === true
  }

  /** Reports whether the launcher pod has the eviction-in-progress annotation. */
  async isPodMarked(): Promise<boolean> {
    const { metadata } = await this.client.get(pods, { namespace: 'default', name: 'virt-launcher-web-aaaaa' })
    return metadata.annotations?.['descheduler.alpha.kubernetes.io/eviction-in-progress'] === 'kubevirt'
  }

  cordon(isClosed: boolean): Promise<unknown> {
    return this.client.patch(nodes, { name: 'n1' }, { type: 'merge', body: { spec: { unschedulable: isClosed } } })
  }

  evict(): ReturnType<typeof interceptEviction> {
    const request = { uid: 'r', name: 'virt-launcher-web-aaaaa', namespace: 'default', operation: 'CREATE', object: {} }
    return interceptEviction({ client: this.client, config }, request as never)
  }

  patchVmi(status: object): Promise<unknown> {
    return this.client.patch(virtualMachineInstances, web, { type: 'merge', body: { status } })
  }

  /** Ends a migration, in place of the migration controller. */
  async end({ metadata }: VirtualMachineInstanceMigration, phase: 'Succeeded' | 'Failed'): Promise<void> {
    if (phase === 'Succeeded') await this.patchVmi({ nodeName: 'n2' })
    const entered = { phase, phaseTransitionTimestamp: new Date(clock.now()).toISOString() }
    const body = { status: { phase, phaseTransitionTimestamps: [entered] } }
    const key = { namespace: 'default', name: metadata.name ?? '' }
    await this.client.patch(virtualMachineInstanceMigrations, key, { type: 'merge', body }, { subresource: 'status' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#cluster[Symbol.asyncDispose]()
  }
}

async function fixtureWith(strategy: string, isMigratable: boolean): Promise<EvacuationFixture> {
  const fixture = new EvacuationFixture(await startTestCluster())
  for (const name of ['n1', 'n2']) await fixture.client.create(nodes, node(name) as never)
  await fixture.start(strategy, isMigratable)
  return fixture
}

suite('evacuation', () => {
  test('an evicted guest is migrated once, has minAvailable 2 while it has two pods, and its mark is cleared on the new node', async () => {
    await using fixture = await fixtureWith('LiveMigrate', true)
    await until(async () => (await fixture.minimum()) === 1)
    await fixture.cordon(true)
    assert.equal((await fixture.evict()).allowed, false)
    const [migration] = await until(async () => ((await fixture.migrations()).length > 0 ? fixture.migrations() : false))
    assert.ok(migration !== undefined)
    assert.deepEqual([migration.spec.vmiName, migration.spec.priority], ['web', 'system-critical'])
    await until(async () => (await fixture.isAsked()) && (await fixture.isPodMarked()))
    await fixture.addPod('virt-launcher-web-bbbbb', (await fixture.vmi()).metadata.uid ?? '', 'n2')
    await until(async () => (await fixture.minimum()) === 2)
    await fixture.end(migration, 'Succeeded')
    await until(async () => (await fixture.vmi()).status?.evacuationNodeName === undefined)
    assert.equal((await fixture.migrations()).length, 1)
    assert.equal(await fixture.isAsked(), false)
    assert.equal((await fixture.vmi()).metadata.annotations?.['steadyvm.io/evacuated-from-cordoned'], undefined)
  })

  test('uncordoning cancels migrations that were not handed over', async () => {
    await using fixture = await fixtureWith('LiveMigrateIfPossible', true)
    await fixture.cordon(true)
    await fixture.evict()
    await until(async () => (await fixture.migrations()).length === 1)
    await fixture.cordon(false)
    await until(async () => (await fixture.migrations()).length === 0)
    await until(async () => (await fixture.vmi()).status?.evacuationNodeName === undefined)
    await until(async () => !(await fixture.isAsked()) && !(await fixture.isPodMarked()))
    assert.deepEqual(fixture.events, ['Normal SuccessfulCreate', 'Normal SuccessfulDelete'])
  })

  test('a guest that can neither be migrated nor shut down is reported once, until it can', async () => {
    await using fixture = await fixtureWith('LiveMigrate', false)
    await fixture.cordon(true)
    const blocked = async () => (await fixture.vmi()).status?.conditions?.find(({ type }) => type === 'steadyvm.io/EvacuationBlocked')
    const { reason, message } = await until(blocked)
    assert.equal(reason, 'NotMigratable')
    assert.match(message ?? '', /DisksNotLiveMigratable: disk "a" is local/)
    await fixture.patchVmi({ conditions: [{ type: 'LiveMigratable', status: 'True' }] })
    await until(async () => (await blocked()) === undefined)
    assert.deepEqual(fixture.events, ['Warning EvacuationBlocked'])
  })

  test('a failed attempt is followed by a back-off', async () => {
    await using fixture = await fixtureWith('LiveMigrate', true)
    await fixture.evict()
    const [migration] = await until(async () => ((await fixture.migrations()).length > 0 ? fixture.migrations() : false))
    assert.ok(migration !== undefined)
    await fixture.end(migration, 'Failed')
    // An update of the guest, which requeues its node.
    await fixture.patchVmi({ evacuationNodeName: 'n1', conditions: [{ type: 'LiveMigratable', status: 'False', reason: 'X' }] })
    await until(() => fixture.events.includes('Warning EvacuationBlocked'))
    assert.equal((await fixture.migrations()).length, 1)
  })
})
