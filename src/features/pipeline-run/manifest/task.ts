import type { Container, EnvVar, VolumeMount } from '#api/core/v1/container.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import { assertUnique, type Fault, Fields } from './fields.ts'
import { type ParamSpec, parseParamSpecs } from './parameter.ts'

/** A step of a task: a container, and perhaps a script that it runs. */
export interface Step extends Container {
  readonly script?: string
}

/** A result that a task declares. */
export interface ResultSpec {
  readonly name: string
  readonly type: 'string' | 'array'
  readonly description?: string
}

/** A folder that a task or pipeline needs. */
export interface WorkspaceSpec {
  readonly name: string
  readonly isOptional: boolean
  readonly description?: string
  readonly mountPath?: string
  readonly isReadOnly: boolean
}

/** What a Task does: the part of `tekton.dev/v1` that is carried out. */
export interface TaskSpec {
  readonly description?: string
  readonly params: readonly ParamSpec[]
  readonly results: readonly ResultSpec[]
  readonly workspaces: readonly WorkspaceSpec[]
  readonly volumes: readonly Volume[]
  readonly steps: readonly Step[]
}

/** Reads the spec of a Task. Faults are recorded. */
export function parseTaskSpec(spec: Fields, faults: Fault[]): TaskSpec {
  const description = spec.text('description')
  const params = parseParamSpecs(spec, faults)
  const results = spec.list('results').map(parseResult)
  const workspaces = parseWorkspaces(spec, faults)
  const template = spec.child('stepTemplate')
  const common = template === undefined ? {} : parseContainer(template)
  template?.onlyKnown()
  const steps = spec.list('steps').map((step, index) => parseStep(step, index, common))
  if (steps.length === 0) spec.fault('steps', 'there must be one')
  assertUnique(results, spec.pathOf('results'), faults)
  assertUnique(steps, spec.pathOf('steps'), faults)
  const volumes = (spec.raw('volumes') ?? []) as readonly Volume[]
  if (!Array.isArray(volumes)) spec.fault('volumes', 'must be a list')
  spec.ignore('displayName')
  spec.refuse({ sidecars: 'sidecars are not supported: a sidecar is a Pod or Deployment of its own' })
  spec.onlyKnown()
  return {
    ...(description === undefined ? {} : { description }),
    params,
    results,
    workspaces,
    volumes: Array.isArray(volumes) ? volumes : [],
    steps,
  }
}

/** Reads the declared workspaces of a Task or Pipeline. */
export function parseWorkspaces(spec: Fields, faults: Fault[]): readonly WorkspaceSpec[] {
  const workspaces = spec.list('workspaces').map((fields): WorkspaceSpec => {
    const [description, mountPath] = [fields.text('description'), fields.text('mountPath')]
    const name = fields.requiredText('name')
    const workspace = { name, isOptional: fields.flag('optional'), isReadOnly: fields.flag('readOnly') }
    fields.onlyKnown()
    return {
      ...workspace,
      ...(description === undefined ? {} : { description }),
      ...(mountPath === undefined ? {} : { mountPath }),
    }
  })
  assertUnique(workspaces, spec.pathOf('workspaces'), faults)
  return workspaces
}

function parseResult(fields: Fields): ResultSpec {
  const name = fields.requiredText('name')
  const type = fields.text('type') ?? 'string'
  if (type !== 'string' && type !== 'array') fields.fault('type', `results of type ${type} are not supported: use string or array`)
  const description = fields.text('description')
  fields.ignore('properties')
  fields.refuse({ value: 'results of steps are not supported: write the file of $(results.NAME.path)' })
  fields.onlyKnown()
  return { name, type: type === 'array' ? 'array' : 'string', ...(description === undefined ? {} : { description }) }
}

function parseStep(fields: Fields, index: number, common: Partial<Container>): Step {
  const name = fields.text('name') ?? `unnamed-${index}`
  const script = fields.text('script')
  const own = parseContainer(fields)
  const step: Step = {
    ...common,
    ...own,
    name,
    env: [...(common.env ?? []).filter(({ name: other }) => own.env?.some((one) => one.name === other) !== true), ...(own.env ?? [])],
    volumeMounts: [...(common.volumeMounts ?? []), ...(own.volumeMounts ?? [])],
    ...(script === undefined ? {} : { script }),
  }
  if (step.image === undefined || step.image === '') fields.fault('image', 'is missing')
  if (script !== undefined && own.command !== undefined) fields.fault('script', 'cannot be used together with command')
  fields.ignore('displayName')
  fields.refuse({
    ref: 'references to StepActions are not supported: write the step in the Task',
    when: 'conditions of steps are not supported: use the conditions of a task in a Pipeline',
    results: 'results of steps are not supported: use results of the Task',
    params: 'parameters of steps are not supported: use parameters of the Task',
    onError: 'is not supported: a step that may fail must end with exit code 0 itself',
    timeout: 'time limits of steps are not supported: use the timeout of a task in a Pipeline',
    workspaces: 'isolated workspaces are not supported: use the workspaces of the Task',
    stdoutConfig: 'is not supported: redirect the output in a script',
    stderrConfig: 'is not supported: redirect the output in a script',
  })
  fields.onlyKnown()
  return step
}

/** Fields of containers that are passed on to the pod as they are. */
function parseContainer(fields: Fields): Partial<Container> {
  const [image, workingDir, imagePullPolicy] = [fields.text('image'), fields.text('workingDir'), fields.text('imagePullPolicy')]
  const resources = fields.raw('computeResources') ?? fields.raw('resources')
  fields.ignore('resources')
  const objects = { envFrom: fields.raw('envFrom'), securityContext: fields.raw('securityContext'), resources }
  return {
    ...(image === undefined ? {} : { image }),
    ...(fields.raw('command') === undefined ? {} : { command: [...fields.texts('command')] }),
    ...(fields.raw('args') === undefined ? {} : { args: [...fields.texts('args')] }),
    env: fields.list('env').map(parseVariable),
    volumeMounts: fields.list('volumeMounts').map((mount) => mountOf(mount)),
    ...(fields.raw('volumeDevices') === undefined ? {} : { volumeDevices: fields.raw('volumeDevices') as [] }),
    ...(workingDir === undefined ? {} : { workingDir }),
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    ...(Object.fromEntries(Object.entries(objects).filter(([, value]) => value !== undefined)) as Partial<Container>),
  }
}

function parseVariable(fields: Fields): EnvVar {
  const name = fields.requiredText('name')
  const value = fields.text('value')
  const valueFrom = fields.raw('valueFrom') as EnvVar['valueFrom']
  fields.onlyKnown()
  return { name, ...(valueFrom === undefined ? { value: value ?? '' } : { valueFrom }) }
}

function mountOf(fields: Fields): VolumeMount {
  const [name, mountPath] = [fields.requiredText('name'), fields.requiredText('mountPath')]
  const [subPath, isReadOnly] = [fields.text('subPath'), fields.flag('readOnly')]
  fields.onlyKnown()
  return { name, mountPath, ...(subPath === undefined ? {} : { subPath }), ...(isReadOnly ? { readOnly: true } : {}) }
}
