import { existsSync } from 'node:fs'
import { connectChosenCluster } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { carryOut, registryOf, type Wanted } from '#cli/pipeline/carry-out.ts'
import { readCatalogue, shippedTask, type ShippedTask } from '#cli/pipeline/catalogue.ts'
import { readTektonFile, theOnly } from '#cli/pipeline/read-files.ts'
import type { RunFlags } from '#cli/pipeline/run-flags.ts'
import { ManifestInvalid, singleTaskPipeline, type TaskSpec } from '#features/pipeline-run/index.ts'

/** Runs the Pipeline of a file. @throws CommandError */
export async function runPipeline(this: CliContext, flags: RunFlags, path: string): Promise<void> {
  const { tasks, pipelines } = await readable(() => readTektonFile(this, path))
  const [name, spec] = theOnly(pipelines, 'Pipeline', path)
  using cluster = await connectChosenCluster(this, flags)
  const registry = await registryOf(cluster.client, flags.registry)
  const catalogue = await readCatalogue(registry)
  await carryOut(this, cluster, flags, { subject: `Pipeline "${name}" of ${path}`, name, spec, tasks, catalogue, registry })
}

/** Runs a Task: one that is shipped, or that of a file. @throws CommandError */
export async function runTask(this: CliContext, flags: RunFlags, nameOrFile: string): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const registry = await registryOf(cluster.client, flags.registry)
  const catalogue = await readCatalogue(registry)
  await carryOut(this, cluster, flags, await wantedTask(this, nameOrFile, catalogue, registry))
}

async function wantedTask(
  context: CliContext,
  nameOrFile: string,
  catalogue: ReadonlyMap<string, ShippedTask>,
  registry: string,
): Promise<Wanted> {
  if (nameOrFile !== '-' && !existsSync(nameOrFile)) {
    const { name } = shippedTask(catalogue, nameOrFile)
    const single = singleTaskPipeline(name, shippedTask(catalogue, name).spec)
    // By its name, the task gets the ServiceAccount with its rights.
    const spec = { ...single, tasks: single.tasks.map((task) => ({ ...task, task: { kind: 'reference' as const, name } })) }
    return { subject: `Task "${name}"`, name, spec, tasks: new Map<string, TaskSpec>(), catalogue, registry }
  }
  const { tasks } = await readable(() => readTektonFile(context, nameOrFile))
  const [name, spec] = theOnly(tasks, 'Task', nameOrFile)
  return { subject: `Task "${name}" of ${nameOrFile}`, name, spec: singleTaskPipeline(name, spec), tasks, catalogue, registry }
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
