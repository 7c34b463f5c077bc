import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { launcherPaths, type LaunchRecord } from '#features/launcher/index.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { Guest } from '../guest/guest.ts'
import { resizeGuest } from './resize.ts'

test('a QEMU that hangs while its size is read is given up in time for the end of its grace period', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'resize-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const monitor = join(directory, 'monitor')
  const { hangs } = await hangingMonitor(t.after.bind(t), monitor)
  const paths = launcherPaths(directory, directory, 'p1')
  await mkdir(paths.recordDirectory, { recursive: true })
  await writeFile(join(paths.recordDirectory, 'launch.json'), JSON.stringify({ monitor }))
  const clock = createVirtualClock()
  using guest = new Guest('p1', paths, clock, () => {})
  assert.equal(await guest.runState(), 'running')

  const vmi = { metadata: {}, spec: { domain: {} } } as VirtualMachineInstance
  const record = (await guest.record()) as LaunchRecord
  const size = resizeGuest({ recorder: { event: () => {} } }, { guest, record, vmi, pod: undefined, runState: 'running' })
  await hangs
  await clock.advance(5_000)
  assert.equal(await size, undefined)
})

/** A QMP monitor that tells the run state and never answers anything else. */
async function hangingMonitor(after: (end: () => void) => void, path: string): Promise<{ hangs: Promise<undefined> }> {
  const { promise: hangs, resolve: hang } = Promise.withResolvers<undefined>()
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.write('{"QMP": {"version": {"qemu": {"micro": 0, "minor": 2, "major": 7}}, "capabilities": []}}\n')
    socket.on('data', (data) => {
      for (const line of data.toString().trim().split('\n')) {
        const { execute, id } = JSON.parse(line) as { execute: string; id: unknown }
        if (execute === 'qmp_capabilities') socket.write(`${JSON.stringify({ return: {}, id })}\n`)
        else if (execute === 'query-status') socket.write(`${JSON.stringify({ return: { status: 'running' }, id })}\n`)
        else hang(undefined)
      }
    })
  }).listen(path)
  await once(server, 'listening')
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { hangs }
}
