import type { Fault } from '../manifest/fields.ts'
import type { PipelineSpec } from '../manifest/pipeline.ts'
import { checkText, checkValue, type Meaning, type ReferenceCheck } from '../substitution/check-references.ts'
import { onlyReference, type Reference } from '../substitution/reference.ts'
import type { ParamSpec, ParamValue } from '../manifest/parameter.ts'
import type { PlannedTask } from './plan.ts'

/** Records what is wrong about how a pipeline uses one task. */
export function checkPipelineTask(
  task: PlannedTask,
  tasks: readonly PlannedTask[],
  pipeline: PipelineSpec,
  field: string,
  faults: Fault[],
): void {
  const check: ReferenceCheck = { meaningOf: (reference) => meaningForTask(task, tasks, pipeline, reference), faults }
  for (const { name, value } of task.params) {
    const at = `${field}.params.${name}`
    const spec = task.spec.params.find((param) => param.name === name)
    if (spec === undefined) faults.push({ field: at, message: `the Task has no such parameter; it has ${namesOf(task.spec.params)}` })
    else if (typeOf(value, check) !== spec.type) faults.push({ field: at, message: `must be of the type ${spec.type}` })
    checkValue(value, at, check)
  }
  for (const { name, default: fallback } of task.spec.params)
    if (fallback === undefined && !task.params.some((param) => param.name === name))
      faults.push({ field: `${field}.params`, message: `the Task needs the parameter "${name}"` })
  for (const [index, { input, values }] of task.when.entries()) {
    checkText(input, `${field}.when[${index}].input`, check)
    checkValue(values, `${field}.when[${index}].values`, check)
  }
  checkWorkspaceUses(task, pipeline, check, field)
}

function checkWorkspaceUses({ workspaces, spec }: PlannedTask, pipeline: PipelineSpec, check: ReferenceCheck, field: string): void {
  const { faults } = check
  for (const [index, { name, workspace, subPath }] of workspaces.entries()) {
    const at = `${field}.workspaces[${index}]`
    if (!spec.workspaces.some((one) => one.name === name))
      faults.push({ field: `${at}.name`, message: `the Task has no workspace "${name}"` })
    if (!pipeline.workspaces.some((one) => one.name === workspace))
      faults.push({ field: `${at}.workspace`, message: `the Pipeline has no workspace "${workspace}"` })
    if (subPath !== undefined) checkText(subPath, `${at}.subPath`, check)
  }
  for (const { name, isOptional } of spec.workspaces)
    if (!isOptional && !workspaces.some((one) => one.name === name))
      faults.push({ field: `${field}.workspaces`, message: `the Task needs the workspace "${name}"` })
}

/** Records wrong references of the pipeline's results. */
export function checkPipelineReferences(pipeline: PipelineSpec, tasks: readonly PlannedTask[], faults: Fault[]): void {
  const check: ReferenceCheck = { meaningOf: (reference) => meaningInResults(tasks, pipeline, reference), faults }
  for (const { name, value } of pipeline.results) checkValue(value, `spec.results.${name}.value`, check)
}

function meaningInResults(tasks: readonly PlannedTask[], pipeline: PipelineSpec, reference: Reference): Meaning {
  const [root, name = '', kind, result = '', ...rest] = reference.segments
  if ((root !== 'tasks' && root !== 'finally') || kind !== 'results' || rest.length > 0)
    return root === 'params' || root === 'context'
      ? meaningInPipeline(pipeline, reference)
      : { fault: 'results of a Pipeline are results of its tasks' }
  return resultOf(tasks, name, result, root === 'finally')
}

function meaningForTask(task: PlannedTask, tasks: readonly PlannedTask[], pipeline: PipelineSpec, reference: Reference): Meaning {
  const [root, name = '', kind, result = '', ...rest] = reference.segments
  if (root !== 'tasks') return meaningInPipeline(pipeline, reference)
  if (kind === 'results' && result !== '' && rest.length === 0) return resultOf(tasks, name, result, false)
  if (!task.isFinal) return { fault: 'only tasks of finally see the status of others' }
  if (name === 'status' && kind === undefined) return 'string'
  if (kind === 'status' && result === '')
    return tasks.some((one) => one.name === name && !one.isFinal) ? 'string' : { fault: `there is no task "${name}" in spec.tasks` }
  return { fault: 'use results or status of a task' }
}

function resultOf(tasks: readonly PlannedTask[], name: string, result: string, isFinal: boolean): Meaning {
  const task = tasks.find((one) => one.name === name && one.isFinal === isFinal)
  if (task === undefined) return { fault: `there is no task "${name}"` }
  const found = task.spec.results.find((spec) => spec.name === result)
  return found === undefined ? { fault: `the task "${name}" has no result "${result}"; it has ${namesOf(task.spec.results)}` } : found.type
}

const contexts = new Set(['pipelineRun.name', 'pipelineRun.namespace', 'pipelineRun.uid', 'pipeline.name', 'pipelineTask.retries'])

function meaningInPipeline(pipeline: PipelineSpec, { segments: [root = '', name = '', ...rest] }: Reference): Meaning {
  switch (root) {
    case 'params': {
      const found = pipeline.params.find((param) => param.name === name)
      return found !== undefined && rest.length === 0
        ? found.type
        : { fault: `the Pipeline has no parameter "${[name, ...rest].join('.')}"` }
    }
    case 'workspaces':
      return rest.length === 1 && rest[0] === 'bound' && pipeline.workspaces.some((workspace) => workspace.name === name)
        ? 'string'
        : { fault: 'only $(workspaces.NAME.bound) is supported in a Pipeline' }
    case 'context':
      return contexts.has([name, ...rest].join('.'))
        ? 'string'
        : { fault: `there are ${[...contexts].join(', ')} in the context of a Pipeline` }
    default:
      return { fault: `${root} is not supported in a Pipeline` }
  }
}

/** Returns the type of a value once its references are replaced. */
function typeOf(value: ParamValue, { meaningOf }: ReferenceCheck): ParamSpec['type'] {
  if (typeof value !== 'string') return 'array'
  const only = onlyReference(value)
  return only?.isWhole === true && meaningOf(only) === 'array' ? 'array' : 'string'
}

function namesOf(specs: readonly { readonly name: string }[]): string {
  return specs.map(({ name }) => name).join(', ') || 'none'
}
