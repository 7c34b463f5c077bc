import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { decide } from './decide.ts'
import type { Observed } from '../guest/observe.ts'

const living: Observed = {
  phase: 'Running',
  stopSinceMs: undefined,
  gracePeriodMs: 30_000,
  launched: true,
  startPaused: false,
  acpi: true,
  launcher: 'running',
  exit: 'unknown',
  goneSinceMs: undefined,
  runState: 'running',
  pressAgainAtMs: undefined,
}
const stopping = { ...living, stopSinceMs: 1_000 }
const orphan = { ...stopping, phase: undefined }
const outOfSpace = { space: 'free', disks: ['data'], sinceMs: 0 } as const
const spaceTrial = { atMs: 1_000, count: 1, disks: ['data'] }

const rows: readonly (readonly [string, Partial<Observed>, number, string])[] = [
  ['launches a scheduled guest', { phase: 'Scheduled', launched: false, runState: undefined }, 0, 'launch'],
  ['launches although the launcher is late', { phase: 'Scheduled', launched: false, launcher: 'absent', runState: undefined }, 0, 'launch'],
  [
    'does not launch a guest that is being deleted',
    { phase: 'Scheduled', launched: false, stopSinceMs: 0, runState: undefined },
    0,
    'none',
  ],
  ['fails when the launcher has ended', { phase: 'Scheduled', launched: false, launcher: 'gone', runState: undefined }, 0, 'end'],
  ['waits for QEMU', { phase: 'Scheduled', runState: undefined }, 0, 'await'],
  ['lets the guest run', { phase: 'Scheduled', runState: 'prelaunch' }, 0, 'resume'],
  ['leaves it paused on request', { phase: 'Scheduled', runState: 'prelaunch', startPaused: true }, 0, 'show'],
  ['pauses a running guest on request', { pauseRequest: true }, 0, 'pause'],
  ['leaves a guest paused that is asked to pause', { runState: 'paused', pauseRequest: true }, 0, 'show'],
  ['does not start a guest that is asked to pause', { runState: 'prelaunch', pauseRequest: true }, 0, 'show'],
  ['resumes a paused guest on request', { runState: 'paused', pauseRequest: false }, 0, 'unpause'],
  ['resumes a guest that was started paused', { runState: 'prelaunch', startPaused: true, pauseRequest: false }, 0, 'unpause'],
  ['resumes a guest after an I/O error', { runState: 'io-error', pauseRequest: false }, 0, 'unpause'],
  ['leaves a guest stopped after an I/O error', { runState: 'io-error' }, 9_000, 'show'],
  ['reports a guest first that is out of space', { runState: 'io-error', outOfSpace }, 0, 'show'],
  ['resumes it when there is space', { runState: 'io-error', outOfSpace }, 9_000, 'tryForSpace'],
  ['leaves it stopped while there is none', { runState: 'io-error', outOfSpace: { ...outOfSpace, space: 'lacking' } }, 9_000, 'show'],
  ['leaves it stopped that is asked to pause', { runState: 'io-error', outOfSpace, pauseRequest: true }, 9_000, 'show'],
  ['does not resume it when it is asked to stop', { runState: 'io-error', outOfSpace, stopSinceMs: 8_000 }, 9_000, 'powerDown'],
  ['waits whether it stops again', { spaceTrial }, 1_100, 'wait'],
  ['reports it when it runs on', { spaceTrial }, 2_000, 'show'],
  ['removes a request to resume a guest that runs', { pauseRequest: false }, 0, 'unpause'],
  ['leaves a guest paused without a request', { runState: 'paused' }, 0, 'show'],
  ['stops a guest that is asked to pause', { pauseRequest: true, stopSinceMs: 0 }, 0, 'powerDown'],
  ['reports a running guest', { phase: 'Scheduled', runState: 'running' }, 0, 'show'],
  ['resumes again after a crash before the report', { runState: 'prelaunch' }, 0, 'resume'],
  ['records a shutdown', { runState: 'shutdown' }, 0, 'end'],
  ['starts a guest again that was asked to reboot', { runState: 'shutdown', isRebooting: true }, 0, 'startAgain'],
  ['does not start a guest again that was asked to stop', { runState: 'shutdown', isRebooting: true, stopSinceMs: 0 }, 0, 'end'],
  ['asks a guest to power off that is not healthy', { isUnhealthy: true, stopSinceMs: 0 }, 0, 'powerDown'],
  ['resets a guest whose watchdog has expired', { runState: 'watchdog', watchdogAction: 'reset' }, 0, 'watchdog'],
  ['asks it to power off instead', { runState: 'watchdog', watchdogAction: 'shutdown' }, 0, 'watchdog'],
  ['switches it off', { runState: 'watchdog', watchdogAction: 'poweroff' }, 0, 'end'],
  ['does so while it is asked to stop, too', { runState: 'watchdog', watchdogAction: 'reset', stopSinceMs: 0 }, 0, 'watchdog'],
  ['records a panic', { runState: 'guest-panicked' }, 0, 'end'],
  ['records that QEMU has exited', { launcher: 'gone', runState: undefined }, 0, 'end'],
  [
    'waits for the exit code from the kubelet',
    { launcher: 'gone', runState: undefined, exit: 'awaited', goneSinceMs: 1_000 },
    3_999,
    'wait',
  ],
  ['does not wait for it indefinitely', { launcher: 'gone', runState: undefined, exit: 'awaited', goneSinceMs: 1_000 }, 4_000, 'end'],
  ['records that launcher and QEMU have exited', { launched: false, launcher: 'absent', runState: undefined }, 0, 'end'],
  ['ends QEMU only when the end is recorded', { phase: 'Succeeded', runState: 'shutdown' }, 0, 'quit'],
  ['ends a launcher that never became QEMU', { phase: 'Failed', launched: false, runState: undefined }, 0, 'quit'],
  ['cleans up afterwards', { phase: 'Failed', launcher: 'gone', runState: undefined }, 0, 'cleanUp'],
  ['presses the power button', stopping, 1_000, 'powerDown'],
  ['waits after a press', { ...stopping, pressAgainAtMs: 2_000 }, 1_999, 'wait'],
  ['presses again', { ...stopping, pressAgainAtMs: 2_000 }, 2_000, 'powerDown'],
  ['kills QEMU after the grace period', { ...stopping, pressAgainAtMs: 32_000 }, 31_000, 'end'],
  ['kills QEMU at once without a grace period', { ...stopping, gracePeriodMs: 0 }, 1_000, 'end'],
  ['does not press the button without ACPI', { ...stopping, acpi: false }, 1_000, 'end'],
  ['kills a QEMU that does not answer', { ...stopping, runState: undefined }, 31_000, 'end'],
  ['gives an orphan its grace period', orphan, 1_000, 'powerDown'],
  ['ends an orphan that has powered off', { ...orphan, runState: 'shutdown' }, 1_000, 'quit'],
  ['kills an orphan that has not powered off', orphan, 31_000, 'quit'],
  ['ends an orphan that never ran', { ...orphan, runState: 'prelaunch' }, 1_000, 'quit'],
  ['cleans up after an orphan', { ...orphan, launcher: 'gone', runState: undefined }, 1_000, 'cleanUp'],
]

suite('decide() for guests', () => {
  for (const [name, observed, nowMs, expected] of rows) {
    test(name, () => assert.equal(decide({ ...living, ...observed }, nowMs).kind, expected))
  }

  test('reports Succeeded for a guest that powered off, and Failed for one that was killed or lost', () => {
    const ending = (observed: Partial<Observed>, nowMs = 0): string | undefined => {
      const step = decide({ ...living, ...observed }, nowMs)
      return step.kind === 'end' ? step.ending.phase : undefined
    }
    assert.equal(ending({ runState: 'shutdown' }), 'Succeeded')
    assert.equal(ending({ ...stopping, acpi: false }, 1_000), 'Succeeded')
    assert.equal(ending(stopping, 99_000), 'Failed')
    assert.equal(ending({ ...stopping, runState: 'shutdown', isUnhealthy: true }), 'Failed')
    assert.equal(ending({ launcher: 'gone', runState: undefined }), 'Failed')
  })

  test('reports the exit code or signal of QEMU', () => {
    const message = (exit: Observed['exit']): string | undefined => {
      const step = decide({ ...living, launcher: 'gone', runState: undefined, exit }, 0)
      return step.kind === 'end' ? step.ending.message : undefined
    }
    assert.equal(message({ exitCode: 137, signal: 9 }), 'QEMU was killed by signal 9')
    assert.equal(message({ exitCode: 1, message: 'qemu: no memory\n' }), 'QEMU ended with exit code 1: qemu: no memory')
    assert.equal(message('unknown'), 'QEMU ended and its exit code is unknown')
  })

  test('never ends QEMU before the VMI records the end, and always ends it within the grace period', () => {
    const observed = fc.record({
      phase: fc.constantFrom('Scheduled', 'Running'),
      stopSinceMs: fc.option(fc.nat(60_000), { nil: undefined }),
      gracePeriodMs: fc.nat(60_000),
      launched: fc.boolean(),
      startPaused: fc.boolean(),
      acpi: fc.boolean(),
      launcher: fc.constantFrom('absent', 'running', 'gone'),
      exit: fc.constantFrom('unknown', 'awaited'),
      goneSinceMs: fc.option(fc.nat(60_000), { nil: undefined }),
      runState: fc.constantFrom(undefined, 'prelaunch', 'running', 'paused', 'shutdown', 'guest-panicked', 'io-error'),
      pressAgainAtMs: fc.option(fc.nat(120_000), { nil: undefined }),
    })
    fc.assert(
      fc.property(observed, fc.nat(200_000), (facts, nowMs) => {
        const step = decide(facts as Observed, nowMs)
        assert.ok(step.kind !== 'quit' && step.kind !== 'cleanUp')
        const { stopSinceMs, launched } = facts
        const isOver = stopSinceMs !== undefined && nowMs >= stopSinceMs + facts.gracePeriodMs
        if (launched && isOver && facts.launcher !== 'gone') assert.equal(step.kind, 'end')
        if (step.kind === 'wait') assert.ok(step.ms > 0 && step.ms <= Math.max(3_000, facts.gracePeriodMs + 60_000))
      }),
    )
  })
})
