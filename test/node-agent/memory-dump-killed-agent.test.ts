import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { persistentVolumeClaims, persistentVolumes, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineMemoryDumpRequest } from '#api/kubevirt/v1/virtual-machine.ts'
import { parseQuantity, quantityToNumber } from '#apimachinery/quantity.ts'
import { startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { bootedGuest, guestsOnDisk, qemuBinary, testHost, webVm, webVmi } from '#features/node-agent/guest.fixture.ts'
import type { Client } from '#client/client.ts'
import { sample } from '../support/effort.ts'

const patienceMs = 60_000
const key = { namespace: 'default', name: 'web' }

type Part = 'virt-controller' | 'node-agent'

/** A guest, and a claim for its memory. */
class Subject implements AsyncDisposable {
  readonly cluster: TestCluster
  readonly #pid: number
  readonly #stops: Record<Part, () => Promise<void>>

  private constructor(cluster: TestCluster, pid: number, stops: Record<Part, () => Promise<void>>) {
    this.cluster = cluster
    this.#pid = pid
    this.#stops = stops
  }

  static async start(): Promise<Subject> {
    const cluster = await startTestCluster({ host: await testHost(), hardwareQuietMs: 0 })
    try {
      return await Subject.#boot(cluster)
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  static async #boot(cluster: TestCluster): Promise<Subject> {
    cluster.start('kubelet')
    const stops = { 'virt-controller': cluster.start('virt-controller'), 'node-agent': cluster.start('node-agent') }
    const path = join(cluster.directory, 'claim')
    await mkdir(path)
    const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' }
    const capacity = { storage: '500Mi' }
    await cluster.client.create(persistentVolumes, {
      metadata: { name: 'dumps' },
      spec: { ...common, capacity, hostPath: { path }, claimRef: { namespace: 'default', name: 'dumps' } },
    })
    await cluster.client.create(persistentVolumeClaims, {
      metadata: { name: 'dumps', namespace: 'default' },
      spec: { ...common, volumeName: 'dumps', resources: { requests: capacity } },
    })
    const vm = webVm('Always', 0)
    const { devices, ...domain } = vm.spec.template.spec.domain
    const template = {
      spec: {
        ...vm.spec.template.spec,
        domain: { ...domain, devices: { ...devices, disks: [{ name: 'boot' }] } },
        volumes: [{ name: 'boot', containerDisk: { image: 'guest' } }],
      },
    }
    await cluster.client.create(virtualMachines, { ...vm, spec: { ...vm.spec, template } })
    const { process } = await bootedGuest(cluster)
    return new Subject(cluster, process.pid, stops)
  }

  /** Replaces a component. */
  async restart(part: Part, through?: (client: Client) => Client): Promise<void> {
    await this.#stops[part]()
    this.#stops[part] = this.cluster.start(part, through, () => true)
  }

  stop(part: Part): Promise<void> {
    return this.#stops[part]()
  }

  get folder(): string {
    return join(this.cluster.directory, 'claim')
  }

  /** Asks for a dump, as virt-api does, or for the end of all of them. */
  async request(phase: 'Associating' | 'Dissociating'): Promise<void> {
    const memoryDumpRequest = { claimName: 'dumps', phase, ...(phase === 'Dissociating' ? { remove: true } : {}) }
    const { client } = this.cluster
    await client.patch(virtualMachines, key, { type: 'merge', body: { status: { memoryDumpRequest } } }, { subresource: 'status' })
  }

  async requested(): Promise<VirtualMachineMemoryDumpRequest | undefined> {
    const { status } = await this.cluster.client.get(virtualMachines, key)
    return status?.memoryDumpRequest ?? undefined
  }

  /** Waits until a request has ended, and nothing of it is left in the guest and its pods. */
  async ended(phase: string | undefined): Promise<void> {
    await until(async () => (await this.requested())?.phase === phase, patienceMs)
    await until(async () => (await this.#left()) === 0, patienceMs)
    assert.equal(guestsOnDisk(this.cluster).find(({ record }) => record !== undefined)?.process?.pid, this.#pid)
  }

  async #left(): Promise<number> {
    const vmi = await webVmi(this.cluster)
    const { items } = await this.cluster.client.list(pods, { namespace: 'default', labelSelector: 'kubevirt.io=hotplug-disk' })
    const volumes = vmi?.spec.volumes?.filter(({ memoryDump }) => memoryDump !== undefined) ?? []
    const statuses = vmi?.status?.volumeStatus?.filter(({ memoryDumpVolume }) => memoryDumpVolume !== undefined) ?? []
    return items.length + volumes.length + statuses.length
  }

  /** Checks that the claim has one dump, which is whole, and which VM and claim name. */
  async holdsDump(): Promise<void> {
    const { fileName = '' } = (await this.requested()) ?? {}
    assert.deepEqual(await readdir(this.folder), [fileName])
    const { metadata } = await this.cluster.client.get(persistentVolumeClaims, { namespace: 'default', name: 'dumps' })
    assert.equal(metadata.annotations?.['kubevirt.io/memory-dump'], fileName)
    await using file = await open(join(this.folder, fileName))
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
    assert.equal(buffer.toString('latin1'), '\x7fELF')
    const memory = (await webVmi(this.cluster))?.status?.memory?.guestCurrent ?? '0'
    const bytes = quantityToNumber(parseQuantity(memory))
    assert.ok(bytes > 0 && (await file.stat()).size >= bytes, `${memory}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]()
  }
}

/** Writes of a component for one dump, at the least. */
const deaths: readonly (readonly [part: Part, death: CrashPoint])[] = (
  [
    ['node-agent', 3],
    ['virt-controller', 8],
  ] as const
).flatMap(([part, writes]) =>
  Array.from({ length: writes }, (_, index) => index + 1).flatMap((write) =>
    (['before', 'after'] as const).map((moment) => [part, { write, moment }] as const),
  ),
)

suite('a dump of the memory of a guest', { skip: !existsSync(qemuBinary) }, () => {
  for (const [part, death] of sample(deaths, 3))
    test(`is complete, and removed, when ${part} is killed ${death.moment} its write ${death.write}`, async () => {
      await using subject = await Subject.start()
      const died = Promise.withResolvers<void>()
      await subject.restart(part, (client) => crashingClient(client, death, died.resolve))
      await subject.request('Associating')
      await died.promise
      await subject.restart(part)
      await subject.ended('Completed')
      await subject.holdsDump()
      await subject.request('Dissociating')
      await subject.ended(undefined)
    })

  test('is taken over by an agent whose predecessor was killed before it asked QEMU', async () => {
    await using subject = await Subject.start()
    await subject.stop('node-agent')
    await subject.request('Associating')
    const attached = async (): Promise<boolean> =>
      (await webVmi(subject.cluster))?.status?.volumeStatus?.some(({ hotplugVolume }) => hotplugVolume?.attachPodUID !== undefined) === true
    await until(attached, patienceMs)
    const vmi = await subject.cluster.client.get(virtualMachineInstances, key)
    const file = 'web-dumps-20260101-000000.memory.dump'
    const volumeStatus = vmi.status?.volumeStatus?.map((status) =>
      status.memoryDumpVolume === undefined
        ? status
        : { ...status, phase: 'MemoryDumpInProgress', memoryDumpVolume: { ...status.memoryDumpVolume, targetFileName: file } },
    )
    await writeFile(join(subject.folder, `${file}.partial`), '')
    await subject.cluster.client.patch(virtualMachineInstances, key, { type: 'merge', body: { status: { volumeStatus } } })
    await subject.restart('node-agent')
    await subject.ended('Completed')
    assert.equal((await subject.requested())?.fileName, file)
    await subject.holdsDump()
  })

  test('is removed while it is attached', async () => {
    await using subject = await Subject.start()
    await subject.stop('node-agent')
    await subject.request('Associating')
    await until(async () => (await subject.requested())?.phase === 'InProgress', patienceMs)
    await subject.request('Dissociating')
    await subject.restart('node-agent')
    await subject.ended(undefined)
    assert.deepEqual(await readdir(subject.folder), [])
  })
})
