import { endingOf, type Ending } from '../guest/ending.ts'
import { describeExit } from '../guest/launcher-exit.ts'
import type { Observed } from '../guest/observe.ts'

/**
 * The one step to take now.
 *
 * launch → (launcher becomes QEMU) connect → resume → show … powerDown* → end → quit → cleanUp
 */
export type Step =
  | { readonly kind: 'none' }
  /** Make files, decide the hardware, record it, let the launcher go. */
  | { readonly kind: 'launch' }
  /** Recorded, but QEMU does not answer yet. */
  | { readonly kind: 'await' }
  | { readonly kind: 'resume' }
  /** Bring the VMI's status up to date. */
  | { readonly kind: 'show'; readonly runState: string }
  | { readonly kind: 'powerDown' }
  /** The button was pressed: look again later. */
  | { readonly kind: 'wait'; readonly ms: number }
  /**
   * Write into the VMI how the guest ended. Only afterwards may QEMU go, or a crash in between
   * would lose the answer.
   */
  | { readonly kind: 'end'; readonly ending: Ending }
  /** QEMU, or the launcher that never became it, has nothing left to do. */
  | { readonly kind: 'quit' }
  | { readonly kind: 'cleanUp' }

/**
 * Milliseconds that the kubelet gets to tell how a launcher ended. It is done in a few, if there is
 * one.
 */
const exitPatienceMs = 3_000

const none: Step = { kind: 'none' }

/** Decides what the agent does next for one guest. */
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

/** Nobody wants the guest any more. It still gets its time to power off. */
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
  if (phase === 'Running') return ended('Failed', 'GuestLost', 'the guest is gone, and nothing is known of its end')
  if (launcher === 'gone') {
    return awaitExit(observed, nowMs) ?? ended('Failed', 'LauncherEnded', `the guest could not be started: ${describeExit(exit)}`)
  }
  // The pod is being deleted: its launcher ends by itself.
  return stopSinceMs === undefined ? { kind: 'launch' } : none
}

function decideLaunched(observed: Observed, nowMs: number): Step {
  const { runState } = observed
  if (observed.launcher === 'gone') return awaitExit(observed, nowMs) ?? ended('Failed', 'GuestCrashed', describeExit(observed.exit))
  if (runState === undefined) {
    return isOverdue(observed, nowMs) ? ended('Failed', 'Killed', 'QEMU did not answer within the grace period') : { kind: 'await' }
  }
  const ending = endingOf(runState)
  if (ending !== undefined) return { kind: 'end', ending }
  if (observed.stopSinceMs !== undefined) {
    if (runState === 'prelaunch') return ended('Succeeded', 'NeverRan', 'the guest was stopped before it ran')
    return powerDown(observed, nowMs)
  }
  if (runState === 'prelaunch' && !observed.startPaused) return { kind: 'resume' }
  return { kind: 'show', runState }
}

/** Undefined when there is nothing to wait for: the pod tells why QEMU ended, or nobody will. */
function awaitExit({ exit, goneSinceMs = 0 }: Observed, nowMs: number): Step | undefined {
  const ms = goneSinceMs + exitPatienceMs - nowMs
  return exit === 'awaited' && ms > 0 ? { kind: 'wait', ms: Math.min(ms, exitPatienceMs) } : undefined
}

/** Presses the power button again and again until the grace period is over. */
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
