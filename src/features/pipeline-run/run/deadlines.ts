import type { RunPlan } from '../graph/plan.ts'
import type { Attempt, Progress } from './progress.ts'

/** Time that tasks of finally get at least, as they clean up: 10 minutes. */
const leastFinallyMs = 600_000

/** Returns the time at which tasks are ended. Pure. */
export function tasksDeadline({ timeouts }: RunPlan, { startedAt }: Progress): number {
  if (timeouts.tasks !== undefined) return startedAt + timeouts.tasks
  return timeouts.pipeline === undefined ? Infinity : startedAt + Math.max(0, timeouts.pipeline - (timeouts.finally ?? 0))
}

/** Returns the time at which tasks of finally are ended. They always get some time. Pure. */
export function finallyDeadline({ timeouts }: RunPlan, { startedAt, finallyAt }: Progress, now: number): number {
  const begin = finallyAt ?? now
  if (timeouts.finally !== undefined) return begin + timeouts.finally
  return timeouts.pipeline === undefined ? Infinity : Math.max(startedAt + timeouts.pipeline, begin + leastFinallyMs)
}

/** Returns the time at which an attempt is ended. Pure. */
export function attemptDeadline(
  plan: RunPlan,
  progress: Progress,
  task: { readonly isFinal: boolean; readonly timeoutMs?: number },
  { startedAt }: Pick<Attempt, 'startedAt'>,
  now: number,
): number {
  const own = task.timeoutMs === undefined ? Infinity : startedAt + task.timeoutMs
  return Math.min(own, task.isFinal ? finallyDeadline(plan, progress, now) : tasksDeadline(plan, progress))
}
