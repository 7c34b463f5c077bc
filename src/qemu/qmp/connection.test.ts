import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { buildArguments } from '../domain/arguments.ts'
import { queryRunState, quit, resume } from './commands.ts'
import { connectQmp } from './connection.ts'
import { QmpClosed, QmpCommandError } from './errors.ts'

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'qmp-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

async function startQemu(t: TestContext): Promise<{ socket: string; exited: Promise<unknown> }> {
  const socket = join(await temporaryDirectory(t), 'qmp')
  const args = buildArguments({
    name: 'test',
    uuid: '4f3c0c9e-7c7b-4b1e-9d4b-0f4a3d1f0001',
    machine: { type: 'pc-q35-7.2', accelerator: 'tcg', acpi: true, smm: false, virtioTransitional: false },
    cpu: { model: 'qemu64', flags: [], sockets: 1, cores: 1, threads: 1 },
    memory: { bytes: 16 * 1024 * 1024 },
    firmware: { kind: 'bios', useSerial: false },
    clock: { base: 'utc', hpet: true, pit: true },
    ioThreads: [],
    disks: [],
    interfaces: [],
    inputs: [],
    balloon: true,
    rng: true,
    panicDevice: 'pci',
    smbios: { system: { manufacturer: 'A, B' }, chassis: {} },
    monitors: [socket],
    startPaused: true,
  })
  const child = spawn('qemu-system-x86_64', args, { stdio: 'ignore' })
  t.after(() => child.kill('SIGKILL'))
  // The socket exists before QEMU listens on it.
  for (let tries = 0; tries < 6000 && !(await isListening(socket)); tries++) await sleep(10)
  return { socket, exited: once(child, 'exit') }
}

function isListening(path: string): Promise<boolean> {
  return connectQmp(path).then(
    (qmp) => {
      qmp[Symbol.dispose]()
      return true
    },
    () => false,
  )
}

test('starts, queries and ends a guest over QMP', async (t) => {
  const { socket, exited } = await startQemu(t)
  using qmp = await connectQmp(socket)
  const events: string[] = []
  using _listening = qmp.onEvent((event) => events.push(event.event))
  assert.equal(await queryRunState(qmp), 'prelaunch')
  await resume(qmp)
  assert.equal(await queryRunState(qmp), 'running')
  assert.ok(events.includes('RESUME'))
  await assert.rejects(
    qmp.execute('no-such-command'),
    (error) => error instanceof QmpCommandError && error.errorClass === 'CommandNotFound',
  )
  await quit(qmp)
  await exited
  await qmp.closed
  await assert.rejects(qmp.execute('query-status'), QmpClosed)
})

test('finds the guest unchanged after a reconnect', async (t) => {
  const { socket } = await startQemu(t)
  {
    using first = await connectQmp(socket)
    await resume(first)
  }
  using second = await connectQmp(socket)
  assert.equal(await queryRunState(second), 'running')
})

test('`connectQmp()` rejects without a listener', async (t) => {
  await assert.rejects(connectQmp(join(await temporaryDirectory(t), 'none')), QmpClosed)
})

test('`connectQmp()` rejects when there is no greeting, as for the second client of a monitor', async (t) => {
  const path = join(await temporaryDirectory(t), 'mute')
  const server = createServer(() => {}).listen(path)
  t.after(() => server.close())
  await once(server, 'listening')
  await assert.rejects(connectQmp(path, { greetingTimeoutMs: 30 }), QmpClosed)
})
