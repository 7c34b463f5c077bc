import { durationMs } from '#apimachinery/cel/values/time.ts'
import { assertUnique, type Fault, type Fields } from './fields.ts'
import { type Param, type ParamSpec, type ParamValue, parseParams, parseParamSpecs } from './parameter.ts'
import { resolvedName } from './resolver.ts'
import { parseTaskSpec, parseWorkspaces, type TaskSpec, type WorkspaceSpec } from './task.ts'

/** A condition of a task: all must hold. */
export interface WhenExpression {
  readonly input: string
  readonly operator: 'in' | 'notin'
  readonly values: ParamValue
}

/** A task of a pipeline. */
export interface PipelineTask {
  readonly name: string
  readonly task: { readonly kind: 'reference'; readonly name: string } | { readonly kind: 'spec'; readonly spec: TaskSpec }
  readonly params: readonly Param[]
  readonly when: readonly WhenExpression[]
  readonly runAfter: readonly string[]
  /** Further attempts after one that failed. */
  readonly retries: number
  /** Limit of each attempt. */
  readonly timeoutMs?: number
  readonly workspaces: readonly WorkspaceUse[]
}

/** A workspace of the pipeline, under the name that the task knows. */
export interface WorkspaceUse {
  readonly name: string
  readonly workspace: string
  readonly subPath?: string
}

/** What a Pipeline does: the part of `tekton.dev/v1` that is carried out. */
export interface PipelineSpec {
  readonly description?: string
  readonly params: readonly ParamSpec[]
  readonly workspaces: readonly WorkspaceSpec[]
  readonly tasks: readonly PipelineTask[]
  readonly finally: readonly PipelineTask[]
  readonly results: readonly { readonly name: string; readonly value: ParamValue }[]
}

/** Reads the spec of a Pipeline. Faults are recorded. */
export function parsePipelineSpec(spec: Fields, faults: Fault[]): PipelineSpec {
  const description = spec.text('description')
  const params = parseParamSpecs(spec, faults)
  const workspaces = parseWorkspaces(spec, faults)
  const tasks = spec.list('tasks').map((task) => parsePipelineTask(task, faults))
  const lasts = spec.list('finally').map((task) => {
    if (task.raw('runAfter') !== undefined) task.fault('runAfter', 'tasks of finally have no order')
    return parsePipelineTask(task, faults)
  })
  if (tasks.length === 0) spec.fault('tasks', 'there must be one')
  assertUnique([...tasks, ...lasts], spec.pathOf('tasks'), faults)
  const results = spec.list('results').map((result) => {
    const value = result.raw('value')
    const read = { name: result.requiredText('name'), value: Array.isArray(value) ? result.texts('value') : result.requiredText('value') }
    result.ignore('description', 'type')
    result.onlyKnown()
    return read
  })
  spec.ignore('displayName')
  spec.onlyKnown()
  return { ...(description === undefined ? {} : { description }), params, workspaces, tasks, finally: lasts, results }
}

const taskName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

function parsePipelineTask(fields: Fields, faults: Fault[]): PipelineTask {
  const name = fields.requiredText('name')
  if (name !== '' && !taskName.test(name))
    fields.fault('name', 'must be of lower case letters, digits and "-", and at most 63 characters long')
  const task = parseReference(fields, faults)
  const timeoutMs = parseTimeout(fields)
  const read = {
    name,
    task,
    params: parseParams(fields, faults),
    when: fields.list('when').map(parseWhen),
    runAfter: fields.texts('runAfter'),
    retries: fields.count('retries'),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    workspaces: fields.list('workspaces').map(parseWorkspaceUse),
  }
  const onError = fields.text('onError') ?? 'stopAndFail'
  if (onError !== 'stopAndFail') fields.fault('onError', `"${onError}" is not supported: a task that may fail must end with success itself`)
  fields.ignore('displayName', 'description')
  fields.refuse({
    matrix: 'a matrix is not supported: write one task for each combination',
    pipelineRef: 'pipelines in pipelines are not supported: run them one after another',
    pipelineSpec: 'pipelines in pipelines are not supported: write their tasks here',
  })
  fields.onlyKnown()
  return read
}

function parseReference(fields: Fields, faults: Fault[]): PipelineTask['task'] {
  const [reference, inline] = [fields.child('taskRef'), fields.child('taskSpec')]
  if ((reference === undefined) === (inline === undefined)) fields.fault('', 'must have either a taskRef or a taskSpec')
  if (inline !== undefined) {
    inline.ignore('metadata')
    if (inline.raw('apiVersion') !== undefined) inline.fault('apiVersion', 'custom tasks are not supported')
    return { kind: 'spec', spec: parseTaskSpec(inline, faults) }
  }
  if (reference === undefined) return { kind: 'reference', name: '' }
  const resolver = reference.text('resolver')
  const kind = reference.text('kind') ?? 'Task'
  const apiVersion = reference.text('apiVersion') ?? 'tekton.dev/v1'
  if (!['tekton.dev/v1', 'tekton.dev/v1beta1'].includes(apiVersion)) reference.fault('apiVersion', 'custom tasks are not supported')
  if (kind !== 'Task') reference.fault('kind', `${kind} is not supported: use a Task`)
  reference.refuse({ bundle: 'bundles are not supported: put the Task into the file of the Pipeline' })
  const name = resolver === undefined ? reference.requiredText('name') : resolvedName(reference, resolver, 'task')
  reference.onlyKnown()
  return { kind: 'reference', name }
}

/** A limit of 0 is none, as in Tekton. */
function parseTimeout(fields: Fields): number | undefined {
  const text = fields.text('timeout')
  if (text === undefined) return undefined
  const ms = durationMs(text)
  if (ms === undefined || ms < 0) fields.fault('timeout', `must be a duration such as 1h30m, and is "${text}"`)
  return ms === undefined || ms <= 0 ? undefined : ms
}

function parseWhen(fields: Fields): WhenExpression {
  fields.refuse({ cel: 'conditions in CEL are not supported: use input, operator and values' })
  if (fields.raw('cel') !== undefined) return { input: '', operator: 'in', values: [] }
  const operator = fields.text('operator') ?? ''
  if (operator !== 'in' && operator !== 'notin') fields.fault('operator', `must be in or notin, and is "${operator}"`)
  if (fields.raw('input') === undefined) fields.fault('input', 'is missing')
  const values = fields.texts('values')
  if (values.length === 0) fields.fault('values', 'there must be one')
  const when: WhenExpression = { input: fields.text('input') ?? '', operator: operator === 'notin' ? 'notin' : 'in', values }
  fields.onlyKnown()
  return when
}

function parseWorkspaceUse(fields: Fields): WorkspaceUse {
  const name = fields.requiredText('name')
  const [workspace, subPath] = [fields.text('workspace') ?? name, fields.text('subPath')]
  fields.onlyKnown()
  return { name, workspace, ...(subPath === undefined ? {} : { subPath }) }
}
