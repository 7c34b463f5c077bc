import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { ImportFailure } from '../failure.ts'
import { convertTo } from '../worker.fixture.ts'
import type { DiskFormat } from './detect.ts'
import { readDiskHeader } from './disk-header.ts'

const disk = Buffer.alloc(3 << 20, 'disk')
const drivers: Readonly<Record<string, DiskFormat>> = { qcow2: 'qcow2', vmdk: 'vmdk', vdi: 'vdi', vpc: 'vhd', vhdx: 'vhdx' }

suite('readDiskHeader()', () => {
  for (const [driver, format] of Object.entries(drivers)) {
    test(`finds the size in ${format}`, async () => {
      const options = driver === 'vpc' ? ['-o', 'force_size=on'] : []
      const { virtualBytes } = readDiskHeader(format, (await convertTo(disk, driver, options)).subarray(0, 65_536))
      assert.equal(virtualBytes, format === 'vhdx' ? undefined : disk.length)
    })

    test(`refuses any damage to ${format}, or finds a size`, async () => {
      const image = (await convertTo(disk, driver)).subarray(0, 65_536)
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.integer({ min: 4, max: 600 }), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }),
          fc.integer({ min: 0, max: 65_536 }),
          (changes, length) => {
            const damaged = Buffer.from(image)
            for (const [at, byte] of changes) damaged[at] = byte
            try {
              const { virtualBytes = 1 } = readDiskHeader(format, damaged.subarray(0, length))
              assert.ok(Number.isSafeInteger(virtualBytes) && virtualBytes > 0)
            } catch (error) {
              assert.ok(error instanceof ImportFailure && error.fatal, String(error))
            }
          },
        ),
        { numRuns: 200, seed: 1 },
      )
    })
  }
})
