import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { trimLog } from './serial-log.ts'

const limits = { maxBytes: 1_000, keptBytes: 100 }

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'serial-log-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

suite('trimLog()', () => {
  test('keeps the end of a long log, and what its writer appends later', async (t) => {
    const path = join(folder(t), 'serial.log')
    const writer = openSync(path, 'a')
    for (let line = 0; line < 200; line++) writeSync(writer, `line ${line}\n`)
    await trimLog(path, limits)
    writeSync(writer, 'last\n')
    closeSync(writer)
    const text = readFileSync(path, 'utf8')
    assert.equal(text.length, 100 + 'last\n'.length)
    assert.ok(text.endsWith('line 198\nline 199\nlast\n'), text)
  })

  test('leaves a short log as it is', async (t) => {
    const path = join(folder(t), 'serial.log')
    writeFileSync(path, 'x'.repeat(1_000))
    await trimLog(path, limits)
    assert.equal(readFileSync(path).length, 1_000)
  })

  test('follows no link', async (t) => {
    const directory = folder(t)
    const other = join(directory, 'other')
    writeFileSync(other, 'x'.repeat(2_000))
    symlinkSync(other, join(directory, 'serial.log'))
    await assert.rejects(trimLog(join(directory, 'serial.log'), limits), { code: 'ELOOP' })
    assert.equal(readFileSync(other).length, 2_000)
  })
})
