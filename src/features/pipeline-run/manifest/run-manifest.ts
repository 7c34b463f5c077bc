import type { PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import type { WorkspaceBinding } from '../graph/plan.ts'
import { type Fault, Fields } from './fields.ts'
import { type ParamValue, parseParams } from './parameter.ts'
import { type PipelineSpec, parsePipelineSpec } from './pipeline.ts'
import { parsePodTemplate, type PodTemplate } from './pod-template.ts'
import { parseTaskSpec, type TaskSpec } from './task.ts'
import { resolvedName } from './resolver.ts'

/** What a PipelineRun or a TaskRun asks for, beside what it runs. */
export interface RunRequest {
  readonly params: Readonly<Record<string, ParamValue>>
  readonly workspaces: Readonly<Record<string, WorkspaceBinding>>
  /** Durations such as `1h30m`. */
  readonly timeouts: { readonly timeout?: string; readonly tasksTimeout?: string; readonly finallyTimeout?: string }
  /** ServiceAccounts of tasks; the one of the empty name is that of all others. */
  readonly serviceAccounts: Readonly<Record<string, string>>
  /** Templates of pods of tasks; the one of the empty name is that of all others. */
  readonly podTemplates: Readonly<Record<string, PodTemplate>>
}

/** A PipelineRun: a request, and the Pipeline. */
export interface PipelineRunManifest extends RunRequest {
  readonly pipeline: { readonly kind: 'reference'; readonly name: string } | { readonly kind: 'spec'; readonly spec: PipelineSpec }
}

/** A TaskRun: a request, and the Task. */
export interface TaskRunManifest extends RunRequest {
  readonly task: { readonly kind: 'reference'; readonly name: string } | { readonly kind: 'spec'; readonly spec: TaskSpec }
  readonly retries: number
}

/** Reads the spec of a PipelineRun, of `v1` and `v1beta1`. Faults are recorded. */
export function parsePipelineRunSpec(spec: Fields, faults: Fault[]): PipelineRunManifest {
  const [reference, inline] = [spec.child('pipelineRef'), spec.child('pipelineSpec')]
  if ((reference === undefined) === (inline === undefined)) spec.fault('', 'must have either a pipelineRef or a pipelineSpec')
  const pipeline: PipelineRunManifest['pipeline'] =
    inline === undefined
      ? { kind: 'reference', name: reference === undefined ? '' : nameOf(reference, 'pipeline') }
      : { kind: 'spec', spec: parsePipelineSpec(inline, faults) }
  const limits = spec.child('timeouts')
  const timeouts = {
    ...named('timeout', duration(spec, 'timeout') ?? (limits === undefined ? undefined : duration(limits, 'pipeline'))),
    ...named('tasksTimeout', limits === undefined ? undefined : duration(limits, 'tasks')),
    ...named('finallyTimeout', limits === undefined ? undefined : duration(limits, 'finally')),
  }
  limits?.onlyKnown()
  const template = spec.child('taskRunTemplate')
  const all = podOf(template ?? spec, 'serviceAccountName', 'podTemplate')
  if (template !== undefined) template.onlyKnown()
  const tasks = spec.list('taskRunSpecs').map((task) => {
    const name = task.requiredText('pipelineTaskName')
    const [newer, older] = [podOf(task, 'serviceAccountName', 'podTemplate'), podOf(task, 'taskServiceAccountName', 'taskPodTemplate')]
    refuseOverrides(task)
    task.refuse({ metadata: 'labels and annotations of a single task are not supported' })
    task.onlyKnown()
    return { name, ...older, ...newer }
  })
  const read = { pipeline, timeouts, ...requestOf(spec, faults), ...podsOf([{ name: '', ...all }, ...tasks]) }
  refuseStates(spec)
  spec.onlyKnown()
  return read
}

/** Reads the spec of a TaskRun, of `v1` and `v1beta1`. Faults are recorded. */
export function parseTaskRunSpec(spec: Fields, faults: Fault[]): TaskRunManifest {
  const [reference, inline] = [spec.child('taskRef'), spec.child('taskSpec')]
  if ((reference === undefined) === (inline === undefined)) spec.fault('', 'must have either a taskRef or a taskSpec')
  const task: TaskRunManifest['task'] =
    inline === undefined
      ? { kind: 'reference', name: reference === undefined ? '' : nameOf(reference, 'task') }
      : { kind: 'spec', spec: parseTaskSpec(inline, faults) }
  const read = {
    task,
    retries: spec.count('retries'),
    timeouts: named('timeout', duration(spec, 'timeout')),
    ...requestOf(spec, faults),
    ...podsOf([{ name: '', ...podOf(spec, 'serviceAccountName', 'podTemplate') }]),
  }
  refuseOverrides(spec)
  refuseStates(spec)
  spec.onlyKnown()
  return read
}

function nameOf(reference: Fields, kind: 'task' | 'pipeline'): string {
  const resolver = reference.text('resolver')
  const expected = kind === 'task' ? 'Task' : 'Pipeline'
  const found = reference.text('kind') ?? expected
  if (found !== expected) reference.fault('kind', `${found} is not supported: use a ${expected}`)
  const apiVersion = reference.text('apiVersion') ?? 'tekton.dev/v1'
  if (!['tekton.dev/v1', 'tekton.dev/v1beta1'].includes(apiVersion)) reference.fault('apiVersion', `${apiVersion} is not supported`)
  reference.refuse({ bundle: `bundles are not supported: add the file of the ${expected}` })
  const name = resolver === undefined ? reference.requiredText('name') : resolvedName(reference, resolver, kind)
  reference.onlyKnown()
  return name
}

function requestOf(spec: Fields, faults: Fault[]): Pick<RunRequest, 'params' | 'workspaces'> {
  const params = parseParams(spec, faults)
  const workspaces = spec.list('workspaces').map((fields): readonly [string, WorkspaceBinding] => {
    const name = fields.requiredText('name')
    const binding = bindingOf(fields)
    fields.onlyKnown()
    return [name, binding]
  })
  return {
    params: Object.fromEntries(params.map(({ name, value }) => [name, value])),
    workspaces: Object.fromEntries(workspaces),
  }
}

function bindingOf(fields: Fields): WorkspaceBinding {
  const subPath = named('subPath', fields.text('subPath'))
  const sources = {
    persistentVolumeClaim: (source: Fields): WorkspaceBinding => ({ kind: 'claim', name: source.requiredText('claimName'), ...subPath }),
    volumeClaimTemplate: (source: Fields): WorkspaceBinding => {
      const metadata = source.child('metadata')
      metadata?.ignore('name', 'creationTimestamp')
      metadata?.onlyKnown()
      source.ignore('apiVersion', 'kind', 'status')
      return { kind: 'template', spec: (source.raw('spec') ?? {}) as PersistentVolumeClaimSpec, ...subPath }
    },
    emptyDir: (): WorkspaceBinding => ({ kind: 'emptydir' }),
    configMap: (source: Fields): WorkspaceBinding => ({ kind: 'configmap', name: source.requiredText('name') }),
    secret: (source: Fields): WorkspaceBinding => ({ kind: 'secret', name: source.requiredText('secretName') }),
  }
  fields.refuse({
    projected: 'projected volumes are not supported: use a claim, a ConfigMap or a Secret',
    csi: 'CSI volumes are not supported: use a claim',
  })
  for (const [name, read] of Object.entries(sources)) {
    const source = fields.child(name)
    if (source === undefined) continue
    const binding = read(source)
    source.onlyKnown()
    return binding
  }
  if (fields.raw('projected') === undefined && fields.raw('csi') === undefined)
    fields.fault('', `must have one of ${Object.keys(sources).join(', ')}`)
  return { kind: 'emptydir' }
}

interface PodOf {
  readonly serviceAccount?: string
  readonly podTemplate?: PodTemplate
}

function podOf(fields: Fields, account: string, template: string): PodOf {
  const pod = fields.child(template)
  return {
    ...named('serviceAccount', fields.text(account)),
    ...(pod === undefined ? {} : { podTemplate: parsePodTemplate(pod) }),
  }
}

function podsOf(all: readonly (PodOf & { readonly name: string })[]): Pick<RunRequest, 'serviceAccounts' | 'podTemplates'> {
  return {
    serviceAccounts: Object.fromEntries(
      all.flatMap(({ name, serviceAccount }) => (serviceAccount === undefined ? [] : [[name, serviceAccount] as const])),
    ),
    podTemplates: Object.fromEntries(
      all.flatMap(({ name, podTemplate }) => (podTemplate === undefined ? [] : [[name, podTemplate] as const])),
    ),
  }
}

function refuseStates(spec: Fields): void {
  spec.refuse({
    status: 'is not supported: a run begins at once, and Ctrl-C cancels it',
    statusMessage: 'is not supported: a run begins at once, and Ctrl-C cancels it',
    managedBy: 'is not supported: the command carries the run out itself',
    resources: 'PipelineResources are not supported',
    debug: 'is not supported: look at the logs of the pod',
  })
}

function refuseOverrides(fields: Fields): void {
  const reason = 'is not supported: write it in the Task'
  fields.refuse({ computeResources: reason, stepSpecs: reason, sidecarSpecs: reason, stepOverrides: reason, sidecarOverrides: reason })
}

function duration(fields: Fields, name: string): string | undefined {
  const text = fields.text(name)
  if (text !== undefined && (durationMs(text) ?? -1) < 0) fields.fault(name, `must be a duration such as 1h30m, and is "${text}"`)
  return text
}

/** Leaves out what is undefined: optional fields are absent. */
function named<K extends string>(name: K, value: string | undefined): { readonly [name in K]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [name in K]?: string })
}
