import type { PlannedTask } from '../graph/plan.ts'
import type { ParamValue } from '../manifest/parameter.ts'
import type { ValueOf } from '../substitution/substitute.ts'
import { attemptsOf, type Progress } from './progress.ts'
import type { Run } from './run.ts'
import type { TaskState, TaskStates } from './states.ts'

/** Returns a result of a task that has succeeded; undefined when there is none. */
export function resultOf(progress: Progress, task: string, result: string): ParamValue | undefined {
  const last = attemptsOf(progress, task).at(-1)
  return last?.state === 'Succeeded' ? last.results?.[result] : undefined
}

/** Returns the values of references in a pipeline, as one of its tasks sees them. Pure. */
export function pipelineValues(run: Run, progress: Progress, states: TaskStates, task?: PlannedTask): ValueOf {
  const { plan } = run
  const contexts: Readonly<Record<string, string>> = {
    'pipelineRun.name': run.name,
    'pipelineRun.namespace': run.namespace,
    'pipelineRun.uid': run.uid,
    'pipeline.name': plan.pipeline,
    'pipelineTask.retries': String(task?.retries ?? 0),
  }
  return ({ segments: [root = '', name = '', kind, result = ''] }) => {
    switch (root) {
      case 'params':
        return plan.params[name]
      case 'tasks':
      case 'finally':
        if (kind === 'results') return resultOf(progress, name, result)
        return kind === 'status' ? statusOf(states.get(name)) : aggregateStatus(plan.tasks, states)
      case 'workspaces':
        return String(Object.hasOwn(plan.workspaces, name))
      case 'context':
        return contexts[`${name}.${kind}`]
      default:
        return undefined
    }
  }
}

/** Status of a task as tasks of finally see it. */
function statusOf(state: TaskState | undefined): string {
  return state?.kind === 'Succeeded' || state?.kind === 'Failed' ? state.kind : 'None'
}

/** Status of all tasks that are no tasks of finally. */
function aggregateStatus(tasks: readonly PlannedTask[], states: TaskStates): string {
  const kinds = tasks.filter(({ isFinal }) => !isFinal).map(({ name }) => states.get(name)?.kind)
  if (kinds.includes('Failed')) return 'Failed'
  return kinds.includes('Skipped') ? 'Completed' : 'Succeeded'
}
