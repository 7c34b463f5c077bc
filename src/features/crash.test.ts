import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { everyNth } from '#test/effort.ts'
import { found, startTestCluster, until, type TestCluster } from './cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'

/** More than the controllers need for a start. */
const mostWrites = 20
const key = { namespace: 'default', name: 'web' }

async function startWithHardware(): Promise<TestCluster> {
  const cluster = await startTestCluster()
  await cluster.client.create(virtualMachineInstancetypes, {
    metadata: { name: 'small', namespace: 'default' },
    spec: { cpu: { guest: 2 }, memory: { guest: '64Mi' } },
  })
  await cluster.client.create(virtualMachinePreferences, { metadata: { name: 'plain', namespace: 'default' }, spec: {} })
  return cluster
}

/** Runs the controllers until the client dies; gives false when it never does. */
async function runUntilDeath(cluster: TestCluster, death: CrashPoint, isDone: () => Promise<boolean>): Promise<boolean> {
  let isDead = false
  const stop = cluster.start('virt-controller', (client) => crashingClient(client, death, () => (isDead = true)))
  await until(async () => isDead || isDone())
  await stop()
  return isDead
}

/** There is no node, so this is as far as it gets. */
async function hasPod({ client }: TestCluster): Promise<boolean> {
  const vmi = await found(client, virtualMachineInstances, 'web')
  const vm = await found(client, virtualMachines, 'web')
  return vmi?.status?.phase === 'Scheduling' && vm?.status?.created === true
}

/** Exactly one of everything that a started VM has. */
async function inspect({ client }: TestCluster): Promise<object> {
  const vm = await client.get(virtualMachines, key)
  const vmi = await client.get(virtualMachineInstances, key)
  const revisions = (await client.list(controllerRevisions, { namespace: 'default' })).items.map(({ metadata }) => metadata.name ?? '')
  const launchers = (await client.list(pods, { namespace: 'default' })).items
  return {
    finalizers: vm.metadata.finalizers,
    refs: [vm.status?.instancetypeRef, vm.status?.preferenceRef].map((ref) => revisions.includes(ref?.controllerRevisionRef?.name ?? '')),
    revisions: revisions.length,
    started: revisions.includes(vmi.status?.virtualMachineRevisionName ?? ''),
    claims: (await client.list(persistentVolumeClaims, { namespace: 'default' })).items.map(
      ({ metadata }) => metadata.ownerReferences?.[0]?.uid === vm.metadata.uid,
    ),
    pods: launchers.map(({ metadata }) => metadata.uid === Object.keys(vmi.status?.activePods ?? {})[0]),
    failures: vm.status?.conditions?.filter(({ type }) => type === 'Failure').length,
  }
}

const whole = {
  finalizers: ['kubevirt.io/virtualMachineControllerFinalize'],
  refs: [true, true],
  revisions: 3,
  started: true,
  claims: [true],
  pods: [true],
  failures: 0,
}

async function startVm({ client }: TestCluster): Promise<void> {
  await client.create(virtualMachines, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      runStrategy: 'Always',
      instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' },
      preference: { name: 'plain', kind: 'VirtualMachinePreference' },
      // Its TPM remembers, so there is a claim to be made.
      template: { spec: { domain: { devices: { tpm: { persistent: true } } } } },
    },
  })
}

suite('controllers that are killed at any write', () => {
  for (const moment of ['before', 'after'] as const) {
    test(`start a VM with all kinds of objects, ${moment} each write`, async () => {
      for (const write of everyNth({ default: 3, long: 1 })) {
        assert.ok(write <= mostWrites, 'the controllers never stop writing')
        await using cluster = await startWithHardware()
        await startVm(cluster)
        const died = await runUntilDeath(cluster, { write, moment }, () => hasPod(cluster))
        cluster.start('virt-controller')
        await until(() => hasPod(cluster))
        assert.deepEqual(await inspect(cluster), whole, `killed ${moment} write ${write}`)
        if (!died) return assert.ok(write > 8, `only ${write} writes`)
      }
    })

    test(`delete all objects of a deleted VM, ${moment} each write`, async () => {
      for (const write of everyNth({ default: 3, long: 1 })) {
        assert.ok(write <= mostWrites, 'the controllers never stop writing')
        await using cluster = await startWithHardware()
        await startVm(cluster)
        const stop = cluster.start('virt-controller')
        await until(() => hasPod(cluster))
        await stop()
        await cluster.client.delete(virtualMachines, key)
        const isGone = async (): Promise<boolean> => (await found(cluster.client, virtualMachines, 'web')) === undefined
        const died = await runUntilDeath(cluster, { write, moment }, isGone)
        cluster.start('virt-controller')
        await until(isGone)
        await until(async () => (await cluster.client.list(controllerRevisions, { namespace: 'default' })).items.length === 0)
        assert.equal(await found(cluster.client, virtualMachineInstances, 'web'), undefined)
        await until(async () => (await cluster.client.list(persistentVolumeClaims, { namespace: 'default' })).items.length === 0)
        assert.deepEqual((await cluster.client.list(pods, { namespace: 'default' })).items, [])
        if (!died) return assert.ok(write > 3, `only ${write} writes`)
      }
    })
  }
})
