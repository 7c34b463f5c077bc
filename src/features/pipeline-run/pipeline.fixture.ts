import { makePlan, readPipelineManifest, readTaskManifest, type ParamValue, type RunPlan } from './index.ts'
import type { Run } from './run/run.ts'

/** A Task with one step, and results r0 … */
export function taskManifest(name: string, { results = [] as readonly string[], params = [] as readonly object[] } = {}): object {
  return {
    apiVersion: 'tekton.dev/v1',
    kind: 'Task',
    metadata: { name },
    spec: { params, results: results.map((result) => ({ name: result })), steps: [{ name: 'work', image: 'example.org/work:v1' }] },
  }
}

export function pipelineManifest(spec: object): object {
  return { apiVersion: 'tekton.dev/v1', kind: 'Pipeline', metadata: { name: 'p' }, spec }
}

/** Plans a pipeline whose tasks are all of the Task `work`, unless `tasks` has others. */
export function planOf(
  spec: object,
  {
    tasks = [] as readonly object[],
    params = {} as Readonly<Record<string, ParamValue>>,
    workspaces = {} as RunPlan['workspaces'],
    timeouts = {} as RunPlan['timeouts'],
  } = {},
): RunPlan {
  const known = new Map(
    [taskManifest('work', { results: ['r'] }), ...tasks].map((task) => {
      const { name } = (task as { metadata: { name: string } }).metadata
      return [name, readTaskManifest(`Task "${name}"`, task)]
    }),
  )
  return makePlan({
    subject: 'Pipeline "p"',
    pipeline: 'p',
    spec: readPipelineManifest('Pipeline "p"', pipelineManifest(spec)),
    taskNamed: (name) => known.get(name),
    params,
    workspaces,
    timeouts,
    serviceAccounts: {},
    collectorImage: 'example.org/tasks:v1',
  })
}

export function runOf(plan: RunPlan): Run {
  return { name: 'demo', namespace: 'default', uid: 'u-1', plan }
}
