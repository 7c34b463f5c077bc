import { type Fault, Fields, ManifestInvalid } from './fields.ts'
import type { ParamSpec } from './parameter.ts'
import { type PipelineSpec, parsePipelineSpec } from './pipeline.ts'
import { parsePipelineRunSpec, parseTaskRunSpec, type PipelineRunManifest, type TaskRunManifest } from './run-manifest.ts'
import { parseTaskSpec, type TaskSpec } from './task.ts'

const versions: readonly unknown[] = ['tekton.dev/v1', 'tekton.dev/v1beta1']

/** Reads a Task. `subject` names it in errors. Pure. @throws ManifestInvalid */
export function readTaskManifest(subject: string, manifest: object): TaskSpec {
  return readManifest(subject, manifest, parseTaskSpec)
}

/** Reads a Pipeline. `subject` names it in errors. Pure. @throws ManifestInvalid */
export function readPipelineManifest(subject: string, manifest: object): PipelineSpec {
  return readManifest(subject, manifest, parsePipelineSpec)
}

/** Reads a PipelineRun. `subject` names it in errors. Pure. @throws ManifestInvalid */
export function readPipelineRunManifest(subject: string, manifest: object): PipelineRunManifest {
  return readManifest(subject, manifest, parsePipelineRunSpec)
}

/** Reads a TaskRun. `subject` names it in errors. Pure. @throws ManifestInvalid */
export function readTaskRunManifest(subject: string, manifest: object): TaskRunManifest {
  return readManifest(subject, manifest, parseTaskRunSpec)
}

function readManifest<T>(subject: string, manifest: object, parse: (spec: Fields, faults: Fault[]) => T): T {
  const faults: Fault[] = []
  const fields = new Fields(manifest, '', faults)
  const version = fields.raw('apiVersion')
  if (!versions.includes(version)) fields.fault('apiVersion', `must be tekton.dev/v1, and is ${JSON.stringify(version) ?? 'missing'}`)
  const spec = parse(new Fields(fields.raw('spec'), 'spec', faults), faults)
  if (faults.length > 0) throw new ManifestInvalid(subject, faults)
  return spec
}

/**
 * Returns a Pipeline that consists of a Task, with the same parameters, workspaces and results.
 * Pure.
 */
export function singleTaskPipeline(name: string, spec: TaskSpec): PipelineSpec {
  const passed = (param: ParamSpec): string | readonly string[] =>
    param.type === 'array' ? [`$(params["${param.name}"][*])`] : `$(params["${param.name}"])`
  return {
    params: spec.params,
    workspaces: spec.workspaces,
    tasks: [
      {
        name,
        task: { kind: 'spec', spec },
        params: spec.params.map((param) => ({ name: param.name, value: passed(param) })),
        when: [],
        runAfter: [],
        retries: 0,
        workspaces: spec.workspaces.map((workspace) => ({ name: workspace.name, workspace: workspace.name })),
      },
    ],
    finally: [],
    results: spec.results.map((result) => ({
      name: result.name,
      value: result.type === 'array' ? [`$(tasks.${name}.results["${result.name}"][*])`] : `$(tasks.${name}.results["${result.name}"])`,
    })),
  }
}
