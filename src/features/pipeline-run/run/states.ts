import { dependenciesOf, resultUses, textsOf } from '../graph/dependencies.ts'
import type { PlannedTask } from '../graph/plan.ts'
import { substituteList, substituteText, type ValueOf } from '../substitution/substitute.ts'
import { attemptsOf, type Progress } from './progress.ts'
import type { Run } from './run.ts'
import { finallyDeadline, tasksDeadline } from './deadlines.ts'
import { pipelineValues, resultOf } from './values.ts'

/** Why a task does not run. */
export type SkipReason =
  | 'its condition does not hold'
  | 'a result that it needs is missing'
  | 'a task before it was skipped'
  | 'another task has failed'
  | 'the run was cancelled'
  | 'the time is over'

/** State of a task. */
export type TaskState =
  | { readonly kind: 'Waiting' }
  /** Its next attempt can begin. */
  | { readonly kind: 'Ready'; readonly attempt: number }
  | { readonly kind: 'Running' }
  | { readonly kind: 'Succeeded' }
  | { readonly kind: 'Failed'; readonly reason: string; readonly message: string }
  | { readonly kind: 'Skipped'; readonly reason: SkipReason }

/** States of all tasks by name. */
export type TaskStates = ReadonlyMap<string, TaskState>

/** Reports whether a task is over. */
export function isOver(state: TaskState | undefined): boolean {
  return state?.kind === 'Succeeded' || state?.kind === 'Failed' || state?.kind === 'Skipped'
}

/** Computes the states of all tasks from what has happened. Pure. */
export function taskStates(run: Run, progress: Progress, now: number): TaskStates {
  const { tasks } = run.plan
  const first = tasks.filter(({ isFinal }) => !isFinal)
  // A failure that is found while states are computed stops others, too.
  let stop = stopReason(run, progress, now)
  let states = statesOfFirst(run, progress, first, stop, now)
  if (stop === undefined && [...states.values()].some(({ kind }) => kind === 'Failed')) {
    stop = 'another task has failed'
    states = statesOfFirst(run, progress, first, stop, now)
  }
  const areOver = first.every(({ name }) => isOver(states.get(name)))
  const last = tasks.filter(({ isFinal }) => isFinal)
  const finals = last.map((task): [string, TaskState] => [task.name, areOver ? finalState(run, progress, task, states, now) : waiting])
  return new Map([...states, ...finals])
}

const waiting: TaskState = { kind: 'Waiting' }

/** Returns why no further task begins; undefined when they do. */
function stopReason(run: Run, progress: Progress, now: number): SkipReason | undefined {
  if (progress.cancelledAt !== undefined) return 'the run was cancelled'
  if (now >= tasksDeadline(run.plan, progress)) return 'the time is over'
  const hasFailed = run.plan.tasks.some((task) => !task.isFinal && attempted(run, progress, task, now)?.kind === 'Failed')
  return hasFailed ? 'another task has failed' : undefined
}

function statesOfFirst(
  run: Run,
  progress: Progress,
  tasks: readonly PlannedTask[],
  stop: SkipReason | undefined,
  now: number,
): Map<string, TaskState> {
  const states = new Map<string, TaskState>()
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const stateOf = (task: PlannedTask): TaskState => {
    const known = states.get(task.name)
    if (known !== undefined) return known
    const parents = dependenciesOf(task).flatMap((name) => byName.get(name) ?? [])
    const state = attempted(run, progress, task, now) ?? nextState(run, progress, task, parents.map(stateOf), states, stop)
    states.set(task.name, state)
    return state
  }
  tasks.forEach(stateOf)
  return states
}

/** State of a task that has begun; undefined otherwise. */
function attempted(run: Run, progress: Progress, task: PlannedTask, now: number): TaskState | undefined {
  const attempts = attemptsOf(progress, task.name)
  const last = attempts.at(-1)
  if (last === undefined) return undefined
  if (last.state !== 'Failed') return { kind: last.state }
  const deadline = task.isFinal ? finallyDeadline(run.plan, progress, now) : tasksDeadline(run.plan, progress)
  const isStopped = last.reason === 'Cancelled' || (!task.isFinal && progress.cancelledAt !== undefined) || now >= deadline
  if (attempts.length <= task.retries && !isStopped) return { kind: 'Ready', attempt: attempts.length }
  return { kind: 'Failed', reason: last.reason ?? 'Failed', message: last.message ?? '' }
}

function nextState(
  run: Run,
  progress: Progress,
  task: PlannedTask,
  parents: readonly TaskState[],
  states: TaskStates,
  stop: SkipReason | undefined,
): TaskState {
  if (!parents.every(isOver)) return stop === undefined ? waiting : { kind: 'Skipped', reason: stop }
  // A condition skips its own task only; what skips for another reason skips all that follows.
  const skipped = parents.find((parent) => parent.kind === 'Skipped' && parent.reason !== 'its condition does not hold')
  if (skipped?.kind === 'Skipped') return { kind: 'Skipped', reason: stop ?? 'a task before it was skipped' }
  if (parents.some(({ kind }) => kind === 'Failed')) return { kind: 'Skipped', reason: stop ?? 'another task has failed' }
  for (const use of resultUses(task)) {
    if (resultOf(progress, use.task, use.result) !== undefined) continue
    if (states.get(use.task)?.kind === 'Skipped') return { kind: 'Skipped', reason: 'a result that it needs is missing' }
    return { kind: 'Failed', reason: 'ResultMissing', message: `the task "${use.task}" has not written its result "${use.result}"` }
  }
  return conditional(task, pipelineValues(run, progress, states, task), stop)
}

function conditional(task: PlannedTask, values: ValueOf, stop: SkipReason | undefined): TaskState {
  const problem = unresolved(task, values)
  if (problem !== undefined) return { kind: 'Failed', reason: 'ReferenceUnresolved', message: problem }
  if (!doesApply(task, values)) return { kind: 'Skipped', reason: 'its condition does not hold' }
  return stop === undefined ? { kind: 'Ready', attempt: 0 } : { kind: 'Skipped', reason: stop }
}

function finalState(run: Run, progress: Progress, task: PlannedTask, states: TaskStates, now: number): TaskState {
  const begun = attempted(run, progress, task, now)
  if (begun !== undefined) return begun
  if (resultUses(task).some((use) => resultOf(progress, use.task, use.result) === undefined))
    return { kind: 'Skipped', reason: 'a result that it needs is missing' }
  return conditional(
    task,
    pipelineValues(run, progress, states, task),
    now >= finallyDeadline(run.plan, progress, now) ? 'the time is over' : undefined,
  )
}

function doesApply({ when }: PlannedTask, values: ValueOf): boolean {
  return when.every(
    ({ input, operator, values: wanted }) =>
      substituteList([wanted].flat(), values).includes(substituteText(input, values)) === (operator === 'in'),
  )
}

/** Returns why a reference of a task has no value, such as an index beyond an array. */
function unresolved(task: PlannedTask, values: ValueOf): string | undefined {
  try {
    substituteList(textsOf(task), values)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
