import type { LifecycleHandler } from '#api/core/v1/container.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { check, type CheckResult, type CheckTarget } from '../probes/check.ts'

/**
 * Runs a hook of a container: a command, a request, or a pause. Ends early with the signal. Never
 * rejects.
 */
export async function runHook(
  clock: Clock,
  handler: LifecycleHandler,
  target: CheckTarget,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (handler.sleep !== undefined) {
    await clock.sleep(Math.min(handler.sleep.seconds * 1000, timeoutMs), signal).catch(() => {})
    return { success: true, message: '' }
  }
  return check(clock, { ...handler, timeoutSeconds: timeoutMs / 1000 }, target, signal)
}
