import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { allocateUidRange, rangeSize } from './uid-ranges.ts'

suite('allocateUidRange()', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ranges-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  test('gives each namespace its own range, and the same one again', () => {
    const a = allocateUidRange(directory, 'a')
    const b = allocateUidRange(directory, 'b')
    assert.equal(b - a, rangeSize)
    assert.equal(allocateUidRange(directory, 'a'), a)
    assert.equal(allocateUidRange(directory, 'b'), b)
  })
  test('starts above the ids of users and system services', () => assert.ok(allocateUidRange(directory, 'a') > 65_536))
  test('leaves no temporary files', () => {
    allocateUidRange(directory, 'a')
    assert.deepEqual(readdirSync(directory), ['0'])
  })
  test('ignores temporary files of a kubelet that was killed during an allocation', () => {
    writeFileSync(join(directory, '.dead-1'), 'dead')
    const a = allocateUidRange(directory, 'a')
    assert.notEqual(allocateUidRange(directory, 'dead'), a)
  })
})
