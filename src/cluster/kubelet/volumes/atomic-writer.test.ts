import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { PayloadPathError, writePayload } from './atomic-writer.ts'

const file = (path: string, text: string) => ({ path, content: new TextEncoder().encode(text), mode: 0o644 })

async function withVolume(work: (volume: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payload-'))
  try {
    await work(join(directory, 'volume'))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

suite('writePayload()', () => {
  test('replaces the whole content, and removes old files', () =>
    withVolume(async (volume) => {
      await writePayload(volume, [file('a', '1'), file('deep/b', '2')])
      assert.equal(readFileSync(join(volume, 'deep/b'), 'utf8'), '2')
      await writePayload(volume, [file('a', '3')])
      assert.equal(readFileSync(join(volume, 'a'), 'utf8'), '3')
      assert.deepEqual(
        readdirSync(volume).filter((name) => !name.startsWith('..')),
        ['a'],
      )
      assert.equal(readdirSync(volume).filter((name) => name.startsWith('..payload')).length, 1)
    }))

  for (const path of ['../x', '/etc/passwd', 'a/../../x', '.']) {
    test(`refuses "${path}"`, () => withVolume((volume) => assert.rejects(writePayload(volume, [file(path, '')]), PayloadPathError)))
  }
})
