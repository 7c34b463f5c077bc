import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { PersistentVolumeClaimInfo } from '#api/kubevirt/v1/volume-status.ts'
import type { HostDisk, Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import { imaginedHost } from '../node/host.fixture.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { FilePlace } from './file-place.ts'
import { prepareClaim, prepareHostDisk } from './persistent-volumes.ts'

const volume: Volume = { name: 'data', dataVolume: { name: 'disk' } }
const claimInfo: PersistentVolumeClaimInfo = {
  claimName: 'disk',
  accessModes: ['ReadWriteOnce'],
  capacity: { storage: '1Gi' },
  filesystemOverhead: '0.055',
}

interface Place extends Disposable {
  readonly files: FilePlace
  /** Path at which the kubelet mounted the claim, or the folder of the node. */
  readonly target: string
}

function place(kind: 'claim' | 'host' = 'claim'): Place {
  const root = mkdtempSync(join(tmpdir(), 'volumes-'))
  const { view } = launcherPaths(join(root, 'pods'), join(root, 'run'), 'uid')
  const disk = { name: 'data', podVolume: 'disk-data' }
  const target = kind === 'claim' ? view.claim(disk, false) : view.hostDisk(disk)
  mkdirSync(join(target, '..'), { recursive: true })
  return { files: { view, host: imaginedHost, tpmSocket: '', root: '' }, target, [Symbol.dispose]: () => rmSync(root, { recursive: true }) }
}

function vmiWith(info: PersistentVolumeClaimInfo = claimInfo): VirtualMachineInstance {
  const status = { persistentVolumeClaimInfo: info }
  return { metadata: {}, spec: { domain: { devices: {} } }, status: { volumeStatus: [{ name: 'data', target: '', ...status }] } }
}

suite('prepareClaim()', () => {
  test('creates a sparse image of the size of the claim minus file system overhead, in whole mebibytes', async () => {
    using here = place()
    mkdirSync(here.target)
    const file = await prepareClaim(volume, vmiWith(), here.files)
    assert.deepEqual(file, { path: join(here.target, 'disk.img'), format: 'raw', readOnly: false })
    const { size, blocks } = statSync(file.path)
    assert.deepEqual([size / 2 ** 20, blocks], [967, 0])
  })

  test('does not change an image while its guest runs, for any change of the claim', async () => {
    using here = place()
    mkdirSync(here.target)
    writeFileSync(join(here.target, 'disk.img'), 'content')
    const { path } = await prepareClaim(volume, vmiWith(), here.files)
    assert.equal(readFileSync(path, 'utf8'), 'content')
  })

  test('lets an image follow a claim that has grown before its guest starts, and never shrinks it', async () => {
    using here = place()
    mkdirSync(here.target)
    const image = join(here.target, 'disk.img')
    writeFileSync(image, 'content')
    const starting = (info = claimInfo): VirtualMachineInstance => {
      const vmi = vmiWith(info)
      return { ...vmi, status: { ...vmi.status, phase: 'Scheduled' } }
    }
    await prepareClaim(volume, starting(), here.files)
    assert.equal(statSync(image).size, 967 * 2 ** 20)
    assert.equal(readFileSync(image).subarray(0, 7).toString(), 'content')
    await prepareClaim(volume, starting({ ...claimInfo, capacity: { storage: '1Mi' } }), here.files)
    assert.equal(statSync(image).size, 967 * 2 ** 20)
  })

  test('completes an image whose creation was interrupted', async () => {
    using here = place()
    mkdirSync(here.target)
    writeFileSync(join(here.target, 'disk.img'), '')
    const { path } = await prepareClaim(volume, vmiWith(), here.files)
    assert.equal(statSync(path).size, 967 * 2 ** 20)
  })

  test('uses block volumes directly and marks ReadWriteMany ones as shared', async () => {
    using here = place()
    writeFileSync(here.target, 'raw')
    const file = await prepareClaim(volume, vmiWith({ ...claimInfo, accessModes: ['ReadWriteMany'], volumeMode: 'Block' }), here.files)
    assert.deepEqual(file, { path: here.target, format: 'raw', readOnly: false, shared: true })
  })

  test('refuses links that lead out of the claim', async () => {
    using here = place()
    mkdirSync(here.target)
    symlinkSync('/etc/hostname', join(here.target, 'disk.img'))
    await assert.rejects(prepareClaim(volume, vmiWith(), here.files), UnsupportedGuest)
  })

  test('creates nothing in a read-only claim', async () => {
    using here = place()
    mkdirSync(here.target)
    const readOnly: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'disk', readOnly: true } }
    await assert.rejects(prepareClaim(readOnly, vmiWith(), here.files), UnsupportedGuest)
    writeFileSync(join(here.target, 'disk.img'), 'content')
    assert.equal((await prepareClaim(readOnly, vmiWith(), here.files)).readOnly, true)
  })

  test('refuses a guest whose pod lacks the claim', async () => {
    using here = place()
    await assert.rejects(prepareClaim(volume, vmiWith(), here.files), UnsupportedGuest)
  })
})

suite('prepareHostDisk()', () => {
  const prepare = async (here: Place, disk: Partial<HostDisk>): Promise<Awaited<ReturnType<typeof prepareHostDisk>>> => {
    mkdirSync(here.target, { recursive: true })
    return prepareHostDisk('data', { path: '/srv/images/web.img', type: 'Disk', ...disk }, here.files)
  }

  test('creates a disk with DiskOrCreate and reuses an existing one', async () => {
    using here = place('host')
    const { path } = await prepare(here, { type: 'DiskOrCreate', capacity: '3Mi' })
    assert.deepEqual([path, statSync(path).size], [join(here.target, 'web.img'), 3 * 2 ** 20])
    const again = await prepare(here, { shared: true })
    assert.deepEqual(again, { path, format: 'raw', readOnly: false, shared: true })
  })

  test('refuses a missing disk without DiskOrCreate or capacity', async () => {
    using here = place('host')
    await assert.rejects(prepare(here, {}), UnsupportedGuest)
    await assert.rejects(prepare(here, { type: 'DiskOrCreate' }), UnsupportedGuest)
  })
})
