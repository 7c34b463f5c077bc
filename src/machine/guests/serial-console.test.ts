import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { spawn } from '@lydell/node-pty'
import { ConsoleClosed, ConsoleError, runInGuest } from './serial-console.ts'

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
      const result = await runInGuest(path, { command, id: 'abc', timeoutMs: 10_000 })
      assert.deepEqual({ ...result, output: result.output.trim() }, { output, exitCode })
    })
  }
})

// A real shell on a real terminal, which outlives the connections, as in a guest.
suite('runInGuest() with a terminal', () => {
  const directory = mkdtempSync(join(tmpdir(), 'console-'))
  const path = join(directory, 'serial.sock')
  const shell = spawn('/bin/sh', ['-i'], {
    cols: 200,
    rows: 24,
    env: { PATH: process.env['PATH'] ?? '', PS1: '# ', PS2: '> \u001B[6n', TERM: 'dumb' },
  })
  let current: Socket | undefined
  shell.onData((text) => void current?.write(text))
  const server = createServer((socket) => {
    current = socket
    socket.on('data', (bytes) => shell.write(bytes.toString()))
    socket.on('error', () => {})
  })
  before(() => new Promise<void>((resolve) => server.listen(path, resolve)))
  after(() => {
    shell.kill('SIGKILL')
    server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const echo = { command: 'echo works', timeoutMs: 10_000 }

  test('interrupts a command that does not end in time, so that the next one runs', async () => {
    await assert.rejects(runInGuest(path, { command: 'echo begun; sleep 60', id: 'slow', timeoutMs: 1_000 }), (error: Error) => {
      assert.ok(error instanceof ConsoleError && /still ran, and was interrupted/.test(error.message), error.message)
      return true
    })
    assert.equal((await runInGuest(path, { ...echo, id: 'next' })).output.trim(), 'works')
  })

  test('discards the unfinished line of another client', async () => {
    shell.write("echo 'an open quote\n")
    assert.equal((await runInGuest(path, { ...echo, id: 'open' })).output.trim(), 'works')
  })

  test('distinguishes a silent console from one without a prompt', async () => {
    // Without reading, it would not notice that the client leaves.
    const silent = createServer((socket) => void socket.on('error', () => {}).resume())
    const quiet = join(directory, 'quiet.sock')
    await new Promise<void>((resolve) => silent.listen(quiet, resolve))
    await assert.rejects(runInGuest(quiet, { ...echo, id: 'quiet', timeoutMs: 200 }), /console is silent/)
    silent.close()
  })

  test('reports a stream that fails while it closes as a closed console', async () => {
    const failing = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done(new Error('WebSocket is not open')) })
    await assert.rejects(
      runInGuest(async () => failing, { command: 'true', id: 'abc', timeoutMs: 10_000 }),
      ConsoleClosed,
    )
  })

  test('reports that the guest ended, and whether the command may have run', async () => {
    const ending = createServer((socket) => void socket.destroy())
    const ended = join(directory, 'ended.sock')
    await new Promise<void>((resolve) => ending.listen(ended, resolve))
    await assert.rejects(runInGuest(ended, { ...echo, id: 'ended' }), (error: Error) => error instanceof ConsoleClosed && !error.hasTyped)
    ending.close()
  })
})
