import assert from 'node:assert/strict'
import { open, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import {
  closeDisk,
  ejectMedium,
  insertMedium,
  openDisk,
  plugDisk,
  plugScsiController,
  pluggedScsiBus,
  readPluggedDisks,
  readScsiIds,
  requestDiskUnplug,
  resizeDisk,
  type Disk,
} from '#qemu/index.ts'
import { until, type TestQemu } from '#qemu/guest.fixture.ts'
import { startLinux, untilGuestPrints } from './linux-guest.ts'

const machine = { virtioTransitional: false }
const common = { format: 'raw', readOnly: false, device: 'disk', cache: 'none' } as const
const first = { ...common, name: 'a', bus: 'virtio', serial: 'SER-A', ioThread: 'a' } as const
// Longer than QEMU's names may be.
const second = { ...common, name: `b${'-long'.repeat(10)}`, bus: 'scsi', serial: 'SER-B', shareable: true } as const
const medium = { ...common, name: 'disc', bus: 'scsi', device: 'cdrom', readOnly: true } as const

/** Opens a file of a size, in MiB, as the content of a disk. */
async function opened({ qmp, folder }: TestQemu, disk: Omit<Disk, 'path'>, size: number): Promise<void> {
  const path = join(folder, `${disk.name}.img`)
  await writeFile(path, '')
  await truncate(path, size << 20)
  await using file = await open(path, disk.readOnly ? 'r' : 'r+')
  for (const _ of ['once', 'again'])
    assert.equal(await openDisk(qmp, disk, { descriptor: file.fd, source: `claim-${disk.name}` }), undefined)
}

suite('disks of a running Linux', () => {
  test('are plugged from a descriptor, used, grown, and unplugged', async (t) => {
    const guest = await startLinux(t, { hotplugPorts: 3 })
    const { qmp } = guest
    for (const disk of [first, second]) await opened(guest, disk, 8)
    for (const _ of ['once', 'again']) {
      assert.equal(await plugDisk(qmp, first, { port: 0 }, machine), undefined)
      assert.equal(await plugScsiController(qmp, 1, machine), undefined)
      assert.equal(await plugDisk(qmp, second, { scsiBus: pluggedScsiBus, scsiId: 3 }, machine), undefined)
    }
    const plugged = await readPluggedDisks(qmp, [])
    assert.deepEqual(plugged.disks, [
      { name: 'a', place: { port: 0 } },
      { name: second.name, place: { scsiBus: pluggedScsiBus, scsiId: 3 } },
    ])
    assert.deepEqual([plugged.scsiBus, plugged.controllerPort], [pluggedScsiBus, 1])
    assert.deepEqual(await readScsiIds(qmp, pluggedScsiBus), new Set([3]))
    for (const name of ['a', second.name]) assert.deepEqual(plugged.open.get(name), { source: `claim-${name}`, bytes: 8 << 20 })
    await untilGuestPrints(guest, 'cat /sys/block/vda/serial; cat /sys/block/vda/size', /SER-A16384/)
    await untilGuestPrints(guest, 'cat /sys/block/sda/size', /16384/)
    assert.equal(await resizeDisk(qmp, { name: 'a', isPlugged: true }, 16 << 20), undefined)
    await untilGuestPrints(guest, 'cat /sys/block/vda/size', /32768/)
    for (const name of ['a', second.name]) assert.equal(await requestDiskUnplug(qmp, name), undefined)
    await until('the guest has released its disks', async () => (await readPluggedDisks(qmp, [])).disks.length === 0)
    // The device lets go of its content a moment after it is gone.
    for (const name of ['a', second.name, 'a'])
      await until('QEMU has closed the disk', async () => (await closeDisk(qmp, name)) === undefined)
    assert.equal((await readPluggedDisks(qmp, ['a'])).open.size, 0)
    assert.deepEqual(await qmp.execute('query-iothreads'), [])
  })

  test('change in a CD-ROM drive', async (t) => {
    const guest = await startLinux(t, { drives: [{ name: 'cd', bus: 'scsi' }] })
    const { qmp } = guest
    await opened(guest, medium, 4)
    assert.equal(await insertMedium(qmp, 'cd', 'disc'), undefined)
    assert.deepEqual((await readPluggedDisks(qmp, [])).media, new Map([['cd', 'disc']]))
    await untilGuestPrints(guest, 'dd if=/dev/sr0 of=/dev/null bs=64k; cat /sys/block/sr0/size', /8192/)
    for (const _ of ['once', 'again']) assert.equal(await ejectMedium(qmp, 'cd'), undefined)
    assert.equal(await closeDisk(qmp, 'disc'), undefined)
    assert.deepEqual(await readPluggedDisks(qmp, ['disc']), { disks: [], open: new Map(), media: new Map(), scsiBus: 'scsi0.0' })
    await untilGuestPrints(guest, 'dd if=/dev/sr0 of=/dev/null count=1; echo done', /No medium found/)
  })
})
