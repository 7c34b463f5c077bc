import { readPipelineManifest, readTaskManifest, type PipelineSpec, type TaskSpec } from '#features/pipeline-run/index.ts'
import { readManifests } from '../arguments/manifests.ts'
import { CommandError, type CliContext } from '../context.ts'

/** Tasks and Pipelines of a file. */
export interface TektonFile {
  readonly tasks: ReadonlyMap<string, TaskSpec>
  readonly pipelines: ReadonlyMap<string, PipelineSpec>
}

/**
 * Reads the Tasks and Pipelines of a file; other objects are named on standard error. @throws
 * CommandError, ManifestInvalid
 */
export async function readTektonFile(context: CliContext, path: string): Promise<TektonFile> {
  const tasks = new Map<string, TaskSpec>()
  const pipelines = new Map<string, PipelineSpec>()
  for (const manifest of await readManifests(context, [path])) {
    const { kind } = manifest
    const name = manifest.metadata.name ?? ''
    const subject = `${kind} "${name}" of ${path}`
    if (kind === 'Task') tasks.set(name, readTaskManifest(subject, manifest))
    else if (kind === 'Pipeline') pipelines.set(name, readPipelineManifest(subject, manifest))
    else if (kind === 'PipelineRun' || kind === 'TaskRun')
      throw new CommandError(`${subject}: a ${kind} is not read: give its parameters, workspaces and limits by flags`)
    else context.process.stderr.write(`note: ${subject} is neither a Task nor a Pipeline, and is not used\n`)
  }
  return { tasks, pipelines }
}

/**
 * Returns the one object that is to be run. @throws CommandError when there is none or another one,
 * too
 */
export function theOnly<T>(objects: ReadonlyMap<string, T>, kind: string, path: string): readonly [string, T] {
  const [first, ...others] = objects
  if (first === undefined) throw new CommandError(`There is no ${kind} in ${path}`)
  if (others.length > 0) throw new CommandError(`There are several ${kind}s in ${path}: ${[...objects.keys()].join(', ')}; one is needed`)
  return first
}
