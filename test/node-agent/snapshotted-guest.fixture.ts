import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { persistentVolumeClaims, persistentVolumes, pods } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { Client } from '#client/client.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import { guestSockets } from '#features/node-agent/domain/domain.ts'
import { bootedGuest, guestsOnDisk, testHost, webVm, webVmi } from '#features/node-agent/guest.fixture.ts'
import { connectQmp, readDiskBackups, type QmpConnection } from '#qemu/index.ts'

const namespace = 'default'
/** Limit of waits, in milliseconds: a busy machine takes a minute for one. */
export const patienceMs = 240_000

/** Components that a test kills. */
export type Part = 'virt-controller' | 'node-agent'

/** A guest with a claim, and room for one copy of it. */
export interface SnapshottedGuest extends AsyncDisposable {
  readonly cluster: TestCluster
  readonly pid: number
  /** Replaces a component, which runs until it is stopped. */
  restart(part: Part, through?: (client: Client) => Client): Promise<void>
  stop(part: Part): Promise<void>
  /** Asks QEMU through another monitor than the agent's. */
  ask<T>(question: (qmp: QmpConnection) => Promise<T>): Promise<T>
  /** Asks for a snapshot. */
  snapshot(name: string): Promise<VirtualMachineSnapshot>
  snapshotWhere(name: string, isSo: (snapshot: VirtualMachineSnapshot) => boolean): Promise<VirtualMachineSnapshot>
  /** Folder of the volume of the guest, or of the volume that gets the copy. */
  readonly folderOf: (volume: 'data' | 'copy') => string
}

/** Starts the guest, and all components. */
export async function startSnapshottedGuest(): Promise<SnapshottedGuest> {
  const cluster = await startTestCluster({ host: await testHost(), hardwareQuietMs: 0 })
  const { client } = cluster
  cluster.start('kubelet')
  const stops: Record<Part, () => Promise<void>> = {
    'virt-controller': cluster.start('virt-controller'),
    'node-agent': cluster.start('node-agent'),
  }
  const folderOf = (volume: string): string => join(cluster.directory, volume)
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' }
  const capacity = { storage: '16Mi' }
  for (const name of ['data', 'copy']) {
    await mkdir(folderOf(name))
    const claimRef = name === 'data' ? { claimRef: { namespace, name } } : {}
    await client.create(persistentVolumes, {
      metadata: { name },
      spec: { ...common, capacity, hostPath: { path: folderOf(name) }, persistentVolumeReclaimPolicy: 'Retain', ...claimRef },
    })
  }
  await client.create(persistentVolumeClaims, {
    metadata: { name: 'data', namespace },
    spec: { ...common, volumeName: 'data', resources: { requests: capacity } },
  })
  const vm = webVm('Always', 0)
  const { devices, ...domain } = vm.spec.template.spec.domain
  const disks = [{ name: 'boot' }, { name: 'data', disk: { bus: 'virtio' } }]
  const volumes = [
    { name: 'boot', containerDisk: { image: 'guest' } },
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
  ]
  const template = { spec: { ...vm.spec.template.spec, domain: { ...domain, devices: { ...devices, disks } }, volumes } }
  await client.create(virtualMachines, { ...vm, spec: { ...vm.spec, template } })
  const { process, podUid } = await bootedGuest(cluster)
  const { spareMonitor } = guestSockets(launcherPaths(cluster.podsDirectory, `${cluster.directory}/run`, podUid).runDirectory)
  return {
    cluster,
    pid: process.pid,
    folderOf,
    async restart(part, through) {
      await stops[part]()
      stops[part] = cluster.start(part, through, () => true)
    },
    stop: (part) => stops[part](),
    async ask(question) {
      using qmp = await connectQmp(spareMonitor, { greetingTimeoutMs: patienceMs })
      return await question(qmp)
    },
    snapshot: (name) =>
      client.create<VirtualMachineSnapshot>(virtualMachineSnapshots, {
        metadata: { name, namespace },
        spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
      }),
    snapshotWhere: (name, isSo) =>
      until(async () => {
        const snapshot = await found(client, virtualMachineSnapshots, name)
        return snapshot !== undefined && isSo(snapshot) ? snapshot : undefined
      }, patienceMs),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/** Frees the volume of a copy whose claim was deleted: an administrator would. */
export async function freeCopy({ cluster: { client } }: SnapshottedGuest): Promise<void> {
  await until(async () => {
    const { items } = await client.list(persistentVolumeClaims, { namespace })
    return items.length === 1
  }, patienceMs)
  await client.patch(persistentVolumes, { namespace: '', name: 'copy' }, { type: 'merge', body: { spec: { claimRef: null } } })
}

/** Waits until nothing is left in QEMU, the VMI, pods and the VM. @throws if the guest has ended */
export async function untouched(subject: SnapshottedGuest): Promise<void> {
  const { client } = subject.cluster
  await until(async () => {
    const { diskCopy, diskCopyState } = (await webVmi(subject.cluster))?.status?.steadyvm ?? {}
    const { items } = await client.list(pods, { namespace, labelSelector: 'kubevirt.io=hotplug-disk' })
    const vm = await found(client, virtualMachines, 'web')
    const { jobs, hasTargets } = await subject.ask(readDiskBackups)
    const isLeft = diskCopy ?? diskCopyState ?? items[0] ?? jobs[0] ?? vm?.status?.snapshotInProgress
    return isLeft === undefined && !hasTargets
  }, patienceMs)
  const guest = guestsOnDisk(subject.cluster).find(({ record }) => record !== undefined)
  if (guest?.process?.pid !== subject.pid) throw new RangeError('the guest is another process')
}

/** Reports whether the copy is the same as the disk. */
export async function isSame({ folderOf }: SnapshottedGuest): Promise<boolean> {
  const [disk, copy] = await Promise.all((['data', 'copy'] as const).map((volume) => readFile(join(folderOf(volume), 'disk.img'))))
  return disk !== undefined && copy !== undefined && disk.equals(copy)
}
