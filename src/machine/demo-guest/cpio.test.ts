import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { packCpio } from './cpio.ts'

test('packCpio() writes an archive that busybox can list and unpack', () => {
  const archive = packCpio([
    { kind: 'directory', path: 'bin' },
    { kind: 'file', path: 'bin/a', content: Buffer.from('hello'), executable: true },
    { kind: 'link', path: 'bin/b', target: 'a' },
    { kind: 'file', path: 'empty', content: Buffer.alloc(0), executable: false },
  ])
  const listing = execFileSync('busybox', ['cpio', '-t'], { input: archive, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })
  assert.deepEqual(listing.trim().split('\n'), ['bin', 'bin/a', 'bin/b', 'empty'])
})

test('packCpio() returns the same bytes for the same entries', () => {
  const entries = [{ kind: 'file' as const, path: 'x', content: Buffer.from('1'), executable: false }]
  assert.deepEqual(packCpio(entries), packCpio(entries))
})
