import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { found, until, type TestCluster } from '#features/cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { startImportCluster } from '#features/data-volume/import-cluster.fixture.ts'
import { everyNth, variants } from '#test/effort.ts'
import { askRestore, askSnapshot, machine, takeSnapshot } from '../snapshot.fixture.ts'
import { claimsOf, makeStoredVm, runGuest, runStorage, volumesOf } from './stored-vm.fixture.ts'

/** More than the controllers need for any of these. */
const mostWrites = 150
const namespace = 'default'
const key = { namespace, name: 'web' }

/** Requests of users, and their expected results. */
interface Case {
  readonly reason: string
  readonly fewest: number
  readonly prepare?: (cluster: TestCluster) => Promise<unknown>
  readonly ask: (cluster: TestCluster) => Promise<unknown>
  readonly isDone: (cluster: TestCluster) => Promise<boolean>
  /** Number of claims at the end. */
  readonly claims: number
}

async function isFree({ client }: TestCluster): Promise<boolean> {
  const { snapshotInProgress, restoreInProgress } = (await found(client, virtualMachines, 'web'))?.status ?? {}
  const { diskCopy, diskCopyState } = (await found(client, virtualMachineInstances, 'web'))?.status?.steadyvm ?? {}
  const attached = await client.list(pods, { namespace, labelSelector: 'kubevirt.io=hotplug-disk' })
  return [snapshotInProgress, restoreInProgress, diskCopy, diskCopyState, attached.items[0]].every((one) => one === undefined)
}

async function isTaken(cluster: TestCluster): Promise<boolean> {
  const snapshot = await found(cluster.client, virtualMachineSnapshots, 'snap')
  return snapshot?.status?.phase === 'Succeeded' && (await isFree(cluster))
}

const cases: readonly Case[] = [
  { reason: 'take a snapshot of a halted VM', fewest: 15, ask: (cluster) => askSnapshot(cluster), isDone: isTaken, claims: 4 },
  {
    reason: 'take a snapshot of a guest that runs',
    fewest: 12,
    prepare: runGuest,
    ask: (cluster) => askSnapshot(cluster),
    isDone: isTaken,
    claims: 4,
  },
  {
    reason: 'delete a snapshot of a guest that runs while it is taken',
    fewest: 12,
    prepare: runGuest,
    ask: async (cluster) => {
      await askSnapshot(cluster)
      // Wherever the controllers are by then.
      await until(
        async () => (await found(cluster.client, virtualMachineInstances, 'web'))?.status?.steadyvm?.diskCopy !== undefined,
        5_000,
      ).catch(() => {})
      await cluster.client.delete(virtualMachineSnapshots, { namespace, name: 'snap' })
    },
    isDone: async (cluster) => (await found(cluster.client, virtualMachineSnapshots, 'snap')) === undefined && (await isFree(cluster)),
    claims: 2,
  },
  {
    reason: 'restore a VM',
    fewest: 20,
    prepare: takeSnapshot,
    ask: (cluster) => askRestore(cluster, 'web'),
    // The DataVolume of the template is deleted.
    isDone: async (cluster) =>
      (await found(cluster.client, virtualMachineRestores, 'back'))?.status?.complete === true &&
      (await found(cluster.client, dataVolumes, 'web-root')) === undefined,
    claims: 5,
  },
  {
    reason: 'clone a VM',
    fewest: 30,
    ask: ({ client }) =>
      client.create(virtualMachineClones, {
        metadata: { name: 'twin', namespace },
        spec: { source: machine('web'), target: machine('twin') },
      }),
    isDone: async (cluster) =>
      (await found(cluster.client, virtualMachineClones, 'twin'))?.status?.phase === 'Succeeded' &&
      (await cluster.client.list(virtualMachineSnapshots, { namespace })).items.length === 0,
    claims: 4,
  },
]

/** Runs the controllers until they die at a write; gives false when they never do. */
async function runAndDie(cluster: TestCluster, { ask, isDone }: Case, death: CrashPoint): Promise<boolean> {
  let isDead = false
  const stop = cluster.start('virt-controller', (client) => crashingClient(client, death, () => (isDead = true)))
  let isAsked = false
  const asked = ask(cluster).then(() => (isAsked = true))
  await until(async () => isDead || (isAsked && isDone(cluster)))
  await stop()
  cluster.start('virt-controller')
  await asked
  await until(() => isDone(cluster), 30_000)
  return isDead
}

suite('controllers that back up and restore volumes, killed at any write', () => {
  for (const [index, one] of cases.entries()) {
    for (const moment of variants(['before', 'after'] as const, index)) {
      test(`${one.reason}, ${moment} each write`, async () => {
        for (const write of everyNth({ default: 29, long: 1 })) {
          assert.ok(write <= mostWrites, 'the controllers never stop writing')
          await using cluster = await startImportCluster()
          await using _storage = runStorage(cluster)
          const stop = cluster.start('virt-controller')
          await makeStoredVm(cluster, { runStrategy: 'Manual' })
          await one.prepare?.(cluster)
          await stop()
          const died = await runAndDie(cluster, one, { write, moment })
          await until(async () => (await claimsOf(cluster)).length === one.claims)
          const { metadata } = await cluster.client.get(virtualMachines, key)
          assert.equal(metadata.finalizers?.length, 1)
          for (const name of (await volumesOf(cluster, 'web')).slice(0, 2))
            assert.equal((await found(cluster.client, dataVolumes, name ?? ''))?.status?.phase, 'Succeeded')
          if (!died) return assert.ok(write > one.fewest, `only ${write} writes`)
        }
      })
    }
  }
})
