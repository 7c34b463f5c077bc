import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { runInGuest } from './serial-console.ts'

// A guest's shell as it is on a serial line: it echoes, and what comes before its prompt is there
// is lost.
suite('runInGuest()', () => {
  const directory = mkdtempSync(join(tmpdir(), 'console-'))
  const path = join(directory, 'serial.sock')
  const server = createServer((socket) => {
    let isReading = false
    socket.on('data', (bytes) => {
      const typed = bytes.toString()
      const lost = !isReading
      isReading = false
      if (!lost) {
        const { stdout } = spawnSync('sh', ['-c', typed.trim()], { encoding: 'utf8' })
        socket.write(`${typed}${stdout}`.replaceAll('\n', '\r\n'))
      }
      setTimeout(() => {
        // Busybox asks the terminal where its cursor is.
        socket.write('/ # \u001B[6n')
        isReading = true
      }, 20)
    })
    socket.on('error', () => {})
  })
  before(() => new Promise<void>((resolve) => server.listen(path, resolve)))
  after(() => {
    server.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const commands = [
    ['one line', 'echo hello', 'hello', 0],
    ['quotes', `echo "it's"; exit_code() { return 3; }; exit_code`, "it's", 3],
    ['several lines, and a comment', 'echo one # two\necho three', 'one\nthree', 0],
  ] as const
  for (const [what, command, output, exitCode] of commands) {
    test(`runs ${what}`, async () => {
      const result = await runInGuest(path, command, 'abc', 10_000)
      assert.deepEqual({ ...result, output: result.output.trim() }, { output, exitCode })
    })
  }
})
