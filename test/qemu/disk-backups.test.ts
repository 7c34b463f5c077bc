import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { open, readFile, truncate, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import {
  clearDiskBackups,
  insertMedium,
  openDisk,
  plugDisk,
  readDiskBackups,
  readPluggedDisks,
  startDiskBackups,
  type BackupDisk,
  type DiskBackup,
} from '#qemu/index.ts'
import { until, type TestQemu } from '#qemu/guest.fixture.ts'
import { startLinux, untilGuestPrints } from './linux-guest.ts'

const bytes = 8 << 20
/** The last sector, which a backup comes to last. */
const sector = bytes / 512 - 1
const machine = { virtioTransitional: false }

/** Plugs two disks with content into a Linux. */
async function plugBoth(guest: TestQemu): Promise<void> {
  for (const [port, name] of ['one', 'two'].entries()) {
    const path = join(guest.folder, `${name}.img`)
    await writeFile(path, randomBytes(bytes))
    await using file = await open(path, 'r+')
    const common = { name, serial: name, format: 'raw', readOnly: false, device: 'disk', bus: 'virtio', cache: 'none' } as const
    // One is in a thread of its own.
    const disk = name === 'one' ? { ...common, ioThread: name } : common
    assert.equal(await openDisk(guest.qmp, disk, { descriptor: file.fd, source: name }), undefined)
    assert.equal(await plugDisk(guest.qmp, disk, { port }, machine), undefined)
  }
  await untilGuestPrints(guest, 'cat /sys/block/vdb/size', /16384/)
}

interface Targets {
  readonly disks: readonly BackupDisk[]
  readonly paths: readonly string[]
  readonly close: () => Promise<void>
}

async function targetsIn({ folder }: TestQemu, size = bytes): Promise<Targets> {
  const paths = ['one', 'two'].map((name) => join(folder, `${name}.copy`))
  const files: FileHandle[] = []
  for (const path of paths) {
    await writeFile(path, '')
    await truncate(path, size)
    files.push(await open(path, 'r+'))
  }
  const disks = files.map(({ fd }, index) => ({
    name: ['one', 'two'][index] ?? '',
    isPlugged: true,
    bytes,
    descriptor: fd,
    isDevice: false,
  }))
  return { disks, paths, close: async () => void (await Promise.all(files.map((file) => file.close()))) }
}

async function statesOf(guest: TestQemu): Promise<DiskBackup['state'][]> {
  return (await readDiskBackups(guest.qmp)).jobs.map(({ state }) => state)
}

const counter = async (path: string): Promise<number> => Number((await readFile(path)).subarray(sector * 512, sector * 512 + 8).toString())

suite('backups of the disks of a running Linux', () => {
  test('have all disks at one instant, while the guest writes on, and leave nothing', async (t) => {
    const guest = await startLinux(t, { hotplugPorts: 3, drives: [{ name: 'cd', bus: 'scsi' }] })
    const { qmp } = guest
    await plugBoth(guest)
    // One write after the other: at each instant the first disk is equal, or one ahead. Linux names
    // disks in the order in which it finds them.
    const find = 'for d in vda vdb; do [ "$(cat /sys/block/$d/serial)" = one ] && one=$d || two=$d; done'
    const write = (disk: string): string => `printf %08d $i | dd of=/dev/${disk} bs=512 seek=${sector} conv=sync,fsync 2>/dev/null`
    await untilGuestPrints(
      guest,
      `[ -e /on ] || { : >/on; ${find}; (i=0; while :; do i=$((i+1)); ${write('$one')}; ${write('$two')}; done) & }; echo "go"on`,
      /goon/,
    )
    await until('the guest counts', async () => (await counter(join(guest.folder, 'two.img'))) > 3)
    const { disks, paths, close } = await targetsIn(guest)
    assert.equal(await startDiskBackups(qmp, 'first', disks, { bytesPerSecond: 4 << 20 }), undefined)
    // QEMU has descriptors of its own.
    await close()
    assert.deepEqual(
      (await readDiskBackups(qmp)).jobs.map(({ set }) => set),
      ['first', 'first'],
    )
    const started = await counter(join(guest.folder, 'two.img'))
    await until('the guest has counted on', async () => (await counter(join(guest.folder, 'two.img'))) > started + 3)
    // A later process sees the same.
    using other = await guest.connect()
    await until('both are complete', async () => (await readDiskBackups(other)).jobs.every(({ state }) => state === 'complete'))
    const [one = 0, two = 0] = await Promise.all(paths.map(counter))
    assert.ok(one === two || one === two + 1, `${one} and ${two} were not at one instant`)
    assert.ok(two > 0 && two <= started + 1, `${two} is later than ${started}`)
    for (const [index, path] of paths.entries()) {
      const [copy, original] = await Promise.all([readFile(path), readFile(join(guest.folder, index === 0 ? 'one.img' : 'two.img'))])
      assert.ok(copy.subarray(0, sector * 512).equals(original.subarray(0, sector * 512)))
    }
    await until('nothing is left', () => clearDiskBackups(qmp))
    assert.deepEqual(await readDiskBackups(qmp), { jobs: [], hasTargets: false })

    const small = await targetsIn(guest, bytes / 2)
    t.after(small.close)
    assert.ok((await startDiskBackups(qmp, 'small', small.disks)) !== undefined, 'QEMU takes a target that is too small')
    await until('nothing is left of it', () => clearDiskBackups(qmp))
    const again = await targetsIn(guest)
    t.after(again.close)
    assert.equal(await startDiskBackups(qmp, 'cancelled', again.disks), undefined)
    await until('a running one is cancelled', () => clearDiskBackups(qmp))
    // The disc of a drive is still the same one while it is copied.
    const disc = { name: 'disc', format: 'raw', readOnly: true, device: 'cdrom', bus: 'scsi', cache: 'none' } as const
    const image = join(guest.folder, 'disc.img')
    await writeFile(image, randomBytes(bytes))
    await using content = await open(image, 'r')
    assert.equal(await openDisk(qmp, disc, { descriptor: content.fd, source: 'disc' }), undefined)
    assert.equal(await insertMedium(qmp, 'cd', 'disc'), undefined)
    const [target] = again.disks
    assert.ok(target !== undefined)
    assert.equal(await startDiskBackups(qmp, 'disc', [{ ...target, name: 'disc' }], { bytesPerSecond: 1 }), undefined)
    assert.deepEqual((await readPluggedDisks(qmp, ['disc'])).media, new Map([['cd', 'disc']]))
    await until('it is cancelled', () => clearDiskBackups(qmp))
    assert.equal(await startDiskBackups(qmp, 'last', again.disks), undefined)
    await until('the next is complete', async () => (await statesOf(guest)).every((state) => state === 'complete'))
    await until('nothing is left', () => clearDiskBackups(qmp))
  })
})
