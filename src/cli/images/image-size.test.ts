import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readableSize, sizeQuantity, virtualSizeOf } from './image-size.ts'

const headerOf = (start: string): Buffer => Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(32)]).subarray(0, 32)

suite('virtualSizeOf()', () => {
  test('reads the header of qcow2', () => {
    const header = headerOf('QFI\u00FB')
    header.writeBigUInt64BE(10n << 30n, 24)
    assert.equal(virtualSizeOf(header, 1000), 10n << 30n)
  })
  test('takes a raw image as it is', () => assert.equal(virtualSizeOf(headerOf('\u00EB'), 4096), 4096n))
  test('takes a file shorter than a header as raw', () => assert.equal(virtualSizeOf(Buffer.from('QFI\u00FB', 'latin1'), 4), 4n))
  for (const [format, start] of [
    ['gzip', '\u001F\u008B'],
    ['xz', '\u00FD7zXZ'],
    ['zstd', '(\u00B5/\u00FD'],
    ['VMDK', 'KDMV'],
    ['VHDX', 'vhdxfile'],
  ] as const)
    test(`does not know that of ${format}`, () => assert.equal(virtualSizeOf(headerOf(start), 4096), undefined))
})

test('sizeQuantity() rounds up to MiB', () => {
  for (const [bytes, wanted] of [
    [0n, '1Mi'],
    [1n, '1Mi'],
    [1n << 20n, '1Mi'],
    [(1n << 20n) + 1n, '2Mi'],
    [10n << 30n, '10240Mi'],
  ] as const)
    assert.equal(sizeQuantity(bytes), wanted)
})

test('readableSize() changes only bytes', () => {
  assert.deepEqual(['35696205', '10Gi', ''].map(readableSize), ['35Mi', '10Gi', ''])
})
