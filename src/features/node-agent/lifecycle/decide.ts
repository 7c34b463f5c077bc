import { endingOf, type Ending } from '../guest/ending.ts'
import { describeExit } from '../guest/launcher-exit.ts'
import type { Observed } from '../guest/observe.ts'
import { decideOutOfSpace, settlesInMs } from './out-of-space.ts'

/**
 * The next step of a guest.
 *
 * launch → (launcher becomes QEMU) await → resume → show … powerDown* → end → quit → cleanUp
 */
export type Step =
  | { readonly kind: 'none' }
  /** Prepare the volumes, fix the hardware, write the launch record, release the launcher. */
  | { readonly kind: 'launch' }
  /** The launch record exists, but QEMU's monitor does not answer yet. */
  | { readonly kind: 'await' }
  | { readonly kind: 'resume' }
  /** Start the guest again, which has powered off to reboot. */
  | { readonly kind: 'startAgain' }
  /** The watchdog has expired, which has stopped the guest: reset it, or ask it to power off. */
  | { readonly kind: 'watchdog'; readonly action: 'reset' | 'shutdown' }
  /** Stop the guest's CPUs on request. */
  | { readonly kind: 'pause' }
  /** Resume the guest on request, and remove the request. */
  | { readonly kind: 'unpause' }
  /** Resume the guest, whose full disks may have space again. */
  | { readonly kind: 'tryForSpace'; readonly disks: readonly string[] }
  /** Update the VMI's status. `againMs`: recheck then at the latest. */
  | { readonly kind: 'show'; readonly runState: string; readonly againMs?: number }
  | { readonly kind: 'powerDown' }
  /** Recheck later: the power button has been pressed. */
  | { readonly kind: 'wait'; readonly ms: number }
  /**
   * Record in the VMI how the guest ended. QEMU must outlive this write: a crash in between would
   * lose the reason.
   */
  | { readonly kind: 'end'; readonly ending: Ending }
  /** End QEMU, or the launcher that never became QEMU. */
  | { readonly kind: 'quit' }
  | { readonly kind: 'cleanUp' }

/** Milliseconds to wait for the kubelet to report the launcher's exit. It usually takes a few. */
const exitPatienceMs = 3_000

const none: Step = { kind: 'none' }

/** Returns the next step of one guest. Pure. */
export function decide(observed: Observed, nowMs: number): Step {
  switch (observed.phase) {
    case undefined:
      return decideOrphan(observed, nowMs)
    case 'Succeeded':
    case 'Failed':
      return decideEnded(observed)
    case 'Scheduled':
    case 'Running':
      return observed.launched ? decideLaunched(observed, nowMs) : decideUnlaunched(observed, nowMs)
    default:
      return none
  }
}

/** Decides for a guest whose VMI is gone. It still gets its grace period. */
function decideOrphan(observed: Observed, nowMs: number): Step {
  if (!observed.launched) return none
  if (observed.launcher !== 'running') return { kind: 'cleanUp' }
  if (observed.runState === undefined) return isOverdue(observed, nowMs) ? { kind: 'quit' } : { kind: 'await' }
  if (endingOf(observed.runState) !== undefined || observed.runState === 'prelaunch') return { kind: 'quit' }
  const step = powerDown(observed, nowMs)
  return step.kind === 'end' ? { kind: 'quit' } : step
}

function decideEnded(observed: Observed): Step {
  if (observed.launcher === 'running') return { kind: 'quit' }
  return observed.launched ? { kind: 'cleanUp' } : none
}

function decideUnlaunched(observed: Observed, nowMs: number): Step {
  const { phase, launcher, stopSinceMs, exit } = observed
  if (phase === 'Running') return ended('Failed', 'GuestLost', 'the guest is gone and its exit is unknown')
  if (launcher === 'gone') {
    return awaitExit(observed, nowMs) ?? ended('Failed', 'LauncherEnded', `the guest could not be started: ${describeExit(exit)}`)
  }
  // The kubelet ends the launcher of a pod that is being deleted.
  return stopSinceMs === undefined ? { kind: 'launch' } : none
}

function decideLaunched(observed: Observed, nowMs: number): Step {
  const { runState } = observed
  if (observed.launcher === 'gone') return awaitExit(observed, nowMs) ?? ended('Failed', 'GuestCrashed', describeExit(observed.exit))
  if (runState === undefined) {
    return isOverdue(observed, nowMs) ? ended('Failed', 'Killed', 'QEMU did not answer within the grace period') : { kind: 'await' }
  }
  if (observed.isRebooting === true && observed.stopSinceMs === undefined) return { kind: 'startAgain' }
  const ending = endingOf(runState)
  if (ending !== undefined) return observed.isUnhealthy === true ? unhealthy : { kind: 'end', ending }
  if (runState === 'watchdog') return watchdogStep(observed)
  if (observed.stopSinceMs !== undefined) {
    if (runState === 'prelaunch') return ended('Succeeded', 'NeverRan', 'the guest was stopped before it ran')
    return powerDown(observed, nowMs)
  }
  return pauseStep(observed) ?? spaceStep(observed, nowMs) ?? { kind: 'show', runState }
}

function watchdogStep({ watchdogAction = 'reset' }: Observed): Step {
  if (watchdogAction !== 'poweroff') return { kind: 'watchdog', action: watchdogAction }
  return ended('Failed', 'WatchdogExpired', 'the watchdog of the guest expired, and switched it off')
}

const unhealthy: Step = {
  kind: 'end',
  ending: { phase: 'Failed', reason: 'Unhealthy', message: 'the guest was stopped: its liveness probe failed' },
}

/** QEMU's states of a guest whose CPUs are stopped, and that can run on. */
const pausedStates: readonly string[] = ['prelaunch', 'paused', 'io-error']

/** Undefined when the guest is paused or runs as it should. */
function pauseStep({ runState = '', startPaused, pauseRequest }: Observed): Step | undefined {
  if (pauseRequest === false) return pausedStates.includes(runState) || runState === 'running' ? { kind: 'unpause' } : undefined
  if (runState === 'prelaunch' && !startPaused && pauseRequest !== true) return { kind: 'resume' }
  return pauseRequest === true && runState === 'running' ? { kind: 'pause' } : undefined
}

/**
 * Undefined when the guest is not, and has not just been, out of space, or when users have paused
 * it.
 */
function spaceStep({ runState = '', outOfSpace, spaceTrial, pauseRequest }: Observed, nowMs: number): Step | undefined {
  const settlesMs = settlesInMs(spaceTrial, nowMs)
  if (runState === 'running') return settlesMs > 0 ? { kind: 'wait', ms: settlesMs } : undefined
  if (runState !== 'io-error' || outOfSpace === undefined || pauseRequest === true) return undefined
  const decision = decideOutOfSpace(outOfSpace, nowMs)
  return decision.kind === 'try' ? { kind: 'tryForSpace', disks: outOfSpace.disks } : { kind: 'show', runState, againMs: decision.againMs }
}

/** Undefined when the exit is known, or the kubelet did not report it in time. */
function awaitExit({ exit, goneSinceMs = 0 }: Observed, nowMs: number): Step | undefined {
  const ms = goneSinceMs + exitPatienceMs - nowMs
  return exit === 'awaited' && ms > 0 ? { kind: 'wait', ms: Math.min(ms, exitPatienceMs) } : undefined
}

/** Repeats the power button until the grace period is over. */
function powerDown(observed: Observed, nowMs: number): Step {
  const { stopSinceMs = nowMs, gracePeriodMs, pressAgainAtMs = 0, acpi } = observed
  const leftMs = stopSinceMs + gracePeriodMs - nowMs
  if (!acpi) return ended('Succeeded', 'Destroyed', 'the guest was switched off: without ACPI it cannot be asked')
  if (leftMs <= 0) return ended('Failed', 'Killed', 'the guest did not power off within the grace period')
  return pressAgainAtMs <= nowMs ? { kind: 'powerDown' } : { kind: 'wait', ms: Math.min(pressAgainAtMs - nowMs, leftMs) }
}

function isOverdue({ stopSinceMs, gracePeriodMs }: Observed, nowMs: number): boolean {
  return stopSinceMs !== undefined && nowMs >= stopSinceMs + gracePeriodMs
}

function ended(phase: Ending['phase'], reason: string, message: string): Step {
  return { kind: 'end', ending: { phase, reason, message } }
}
