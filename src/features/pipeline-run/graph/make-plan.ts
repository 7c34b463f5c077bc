import { type Fault, ManifestInvalid } from '../manifest/fields.ts'
import { completeParams, type ParamValue } from '../manifest/parameter.ts'
import type { PipelineSpec, PipelineTask } from '../manifest/pipeline.ts'
import type { TaskSpec, WorkspaceSpec } from '../manifest/task.ts'
import { checkTaskReferences } from './check-task.ts'
import { checkPipelineReferences, checkPipelineTask } from './check-pipeline.ts'
import { dependenciesOf, findCycle } from './dependencies.ts'
import { propagate } from './propagate.ts'
import type { PlannedTask, RunPlan, WorkspaceBinding } from './plan.ts'

/** What a run is made from. */
export interface PlanInput extends Pick<RunPlan, 'timeouts' | 'serviceAccounts' | 'podTemplates' | 'collectorImage'> {
  /** `Pipeline "x" of file.yaml`. */
  readonly subject: string
  readonly pipeline: string
  readonly spec: PipelineSpec
  /** Returns the Task that a pipeline names. */
  readonly taskNamed: (name: string) => TaskSpec | undefined
  readonly params: Readonly<Record<string, ParamValue>>
  readonly workspaces: Readonly<Record<string, WorkspaceBinding>>
}

/** Makes the plan of a run, and checks all of it. Pure. @throws ManifestInvalid */
export function makePlan(given: PlanInput): RunPlan {
  const input = { ...given, spec: propagate(given.spec) }
  const { subject, spec, pipeline, timeouts, serviceAccounts, podTemplates = {}, collectorImage } = input
  const faults: Fault[] = []
  const tasks = [
    ...spec.tasks.flatMap((task, index) => planTask(input, task, `spec.tasks[${index}]`, false, faults)),
    ...spec.finally.flatMap((task, index) => planTask(input, task, `spec.finally[${index}]`, true, faults)),
  ]
  if (faults.length > 0) throw new ManifestInvalid(subject, faults)
  checkOrder(tasks, faults)
  for (const task of tasks) {
    const field = fieldOf(tasks, task)
    checkTaskReferences(task.spec, `${field}.taskSpec`, faults)
    checkPipelineTask(task, tasks, spec, field, faults)
    checkTimeout(task, field, input, faults)
  }
  checkPipelineReferences(spec, tasks, faults)
  checkWorkspaces(spec.workspaces, input.workspaces, faults)
  for (const [field, byTask] of Object.entries({ serviceAccount: serviceAccounts, podTemplate: podTemplates }))
    for (const name of Object.keys(byTask))
      if (name !== '' && !tasks.some((task) => task.name === name)) faults.push({ field, message: `there is no task "${name}"` })
  if (faults.length > 0) throw new ManifestInvalid(subject, faults)
  const params = completeParams(subject, spec.params, input.params)
  return {
    pipeline,
    tasks,
    params,
    workspaces: input.workspaces,
    results: spec.results,
    timeouts,
    serviceAccounts,
    ...(Object.keys(podTemplates).length === 0 ? {} : { podTemplates }),
    collectorImage,
  }
}

function planTask(input: PlanInput, task: PipelineTask, field: string, isFinal: boolean, faults: Fault[]): readonly PlannedTask[] {
  const { task: source, ...rest } = task
  const spec = source.kind === 'spec' ? source.spec : input.taskNamed(source.name)
  if (spec !== undefined) return [{ ...rest, isFinal, spec }]
  const name = source.kind === 'reference' ? source.name : ''
  faults.push({
    field: `${field}.taskRef`,
    message: `there is no Task "${name}" in the file, nor among those that "steadyvm task list" shows`,
  })
  return []
}

/** Returns the path of a task in its Pipeline. */
function fieldOf(tasks: readonly PlannedTask[], { isFinal, name }: PlannedTask): string {
  const others = tasks.filter((task) => task.isFinal === isFinal)
  return `spec.${isFinal ? 'finally' : 'tasks'}[${others.findIndex((task) => task.name === name)}]`
}

function checkOrder(tasks: readonly PlannedTask[], faults: Fault[]): void {
  const first = new Set(tasks.filter(({ isFinal }) => !isFinal).map(({ name }) => name))
  for (const task of tasks) {
    const field = fieldOf(tasks, task)
    for (const other of task.runAfter)
      if (!first.has(other)) faults.push({ field: `${field}.runAfter`, message: `there is no task "${other}" in spec.tasks` })
    for (const other of dependenciesOf({ ...task, runAfter: [] }))
      if (!first.has(other)) faults.push({ field, message: `uses a result of "${other}", which is no task in spec.tasks` })
  }
  const cycle = findCycle(tasks)
  if (cycle.length > 0) faults.push({ field: 'spec.tasks', message: `tasks wait for each other: ${cycle.join(' → ')}` })
}

function checkTimeout(task: PlannedTask, field: string, { timeouts }: PlanInput, faults: Fault[]): void {
  const limit = task.isFinal ? timeouts.finally : (timeouts.tasks ?? timeouts.pipeline)
  if (task.timeoutMs === undefined || limit === undefined || task.timeoutMs <= limit) return
  const flag = task.isFinal ? '--finally-timeout' : timeouts.tasks === undefined ? '--timeout' : '--tasks-timeout'
  const message = `is ${task.timeoutMs / 1000} s, and the whole run gets ${limit / 1000} s: raise ${flag}`
  faults.push({ field: `${field}.timeout`, message })
}

function checkWorkspaces(specs: readonly WorkspaceSpec[], bound: Readonly<Record<string, WorkspaceBinding>>, faults: Fault[]): void {
  for (const { name, isOptional } of specs)
    if (!isOptional && !Object.hasOwn(bound, name))
      faults.push({ field: `workspaces.${name}`, message: `is needed: add it, for example by -w ${name}=claim:NAME` })
  for (const name of Object.keys(bound))
    if (!specs.some((spec) => spec.name === name)) {
      const known = specs.map((spec) => spec.name).join(', ') || 'none'
      faults.push({ field: `workspaces.${name}`, message: `there is no such workspace; there are ${known}` })
    }
}
