import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstancetypes } from '#api/instancetype/v1beta1/resources.ts'
import { kubeVirts, virtualMachineInstanceMigrations, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { Client } from '#client/client.ts'
import { found, startTestCluster, until } from '#features/cluster.fixture.ts'
import { interceptEviction } from '#features/eviction/index.ts'
import { launcherSelector, imageHash } from '#features/vmi/index.ts'
import { FakeNodes } from '../support/fakes/fake-nodes.ts'

const image = 'steadyvm.io/virt-launcher:test'
const namespace = 'default'
const guests = ['a', 'b']
const limitMs = 90_000

/** Guests that an eviction must not stop, on the only open node of two. */
async function onOneNode(client: Client): Promise<FakeNodes> {
  const nodes = await FakeNodes.create(client, ['n1', 'n2'], { 'steadyvm.io/launcher-release': imageHash(image) })
  await nodes.cordon('n2', true)
  for (const name of guests) {
    const spec = { domain: { devices: {} }, evictionStrategy: 'LiveMigrate' }
    await client.create(virtualMachineInstances, { metadata: { name, namespace }, spec } as unknown as VirtualMachineInstance)
  }
  return nodes
}

suite('guests of a single node', () => {
  const vmisOf = async (client: Client): Promise<readonly VirtualMachineInstance[]> => (await client.list(virtualMachineInstances)).items
  const reasonsOf = async (client: Client, condition: string): Promise<string> =>
    (await vmisOf(client)).map(({ status }) => findCondition(status?.conditions, condition)?.reason).join()
  /** Returns VMI and phase of each migration. */
  const movesOf = async (client: Client): Promise<string[]> =>
    (await client.list(virtualMachineInstanceMigrations)).items.map(({ spec, status }) => `${spec.vmiName} ${status?.phase}`).toSorted()
  const areOn = async (client: Client, node: string): Promise<boolean> =>
    (await vmisOf(client)).every(({ status }) => status?.phase === 'Running' && status.nodeName === node) &&
    (await movesOf(client)).every((move) => move.endsWith('Succeeded'))

  test('that are outdated report the missing target, and are migrated once each when a node is added', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    const nodes = await onOneNode(client)
    cluster.start('virt-controller')
    const runUntil = (isDone: () => Promise<boolean>): Promise<unknown> => until(() => nodes.step().then(isDone), limitMs)
    await runUntil(() => areOn(client, 'n1'))
    for (const name of guests) {
      const body = { status: { launcherContainerImageVersion: 'steadyvm.io/virt-launcher:old' } }
      await client.patch(virtualMachineInstances, { namespace, name }, { type: 'merge', body })
    }
    const workloadUpdateStrategy = { workloadUpdateMethods: ['LiveMigrate'] }
    const spec = { workloadUpdateStrategy, configuration: { commonInstancetypesDeployment: { enabled: false } } }
    await client.create(kubeVirts, { metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec } as never)
    await runUntil(async () => (await reasonsOf(client, 'steadyvm.io/UpdatePending')) === 'NoTarget,NoTarget')
    await nodes.cordon('n2', false)
    await runUntil(() => areOn(client, 'n2'))
    assert.deepEqual(await movesOf(client), ['a Succeeded', 'b Succeeded'])
    assert.equal(nodes.lost.size, 0)
  })

  test('that is drained report the missing target, and clear the report when it is uncordoned', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    const nodes = await onOneNode(client)
    cluster.start('virt-controller')
    const runUntil = (isDone: () => Promise<boolean>): Promise<unknown> => until(() => nodes.step().then(isDone), limitMs)
    await runUntil(() => areOn(client, 'n1'))
    await nodes.cordon('n1', true)
    for (const { metadata } of (await client.list(pods, { labelSelector: launcherSelector })).items) {
      const request = { uid: 'r', namespace, name: metadata.name, operation: 'CREATE', object: {} }
      const { allowed } = await interceptEviction({ client, config: () => ({ evictionStrategy: 'None' }) }, request as never)
      assert.equal(allowed, false)
    }
    await runUntil(async () => (await reasonsOf(client, 'steadyvm.io/EvacuationBlocked')) === 'NoTarget,NoTarget')
    await nodes.cordon('n1', false)
    await runUntil(async () => (await vmisOf(client)).every(({ status }) => status?.evacuationNodeName === undefined))
    await runUntil(async () => (await reasonsOf(client, 'steadyvm.io/EvacuationBlocked')) === ',')
    assert.deepEqual(await movesOf(client), [])
    assert.ok(await areOn(client, 'n1'))
  })
})

suite('a VM whose instance type was deleted before its first start', () => {
  const type = { metadata: { name: 'small', namespace }, spec: { cpu: { guest: 2 }, memory: { guest: '64Mi' } } }
  const halted = {
    metadata: { name: 'web', namespace },
    spec: {
      runStrategy: 'Halted',
      instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' },
      template: { spec: { domain: { devices: {} } } },
    },
  } as unknown as VirtualMachine
  const start = (client: Client): Promise<unknown> =>
    client.patch(virtualMachines, { namespace, name: 'web' }, { type: 'merge', body: { spec: { runStrategy: 'Always' } } })
  /** Sockets of its guest. */
  const startedWith = (client: Client): Promise<unknown> =>
    until(async () => (await found(client, virtualMachineInstances, 'web'))?.spec.domain.cpu?.sockets, limitMs)

  test('starts with its captured revision, under a controller that has never seen the type', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    await client.create(virtualMachineInstancetypes, type)
    await client.create(virtualMachines, halted)
    const stop = cluster.start('virt-controller')
    await until(async () => (await found(client, virtualMachines, 'web'))?.status?.instancetypeRef?.controllerRevisionRef !== undefined)
    await stop()
    await client.delete(virtualMachineInstancetypes, { namespace, name: 'small' })
    cluster.start('virt-controller')
    await start(client)
    assert.equal(await startedWith(client), 2)
  })

  test('while no controller ran: reports the missing type, and starts when it is recreated', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    await client.create(virtualMachineInstancetypes, type)
    await client.create(virtualMachines, halted)
    await client.delete(virtualMachineInstancetypes, { namespace, name: 'small' })
    cluster.start('virt-controller')
    await start(client)
    await until(async () => {
      const vm = await found(client, virtualMachines, 'web')
      return findCondition(vm?.status?.conditions, 'Failure')?.reason === 'FailedFindInstancetype'
    }, limitMs)
    assert.equal(await found(client, virtualMachineInstances, 'web'), undefined)
    await client.create(virtualMachineInstancetypes, type)
    assert.equal(await startedWith(client), 2)
  })
})
