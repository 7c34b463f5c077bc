import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { newerQemu, startTarget, startTicking, until, type TestQemu } from '#qemu/guest.fixture.ts'
import { queryRunState } from '#qemu/qmp/commands.ts'
import { brokenTicks } from '#qemu/ticking-disk.fixture.ts'
import { move, quickly } from '#qemu/migration/guest-move.fixture.ts'

/** Asserts that the guest continues on the target: no lost or repeated tick, and correct memory. */
async function assertGoesOn(source: TestQemu, target: TestQemu): Promise<void> {
  await until('the guest ticks on the target', () => target.printed().length > 5)
  assert.equal(brokenTicks(source.printed() + target.printed()), undefined)
}

suite('a live migration', () => {
  test('migrates a guest that constantly changes its memory and disk', async (t) => {
    const source = await startTicking(t, { mebibytes: 16, pagesPerTick: 100, sector: 5 })
    const target = await startTarget(t, source)
    const { step, observed } = await move(source, target)
    assert.deepEqual(step, { kind: 'end', outcome: 'completed', reason: '' })
    assert.equal(await queryRunState(source.qmp), 'postmigrate')
    assert.ok((observed.report.totalMs ?? 0) > 0)
    await assertGoesOn(source, target)
  })

  test('sends memory over several streams at once', async (t) => {
    const source = await startTicking(t, { mebibytes: 16, pagesPerTick: 100 })
    const target = await startTarget(t, source)
    const { step } = await move(source, target, { settings: { ...quickly, channels: 8 } })
    assert.deepEqual(step, { kind: 'end', outcome: 'completed', reason: '' })
    await assertGoesOn(source, target)
  })

  test('also targets a newer QEMU', { skip: newerQemu.skip }, async (t) => {
    const source = await startTicking(t, { mebibytes: 16, pagesPerTick: 100 })
    const target = await startTarget(t, source, { binary: newerQemu.binary })
    await move(source, target, { settings: { ...quickly, channels: 8 } })
    await assertGoesOn(source, target)
  })

  test('migrates a guest to a newer QEMU and back', { skip: newerQemu.skip }, async (t) => {
    const source = await startTicking(t, { mebibytes: 16, pagesPerTick: 100 })
    const target = await startTarget(t, source, { binary: newerQemu.binary })
    await move(source, target)
    await assertGoesOn(source, target)
  })
})
