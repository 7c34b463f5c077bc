import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startTarget, startTicking, until, type TestQemu } from '#qemu/guest.fixture.ts'
import { queryRunState } from '#qemu/qmp/commands.ts'
import type { QmpConnection } from '#qemu/qmp/connection.ts'
import { brokenTicks } from '#qemu/ticking-disk.fixture.ts'
import { queryCapabilities } from '#qemu/host/capabilities.ts'
import { findQemu } from '#qemu/host/find-qemu.ts'
import { compatibility } from '#qemu/migration/compatibility.ts'
import { failureOf } from '#qemu/migration/failure.ts'
import { move, plansFor } from '#qemu/migration/guest-move.fixture.ts'
import { readMigration } from '#qemu/migration/report.ts'

/** Migrates with QEMU's defaults, for comparison. */
async function bareMove(source: TestQemu, target: TestQemu): Promise<string> {
  const { outgoing } = plansFor(target)
  if (outgoing.memory.kind !== 'unix') throw new Error('A test migrates over a unix socket')
  const uri = `unix:${outgoing.memory.path}`
  await target.qmp.execute('migrate-incoming', { uri })
  await source.qmp.execute('migrate', { uri })
  let status = ''
  await until('the migration ends', async () => {
    ;({ status } = await readMigration(source.qmp))
    return status === 'completed' || status === 'failed'
  })
  return status
}

async function assertStays(source: TestQemu): Promise<void> {
  assert.equal(await queryRunState(source.qmp), 'running')
  const ticks = source.printed().length
  await until('the guest ticks on', () => source.printed().length > ticks + 3)
  assert.equal(brokenTicks(source.printed()), undefined)
}

/** Removes the source's random number generator from the target. */
const withoutRng = (args: string[]): string[] => args.filter((word, index) => !/rng/.test(word) && !/rng/.test(args[index + 1] ?? ''))

suite('what QEMU does not report by itself', () => {
  test('trap 1: without return-path, the source completes a migration that the target has refused', async (t) => {
    const source = await startTicking(t, {}, { rng: true })
    // Now and then the target is quick enough to close the connection before the source has written
    // everything.
    let status = 'failed'
    for (let attempt = 0; attempt < 8 && status === 'failed'; attempt++) {
      const target = await startTarget(t, source, { change: withoutRng })
      status = await bareMove(source, target)
      assert.equal(await target.exited, 1)
    }
    assert.equal(status, 'completed')
  })

  test('trap 1: with return-path, the source detects the refusal, and the guest keeps running', async (t) => {
    const source = await startTicking(t, {}, { rng: true })
    const target = await startTarget(t, source, { change: withoutRng })
    const { step } = await move(source, target)
    assert.ok(step.kind === 'end' && step.outcome === 'failed')
    await assertStays(source)
  })

  test('trap 2: only stderr of the target has the reason of the refusal', async (t) => {
    const source = await startTicking(t, {}, { rng: true })
    const target = await startTarget(t, source, { change: withoutRng })
    await move(source, target)
    assert.equal(await target.exited, 1)
    assert.match(failureOf(target.complaints()) ?? '', /^Unknown savevm section or instance .*virtio-rng/)
  })

  test('trap 3: another CPU model is not noticed by QEMU; compatibility() does', async (t) => {
    const source = await startTicking(t)
    const target = await startTarget(t, source, { change: (args) => args.map((word) => (word === 'qemu64' ? 'Nehalem' : word)) })
    const { step } = await move(source, target)
    assert.ok(step.kind === 'end' && step.outcome === 'completed')
    const capabilities = await queryCapabilities(await findQemu(process.env['PATH']), 'tcg')
    const launch = { arguments: source.arguments, version: capabilities.version }
    const models = capabilities.cpuModels.filter((name) => name !== 'qemu64')
    assert.deepEqual(compatibility(launch, { accelerator: 'tcg', capabilities }), [])
    const found = compatibility(launch, { accelerator: 'tcg', capabilities: { ...capabilities, cpuModels: models } })
    assert.deepEqual(
      found.map(({ kind }) => kind),
      ['cpuModel'],
    )
  })

  test('trap 4: another number of CPUs is refused only after the whole transfer, and the guest stays', async (t) => {
    const source = await startTicking(t)
    const more = 'cpus=2,maxcpus=2,sockets=2,cores=1,threads=1'
    const target = await startTarget(t, source, { change: (args) => args.map((word) => (word.startsWith('cpus=') ? more : word)) })
    const { step } = await move(source, target)
    assert.ok(step.kind === 'end' && step.outcome === 'failed')
    await assertStays(source)
  })

  test('trap 4: a target gets the exact device arguments of the source, since QEMU accepts another MAC address', async (t) => {
    const card = { name: 'a', model: 'virtio', mac: '02:00:00:00:00:01', backend: { kind: 'user', restrict: true } } as const
    const source = await startTicking(t, {}, { interfaces: [card] })
    const devices = (args: readonly string[]): string[] => args.filter((_, index) => args[index - 1] === '-device')
    const target = await startTarget(t, source)
    assert.deepEqual(devices(target.arguments), devices(source.arguments))
    await target.kill()
    const stranger = await startTarget(t, source, { change: (args) => args.map((word) => word.replace(card.mac, '02:00:00:00:00:02')) })
    const { step } = await move(source, stranger)
    assert.ok(step.kind === 'end' && step.outcome === 'completed')
  })

  test('trap 5: "completed" without a total time is queried again', async () => {
    const answers = [
      { status: 'completed', 'total-time': 0 },
      { status: 'completed', 'total-time': 17, downtime: 3 },
    ]
    const qmp: Pick<QmpConnection, 'execute'> = { execute: () => Promise.resolve(answers.shift()) }
    const report = await readMigration(qmp as QmpConnection)
    assert.deepEqual([report.totalMs, report.downtimeMs], [17, 3])
  })
})

suite('a process that is killed during a migration', () => {
  /** Settings with which a migration takes half a second. */
  const slowly = { settings: { maxDowntimeMs: 100, autoConverge: false, postCopy: false, bandwidth: 8 << 20 } }

  test('leaves the guest on the source when it is the target', async (t) => {
    const source = await startTicking(t, { mebibytes: 16, pagesPerTick: 200 })
    const target = await startTarget(t, source)
    const moved = move(source, target, slowly)
    await until('memory flows', async () => (await readMigration(source.qmp)).status === 'active')
    await target.kill()
    const { step } = await moved
    assert.ok(step.kind === 'end' && step.outcome === 'failed')
    await assertStays(source)
  })

  test('ends the guest when it is the source, and the target exits with an error', async (t) => {
    const source = await startTicking(t, { mebibytes: 16, pagesPerTick: 200 })
    const target = await startTarget(t, source)
    const moved = move(source, target, slowly)
    await until('memory flows', async () => (await readMigration(source.qmp)).status === 'active')
    await Promise.all([source.kill(), assert.rejects(moved)])
    assert.equal(await target.exited, 1)
    assert.notEqual(failureOf(target.complaints()), undefined)
  })
})
