import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { Cluster } from '#cli/cluster/connect.ts'
import { startFileServer, type FileServer } from '#importer/http/file-server.fixture.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { addRecordingImage, recordingVirtualMachine, RecordingGuest } from '../support/records/recording-guest.ts'
import { readRecords } from '../support/records/records.ts'
import { PatientClient } from './patient-client.ts'
import { imageOf, sendUpload, writeImages, type Workplace } from './storage-operations.ts'

const run = promisify(execFile)
const enough = '512M'
const limitMs = 180_000

suite(
  'a file system of volumes that is full',
  { skip: machineModeOnly('mounts a file system on the node') || (process.getuid?.() !== 0 && 'mounting needs root') },
  () => {
    let machine: TestMachine
    let cluster: Cluster
    let server: FileServer
    let folder = ''
    let volumes = ''
    let place: Workplace
    let guest: RecordingGuest

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'images-'))
      const disk = await writeImages(folder, (from, to) => run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', from, to]))
      server = await startFileServer({ '/disk.raw': { content: await readFile(join(folder, 'disk.raw')) } })
      machine = await startMachine({ nodes: 1 })
      volumes = dataDirectory(machine.home).volumes
      execFileSync('mkdir', ['-p', volumes])
      const { mode } = statSync(volumes)
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${enough}`, 'volumes', volumes])
      chmodSync(volumes, mode & 0o7777)
      cluster = await machine.connect()
      await addRecordingImage(machine)
      const api = new PatientClient(cluster.client, machine.namespace, limitMs)
      place = { machine, api, random: createSeededRandom(1), images: { url: server.origin, disk, folder }, golden: 'golden' }
    })
    after(async () => {
      guest[Symbol.dispose]()
      cluster[Symbol.dispose]()
      // Also when a process still has it open.
      await run('umount', ['-l', volumes])
      await machine[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    })

    const storage = { resources: { requests: { storage: '16Mi' } } }
    /** Leaves so many KiB. */
    const fill = async (leftKiB: number): Promise<void> => {
      const used = Number((await run('df', ['-k', '--output=used', volumes])).stdout.trim().split('\n')[1])
      await run('mount', ['-o', `remount,size=${used + leftKiB}K`, volumes])
    }
    const free = (): Promise<unknown> => run('mount', ['-o', `remount,size=${enough}`, volumes])
    const conditionsOf = async (name: string): Promise<string> =>
      JSON.stringify((await place.api.find(dataVolumes, name))?.status?.conditions ?? [])
    const succeeds = (name: string): Promise<DataVolume> =>
      place.api.settled(dataVolumes, name, ({ status }) => {
        assert.notEqual(status?.phase, 'Failed', JSON.stringify(status))
        return status?.phase === 'Succeeded'
      })
    // A test that fails leaves no space.
    beforeEach(free)
    const events = (what: string): Promise<string> => machine.kubectl(['events', '--for', what])

    test('stops a guest that writes, which loses no record and goes on when there is space', async () => {
      const { api } = place
      for (const [name, volumeMode] of Object.entries({ a: 'Filesystem', b: 'Block' }))
        await api.create(persistentVolumeClaims, name, { accessModes: ['ReadWriteOnce'], volumeMode, ...storage })
      const { spec } = recordingVirtualMachine('one', machine.namespace, ['a', 'b']) as { spec: object }
      await api.create(virtualMachines, 'one', spec)
      guest = new RecordingGuest(machine, 'one')
      await api.until('the guest writes', () => guest.acknowledged > 5)
      await fill(40)
      await api.settled(virtualMachineInstances, 'one', ({ status }) =>
        (status?.conditions ?? []).some(({ type, reason }) => type === 'Paused' && reason === 'PausedIOError'),
      )
      assert.match(await events('vmi/one'), /IOerror\s.*not enough space on volume: (one|two)/)
      const { acknowledged } = guest
      const found = await Promise.all(['a', 'b'].map(async (claim, disk) => readRecords(await imageOf(place, claim), disk)))
      for (const { last } of found) assert.ok(last >= acknowledged)
      await free()
      await api.until('the guest goes on', () => guest.acknowledged > acknowledged + 300)
      assert.deepEqual([guest.violations, guest.boots, guest.refused], [[], 1, 0])
    })

    test('lets an import wait with the reason, which succeeds when there is space', async () => {
      const { api } = place
      await fill(3_000)
      await api.create(dataVolumes, 'golden', { source: { http: { url: `${server.origin}/disk.raw` } }, storage })
      let told = ''
      await api.until(
        'the reason is told',
        async () => /full|No space/.test((told = await conditionsOf('golden'))),
        () => told,
      )
      await free()
      await succeeds('golden')
    })

    test('lets a copy wait with the reason, which succeeds when there is space', async () => {
      const { api } = place
      await fill(3_000)
      await api.create(dataVolumes, 'copy', { source: { pvc: { namespace: machine.namespace, name: 'golden' } }, storage })
      let told = ''
      await api.until(
        'the reason is told',
        async () => /full|No space|space/.test((told = await conditionsOf('copy'))),
        () => told,
      )
      await free()
      await succeeds('copy')
      assert.deepEqual((await readFile(await imageOf(place, 'copy'))).subarray(0, place.images.disk.length).equals(place.images.disk), true)
      await api.remove(dataVolumes, 'copy')
    })

    test('refuses an upload with the reason, and takes the next one', async () => {
      const { api } = place
      await api.create(dataVolumes, 'sent', { source: { upload: {} }, storage })
      await api.settled(dataVolumes, 'sent', ({ status }) => status?.phase === 'UploadReady')
      await fill(3_000)
      const body = await readFile(join(folder, 'disk.raw'))
      const refused = await sendUpload(place, 'sent', body)
      assert.ok(refused !== undefined && refused.code >= 400, JSON.stringify(refused))
      assert.match(refused.text, /full|[Nn]o space/)
      await free()
      let last = refused
      await api.until(
        'the upload is taken',
        async () => (last = (await sendUpload(place, 'sent', body)) ?? last).code === 200,
        () => JSON.stringify(last),
      )
      await succeeds('sent')
      await api.remove(dataVolumes, 'sent')
    })

    test('refuses a snapshot with the reason, leaves nothing of it, and does not touch the guest', async () => {
      const { api } = place
      const { acknowledged } = guest
      const claims = (await api.list(persistentVolumeClaims)).length
      await fill(10_000)
      await api.create(virtualMachineSnapshots, 'early', {
        source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'one' },
      })
      const { status } = await api.settled(virtualMachineSnapshots, 'early', (found) => found.status?.phase === 'Failed')
      assert.match(status?.error?.message ?? '', /not enough space .*MiB are missing/)
      await api.until('the copies go', async () => (await api.list(persistentVolumeClaims)).length === claims)
      await api.remove(virtualMachineSnapshots, 'early')
      await api.until('the guest goes on', () => guest.acknowledged > acknowledged + 5)
      assert.deepEqual([guest.violations, guest.boots, guest.refused], [[], 1, 0])
      await free()
    })

    test('that fills while disks are copied fails the snapshot, and loses no write of the guest', async () => {
      const { api } = place
      const claims = (await api.list(persistentVolumeClaims)).length
      const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'one' }
      for (const name of ['first', 'second', 'third']) {
        const { acknowledged } = guest
        await api.create(virtualMachineSnapshots, name, { source })
        await api.until('the copy begins', async () => {
          const vmi = await api.find(virtualMachineInstances, 'one')
          const snapshot = await api.find(virtualMachineSnapshots, name)
          return vmi?.status?.steadyvm?.diskCopyState !== undefined || ['Succeeded', 'Failed'].includes(snapshot?.status?.phase ?? '')
        })
        await fill(0)
        const { status } = await api.settled(virtualMachineSnapshots, name, (found) =>
          ['Succeeded', 'Failed'].includes(found.status?.phase ?? ''),
        )
        if (status?.phase === 'Failed') assert.match(status.error?.message ?? '', /No space left|not enough space/)
        await free()
        await api.remove(virtualMachineSnapshots, name)
        await api.until('the guest goes on', () => guest.acknowledged > acknowledged + 5)
        assert.deepEqual([guest.violations, guest.boots, guest.refused], [[], 1, 0])
      }
      await api.until('the copies go', async () => (await api.list(persistentVolumeClaims)).length === claims)
    })

    test('fails a clone with the reason, and leaves no VM; a later one succeeds', async () => {
      const { api } = place
      const spec = (name: string): object => ({
        source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'one' },
        target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name },
      })
      await fill(10_000)
      await api.create(virtualMachineClones, 'twin', spec('twin'))
      const { status } = await api.settled(virtualMachineClones, 'twin', (found) => found.status?.phase === 'Failed')
      assert.match(JSON.stringify(status), /space/)
      assert.equal(await api.find(virtualMachines, 'twin'), undefined)
      await free()
      await api.remove(virtualMachineClones, 'twin')
      await api.create(virtualMachineClones, 'twin', spec('twin'))
      await api.settled(virtualMachineClones, 'twin', (found) => found.status?.phase === 'Succeeded')
      assert.deepEqual([guest.violations, guest.boots, guest.refused], [[], 1, 0])
    })
  },
)
