import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { view } from './vnc.ts'

const port = { address: '127.0.0.1', port: 5901 }

/** A folder in which viewers are looked for. */
function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'vnc-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

suite('view()', () => {
  test('runs the first viewer that is installed, and waits for its end', async (t) => {
    const directory = folder(t)
    writeFileSync(join(directory, 'vncviewer'), `#!/bin/sh\necho "$@" >${directory}/shown\n`, { mode: 0o755 })
    await view(port, { PATH: directory })
    assert.equal(readFileSync(join(directory, 'shown'), 'utf8'), '127.0.0.1::5901\n')
  })

  test('says what to do without one', async (t) => {
    await assert.rejects(view(port, { PATH: folder(t) }), /No VNC viewer is installed .*: use --proxy-only/)
  })
})
