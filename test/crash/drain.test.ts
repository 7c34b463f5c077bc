import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { pods } from '#api/core/v1/resources.ts'
import { kubeVirts, virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { isNotFound, StatusError } from '#apimachinery/errors.ts'
import { startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { interceptEviction } from '#features/eviction/index.ts'
import { launcherSelector, imageHash } from '#features/vmi/index.ts'
import { FakeNodes } from '../support/fakes/fake-nodes.ts'
import { atEveryWrite } from '../support/crash/every-write.ts'

/** Strides through the writes at which the controllers are killed; 1: every write. */
const strides = { default: 12, long: 4 }
const limitMs = 60_000
const image = 'steadyvm.io/virt-launcher:test'
const guests = ['a', 'b']

/** A cluster with guests that run on `n1`, and controllers that can be killed. */
class CrashScenario implements AsyncDisposable {
  readonly client: TestCluster['client']
  readonly nodes: FakeNodes
  readonly #cluster: TestCluster

  private constructor(cluster: TestCluster, nodes: FakeNodes) {
    this.#cluster = cluster
    this.client = cluster.client
    this.nodes = nodes
  }

  static async create(vmis: readonly object[]): Promise<CrashScenario> {
    const cluster = await startTestCluster()
    const nodes = await FakeNodes.create(cluster.client, ['n1', 'n2'], { 'steadyvm.io/launcher-release': imageHash(image) })
    const scenario = new CrashScenario(cluster, nodes)
    await nodes.cordon('n2', true)
    for (const vmi of vmis) await cluster.client.create<VirtualMachineInstance>(virtualMachineInstances, vmi as VirtualMachineInstance)
    const stop = cluster.start('virt-controller')
    const run = async (): Promise<boolean> => (await scenario.vmis()).every(({ status }) => status?.phase === 'Running')
    await scenario.runUntil(async () => (await run()) && (await scenario.budgets()).every((minimum) => minimum === 1))
    await stop()
    await nodes.cordon('n2', false)
    return scenario
  }

  /** Steps the cluster until a condition holds; `meanwhile` simulates the user. */
  async runUntil(isDone: () => Promise<boolean> | boolean, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    await until(async () => {
      await this.nodes.step()
      await meanwhile()
      await this.check()
      return await isDone()
    }, limitMs)
  }

  /** Asserts the invariants of a drain. */
  async check(): Promise<void> {
    const { lost } = this.nodes
    assert.ok(
      [...lost].every((name) => name === 'loose'),
      `the pods of ${[...lost].join()} were taken away`,
    )
    const { items: migrations } = await this.client.list(virtualMachineInstanceMigrations)
    const inFlight = migrations.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    for (const [name, alike] of Map.groupBy(inFlight, ({ spec }) => spec.vmiName)) assert.equal(alike.length, 1, `${name} moves twice`)
    const { items: launchers } = await this.client.list(pods, { labelSelector: launcherSelector })
    const alive = launchers.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    for (const [uid, alike] of Map.groupBy(alive, ({ metadata }) => metadata.labels?.['kubevirt.io/created-by'])) {
      assert.ok(alike.length <= 2, `${uid} has ${alike.length} pods`)
    }
  }

  /**
   * Runs controllers that are killed at a write, then others to completion. Returns false if the
   * crash point was not reached.
   */
  async runWithCrash(crash: CrashPoint, isDone: () => Promise<boolean>, meanwhile?: () => Promise<void>): Promise<boolean> {
    let isKilled = false
    const stop = this.#cluster.start('virt-controller', (client) => crashingClient(client, crash, () => (isKilled = true)))
    await this.runUntil(async () => isKilled || (await isDone()), meanwhile)
    // The controller is down for a while, and the cluster continues.
    if (isKilled) for (let rest = 10; rest > 0; rest--) await this.runUntil(() => true, meanwhile)
    await stop()
    const end = this.#cluster.start('virt-controller')
    await this.runUntil(isDone, meanwhile)
    await end()
    return isKilled
  }

  async vmis(): Promise<readonly VirtualMachineInstance[]> {
    return (await this.client.list(virtualMachineInstances)).items
  }

  async budgets(): Promise<readonly (number | string | undefined)[]> {
    return (await this.client.list(podDisruptionBudgets)).items.map(({ spec }) => spec?.minAvailable)
  }

  async migrations(): Promise<string[]> {
    const { items } = await this.client.list(virtualMachineInstanceMigrations)
    return items.map(({ spec, status }) => `${spec.vmiName} ${status?.phase}`).toSorted()
  }

  /** Evicts all guests of a node like `kubectl drain`, with and without the webhook. */
  async evictAll(node: string): Promise<void> {
    const { items } = await this.client.list(pods, { labelSelector: launcherSelector })
    for (const { metadata, spec } of items.filter((pod) => pod.spec.nodeName === node && pod.metadata.deletionTimestamp === undefined)) {
      const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
      const request = { uid: 'r', ...key, operation: 'CREATE', object: {} }
      const { allowed } = await interceptEviction({ client: this.client, config: () => ({ evictionStrategy: 'None' }) }, request as never)
      assert.equal(allowed, false, `${key.name} on ${spec.nodeName}`)
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: key }
      // The former pod of a migrated guest may be deleted; any other one is recorded in `lost`.
      await this.client.create(pods, eviction as never, { subresource: 'eviction' }).catch((error: unknown) => {
        if (!isNotFound(error) && !(error instanceof StatusError && error.code === 429)) throw error
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]()
  }
}

const vmi = (name: string, evictionStrategy: string, annotations: Record<string, string> = {}): object => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name, namespace: 'default', annotations },
  spec: { domain: { devices: {} }, evictionStrategy },
})

suite('controllers that are killed at any write', { concurrency: false }, () => {
  test('while a node is drained: every guest continues on another node, after one migration', (t) =>
    atEveryWrite(
      t,
      strides,
      async (crash) => {
        await using scenario = await CrashScenario.create(guests.map((name) => vmi(name, 'LiveMigrate')))
        const before = (await scenario.vmis()).map(({ metadata }) => metadata.uid)
        await scenario.nodes.cordon('n1', true)
        const isEmpty = async (): Promise<boolean> => {
          const { items } = await scenario.client.list(pods, { labelSelector: launcherSelector })
          const isQuiet = (await scenario.vmis()).every(
            ({ status }) =>
              status?.evacuationNodeName === undefined && status?.conditions?.every(({ type }) => type !== 'EvictionRequested') === true,
          )
          const isOver = (await scenario.migrations()).every((one) => one.endsWith('Succeeded'))
          return (
            isQuiet && isOver && items.every(({ spec }) => spec.nodeName === 'n2') && (await scenario.budgets()).every((one) => one === 1)
          )
        }
        const wasKilled = await scenario.runWithCrash(crash, isEmpty, () => scenario.evictAll('n1'))
        assert.deepEqual([...scenario.nodes.lost], [])
        assert.deepEqual(
          (await scenario.vmis()).map(({ metadata, status }) => [metadata.uid, status?.phase, status?.nodeName]),
          before.map((uid) => [uid, 'Running', 'n2']),
        )
        assert.deepEqual(await scenario.migrations(), ['a Succeeded', 'b Succeeded'])
        assert.equal((await scenario.budgets()).length, guests.length)
        return wasKilled
      },
      12,
    ))

  test('while guests are updated: each is migrated once or stopped once, and no other guest is', (t) =>
    atEveryWrite(
      t,
      strides,
      async (crash) => {
        await using scenario = await CrashScenario.create([
          ...guests.map((name) => vmi(name, 'LiveMigrate')),
          vmi('loose', 'None', { stuck: '' }),
          vmi('stuck', 'LiveMigrate', { stuck: '' }),
        ])
        for (const { metadata } of await scenario.vmis()) {
          const old = { status: { launcherContainerImageVersion: 'steadyvm.io/virt-launcher:old' } }
          const key = { namespace: 'default', name: metadata.name ?? '' }
          await scenario.client.patch(virtualMachineInstances, key, { type: 'merge', body: old })
        }
        const workloadUpdateStrategy = { workloadUpdateMethods: ['LiveMigrate', 'Evict'], batchEvictionInterval: '3s' }
        const configuration = { commonInstancetypesDeployment: { enabled: false } }
        const spec = { workloadUpdateStrategy, configuration }
        await scenario.client.create(kubeVirts, { metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec } as never)
        const isUpdated = async (): Promise<boolean> => {
          const all = await scenario.vmis()
          const isCurrent = all
            .filter(({ metadata }) => guests.includes(metadata.name ?? ''))
            .every(({ status }) => status?.launcherContainerImageVersion === image)
          const pending = all.flatMap(({ metadata, status }) => {
            const found = status?.conditions?.find(({ type }) => type === 'steadyvm.io/UpdatePending')
            return found === undefined || status?.phase !== 'Running' ? [] : [`${metadata.name} ${found.reason}`]
          })
          const isOver = (await scenario.migrations()).every((one) => one.endsWith('Succeeded'))
          return isCurrent && isOver && scenario.nodes.lost.size > 0 && pending.join() === 'stuck NotMigratable'
        }
        const wasKilled = await scenario.runWithCrash(crash, isUpdated)
        assert.deepEqual([...scenario.nodes.lost], ['loose'])
        assert.deepEqual(await scenario.migrations(), ['a Succeeded', 'b Succeeded'])
        return wasKilled
      },
      12,
    ))
})
