import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { componentNamespace } from '#api/access/component-users.ts'
import { configMaps, persistentVolumeClaims, pods, secrets, services } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import { virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { Client } from '#client/client.ts'
import { certificateNames } from '#features/certificates/index.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { contentName } from '#features/snapshot/index.ts'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { everyNth, variants } from '#test/effort.ts'

/** More than the controllers need for any of these. */
const mostWrites = 40
const namespace = 'default'
const guest = { domain: { devices: {} }, volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'root' } }] }

/** A cluster has this kind if its storage takes snapshots. */
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const
const volumeSnapshotKind = defineResource({ ...volumeSnapshots, schema: { ...anything, properties: { spec: anything } }, custom: true })

/** Requests of users, and their expected results. */
interface Case {
  readonly reason: string
  readonly fewest: number
  readonly prepare: (cluster: TestCluster) => Promise<unknown>
  readonly ask: (cluster: TestCluster) => Promise<unknown>
  readonly isDone: (cluster: TestCluster) => Promise<boolean>
  readonly inspect: (cluster: TestCluster) => Promise<void>
}

async function prepareCluster({ client }: TestCluster): Promise<void> {
  const { own } = await createAuthority({ commonName: 'export', nowMs: Date.now(), lifetimeMs: 86_400_000 })
  const encode = (text: string): string => Buffer.from(text).toString('base64')
  const metadata = { name: certificateNames.exportAuthority, namespace: componentNamespace }
  await client.create(secrets, {
    metadata,
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': encode(own.certificate), 'tls.key': encode(own.key) },
  })
  await client.create(configMaps, { metadata, data: { [certificateNames.bundleKey]: own.certificate } })
  await client.create(persistentVolumeClaims, {
    metadata: { name: 'root', namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  // The controller of VMs leaves a guest alone that a case creates.
  await client.create(virtualMachines, { metadata: { name: 'web', namespace }, spec: { runStrategy: 'Manual', template: { spec: guest } } })
}

const createExport = ({ client }: TestCluster): Promise<unknown> =>
  client.create(virtualMachineExports, {
    metadata: { name: 'out', namespace },
    spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
  })

const phaseOf = async ({ client }: TestCluster): Promise<string | undefined> =>
  (await found(client, virtualMachineExports, 'out'))?.status?.phase

/** Objects of exports that are there, without their generated ends. */
async function objectsOf({ client }: TestCluster): Promise<string[]> {
  const own = await Promise.all(
    [pods, services, secrets, configMaps].map(async (resource) =>
      (await client.list<object>(resource, { namespace })).items.map((object) => `${resource.kind}/${(object as Pod).metadata.name ?? ''}`),
    ),
  )
  return own
    .flat()
    .filter((name) => name.includes('export'))
    .map((name) => name.replace(/-[0-9a-f]{12}$/, ''))
    .toSorted()
}

const serving = [
  'ConfigMap/virt-export-manifest',
  'Pod/virt-export-out',
  'Secret/export-token-out',
  'Secret/virt-export-cert',
  'Service/virt-export-out',
]

/**
 * Does what a kubelet does, for pods of exports: they serve once their files are there, and end.
 */
function playKubelet({ client }: TestCluster): AsyncDisposable {
  let isOver = false
  const has = async (one: Promise<unknown>): Promise<boolean> =>
    one.then(
      () => true,
      () => false,
    )
  const look = async (): Promise<void> => {
    for (const pod of (await client.list(pods, { namespace })).items) {
      const { name = '', deletionTimestamp } = pod.metadata
      if (deletionTimestamp !== undefined) await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 }).catch(() => {})
      const names = (pod.spec.volumes ?? []).flatMap(({ secret, configMap }) => [
        ...(secret === undefined ? [] : [has(client.get(secrets, { namespace, name: secret.secretName ?? '' }))]),
        ...(configMap === undefined ? [] : [has(client.get(configMaps, { namespace, name: configMap.name ?? '' }))]),
      ])
      if (pod.status?.phase === 'Running' || (await Promise.all(names)).includes(false)) continue
      const status: Pod['status'] = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
      await client.update(pods, { ...pod, status }, { subresource: 'status' }).catch(() => {})
    }
  }
  const playing = (async () => {
    while (!isOver) {
      await look()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await playing
    },
  }
}

/** A snapshot as it is stored when it is complete, with a VolumeSnapshot and a copy. */
async function makeSnapshot({ client }: TestCluster): Promise<void> {
  const metadata = { name: 'snap', namespace }
  const snapshot = await client.create(virtualMachineSnapshots, {
    metadata,
    spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
  })
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  const content = await client.create(virtualMachineSnapshotContents, {
    metadata: { name: contentName(snapshot.metadata.uid ?? ''), namespace },
    spec: {
      virtualMachineSnapshotName: 'snap',
      source: { virtualMachine: { metadata: { name: 'web' }, spec: { runStrategy: 'Halted', template: { spec: guest } } } },
      volumeBackups: [
        { volumeName: 'root', persistentVolumeClaim: { metadata: { name: 'root' }, spec }, volumeSnapshotName: 'taken' },
        { volumeName: 'data', persistentVolumeClaim: { metadata: { name: 'data' }, spec }, steadyvm: { copyClaimName: 'vmsnapshot-copy' } },
      ],
    },
  })
  await client.create(persistentVolumeClaims, { metadata: { name: 'vmsnapshot-copy', namespace }, spec })
  await client.create(volumeSnapshots, { metadata: { name: 'taken', namespace }, spec: { source: { persistentVolumeClaimName: 'root' } } })
  await client.update(virtualMachineSnapshotContents, { ...content, status: { readyToUse: true } }, { subresource: 'status' })
  const newest = await client.get(virtualMachineSnapshots, metadata)
  const status = { ...newest.status, phase: 'Succeeded', readyToUse: true } as const
  await client.update(virtualMachineSnapshots, { ...newest, status }, { subresource: 'status' })
}

const isServing = async (cluster: TestCluster): Promise<boolean> => (await phaseOf(cluster)) === 'Ready'

async function serve(cluster: TestCluster): Promise<void> {
  await createExport(cluster)
  await until(() => isServing(cluster))
}

const cases: readonly Case[] = [
  {
    reason: 'serve an export',
    fewest: 6,
    prepare: () => Promise.resolve(),
    ask: createExport,
    isDone: isServing,
    inspect: async (cluster) => {
      assert.deepEqual(await objectsOf(cluster), serving)
      const { links, tokenSecretRef } = (await found(cluster.client, virtualMachineExports, 'out'))?.status ?? {}
      assert.equal(tokenSecretRef, 'export-token-out')
      assert.equal(links?.internal?.volumes?.[0]?.formats?.[1]?.url, 'https://virt-export-out.default.svc/volumes/root/disk.img.gz')
    },
  },
  {
    reason: 'serve the disks of a snapshot, and leave no claim of them',
    fewest: 7,
    prepare: () => Promise.resolve(),
    ask: ({ client }) =>
      client.create(virtualMachineExports, {
        metadata: { name: 'out', namespace },
        spec: { source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'snap' } },
      }),
    isDone: isServing,
    inspect: async (cluster) => {
      assert.deepEqual(await objectsOf(cluster), serving)
      const { links, virtualMachineName } = (await found(cluster.client, virtualMachineExports, 'out'))?.status ?? {}
      assert.deepEqual([virtualMachineName, links?.internal?.volumes?.length], ['web', 2])
      assert.equal(links?.internal?.volumes?.[0]?.formats?.[1]?.url, 'https://virt-export-out.default.svc/volumes/root/disk.img.gz')
      const pod = await found(cluster.client, pods, 'virt-export-out')
      const read = pod?.spec.volumes?.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
      assert.deepEqual(read, ['out-root', 'vmsnapshot-copy'])
      await cluster.client.delete(virtualMachineExports, { namespace, name: 'out' })
      const claims = async (): Promise<string> =>
        (await cluster.client.list(persistentVolumeClaims, { namespace })).items.map(({ metadata }) => metadata.name).join()
      await until(async () => (await claims()) === 'root,vmsnapshot-copy')
    },
  },
  {
    reason: 'give way to a guest',
    fewest: 2,
    prepare: serve,
    ask: ({ client }) => client.create(virtualMachineInstances, { metadata: { name: 'web', namespace }, spec: guest }),
    isDone: async (cluster) => (await phaseOf(cluster)) === 'Pending' && !(await objectsOf(cluster)).includes('Pod/virt-export-out'),
    inspect: async (cluster) => {
      // The token stays, for when the guest ends.
      await until(async () => (await objectsOf(cluster)).join() === 'Secret/export-token-out,Service/virt-export-out')
      const { conditions, links } = (await found(cluster.client, virtualMachineExports, 'out'))?.status ?? {}
      assert.deepEqual([conditions?.[0]?.reason, links?.internal], ['InUse', undefined])
    },
  },
  {
    reason: 'serve with other durations of certificates, and leave nothing of the pod before',
    fewest: 5,
    prepare: serve,
    ask: ({ client }) =>
      client.patch(
        pods,
        { namespace, name: 'virt-export-out' },
        { type: 'merge', body: { metadata: { annotations: { 'kubevirt.io/export.certParameters': 'old' } } } },
      ),
    isDone: async (cluster) => {
      const pod = await found(cluster.client, pods, 'virt-export-out')
      return (
        pod?.metadata.annotations?.['kubevirt.io/export.certParameters'] !== 'old' &&
        (await isServing(cluster)) &&
        pod?.status?.phase === 'Running'
      )
    },
    inspect: (cluster) => until(async () => (await objectsOf(cluster)).join() === serving.join()).then(() => {}),
  },
  {
    reason: 'leave nothing of an export that has expired',
    fewest: 1,
    prepare: () => Promise.resolve(),
    ask: ({ client }) =>
      client.create(virtualMachineExports, {
        metadata: { name: 'out', namespace },
        spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }, ttlDuration: '1s' },
      }),
    isDone: async ({ client }) => (await found(client, virtualMachineExports, 'out')) === undefined,
    inspect: (cluster) => until(async () => (await objectsOf(cluster)).length === 0).then(() => {}),
  },
]

/** Runs the controllers until they die at a write; gives false when they never do. */
async function runAndDie(cluster: TestCluster, { ask, isDone }: Case, death: CrashPoint): Promise<boolean> {
  let isDead = false
  const stop = cluster.start('virt-controller', (client: Client) => crashingClient(client, death, () => (isDead = true)))
  await ask(cluster)
  await until(async () => isDead || isDone(cluster))
  await stop()
  cluster.start('virt-controller')
  await until(() => isDone(cluster))
  return isDead
}

suite('the controller of exports that is killed at any write', () => {
  for (const [index, one] of cases.entries()) {
    for (const moment of variants(['before', 'after'] as const, index)) {
      test(`can ${one.reason}, ${moment} each write`, async () => {
        for (const write of everyNth({ default: 23, long: 1 })) {
          assert.ok(write <= mostWrites, 'the controllers never stop writing')
          await using cluster = await startTestCluster({ kinds: [volumeSnapshotKind] })
          await using _kubelet = playKubelet(cluster)
          await prepareCluster(cluster)
          await makeSnapshot(cluster)
          const stop = cluster.start('virt-controller')
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
