import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { virtualMachineInstancetypes } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { assertReferencesHold, checkedClient } from './check-references.fixture.ts'
import { askRestore, askSnapshot, captured, machine, makeVm, pinnedOf, small, takeSnapshot } from './snapshot.fixture.ts'
import { everyNth, variants } from '#test/effort.ts'

/** More than the controllers need for any of these. */
const mostWrites = 60
const namespace = 'default'
const key = { namespace, name: 'web' }
const plain = { devices: { preferredDiskBus: 'sata' } }

/** Requests of users, and their expected results. */
interface Case {
  readonly reason: string
  readonly fewest: number
  readonly prepare: (cluster: TestCluster) => Promise<unknown>
  readonly ask: (cluster: TestCluster) => Promise<unknown>
  readonly isDone: (cluster: TestCluster) => Promise<boolean>
  readonly inspect: (cluster: TestCluster) => Promise<void>
}

/** Replaces the type by another one of the same name: only the copies have the old content. */
async function replaceType({ client }: TestCluster): Promise<void> {
  await client.delete(virtualMachineInstancetypes, { namespace, name: 'small' })
  await client.create(virtualMachineInstancetypes, {
    metadata: { name: 'small', namespace },
    spec: { cpu: { guest: 9 }, memory: { guest: '1Gi' } },
  })
}

async function owned({ client }: TestCluster): Promise<string[]> {
  const { items } = await client.list(controllerRevisions, { namespace })
  return items.map(({ metadata }) => metadata.ownerReferences?.map(({ kind, name }) => `${kind}/${name}`).join() ?? '').toSorted()
}

async function isFree({ client }: TestCluster): Promise<boolean> {
  const vm = await found(client, virtualMachines, 'web')
  const { snapshotInProgress, restoreInProgress } = vm?.status ?? {}
  return snapshotInProgress === undefined && restoreInProgress === undefined && vm?.metadata.finalizers?.length === 1
}

async function isRestored({ client }: TestCluster): Promise<boolean> {
  return (await found(client, virtualMachineRestores, 'back'))?.status?.complete === true
}

const twoOf = (owner: string): string[] => [owner, owner]
const pinnedTo = (owner: string): unknown => ({ instancetype: { owner, spec: small }, preference: { owner, spec: plain } })

const cases: readonly Case[] = [
  {
    reason: 'take a snapshot',
    fewest: 9,
    prepare: replaceType,
    ask: (cluster) => askSnapshot(cluster),
    isDone: async (cluster) =>
      (await found(cluster.client, virtualMachineSnapshots, 'snap'))?.status?.readyToUse === true && (await isFree(cluster)),
    inspect: async (cluster) => {
      assert.deepEqual(await owned(cluster), [...twoOf('VirtualMachine/web'), ...twoOf('VirtualMachineSnapshot/snap')])
      assert.equal((await cluster.client.list(virtualMachineSnapshotContents, { namespace })).items.length, 1)
    },
  },
  {
    reason: 'restore a VM',
    fewest: 3,
    prepare: async (cluster) => {
      await takeSnapshot(cluster)
      await replaceType(cluster)
    },
    ask: (cluster) => askRestore(cluster, 'web'),
    isDone: async (cluster) => (await isRestored(cluster)) && (await isFree(cluster)),
    inspect: async (cluster) => {
      assert.deepEqual(await pinnedOf(cluster, await cluster.client.get(virtualMachines, key)), pinnedTo('VirtualMachine/web'))
      assert.deepEqual(await owned(cluster), [...twoOf('VirtualMachine/web'), ...twoOf('VirtualMachineSnapshot/snap')])
    },
  },
  {
    reason: 'restore to a VM that does not exist',
    fewest: 5,
    prepare: async (cluster) => {
      await takeSnapshot(cluster)
      await replaceType(cluster)
    },
    ask: (cluster) => askRestore(cluster, 'copy'),
    isDone: isRestored,
    inspect: async (cluster) => {
      const copy = await captured(cluster, 'copy')
      assert.deepEqual(await pinnedOf(cluster, copy), pinnedTo('VirtualMachine/copy'))
      assert.equal(copy.metadata.annotations?.['steadyvm.io/restoring'], undefined)
    },
  },
  {
    reason: 'delete a snapshot',
    fewest: 3,
    prepare: takeSnapshot,
    ask: ({ client }) => client.delete(virtualMachineSnapshots, { namespace, name: 'snap' }),
    isDone: async ({ client }) => (await found(client, virtualMachineSnapshots, 'snap')) === undefined,
    inspect: async (cluster) => {
      await until(async () => (await owned(cluster)).length === 2)
      assert.deepEqual((await cluster.client.list(virtualMachineSnapshotContents, { namespace })).items, [])
    },
  },
  {
    reason: 'clone a VM',
    fewest: 18,
    prepare: replaceType,
    ask: ({ client }) =>
      client.create(virtualMachineClones, {
        metadata: { name: 'twin', namespace },
        spec: { source: machine('web'), target: machine('twin') },
      }),
    isDone: async (cluster) =>
      (await found(cluster.client, virtualMachineClones, 'twin'))?.status?.phase === 'Succeeded' &&
      (await cluster.client.list(virtualMachineSnapshots, { namespace })).items.length === 0,
    inspect: async (cluster) => {
      assert.deepEqual(await pinnedOf(cluster, await captured(cluster, 'twin')), pinnedTo('VirtualMachine/twin'))
      await until(async () => (await owned(cluster)).length === 4)
      assert.deepEqual((await cluster.client.list(virtualMachineRestores, { namespace })).items, [])
      assert.ok(await isFree(cluster))
    },
  },
]

/**
 * Runs the controllers until they die at a write; gives false when they never do. All the time
 * every revision that is named is there.
 */
async function runAndDie(cluster: TestCluster, { ask, isDone }: Case, death: CrashPoint): Promise<boolean> {
  let isDead = false
  const findings: unknown[] = []
  let mostNamed = 0
  const check = async (): Promise<void> => {
    const named = await assertReferencesHold(cluster.client, namespace, ({ family }) => (family === 'instancetype' ? small : plain))
    mostNamed = Math.max(mostNamed, named)
  }
  const through = (client: Parameters<typeof crashingClient>[0]): typeof client => checkedClient(client, check, findings)
  const stop = cluster.start('virt-controller', (client) => crashingClient(through(client), death, () => (isDead = true)))
  await ask(cluster)
  await until(async () => isDead || findings.length > 0 || isDone(cluster))
  await stop()
  cluster.start('virt-controller', through)
  await until(async () => findings.length > 0 || isDone(cluster))
  assert.deepEqual(findings, [], `killed ${death.moment} write ${death.write}`)
  assert.ok(mostNamed >= 2, 'nothing was checked')
  return isDead
}

suite('controllers that are killed at any write', () => {
  for (const [index, one] of cases.entries()) {
    for (const moment of variants(['before', 'after'] as const, index)) {
      test(`${one.reason}, ${moment} each write`, async () => {
        for (const write of everyNth({ default: 11, long: 1 })) {
          assert.ok(write <= mostWrites, 'the controllers never stop writing')
          await using cluster = await startTestCluster()
          const stop = cluster.start('virt-controller')
          await makeVm(cluster)
          await captured(cluster)
          await one.prepare(cluster)
          await stop()
          const died = await runAndDie(cluster, one, { write, moment })
          await one.inspect(cluster)
          if (!died) return assert.ok(write > one.fewest, `only ${write} writes`)
        }
      })
    }
  }
})
