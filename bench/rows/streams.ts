import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStream } from '../../test/support/guests/guest-streams.ts'
import { leaveStreams } from '../../test/support/guests/leaving-clients.ts'
import { untilGuestsRun } from '../../test/support/guests/running-guests.ts'
import { eventually, type TestMachine } from '../../test/support/machine.ts'
import { demoVirtualMachine, editGuest, powerButtonVirtualMachine } from '../../test/support/manifests.ts'
import { memoryOf } from '../memory.ts'
import { mebibytes, type Row } from '../measure.ts'

const SECONDS = 5
const BLOCK = Buffer.alloc(1 << 16, 'x')
const ATTEMPTS = Number(process.env['BENCH_CONNECTS'] ?? 10_000)
const AT_A_TIME = 8
/** Numbers of a guest, with a kilobyte each, that are more than the buffers of a stream take. */
const BUFFERED_NUMBERS = 20_000

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
    const path = stream === 'console' ? serial : join(dirname(serial), 'vnc')
    await using _ = await replaceSocket(path)
    const direct = await measureSocket(path)
    const megabytes = await measure(machine, stream)
    rows.push({
      what: `${stream} through the API`,
      measured: `${megabytes.toFixed(1)} MB/s`,
      budget: '≥ 50 MB/s',
      within: megabytes >= 50,
      peer: `the unix socket itself, same source and client: ${direct.toFixed(0)} MB/s, ${(megabytes / direct).toFixed(3)}x`,
    })
  }
  rows.push(await connectAndAbort(machine))
  await machine.kubectl(['delete', 'vm', 'streamed'])
  rows.push(await slowReaders(machine))
  return rows
}

/**
 * A guest that writes numbers to its serial console and its display, as fast as it can: how many a
 * second while no client is connected, and while one does not read.
 */
async function slowReaders(machine: TestMachine): Promise<Row> {
  const vm = editGuest(demoVirtualMachine('writer', { namespace: machine.namespace }), ({ domain, ...spec }) => ({
    ...spec,
    domain: { ...domain, devices: { ...domain.devices, autoattachGraphicsDevice: true } },
  }))
  await machine.kubectl(['create', '-f', '-'], vm)
  await untilGuestsRun(machine, ['writer'])
  await machine.inGuest(
    '(i=0; x=$(printf %01000d 0); while :; do i=$((i+1)); echo "<$i>$x"; echo "<$i>" >/dev/tty1; done >/dev/ttyS0 2>/dev/null </dev/null &)',
    'writer',
  )
  const log = machine.guests().find(({ name }) => name === 'writer')?.serialLog ?? ''
  const counter = async (): Promise<number> => {
    await using file = await open(log)
    const { size } = await file.stat()
    const end = Buffer.alloc(3_000)
    const { bytesRead } = await file.read(end, 0, end.length, Math.max(0, size - end.length))
    return Number(
      [
        ...end
          .subarray(0, bytesRead)
          .toString('latin1')
          .matchAll(/<(\d+)>/g),
      ].at(-1)?.[1] ?? 0,
    )
  }
  const perSecond = async (): Promise<number> => {
    const [before, started] = [await counter(), performance.now()]
    await sleep(2 * SECONDS * 1000)
    return ((await counter()) - before) / ((performance.now() - started) / 1000)
  }
  const during = async (streams: readonly string[]): Promise<number> => {
    const clients = streams.map((stream) => openStream(machine, `virtualmachineinstances/writer/${stream}`))
    for (const client of clients) {
      await once(client, 'open')
      client.pause()
    }
    // Buffers on the way take some output.
    const full = (await counter()) + BUFFERED_NUMBERS
    const limit = performance.now() + 150_000
    while (performance.now() < limit && (await counter()) < full) await sleep(1_000)
    const rate = await perSecond()
    for (const client of clients) client.terminate()
    return rate
  }
  const [alone, console, vnc] = [await perSecond(), await during(['console']), await during(['vnc'])]
  const after = await perSecond()
  const mean = (alone + after) / 2
  await machine.kubectl(['delete', 'vm', 'writer'])
  return {
    what: 'progress of a guest beside clients that do not read',
    measured: `console ${(console / mean).toFixed(2)}x, vnc ${(vnc / mean).toFixed(2)}x of that without clients`,
    budget: 'the guest does not wait',
    within: Math.min(console, vnc) > mean / 2,
    peer: `without clients: ${alone.toFixed(0)} numbers a second before, ${after.toFixed(0)} after`,
  }
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
  const megabytes = await megabytesPerSecond(() => bytes)
  client.terminate()
  return megabytes
}

async function measureSocket(path: string): Promise<number> {
  const socket = connect(path)
  let bytes = 0
  socket.on('data', (data: Buffer) => (bytes += data.length))
  await once(socket, 'connect')
  const megabytes = await megabytesPerSecond(() => bytes)
  socket.destroy()
  return megabytes
}

async function megabytesPerSecond(bytes: () => number): Promise<number> {
  await sleep(500)
  const [before, started] = [bytes(), performance.now()]
  await sleep(SECONDS * 1000)
  return (bytes() - before) / 1e6 / ((performance.now() - started) / 1000)
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
    what: `${ATTEMPTS} clients of console, display and ports that connect and leave`,
    measured: `${files} open files more, ${mebibytes(after.pss - before.pss)} more, ${(ATTEMPTS / seconds).toFixed(0)} per second`,
    budget: 'nothing leaks',
    within: files <= 5,
    peer: '',
  }
}

/** Clients of a guest without network: its ports refuse. */
async function attempt(machine: TestMachine, count: number): Promise<void> {
  const streams = ['console', 'vnc', 'portforward/22'].map((stream) => `virtualmachineinstances/streamed/${stream}`)
  await leaveStreams(machine, { streams, count, atATime: AT_A_TIME })
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
