import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprintText, observeFingerprint } from '#qemu/index.ts'
import { newerQemu, startTarget, startTicking, systemQemu, until } from '#qemu/guest.fixture.ts'
import { move } from '#qemu/migration/guest-move.fixture.ts'
import { brokenTicks } from '#qemu/ticking-disk.fixture.ts'
import { repeats } from '../support/effort.ts'

/** Number of migrations of one guest. */
const times = repeats({ default: 3, long: 8 })

test('repeated migrations of a guest under load keep its state and hardware', { timeout: 600_000 }, async (t) => {
  let here = await startTicking(t, { mebibytes: 16, pagesPerTick: 150, sector: 5 }, { balloon: true, rng: true })
  const { folder } = here
  const expected = fingerprintText(await observeFingerprint(here.qmp, here.arguments))
  let printed = ''
  for (let time = 1; time <= times; time++) {
    // Halfway to the newer release, and never back: that is not promised.
    const binary = time > times / 2 && newerQemu.skip === false ? newerQemu.binary : systemQemu
    const there = await startTarget(t, { ...here, folder }, { binary })
    const { step } = await move(here, there)
    assert.deepEqual(step, { kind: 'end', outcome: 'completed', reason: '' }, `migration ${time}`)
    printed += here.printed()
    await until('the guest ticks on the target', () => there.printed().length > 3)
    assert.equal(brokenTicks(printed + there.printed()), undefined, `migration ${time}`)
    assert.equal(fingerprintText(await observeFingerprint(there.qmp, there.arguments)), expected, `migration ${time}`)
    await here.kill()
    here = there
  }
})
