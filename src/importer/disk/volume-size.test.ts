import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { diskSize, requireRoom } from './volume-size.ts'

const mebibyte = 1 << 20
const gibibyte = 1 << 30

suite('diskSize()', () => {
  const cases = [
    { name: 'a claim without overhead', volumeBytes: gibibyte, overhead: 0, isDevice: false, usual: gibibyte },
    { name: 'a claim with overhead, in whole mebibytes', volumeBytes: gibibyte, overhead: 0.055, isDevice: false, usual: 967 * mebibyte },
    { name: 'a claim of less than a mebibyte', volumeBytes: 10_000, overhead: 0, isDevice: false, usual: 9728 },
    { name: 'a device', volumeBytes: gibibyte + 512, overhead: 0, isDevice: true, usual: gibibyte + 512 },
  ]
  for (const { name, volumeBytes, overhead, isDevice, usual } of cases)
    test(name, () => assert.equal(diskSize({ volumeBytes, overhead }, isDevice).usual, usual))

  test('a disk fits into the claim that was made for it', () => {
    // What a claim for 10 GiB is inflated to.
    const volumeBytes = Math.ceil((10 * gibibyte) / (1 - 0.055))
    assert.doesNotThrow(() => requireRoom(10 * gibibyte, diskSize({ volumeBytes, overhead: 0.055 }, false)))
    assert.throws(() => requireRoom(10 * gibibyte + 2 * mebibyte, diskSize({ volumeBytes, overhead: 0.055 }, false)))
  })
})
