import { substituteValue } from '../substitution/substitute.ts'
import { attemptDeadline } from './deadlines.ts'
import { attemptsOf, type Outcome, type Progress, type StopReason } from './progress.ts'
import type { Run } from './run.ts'
import { isOver, taskStates, type TaskStates } from './states.ts'
import { pipelineValues } from './values.ts'

/** An attempt that is to be ended. */
export interface StopAction {
  readonly task: string
  readonly index: number
  readonly pod: string
  readonly reason: StopReason
}

/** What to do next about a run. */
export interface Decision {
  readonly states: TaskStates
  readonly start: readonly { readonly task: string; readonly attempt: number }[]
  readonly stop: readonly StopAction[]
  /** The tasks are over: the limit of finally begins. */
  readonly beginsFinally: boolean
  /** The run is over. */
  readonly outcome?: Outcome
}

/** Decides what to do next, from nothing but what is stored. Pure. */
export function decide(run: Run, progress: Progress, now: number): Decision {
  const states = taskStates(run, progress, now)
  if (progress.outcome !== undefined) return { states, start: [], stop: [], beginsFinally: false, outcome: progress.outcome }
  const { tasks } = run.plan
  const start = tasks.flatMap(({ name }) => {
    const state = states.get(name)
    return state?.kind === 'Ready' ? [{ task: name, attempt: state.attempt }] : []
  })
  const areTasksOver = tasks.every(({ name, isFinal }) => isFinal || isOver(states.get(name)))
  const isDone = tasks.every(({ name }) => isOver(states.get(name)))
  return {
    states,
    start,
    stop: stopsOf(run, progress, now),
    beginsFinally: areTasksOver && progress.finallyAt === undefined,
    ...(isDone ? { outcome: outcomeOf(run, progress, states, now) } : {}),
  }
}

function stopsOf(run: Run, progress: Progress, now: number): readonly StopAction[] {
  return run.plan.tasks.flatMap((task): readonly StopAction[] => {
    const attempts = attemptsOf(progress, task.name)
    const attempt = attempts.at(-1)
    if (attempt?.state !== 'Running') return []
    const isLate = now >= attemptDeadline(run.plan, progress, task, attempt, now)
    const isCancelled = !task.isFinal && progress.cancelledAt !== undefined
    const reason = attempt.stop?.reason ?? (isCancelled ? 'Cancelled' : isLate ? 'TimedOut' : undefined)
    return reason === undefined ? [] : [{ task: task.name, index: attempts.length - 1, pod: attempt.pod, reason }]
  })
}

function outcomeOf(run: Run, progress: Progress, states: TaskStates, now: number): Outcome {
  const entries = run.plan.tasks.map(({ name }) => ({ name, state: states.get(name) }))
  const failed = entries.flatMap(({ name, state }) => (state?.kind === 'Failed' ? [{ name, ...state }] : []))
  const skipped = entries.flatMap(({ name, state }) => (state?.kind === 'Skipped' ? [{ name, ...state }] : []))
  const isLate = failed.some(({ reason }) => reason === 'TimedOut') || skipped.some(({ reason }) => reason === 'the time is over')
  const isFailed = failed.some(({ reason }) => reason !== 'TimedOut' && reason !== 'Cancelled')
  const status =
    progress.cancelledAt !== undefined && skipped.length + failed.length > 0
      ? 'Cancelled'
      : isFailed
        ? 'Failed'
        : isLate
          ? 'TimedOut'
          : skipped.length > 0
            ? 'Completed'
            : 'Succeeded'
  const why = failed.map(({ name, reason, message }) => `task "${name}" has failed (${reason})${message === '' ? '' : `: ${message}`}`)
  const done = entries.filter(({ state }) => state?.kind === 'Succeeded').length
  const message = [`${done} of ${entries.length} tasks succeeded, ${failed.length} failed, ${skipped.length} skipped`, ...why].join('; ')
  return { status, message, results: resultsOf(run, progress, states), finishedAt: now }
}

/** A result of which a part is missing is left out, as in Tekton. */
function resultsOf(run: Run, progress: Progress, states: TaskStates): Outcome['results'] {
  const values = pipelineValues(run, progress, states)
  const results: [string, Outcome['results'][string]][] = []
  for (const { name, value } of run.plan.results) {
    try {
      results.push([name, substituteValue(value, values)])
    } catch {
      continue
    }
  }
  return Object.fromEntries(results)
}
