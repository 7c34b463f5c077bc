import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { openStream } from '../../test/support/guests/guest-streams.ts'
import { untilGuestsRun } from '../../test/support/guests/running-guests.ts'
import { eventually, type TestMachine } from '../../test/support/machine.ts'
import { editGuest, powerButtonVirtualMachine } from '../../test/support/manifests.ts'
import { memoryOf } from '../memory.ts'
import { mebibytes, type Row } from '../measure.ts'

const SECONDS = 5
const BLOCK = Buffer.alloc(1 << 16, 'x')
const ATTEMPTS = Number(process.env['BENCH_CONNECTS'] ?? 10_000)
const AT_A_TIME = 8

/**
 * Streams of guests through the API: bytes per second, and what 10,000 clients leave behind that
 * connect and go at once. QEMU's sockets are replaced by a source that never waits for a guest.
 */
export async function streamRows(machine: TestMachine): Promise<Row[]> {
  const vm = editGuest(powerButtonVirtualMachine(machine, 'streamed'), ({ domain, ...spec }) => ({
    ...spec,
    domain: { ...domain, devices: { ...domain.devices, autoattachGraphicsDevice: true } },
  }))
  await machine.kubectl(['create', '-f', '-'], vm)
  await untilGuestsRun(machine, ['streamed'])
  const serial = machine.guests().find(({ name }) => name === 'streamed')?.serialSocket ?? ''
  const rows: Row[] = []
  for (const stream of ['console', 'vnc'] as const) {
    await using _ = await replaceSocket(stream === 'console' ? serial : join(dirname(serial), 'vnc'))
    const megabytes = await measure(machine, stream)
    rows.push({
      what: `${stream} through the API`,
      measured: `${megabytes.toFixed(1)} MB/s`,
      budget: '≥ 50 MB/s',
      within: megabytes >= 50,
      peer: '',
    })
  }
  rows.push(await connectAndAbort(machine))
  await machine.kubectl(['delete', 'vm', 'streamed'])
  return rows
}

/** Listens in place of QEMU, and sends as fast as it is read. Disposal brings its socket back. */
async function replaceSocket(path: string): Promise<AsyncDisposable> {
  await rename(path, `${path}.aside`)
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    const send = (): void => {
      while (socket.write(BLOCK));
    }
    socket.on('error', () => {}).on('drain', send)
    send()
  }).listen(path)
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await rm(path, { force: true })
      await rename(`${path}.aside`, path)
    },
  }
}

async function measure(machine: TestMachine, stream: 'console' | 'vnc'): Promise<number> {
  const client = openStream(machine, `virtualmachineinstances/streamed/${stream}`)
  let bytes = 0
  client.on('message', (data: Buffer) => (bytes += data.length))
  await once(client, 'open')
  await sleep(500)
  const [before, started] = [bytes, performance.now()]
  await sleep(SECONDS * 1000)
  const megabytes = (bytes - before) / 1e6 / ((performance.now() - started) / 1000)
  client.terminate()
  return megabytes
}

async function connectAndAbort(machine: TestMachine): Promise<Row> {
  await attempt(machine, 200)
  const before = await footprint(machine)
  const started = performance.now()
  await attempt(machine, ATTEMPTS)
  const seconds = (performance.now() - started) / 1000
  // Idle processes return memory after some seconds.
  await sleep(40_000)
  const after = await footprint(machine)
  const files = after.files - before.files
  return {
    what: `${ATTEMPTS} clients of a console that connect and go`,
    measured: `${files} open files more, ${mebibytes(after.pss - before.pss)} more, ${(ATTEMPTS / seconds).toFixed(0)} per second`,
    budget: 'nothing leaks',
    within: files <= 5,
    peer: '',
  }
}

/** Opens consoles. Every second client goes before it is connected. */
async function attempt(machine: TestMachine, count: number): Promise<void> {
  let left = count
  const one = (client: WebSocket, isEarly: boolean): Promise<void> =>
    new Promise((resolve) => {
      client.on('open', () => client.terminate())
      client.on('error', () => resolve())
      client.on('close', () => resolve())
      if (isEarly) setTimeout(() => client.terminate(), Math.random() * 20)
    })
  const work = async (): Promise<void> => {
    while (left-- > 0) await one(openStream(machine, 'virtualmachineinstances/streamed/console'), left % 2 === 0)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
}

/** Open files and memory, in KiB, of the processes that a stream passes. */
async function footprint(machine: TestMachine): Promise<{ readonly files: number; readonly pss: number }> {
  const pids = machine.processes().flatMap(({ role, pid }) => (['apiserver', 'virt-api', 'virt-handler'].includes(role) ? [pid] : []))
  // Connections that have ended may take a moment.
  const count = (): number => pids.reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0)
  let last = -1
  await eventually(
    async () => {
      await sleep(1_000)
      const before = last
      last = count()
      return last === before
    },
    () => 'open files come to rest',
  )
  return { files: last, pss: pids.reduce((sum, pid) => sum + memoryOf(pid).pss, 0) }
}
