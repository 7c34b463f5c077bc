import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { suite, test, type TestContext } from 'node:test'
import { advanceIncoming, awaitRest, sendRest, takeOver, type MigrationStatus } from '#qemu/index.ts'
import { startTarget, startTicking, until } from '#qemu/guest.fixture.ts'
import { driveSource, plansFor, quickly } from '#qemu/migration/guest-move.fixture.ts'
import { readMigration } from '#qemu/migration/report.ts'
import type { QmpConnection } from '#qemu/qmp/connection.ts'
import { brokenTicks } from '#qemu/ticking-disk.fixture.ts'

interface Proxy {
  readonly process: ChildProcess
  readonly port: number
}

async function startProxy(t: TestContext, path: string, port = 0): Promise<Proxy> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'proxy.ts'), String(port), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { process: child, port: Number(line.toString()) }
}

/** Occupies the queue of a stopped proxy, so that the kernel drops further connections. */
async function fillQueue(port: number): Promise<Disposable> {
  const sockets = await Promise.all(
    [1, 2].map(async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }),
  )
  return {
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

suite('a guest whose stream breaks during post-copy', () => {
  const statusOf = async (qmp: QmpConnection): Promise<MigrationStatus> => (await readMigration(qmp)).status

  test('receives the rest of its memory, also after refused and unanswered attempts', async (t) => {
    const source = await startTicking(t, { mebibytes: 24, pagesPerTick: 200 })
    const target = await startTarget(t, source)
    const memory = { kind: 'unix', path: join(target.folder, 'memory') } as const
    const proxy = await startProxy(t, memory.path)
    const way = { kind: 'tcp', host: '127.0.0.1', port: proxy.port } as const
    const { outgoing, incoming } = plansFor(target, {
      memory: way,
      settings: { ...quickly, bandwidth: 6 << 20, postCopy: true },
      limits: { progressTimeoutMs: 150_000, completionTimeoutMsPerGib: 1_500, allowPostCopy: true, allowWorkloadDisruption: false },
    })
    await advanceIncoming(target.qmp, { ...incoming, memory })
    await driveSource(source.qmp, outgoing, async ({ observed }) => {
      if (observed.report.status !== 'postcopy-active') return false
      const there = await advanceIncoming(target.qmp, { ...incoming, memory })
      if (there.kind === 'arriving') await takeOver(target.qmp, true)
      return there.kind === 'running'
    })
    proxy.process.kill('SIGKILL')
    for (const { qmp } of [source, target]) await until('both notice', async () => (await statusOf(qmp)) === 'postcopy-paused')
    const send = (): Promise<MigrationStatus> => sendRest(source.qmp, way, source.pid)
    // Without a listener it can be repeated.
    assert.equal(await send(), 'postcopy-paused')
    await awaitRest(target.qmp, memory)
    await awaitRest(target.qmp, memory)
    const next = await startProxy(t, memory.path, proxy.port)
    next.process.kill('SIGSTOP')
    {
      using _queue = await fillQueue(way.port)
      for (let attempt = 0; attempt < 3; attempt += 1) assert.equal(await send(), 'postcopy-paused')
    }
    next.process.kill('SIGCONT')
    await until('the rest is there', async () => (await send()) === 'completed', 60_000)
    await until('the target has all', async () => (await statusOf(target.qmp)) === 'completed')
    const ticks = target.printed().length
    await until('the guest ticks on', () => target.printed().length > ticks + 5)
    assert.equal(brokenTicks(source.printed() + target.printed()), undefined)
  })
})
