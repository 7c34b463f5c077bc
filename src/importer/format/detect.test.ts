import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { suite, test } from 'node:test'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { convertTo } from '../worker.fixture.ts'
import { detect } from './detect.ts'

const disk = Buffer.alloc(1 << 20, 'disk')

function iso(): Buffer {
  const image = Buffer.alloc(64 * 1024)
  image.write('\x01CD001\x01', 0x8000, 'latin1')
  return image
}

suite('detect()', () => {
  const cases: readonly (readonly [name: string, content: () => Buffer | Promise<Buffer>, is: string])[] = [
    ['gzip', () => gzipSync(disk), 'gz'],
    ['zstd', () => zstdCompressSync(disk), 'zst'],
    ['xz', () => execFileSync('xz', ['--stdout'], { input: disk }), 'xz'],
    ['qcow2', () => convertTo(disk, 'qcow2'), 'qcow2'],
    ['VMDK', () => convertTo(disk, 'vmdk'), 'vmdk'],
    ['VDI', () => convertTo(disk, 'vdi'), 'vdi'],
    ['VHD', () => convertTo(disk, 'vpc'), 'vhd'],
    ['VHDX', () => convertTo(disk, 'vhdx'), 'vhdx'],
    ['a fixed VHD, whose data comes first', () => convertTo(disk, 'vpc', ['-o', 'subformat=fixed']), 'raw'],
    ['an ISO image', iso, 'raw'],
    ['a tar archive', () => execFileSync('tar', ['-c', '-C', '/etc', 'hostname']), 'tar'],
    ['zlib, which no image is compressed by', () => deflateSync(disk), 'raw'],
    ['bzip2', () => Buffer.from('BZh91AY&SY'), 'other'],
    ['a ZIP archive', () => Buffer.from('PK\x03\x04...'), 'other'],
    ['a web page', () => Buffer.from('\n <HTML><body>Please log in</body></HTML>'), 'other'],
    ['an error of S3', () => Buffer.from('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'), 'other'],
    ['nothing', () => Buffer.alloc(0), 'raw'],
    ['a magic number that is cut off', () => Buffer.from('QFI'), 'raw'],
  ]
  for (const [name, make, is] of cases)
    test(`${name} is ${is}`, async () => {
      const found = detect(await make())
      assert.equal(found.kind === 'compressed' ? found.compression : found.kind === 'disk' ? found.format : found.kind, is)
    })

  test('takes any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1024 }), (bytes) => {
        assert.ok(detect(Buffer.from(bytes)).kind !== undefined)
      }),
      { numRuns: 500, seed: 1 },
    )
  })
})
