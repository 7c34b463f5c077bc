import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { advanceIncoming, awaitRest, sendRest, takeOver, type MigrationStatus } from '#qemu/index.ts'
import { startTarget, startTicking, until } from '#qemu/guest.fixture.ts'
import { driveSource, plansFor, quickly } from '#qemu/migration/guest-move.fixture.ts'
import { readMigration } from '#qemu/migration/report.ts'
import type { QmpConnection } from '#qemu/qmp/connection.ts'
import { brokenTicks } from '#qemu/ticking-disk.fixture.ts'

/** Starts a proxy to a socket. While it is cut it does not listen either. */
async function startWay(t: TestContext, path: string, to: string): Promise<{ cut(): void; mend(): Promise<void> }> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(to)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const mend = (): Promise<void> => new Promise((resolve) => server.listen(path, resolve))
  await mend()
  const cut = (): void => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  t.after(cut)
  return { cut, mend }
}

suite('a guest whose stream breaks during post-copy', () => {
  const statusOf = async (qmp: QmpConnection): Promise<MigrationStatus> => (await readMigration(qmp)).status

  test('receives the rest of its memory', async (t) => {
    const source = await startTicking(t, { mebibytes: 24, pagesPerTick: 200 })
    const target = await startTarget(t, source)
    const memory = { kind: 'unix', path: join(target.folder, 'memory') } as const
    const way = { kind: 'unix', path: join(target.folder, 'way') } as const
    const stream = await startWay(t, way.path, memory.path)
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
    stream.cut()
    for (const { qmp } of [source, target]) await until('both notice', async () => (await statusOf(qmp)) === 'postcopy-paused')
    // Without a listener it can be repeated.
    await sendRest(source.qmp, way).catch(() => {})
    await until('the source is back where it was', async () => (await statusOf(source.qmp)) === 'postcopy-paused')
    await awaitRest(target.qmp, memory)
    await awaitRest(target.qmp, memory)
    await stream.mend()
    await until('the rest is there', async () => (await sendRest(source.qmp, way).catch(() => 'none')) === 'completed', 60_000)
    await until('the target has all', async () => (await statusOf(target.qmp)) === 'completed')
    const ticks = target.printed().length
    await until('the guest ticks on', () => target.printed().length > ticks + 5)
    assert.equal(brokenTicks(source.printed() + target.printed()), undefined)
  })
})
