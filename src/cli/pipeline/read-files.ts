import {
  readPipelineManifest,
  readPipelineRunManifest,
  readTaskManifest,
  readTaskRunManifest,
  type PipelineRunManifest,
  type PipelineSpec,
  type TaskRunManifest,
  type TaskSpec,
} from '#features/pipeline-run/index.ts'
import { readManifests } from '../arguments/manifests.ts'
import { CommandError, type CliContext } from '../context.ts'

/** A run that a file describes. */
export interface RunFile<T> {
  /** `PipelineRun "x" of file.yaml`. */
  readonly subject: string
  /** Absent when the name is to be generated. */
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly spec: T
}

/** Objects of Tekton in files. */
export interface TektonFiles {
  readonly tasks: ReadonlyMap<string, TaskSpec>
  readonly pipelines: ReadonlyMap<string, PipelineSpec>
  readonly taskRuns: readonly RunFile<TaskRunManifest>[]
  readonly pipelineRuns: readonly RunFile<PipelineRunManifest>[]
}

/**
 * Reads the objects of Tekton in files; other objects are named on standard error. @throws
 * CommandError, ManifestInvalid
 */
export async function readTektonFiles(context: CliContext, paths: readonly string[]): Promise<TektonFiles> {
  const tasks = new Map<string, TaskSpec>()
  const pipelines = new Map<string, PipelineSpec>()
  const taskRuns: RunFile<TaskRunManifest>[] = []
  const pipelineRuns: RunFile<PipelineRunManifest>[] = []
  const place = paths.join(', ')
  for (const manifest of await readManifests(context, paths, { areNamesGenerated: true })) {
    const { kind } = manifest
    const { name, generateName, namespace } = manifest.metadata as { name?: string; generateName?: string; namespace?: string }
    const subject = `${kind} "${name ?? generateName}" of ${place}`
    const asked = {
      subject,
      ...(name === undefined ? {} : { name }),
      ...(generateName === undefined ? {} : { generateName }),
      ...(namespace === undefined ? {} : { namespace }),
    }
    if (kind === 'PipelineRun') pipelineRuns.push({ ...asked, spec: readPipelineRunManifest(subject, manifest) })
    else if (kind === 'TaskRun') taskRuns.push({ ...asked, spec: readTaskRunManifest(subject, manifest) })
    else if (kind === 'Task' && name !== undefined) tasks.set(name, readTaskManifest(subject, manifest))
    else if (kind === 'Pipeline' && name !== undefined) pipelines.set(name, readPipelineManifest(subject, manifest))
    else context.process.stderr.write(`note: ${subject} is no object of Tekton that can be run, and is not used\n`)
  }
  return { tasks, pipelines, taskRuns, pipelineRuns }
}

/**
 * Returns the one object that is to be run. @throws CommandError when there is none or another one,
 * too
 */
export function theOnly<T>(objects: ReadonlyMap<string, T>, kind: string, place: string): readonly [string, T] {
  const [first, ...others] = objects
  if (first === undefined) throw new CommandError(`There is no ${kind} in ${place}`)
  if (others.length > 0) throw new CommandError(`There are several ${kind}s in ${place}: ${[...objects.keys()].join(', ')}; one is needed`)
  return first
}

/**
 * Returns the run that is to be carried out; undefined when there is none. Of several, it is the
 * one whose `name` is wanted, or whose `generateName` the wanted name begins with. @throws
 * CommandError when that does not choose one
 */
export function chooseRun<T>(runs: readonly RunFile<T>[], wanted: string | undefined): RunFile<T> | undefined {
  if (runs.length <= 1) return runs[0]
  const [first, ...others] = runs.filter(({ name, generateName = '' }) => {
    if (wanted === undefined) return false
    return name === undefined ? wanted.startsWith(generateName) : name === wanted
  })
  if (first !== undefined && others.length === 0) return first
  const names = runs.map(({ name, generateName = '' }) => name ?? `${generateName}…`).join(', ')
  throw new CommandError(`There are several runs: choose one by --name: ${names}`)
}
