import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CommandError } from '../context.ts'
import { formatChecksum, parseChecksum, parseDiskOrigin, parseImageSource, pinnedDigest } from './image-source.ts'

const digits = 'a'.repeat(64)

suite('parseImageSource()', () => {
  const cases = [
    ['https://a/b.qcow2', { kind: 'http', url: 'https://a/b.qcow2' }],
    ['HTTP://a/b', { kind: 'http', url: 'HTTP://a/b' }],
    ['docker://quay.io/a/b:latest', { kind: 'registry', url: 'docker://quay.io/a/b:latest' }],
    ['oci-archive://a/b', { kind: 'registry', url: 'oci-archive://a/b' }],
    ['./disk.qcow2', { kind: 'file', path: './disk.qcow2' }],
    ['disk', { kind: 'file', path: 'disk' }],
  ] as const
  for (const [text, wanted] of cases) test(text, () => assert.deepEqual(parseImageSource(text), wanted))
  for (const text of ['', 'ftp://a/b', 's3://bucket/a', 'http://'])
    test(`refuses "${text}"`, () => assert.throws(() => parseImageSource(text), CommandError))
})

suite('parseDiskOrigin() tells DataSources from files without looking for files', () => {
  const cases = [
    ['fedora', { kind: 'dataSource', name: 'fedora' }],
    ['golden/fedora', { kind: 'dataSource', namespace: 'golden', name: 'fedora' }],
    ['fedora-43.amd64', { kind: 'dataSource', name: 'fedora-43.amd64' }],
    ['disk.qcow2', { kind: 'file', path: 'disk.qcow2' }],
    ['disk.raw.XZ', { kind: 'file', path: 'disk.raw.XZ' }],
    ['./fedora', { kind: 'file', path: './fedora' }],
    ['../fedora', { kind: 'file', path: '../fedora' }],
    ['/images/fedora', { kind: 'file', path: '/images/fedora' }],
    ['https://a/b', { kind: 'http', url: 'https://a/b' }],
  ] as const
  for (const [text, wanted] of cases) test(text, () => assert.deepEqual(parseDiskOrigin(text), wanted))
  for (const text of ['', 'a/b/c', 'Fedora', 'a/', '-a'])
    test(`refuses "${text}"`, () => assert.throws(() => parseDiskOrigin(text), CommandError))
})

suite('parseChecksum()', () => {
  test('takes digits of any case', () => assert.equal(formatChecksum(parseChecksum(`SHA256:${digits.toUpperCase()}`)), `sha256:${digits}`))
  for (const text of ['', digits, 'sha256:', `sha256:${digits}0`, `sha512:${digits}`, `crc32:${digits}`, `sha256:${'g'.repeat(64)}`])
    test(`refuses "${text.slice(0, 20)}"`, () => assert.throws(() => parseChecksum(text), CommandError))
})

test('pinnedDigest() reads the digest of a reference, and not a tag', () => {
  assert.equal(pinnedDigest(`docker://a/b@sha256:${digits}`), `sha256:${digits}`)
  assert.equal(pinnedDigest('docker://a/b:latest'), undefined)
})
