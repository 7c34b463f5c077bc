import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { launcherPaths, writeLaunchRecord, type LaunchRecord } from '#features/launcher/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { guestSockets } from '../domain/domain.ts'
import { Guest } from './guest.ts'

test('a guest whose QEMU gets little of the processors is reached', { timeout: 60_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'guest-'))
  const paths = launcherPaths(directory, directory, 'p1')
  const { monitor } = guestSockets(paths.runDirectory)
  await Promise.all([dirname(monitor), paths.recordDirectory].map((folder) => mkdir(folder, { recursive: true })))
  await writeLaunchRecord(paths, { monitor } as LaunchRecord)
  const greeting = `${JSON.stringify({ QMP: { version: { qemu: { major: 7, minor: 2, micro: 22 } }, capabilities: [] } })}\n`
  const server = createServer((socket) => {
    socket.on('error', () => {})
    setTimeout(() => socket.write(greeting), 2_500).unref()
    socket.on('data', (text) => {
      const { id, execute } = JSON.parse(text.toString()) as { id?: unknown; execute?: string }
      socket.write(`${JSON.stringify({ return: execute === 'query-status' ? { status: 'running', running: true } : {}, id })}\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(monitor, resolve))
  try {
    using guest = new Guest('p1', paths, systemClock, () => {})
    assert.equal(await guest.runState(), undefined, 'the first limit is for a QEMU that hangs')
    assert.equal(await guest.runState(), 'running')
  } finally {
    server.close()
    await rm(directory, { recursive: true, force: true })
  }
})
