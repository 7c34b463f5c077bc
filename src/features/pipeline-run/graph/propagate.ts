import type { ParamSpec, ParamValue } from '../manifest/parameter.ts'
import type { PipelineSpec, PipelineTask } from '../manifest/pipeline.ts'
import type { RunRequest } from '../manifest/run-manifest.ts'
import type { TaskSpec, WorkspaceSpec } from '../manifest/task.ts'
import { onlyReference, referencesIn } from '../substitution/reference.ts'

type Given = Pick<RunRequest, 'params' | 'workspaces'>

/**
 * Declares parameters and workspaces that a run gives to what is written in it: Tekton passes them
 * on to specs in place without a declaration. Pure.
 */
export function declareGiven<T extends PipelineSpec | TaskSpec>(spec: T, { params, workspaces }: Given): T {
  const missing = Object.entries(params).filter(([name]) => !isNamed(spec.params, name))
  const unbound = Object.keys(workspaces).filter((name) => !isNamed(spec.workspaces, name))
  return {
    ...spec,
    params: [...spec.params, ...missing.map(([name, value]) => declared(name, value))],
    workspaces: [...spec.workspaces, ...unbound.map(optionalWorkspace)],
  }
}

/**
 * Declares in each Task that is written in a Pipeline what it uses of the Pipeline's parameters and
 * workspaces, and passes it on, as Tekton does. What a Task declares itself stays its own. Pure.
 */
export function propagate(pipeline: PipelineSpec): PipelineSpec {
  const passOn = (task: PipelineTask): PipelineTask =>
    task.task.kind === 'spec' ? { ...task, ...passedOn(task, task.task.spec, pipeline) } : task
  return { ...pipeline, tasks: pipeline.tasks.map(passOn), finally: pipeline.finally.map(passOn) }
}

function passedOn(task: PipelineTask, spec: TaskSpec, pipeline: PipelineSpec): Pick<PipelineTask, 'task' | 'params' | 'workspaces'> {
  const used = usedBy(spec)
  const given = task.params.filter(({ name }) => !isNamed(spec.params, name))
  const inherited = pipeline.params.filter(({ name }) => used.params.has(name) && !isNamed(spec.params, name) && !isNamed(given, name))
  const workspaces = pipeline.workspaces.filter(({ name }) => used.workspaces.has(name) && !isNamed(spec.workspaces, name))
  return {
    task: {
      kind: 'spec',
      spec: {
        ...spec,
        params: [
          ...spec.params,
          ...given.map(({ name, value }) => declared(name, value)),
          ...inherited.map(({ name, type }): ParamSpec => ({ name, type })),
        ],
        workspaces: [...spec.workspaces, ...workspaces.map(({ name }) => optionalWorkspace(name))],
      },
    },
    params: [...task.params, ...inherited.map((param) => ({ name: param.name, value: referenceTo(param) }))],
    workspaces: [...task.workspaces, ...workspaces.map(({ name }) => ({ name, workspace: name }))],
  }
}

/** Returns the names that steps and volumes refer to. */
function usedBy({ steps, volumes }: TaskSpec): Readonly<Record<'params' | 'workspaces', ReadonlySet<string>>> {
  const used = { params: new Set<string>(), workspaces: new Set<string>() }
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      for (const { segments } of referencesIn(value)) {
        const [root, name = ''] = segments
        if (root === 'params' || root === 'workspaces') used[root].add(name)
      }
    } else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) visit(item)
  }
  visit([steps, volumes])
  return used
}

function declared(name: string, value: ParamValue): ParamSpec {
  const isArray = typeof value !== 'string' || onlyReference(value)?.isWhole === true
  return { name, type: isArray ? 'array' : 'string' }
}

function referenceTo({ name, type }: ParamSpec): ParamValue {
  return type === 'array' ? [`$(params["${name}"][*])`] : `$(params["${name}"])`
}

function optionalWorkspace(name: string): WorkspaceSpec {
  return { name, isOptional: true, isReadOnly: false }
}

function isNamed(list: readonly { readonly name: string }[], wanted: string): boolean {
  return list.some(({ name }) => name === wanted)
}
