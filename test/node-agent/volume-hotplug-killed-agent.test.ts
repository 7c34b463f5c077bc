import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { persistentVolumeClaims, persistentVolumes, pods } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { Client } from '#client/client.ts'
import { startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import { guestSockets } from '#features/node-agent/domain/domain.ts'
import { bootedGuest, guestsOnDisk, qemuBinary, testHost, webVm, webVmi } from '#features/node-agent/guest.fixture.ts'
import { connectQmp, openDisk, readPluggedDisks, requestDiskUnplug, type Disk, type PluggedDisks, type QmpConnection } from '#qemu/index.ts'
import { sample } from '../support/effort.ts'

const patienceMs = 60_000
const key = { namespace: 'default', name: 'web' }
const volumes = [{ name: 'boot', containerDisk: { image: 'guest' } }]
const hot = { name: 'data', persistentVolumeClaim: { claimName: 'data', hotpluggable: true } }

type Part = 'virt-controller' | 'node-agent'

/** A guest, and a claim for it. */
interface Subject extends AsyncDisposable {
  readonly cluster: TestCluster
  readonly pid: number
  /** Replaces a component, which runs until the returned function is called. */
  restart(part: Part, through?: (client: Client) => Client): Promise<void>
  stop(part: Part): Promise<void>
  change(isWanted: boolean): Promise<unknown>
  /** Asks QEMU through another monitor than the agent's. */
  ask<T>(question: (qmp: QmpConnection) => Promise<T>): Promise<T>
}

async function start(): Promise<Subject> {
  const cluster = await startTestCluster({ host: await testHost(), hardwareQuietMs: 0 })
  cluster.start('kubelet')
  const stops: Record<Part, () => Promise<void>> = {
    'virt-controller': cluster.start('virt-controller'),
    'node-agent': cluster.start('node-agent'),
  }
  await createClaim(cluster)
  const vm = webVm('Always', 0)
  const { devices, ...domain } = vm.spec.template.spec.domain
  const template = {
    spec: { ...vm.spec.template.spec, domain: { ...domain, devices: { ...devices, disks: [{ name: 'boot' }] } }, volumes },
  }
  await cluster.client.create(virtualMachines, { ...vm, spec: { ...vm.spec, template } })
  const { process, podUid } = await bootedGuest(cluster)
  const { spareMonitor } = guestSockets(launcherPaths(cluster.podsDirectory, `${cluster.directory}/run`, podUid).runDirectory)
  return {
    cluster,
    pid: process.pid,
    async restart(part, through) {
      await stops[part]()
      stops[part] = cluster.start(part, through, () => true)
    },
    stop: (part) => stops[part](),
    change: (isWanted) => {
      const disks = [{ name: 'boot' }, ...(isWanted ? [{ name: 'data', disk: { bus: 'scsi' } }] : [])]
      const spec = { volumes: [...volumes, ...(isWanted ? [hot] : [])], domain: { devices: { disks } } }
      return cluster.client.patch(virtualMachines, key, { type: 'merge', body: { spec: { template: { spec } } } })
    },
    async ask(question) {
      using qmp = await connectQmp(spareMonitor)
      return await question(qmp)
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

async function createClaim({ client, directory }: TestCluster): Promise<void> {
  const path = join(directory, 'claim')
  await mkdir(path)
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' }
  const capacity = { storage: '16Mi' }
  await client.create(persistentVolumes, {
    metadata: { name: 'data' },
    spec: { ...common, capacity, hostPath: { path }, claimRef: { namespace: 'default', name: 'data' } },
  })
  await client.create(persistentVolumeClaims, {
    metadata: { name: 'data', namespace: 'default' },
    spec: { ...common, volumeName: 'data', resources: { requests: capacity } },
  })
}

async function statusOf({ cluster }: Subject): Promise<VolumeStatus | undefined> {
  return (await webVmi(cluster))?.status?.volumeStatus?.find(({ name }) => name === 'data')
}

const parts = ({ disks, open: content }: PluggedDisks): unknown => [disks.map(({ name }) => name), [...content.keys()]]

/** Waits until the guest has the disk, once, in the same process. */
async function plugged(subject: Subject): Promise<void> {
  await until(async () => (await statusOf(subject))?.phase === 'Ready', patienceMs)
  assert.deepEqual(parts(await subject.ask((qmp) => readPluggedDisks(qmp, ['data']))), [['data'], ['data']])
  assert.equal((await attachments(subject)).length, 1)
  assert.equal(guestsOnDisk(subject.cluster).find(({ record }) => record !== undefined)?.process?.pid, subject.pid)
}

/** Waits until nothing of the disk is left: in QEMU, in the status, and of its pod. */
async function unplugged(subject: Subject): Promise<void> {
  await until(async () => (await statusOf(subject)) === undefined && (await attachments(subject)).length === 0, patienceMs)
  assert.deepEqual(parts(await subject.ask((qmp) => readPluggedDisks(qmp, ['data']))), [[], []])
}

async function attachments({ cluster }: Subject): Promise<readonly string[]> {
  const { items } = await cluster.client.list(pods, { namespace: 'default', labelSelector: 'kubevirt.io=hotplug-disk' })
  return items.map(({ metadata }) => metadata.name ?? '')
}

/** Makes a change, in the midst of which a component dies; another one is started afterwards. */
async function dying(subject: Subject, part: Part, death: CrashPoint, isWanted: boolean): Promise<void> {
  const died = Promise.withResolvers<void>()
  await subject.restart(part, (client) => crashingClient(client, death, died.resolve))
  await subject.change(isWanted)
  await died.promise
  await subject.restart(part)
}

/** Writes of a component for one change; an agent reports the end of each. */
const deaths: readonly (readonly [part: Part, death: CrashPoint])[] = (
  [
    ['node-agent', 1],
    ['virt-controller', 1],
    ['virt-controller', 2],
    ['virt-controller', 3],
  ] as const
).flatMap(([part, write]) => (['before', 'after'] as const).map((moment) => [part, { write, moment }] as const))

suite('volumes of a running guest', { skip: !existsSync(qemuBinary) }, () => {
  for (const [part, death] of sample(deaths, 2))
    test(`are plugged once, and unplugged, when ${part} is killed ${death.moment} its write ${death.write} of each`, async () => {
      await using subject = await start()
      await dying(subject, part, death, true)
      await plugged(subject)
      await dying(subject, part, death, false)
      await unplugged(subject)
    })

  test('are plugged and unplugged by an agent whose predecessor was killed in the middle', async () => {
    await using subject = await start()
    await subject.stop('node-agent')
    await subject.change(true)
    await until(async () => (await statusOf(subject))?.hotplugVolume?.attachPodUID !== undefined, patienceMs)
    const disk: Omit<Disk, 'path'> = { name: 'data', format: 'raw', readOnly: false, device: 'disk', bus: 'scsi', onError: 'stop' }
    {
      // Opened, and not shown.
      await using file = await open(join(subject.cluster.directory, 'claim', 'disk.img'), 'w+')
      await file.truncate(8 << 20)
      assert.equal(await subject.ask((qmp) => openDisk(qmp, disk, { descriptor: file.fd, source: 'data' })), undefined)
    }
    await subject.restart('node-agent')
    await plugged(subject)
    await subject.stop('node-agent')
    await subject.change(false)
    // Released by the guest, and not closed.
    assert.equal(await subject.ask((qmp) => requestDiskUnplug(qmp, 'data')), undefined)
    await until(async () => (await subject.ask((qmp) => readPluggedDisks(qmp, []))).disks.length === 0, patienceMs)
    await subject.restart('node-agent')
    await unplugged(subject)
  })
})
