import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { allocateAddress } from './lasting-addresses.ts'

test('allocateAddress() gives each key an address of its own, and the same again', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'addresses-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  // With 1,000 keys some share their first choice.
  const keys = Array.from({ length: 1_000 }, (_, index) => `ns/vm-${index}`)
  const first = keys.map((key) => allocateAddress(directory, '10.115', key))
  assert.equal(new Set(first).size, keys.length)
  assert.deepEqual(
    keys.map((key) => allocateAddress(directory, '10.115', key)),
    first,
  )
  assert.deepEqual(new Set(readdirSync(directory)), new Set(first))
  for (const address of first) assert.match(address, /^10\.115\.([1-9]\d?|1\d\d|2[0-4]\d|25[0-4])\.([1-9]\d?|1\d\d|2[0-4]\d|25[0-4])$/)
})
