import { existsSync } from 'node:fs'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { connectChosenCluster } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { carryOut, registryOf, type Wanted } from '#cli/pipeline/carry-out.ts'
import { readCatalogue, readShippedPipeline, shippedTask, type ShippedTask } from '#cli/pipeline/catalogue.ts'
import { chooseRun, readTektonFiles, theOnly, type TektonFiles } from '#cli/pipeline/read-files.ts'
import type { RunFlags } from '#cli/pipeline/run-flags.ts'
import { declareGiven, ManifestInvalid, singleTaskPipeline, type PipelineSpec, type TaskSpec } from '#features/pipeline-run/index.ts'

/** What is run depends on the files alone; the Tasks of this release are those of a registry. */
type Asked = Omit<Wanted, 'catalogue' | 'registry'>

/** Runs the Pipeline of files, as their PipelineRun asks for it, if any. @throws CommandError */
export async function runPipeline(this: CliContext, flags: RunFlags, ...paths: readonly string[]): Promise<void> {
  const asked = await readable(async () => wantedPipeline(await readTektonFiles(this, paths), paths.join(', '), flags.name))
  using cluster = await connectChosenCluster(this, flags)
  const registry = await registryOf(cluster.client, flags.registry)
  await carryOut(this, cluster, flags, { ...asked, catalogue: await readCatalogue(registry), registry })
}

/**
 * Runs a Task: one that is shipped, or that of a file, as its TaskRun asks for it if there is one.
 * @throws CommandError
 */
export async function runTask(this: CliContext, flags: RunFlags, nameOrFile: string): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const registry = await registryOf(cluster.client, flags.registry)
  const catalogue = await readCatalogue(registry)
  const asked =
    nameOrFile === '-' || existsSync(nameOrFile)
      ? await readable(async () => wantedTask(await readTektonFiles(this, [nameOrFile]), nameOrFile, flags.name, catalogue))
      : shipped(shippedTask(catalogue, nameOrFile))
  await carryOut(this, cluster, flags, { ...asked, catalogue, registry })
}

async function wantedPipeline(files: TektonFiles, place: string, chosen: string | undefined): Promise<Asked> {
  const { tasks, pipelines, pipelineRuns } = files
  const run = chooseRun(pipelineRuns, chosen)
  if (run === undefined) {
    const [name, spec] = theOnly(pipelines, 'Pipeline', place)
    return { subject: `Pipeline "${name}" of ${place}`, name, spec, tasks }
  }
  const { pipeline } = run.spec
  if (pipeline.kind === 'spec')
    return { subject: run.subject, name: nameOf(run), spec: declareGiven(pipeline.spec, run.spec), tasks, asked: run }
  const { name } = pipeline
  const spec: PipelineSpec | undefined = pipelines.get(name) ?? (await readShippedPipeline(name))
  if (spec !== undefined) return { subject: `Pipeline "${name}" of ${place}`, name, spec, tasks, asked: run }
  const remedy = 'name its file, too: steadyvm pipeline run PIPELINE.yaml RUN.yaml'
  throw new CommandError(`${run.subject} needs the Pipeline "${name}", which is neither there nor shipped with this release: ${remedy}`)
}

function wantedTask(
  { tasks, taskRuns }: TektonFiles,
  place: string,
  chosen: string | undefined,
  catalogue: ReadonlyMap<string, ShippedTask>,
): Asked {
  const run = chooseRun(taskRuns, chosen)
  if (run === undefined) {
    const [name, spec] = theOnly(tasks, 'Task', place)
    return { subject: `Task "${name}" of ${place}`, name, spec: singleTaskPipeline(name, spec), tasks }
  }
  const { task, retries, timeouts } = run.spec
  const limits = { retries, ...(timeouts.timeout === undefined ? {} : { timeoutMs: durationMs(timeouts.timeout) ?? 0 }) }
  // The limit is that of each attempt.
  const asked = { ...run, spec: { ...run.spec, timeouts: {} } }
  const own =
    task.kind === 'spec' ? { name: nameOf(run), spec: declareGiven(task.spec, run.spec) } : { name: task.name, spec: tasks.get(task.name) }
  const found = own.spec === undefined ? shipped(shippedTask(catalogue, own.name)) : undefined
  const spec = found?.spec ?? singleTaskPipeline(own.name, own.spec as TaskSpec)
  return { subject: run.subject, name: own.name, spec: { ...spec, tasks: spec.tasks.map((one) => ({ ...one, ...limits })) }, tasks, asked }
}

/** By its name, the task gets the ServiceAccount with its rights. */
function shipped({ name, spec }: ShippedTask): Asked {
  const single = singleTaskPipeline(name, spec)
  const tasks = single.tasks.map((task) => ({ ...task, task: { kind: 'reference' as const, name } }))
  return { subject: `Task "${name}"`, name, spec: { ...single, tasks }, tasks: new Map<string, TaskSpec>() }
}

/** Returns a name for what a run defines itself. */
function nameOf({ name, generateName = 'run' }: { readonly name?: string; readonly generateName?: string }): string {
  return name ?? generateName.replace(/-+$/, '')
}

/** @throws CommandError */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ManifestInvalid) throw new CommandError(error.message, EXIT.error, { cause: error })
    throw error
  }
}
