import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { defaultDiskThresholds, hasDiskPressure } from './disk-pressure.ts'

const gib = 2 ** 30

suite('hasDiskPressure()', () => {
  const cases: readonly (readonly [string, { capacity: number; available: number; inodesFree?: number; before?: boolean }, boolean])[] = [
    ['is off with a tenth of a small disk left', { capacity: 10, available: 1 }, false],
    ['is on below a tenth of a small disk', { capacity: 10, available: 0.99 }, true],
    ['is off with 2 GiB of a large disk left', { capacity: 1000, available: 2 }, false],
    ['is on below 2 GiB of a large disk', { capacity: 1000, available: 1.99 }, true],
    ['is on with few inodes left', { capacity: 1000, available: 500, inodesFree: 4 }, true],
    ['stays on just above the threshold', { capacity: 1000, available: 2.1, before: true }, true],
    ['ends well above the threshold', { capacity: 1000, available: 2.3, before: true }, false],
  ]
  for (const [name, { capacity, available, inodesFree = 100, before = false }, expected] of cases) {
    test(name, () => {
      const use = { capacityBytes: capacity * gib, availableBytes: available * gib, inodes: 100, inodesFree }
      assert.equal(hasDiskPressure(before, use, defaultDiskThresholds), expected)
    })
  }
  test('ignores inodes where the file system does not count them', () => {
    const use = { capacityBytes: gib, availableBytes: gib, inodes: 0, inodesFree: 0 }
    assert.equal(hasDiskPressure(false, use, defaultDiskThresholds), false)
  })
})
