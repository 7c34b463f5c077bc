import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request as requestOf } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cdiConfigs, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { persistentVolumeClaims, persistentVolumes, secrets } from '#api/core/v1/resources.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { subresourcesPath } from '../support/guests/guest-streams.ts'
import type { TestMachine } from '../support/machine.ts'
import { RecordingGuest } from '../support/records/recording-guest.ts'
import { readRecords, type FoundRecords } from '../support/records/records.ts'
import type { PatientClient } from './patient-client.ts'

/** What became of an operation: it is complete, or was taken back, with the reason. */
export type Outcome = 'completed' | `rolled back: ${string}`

/** An operation of a user, which checks what it has made, and removes it. */
export type StorageOperation = (name: string) => Promise<Outcome>

/** What operations work with. */
export interface Workplace {
  readonly machine: TestMachine
  readonly api: PatientClient
  readonly random: SeededRandom
  /** Disk images by name, on a web server. */
  readonly images: { readonly url: string; readonly disk: Buffer; readonly folder: string }
  /** Claim with the content of the disk image. */
  readonly golden: string
}

const MiB = 2 ** 20

/** Returns the path of the image in a claim. */
export async function imageOf({ api }: Pick<Workplace, 'api'>, claimName: string): Promise<string> {
  const { spec } = await api.settled(persistentVolumeClaims, claimName, (claim) => (claim.spec?.volumeName ?? '') !== '')
  const volume = await api.get(persistentVolumes, spec?.volumeName ?? '')
  const path = volume.spec?.hostPath?.path ?? assert.fail(`claim ${claimName} has no path`)
  return volume.spec?.volumeMode === 'Block' ? path : join(path, 'disk.img')
}

/** Returns the claims of the first two disks of a VM. */
export async function claimsOf({ api }: Pick<Workplace, 'api'>, vm: string): Promise<readonly string[]> {
  const { spec } = await api.get(virtualMachines, vm)
  return (spec.template.spec.volumes ?? [])
    .slice(0, 2)
    .map(({ persistentVolumeClaim, dataVolume }) => persistentVolumeClaim?.claimName ?? dataVolume?.name ?? '')
}

/** Reads the records of two claims, which must be those of one instant. */
async function readPair(place: Workplace, claims: readonly string[], what: string): Promise<readonly FoundRecords[]> {
  const found = await Promise.all(claims.map(async (claim, disk) => readRecords(await imageOf(place, claim), disk)))
  const [one, two] = found
  assert.ok(one !== undefined && two !== undefined, `${what} has ${found.length} disks`)
  assert.deepEqual([...one.damage, ...two.damage], [], what)
  assert.ok(one.last === two.last || one.last === two.last + 1, `${what} has records until ${one.last} and ${two.last}: of two instants`)
  return found
}

const vmReference = (name: string): object => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name })

/** Operations on one guest that writes records. */
export function guestOperations(place: Workplace, guest: RecordingGuest): Readonly<Record<string, StorageOperation>> {
  const { machine, api, random } = place
  const vm = guest.name

  interface Taken {
    readonly claims: readonly string[]
    readonly records: readonly FoundRecords[]
  }

  /** Takes a snapshot and checks it; or tells why it has failed. */
  async function take(name: string): Promise<Taken | `rolled back: ${string}`> {
    const { acknowledged } = guest
    await api.create(virtualMachineSnapshots, name, { source: vmReference(vm) })
    const { status } = await api.settled(virtualMachineSnapshots, name, (found) =>
      ['Succeeded', 'Failed'].includes(found.status?.phase ?? ''),
    )
    if (status?.phase === 'Failed') {
      const message = status.error?.message ?? ''
      assert.notEqual(message, '', `snapshot ${name} has failed without a reason`)
      await api.remove(virtualMachineSnapshots, name)
      return `rolled back: ${message}`
    }
    const content = await api.get(virtualMachineSnapshotContents, status?.virtualMachineSnapshotContentName ?? '')
    const claims = (content.spec.volumeBackups ?? []).map(({ steadyvm }) => steadyvm?.copyClaimName ?? '')
    const records = await readPair(place, claims.slice(0, 2), `snapshot ${name}`)
    const [, two] = records
    assert.ok(
      (two?.last ?? 0) >= acknowledged,
      `snapshot ${name} ends at ${two?.last}, and ${acknowledged} was acknowledged before it began`,
    )
    return { claims, records }
  }

  async function restored(name: string, spec: object): Promise<VirtualMachineRestore> {
    await api.create(virtualMachineRestores, name, spec)
    const isFailed = ({ status }: VirtualMachineRestore): boolean =>
      status?.conditions?.some((condition) => condition.type === 'Failure' && condition.status === 'True') === true
    return api.settled(virtualMachineRestores, name, (found) => found.status?.complete === true || isFailed(found))
  }

  function failureOf({ status }: VirtualMachineRestore): string | undefined {
    if (status?.complete === true) return undefined
    return status?.conditions?.find(({ type }) => type === 'Failure')?.reason ?? 'without a reason'
  }

  /** Starts a new VM with the records, which goes on with them, and removes it with all it has. */
  async function startAndRemove(name: string, last: number): Promise<void> {
    const claims = await claimsOf(place, name)
    if (random.chance(0.5)) {
      using twin = new RecordingGuest(machine, name)
      twin.restoredTo(last)
      await api.patch(virtualMachines, name, { spec: { runStrategy: 'Always' } })
      await api.until(`${name} writes`, () => twin.acknowledged > last)
      assert.deepEqual(twin.violations, [])
    }
    await api.remove(virtualMachines, name)
    for (const claim of claims)
      await api.until(`claim ${claim} goes`, async () => (await api.find(persistentVolumeClaims, claim)) === undefined)
  }

  async function same(name: string, taken: readonly FoundRecords[], claims: readonly string[]): Promise<void> {
    const records = await readPair(place, claims, name)
    assert.deepEqual(
      records.map(({ digest }) => digest),
      taken.map(({ digest }) => digest),
      `${name} does not have the content of the snapshot`,
    )
  }

  return {
    async snapshot(name) {
      const taken = await take(name)
      if (typeof taken === 'string') return taken
      await api.remove(virtualMachineSnapshots, name)
      for (const claim of taken.claims)
        await api.until(`claim ${claim} goes`, async () => (await api.find(persistentVolumeClaims, claim)) === undefined)
      return 'completed'
    },

    async 'restore to a new VM'(name) {
      const taken = await take(name)
      if (typeof taken === 'string') return taken
      const target = `${name}-new`
      const restore = await restored(name, { target: vmReference(target), virtualMachineSnapshotName: name })
      assert.equal(failureOf(restore), undefined, `restore ${name} has failed`)
      await same(`restore ${name}`, taken.records, await claimsOf(place, target))
      await startAndRemove(target, taken.records[1]?.last ?? 0)
      await api.remove(virtualMachineRestores, name)
      await api.remove(virtualMachineSnapshots, name)
      return 'completed'
    },

    async 'restore in place'(name) {
      const taken = await take(name)
      if (typeof taken === 'string') return taken
      const { acknowledged } = guest
      await api.until(`${vm} goes on`, () => guest.acknowledged > acknowledged + 5)
      const former = await claimsOf(place, vm)
      const volumeRestorePolicy = random.pick(['RandomizeNames', 'InPlace'])
      guest.mayBeRestoredTo(taken.records[1]?.last ?? 0)
      const restore = await restored(name, {
        target: vmReference(vm),
        virtualMachineSnapshotName: name,
        targetReadinessPolicy: 'StopTarget',
        volumeRestorePolicy,
      })
      const failure = failureOf(restore)
      if (failure === undefined) {
        await api.patch(virtualMachines, vm, { spec: { runStrategy: 'Always' } })
        await api.until(`${vm} starts from the snapshot`, () => guest.isRestored)
      }
      await api.patch(virtualMachines, vm, { spec: { runStrategy: 'Always' } })
      guest.mayBeRestoredTo(undefined)
      await api.remove(virtualMachineRestores, name)
      await api.remove(virtualMachineSnapshots, name)
      const now = await claimsOf(place, vm)
      for (const claim of former.filter((one) => !now.includes(one))) {
        // Of an earlier restore.
        await api.remove(dataVolumes, claim)
        await api.remove(persistentVolumeClaims, claim)
      }
      return failure === undefined ? 'completed' : `rolled back: ${failure}`
    },

    async 'VM clone'(name) {
      const { acknowledged } = guest
      await api.create(virtualMachineClones, name, { source: vmReference(vm), target: vmReference(name) })
      const { status } = await api.settled(virtualMachineClones, name, (found) =>
        ['Succeeded', 'Failed'].includes(found.status?.phase ?? ''),
      )
      if (status?.phase === 'Failed') {
        const why = status.conditions?.find(({ type }) => type === 'Ready')
        await api.remove(virtualMachineClones, name)
        assert.equal(await api.find(virtualMachines, name), undefined, `clone ${name} has failed and left a VM`)
        return `rolled back: ${why?.message ?? why?.reason ?? 'without a reason'}`
      }
      const claims = await claimsOf(place, name)
      const records = await readPair(place, claims, `clone ${name}`)
      const last = records[1]?.last ?? 0
      assert.ok(last >= acknowledged, `clone ${name} ends at ${last}, and ${acknowledged} was acknowledged before it began`)
      await startAndRemove(name, last)
      await api.remove(virtualMachineClones, name)
      return 'completed'
    },

    async 'copy of a claim whose guest stops and starts'(name) {
      const [claim = ''] = await claimsOf(place, vm)
      const { acknowledged } = guest
      const runs = (runStrategy: string): Promise<void> => api.patch(virtualMachines, vm, { spec: { runStrategy } })
      // It may have grown.
      const storage = (await api.get(persistentVolumeClaims, claim)).spec?.resources?.requests?.['storage']
      await api.create(dataVolumes, name, {
        source: { pvc: { namespace: machine.namespace, name: claim } },
        storage: { resources: { requests: { storage } } },
      })
      const isFilled = async (): Promise<boolean> => (await api.get(dataVolumes, name)).status?.phase === 'Succeeded'
      for (let stop = 0; stop < 3 && !(await isFilled()); stop++) {
        await runs('Halted')
        await sleep(random.number() * 8_000)
        if (stop < 2) await runs('Always')
        await sleep(random.number() * 3_000)
      }
      await api.until(`${name} is filled`, isFilled)
      await runs('Always')
      const { last, damage } = await readRecords(await imageOf(place, name), 0)
      assert.deepEqual(damage, [], `copy ${name}`)
      assert.ok(last >= acknowledged, `copy ${name} ends at ${last}, and ${acknowledged} was acknowledged before it began`)
      await api.remove(dataVolumes, name)
      await api.until(`claim ${name} goes`, async () => (await api.find(persistentVolumeClaims, name)) === undefined)
      return 'completed'
    },

    async migration(name) {
      await api.until(`${vm} runs`, async () => (await api.find(virtualMachineInstances, vm))?.status?.phase === 'Running')
      try {
        await api.create(virtualMachineInstanceMigrations, name, { vmiName: vm })
      } catch (error) {
        if (!String(error).includes('Cannot migrate VMI in finalized state')) throw error
        return 'rolled back: the guest has ended before'
      }
      const { status } = await api.settled(virtualMachineInstanceMigrations, name, (found) =>
        ['Succeeded', 'Failed'].includes(found.status?.phase ?? ''),
      )
      await api.remove(virtualMachineInstanceMigrations, name)
      return status?.phase === 'Succeeded' ? 'completed' : 'rolled back: the migration has failed'
    },

    async growth() {
      const [claim = ''] = await claimsOf(place, vm)
      const { spec } = await api.get(persistentVolumeClaims, claim)
      const wanted = quantityToBytes(parseQuantity(spec?.resources?.requests?.['storage'] ?? '0')) + BigInt(2 * MiB)
      // Disks in file systems have whole mebibytes of what is left for them.
      const before = guest.sizes.get('one') ?? 0
      await api.patch(persistentVolumeClaims, claim, { spec: { resources: { requests: { storage: String(wanted) } } } })
      await api.until(`${vm} sees the size of claim ${claim}`, () => (guest.sizes.get('one') ?? 0) > before)
      return 'completed'
    },

    async hotplug(name) {
      const serial = `plug${name}`
      await api.create(persistentVolumeClaims, name, {
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage: '8Mi' } },
      })
      const put = async (verb: string, body: object): Promise<void> => {
        const path = `${subresourcesPath(machine)}/virtualmachines/${vm}/${verb}`
        await api.until(`${verb} ${name}`, async () => {
          const isThere = (await api.get(virtualMachines, vm)).spec.template.spec.volumes?.some((volume) => volume.name === name) === true
          if (isThere === (verb === 'addvolume')) return true
          await machine.tryKubectl(['replace', '--raw', path, '-f', '-'], JSON.stringify(body))
          return false
        })
      }
      await put('addvolume', {
        name,
        disk: { disk: { bus: 'virtio' }, serial },
        volumeSource: { persistentVolumeClaim: { claimName: name, hotpluggable: true } },
      })
      await api.until(`${vm} writes to disk ${serial}`, () => guest.plugged.has(serial))
      await put('removevolume', { name })
      await api.until(`disk ${name} is unplugged`, async () => {
        const vmi = await api.find(virtualMachineInstances, vm)
        return vmi?.status?.volumeStatus?.some((volume) => volume.name === name) !== true && !guest.sizes.has(serial)
      })
      const { last, damage } = await readRecords(await imageOf(place, name), 2)
      assert.deepEqual([last, damage], [1, []], `the record of disk ${name}`)
      await api.remove(persistentVolumeClaims, name)
      return 'completed'
    },
  }
}

/** Operations on volumes that no guest uses. */
export function volumeOperations(place: Workplace): Readonly<Record<string, StorageOperation>> {
  const { machine, api, random, images, golden } = place
  const storage = { resources: { requests: { storage: '16Mi' } } }

  async function filled(name: string, source: object): Promise<Outcome> {
    await api.create(dataVolumes, name, { source, storage })
    return finish(name)
  }

  async function finish(name: string): Promise<Outcome> {
    await api.settled(dataVolumes, name, ({ status }) => {
      assert.notEqual(status?.phase, 'Failed', `DataVolume ${name} has failed: ${JSON.stringify(status?.conditions)}`)
      return status?.phase === 'Succeeded'
    })
    const path = await imageOf(place, name)
    await assertHasDisk(path, images.disk, name)
    assert.deepEqual((await readdir(join(path, '..'))).toSorted(), ['.disk.img.import', 'disk.img'], `files of ${name}`)
    await api.remove(dataVolumes, name)
    await api.until(`claim ${name} goes`, async () => (await api.find(persistentVolumeClaims, name)) === undefined)
    return 'completed'
  }

  return {
    import: (name) => filled(name, { http: { url: `${images.url}/${random.pick(['disk.raw', 'disk.qcow2', 'disk.raw.gz'])}` } }),

    'claim clone': (name) => filled(name, { pvc: { namespace: machine.namespace, name: golden } }),

    async upload(name) {
      await api.create(dataVolumes, name, { source: { upload: {} }, storage })
      const body = await readFile(join(images.folder, 'disk.qcow2'))
      // Sends it again until it is taken: a user does.
      await api.until(`upload ${name} is taken`, async () => {
        const phase = (await api.get(dataVolumes, name)).status?.phase
        if (phase === 'Succeeded') return true
        if (phase === 'UploadReady') await sendUpload(place, name, body).catch(() => {})
        return false
      })
      return finish(name)
    },

    async export(name) {
      await api.create(virtualMachineExports, name, { source: { apiGroup: '', kind: 'PersistentVolumeClaim', name: golden } })
      const wanted = createHash('sha256')
        .update(await readFile(await imageOf(place, golden)))
        .digest('hex')
      let got = ''
      await api.until(
        `export ${name} is downloaded`,
        async () => {
          const found = await api.get(virtualMachineExports, name)
          const { external } = found.status?.links ?? {}
          const url = external?.volumes?.[0]?.formats?.find(({ format }) => format === 'raw')?.url
          if (found.status?.phase !== 'Ready' || external === undefined || url === undefined) return false
          const secret = await api.find(secrets, found.status.tokenSecretRef ?? '')
          const token = Buffer.from(secret?.data?.['token'] ?? '', 'base64').toString()
          got = await download(url, external.cert, token).catch(String)
          return got === wanted
        },
        () => got,
      )
      await api.remove(virtualMachineExports, name)
      return 'completed'
    },
  }
}

/** Fails unless a disk begins with the content of an image, and has zeros after it. */
async function assertHasDisk(path: string, disk: Buffer, name: string): Promise<void> {
  const { size } = await stat(path)
  let offset = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const wanted = disk.subarray(offset, offset + chunk.length)
    const isSame = chunk.subarray(0, wanted.length).equals(wanted) && chunk.subarray(wanted.length).every((byte) => byte === 0)
    assert.ok(isSame, `the disk of ${name} differs from its source between ${offset} and ${offset + chunk.length} of ${size}`)
    offset += chunk.length
  }
  assert.ok(offset >= disk.length, `the disk of ${name} has ${offset} of ${disk.length} bytes`)
}

/** Answer to an upload. */
interface UploadAnswer {
  readonly code: number
  readonly text: string
}

/** Uploads as virtctl does; undefined when there is no token. */
export async function sendUpload({ machine, api }: Workplace, pvcName: string, body: Buffer): Promise<UploadAnswer | undefined> {
  const asked = { apiVersion: 'upload.cdi.kubevirt.io/v1beta1', kind: 'UploadTokenRequest', metadata: {}, spec: { pvcName } }
  const path = `/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/${machine.namespace}/uploadtokenrequests`
  const answer = await machine.tryKubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(asked))
  if (answer.code !== 0) return undefined
  const { token } = (JSON.parse(answer.stdout) as { readonly status: { readonly token: string } }).status
  const { uploadProxyURL = '', uploadProxyCA = '' } = (await api.get(cdiConfigs, 'config')).status ?? {}
  const headers = { authorization: `Bearer ${token}`, 'content-length': body.length }
  const sent = requestOf(`${uploadProxyURL}/v1beta1/upload`, { method: 'POST', ca: uploadProxyCA, headers, agent: false, timeout: 60_000 })
  sent.on('timeout', () => sent.destroy(new Error('no answer')))
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  // Also after the answer, which may come early.
  sent.on('error', () => {})
  // Slowly, so that something is killed meanwhile.
  const sending = (async () => {
    for (let offset = 0; offset < body.length && !sent.destroyed; offset += 256 * 1024) {
      sent.write(body.subarray(offset, offset + 256 * 1024))
      await sleep(20)
    }
    sent.end()
  })()
  const [response] = await answered
  const text = Buffer.concat((await response.toArray()) as Buffer[]).toString()
  // What is left of the body is not read.
  sent.destroy()
  await sending
  return { code: response.statusCode ?? 0, text }
}

/** Returns the digest of what a URL answers. */
async function download(url: string, ca: string, token: string): Promise<string> {
  const asked = requestOf(url, { ca, agent: false, headers: { 'x-kubevirt-export-token': token }, timeout: 30_000 })
  asked.on('timeout', () => asked.destroy(new Error('no answer')))
  asked.end()
  asked.on('error', () => {})
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  const digest = createHash('sha256')
  for await (const chunk of response) digest.update(chunk as Buffer)
  assert.ok(response.complete)
  return digest.digest('hex')
}

/** Writes an image with content that compresses badly, in three formats. */
export async function writeImages(folder: string, convert: (from: string, to: string) => Promise<unknown>): Promise<Buffer> {
  const { gzipSync } = await import('node:zlib')
  const disk = randomBytes(12 * MiB)
  // Holes at the places of a file system.
  for (const at of [1, 5, 9]) disk.fill(0, at * MiB, (at + 1) * MiB)
  await writeFile(join(folder, 'disk.raw'), disk)
  await writeFile(join(folder, 'disk.raw.gz'), gzipSync(disk, { level: 1 }))
  await convert(join(folder, 'disk.raw'), join(folder, 'disk.qcow2'))
  return disk
}
