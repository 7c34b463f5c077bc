import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { launcherPaths } from '#features/launcher/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { guestSockets } from '../domain/domain.ts'
import { Guest } from '../guest/guest.ts'
import { queryHardware } from './query-hardware.ts'

suite('queryHardware()', () => {
  test('ends when the signal is aborted, while QEMU does not answer', { timeout: 10_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'query-'))
    const paths = launcherPaths(directory, directory, 'p1')
    const { hardwareMonitor } = guestSockets(paths.runDirectory)
    await mkdir(dirname(hardwareMonitor), { recursive: true })
    const controller = new AbortController()
    // Greets and negotiates capabilities, then never answers.
    const server = createServer((socket) => {
      socket.write(`${JSON.stringify({ QMP: { version: { qemu: { major: 7, minor: 2, micro: 22 } }, capabilities: [] } })}\n`)
      socket.once('data', (text) => {
        const { id } = JSON.parse(text.toString()) as { id?: unknown }
        socket.write(`${JSON.stringify({ return: {}, id })}\n`)
        socket.once('data', () => controller.abort())
      })
    })
    await new Promise<void>((resolve) => server.listen(hardwareMonitor, resolve))
    try {
      const guest = new Guest('p1', paths, systemClock, () => {})
      assert.equal(await queryHardware(guest, [], { clock: systemClock, signal: controller.signal }), undefined)
      assert.equal(controller.signal.aborted, true)
    } finally {
      server.close()
      await rm(directory, { recursive: true, force: true })
    }
  })
})
