import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Disk } from '#qemu/index.ts'
import { freeSpaceIn, freeSpaceOf } from './free-space.ts'

function disk(path: string, more: Partial<Disk> = {}): Disk {
  return { name: 'data', path, format: 'raw', readOnly: false, device: 'disk', bus: 'virtio', ...more }
}

suite('space for disks', () => {
  for (const [name, statistics, expected] of [
    ['has a mebibyte', { blocks: 1024n, bavail: 256n, bsize: 4096n }, 'free'],
    ['has less', { blocks: 1024n, bavail: 255n, bsize: 4096n }, 'lacking'],
    ['says nothing', { blocks: 0n, bavail: 0n, bsize: 4096n }, 'unknown'],
  ] as const) {
    test(`a file system that ${name}`, () => assert.equal(freeSpaceIn(statistics), expected))
  }

  test('is unknown for devices, for disks that were not launched, and for files that cannot be found', async () => {
    const here = disk('/', {})
    const place = { root: tmpdir() }
    assert.equal(await freeSpaceOf([here], place), 'free')
    for (const other of [disk('/', { isHostDevice: true }), undefined, disk(join('/', 'absent', 'disk.img')), disk('/proc')]) {
      assert.equal(await freeSpaceOf([here, other], other?.path === '/proc' ? { root: '' } : place), 'unknown')
    }
  })
})
