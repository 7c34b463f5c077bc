import { configMaps } from '#api/core/v1/resources.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { reportOf } from '#cli/pipeline/run-report.ts'
import { formatAge } from '#cli/render/age.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { table } from '#cli/render/terminal.ts'
import { listRuns, readRun } from '#features/pipeline-run/index.ts'

interface ListFlags extends ClusterFlags {
  readonly namespace?: string
  readonly allNamespaces: boolean
  readonly output: OutputFormat
}

/** Lists runs with their status. */
export async function list(this: CliContext, flags: ListFlags): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const namespace = flags.allNamespaces ? undefined : (flags.namespace ?? cluster.namespace)
  const stored = await listRuns(cluster.client, namespace)
  const runs = stored.map((one) => ({ ...reportOf(one), createdAt: one.createdAt }))
  if (runs.length === 0) this.process.stderr.write(`No runs found${namespace === undefined ? '' : ` in ${namespace} namespace`}.\n`)
  const space = (text: string): readonly string[] => (flags.allNamespaces ? [text] : [])
  print(this, flags.output, {
    kind: 'PipelineRunList',
    document: { runs },
    names: runs.map(({ name }) => `configmap/${name}`),
    text: (isWide) =>
      runs.length === 0
        ? ''
        : table([
            [...space('NAMESPACE'), 'NAME', 'PIPELINE', 'STATUS', 'AGE', ...(isWide ? ['MESSAGE'] : [])],
            ...runs.map((run) => [
              ...space(run.namespace),
              run.name,
              run.pipeline,
              run.status,
              formatAge(run.createdAt, this.now()),
              ...(isWide ? [run.message] : []),
            ]),
          ]),
  })
}

interface DeleteFlags extends ClusterFlags {
  readonly namespace?: string
  readonly force: boolean
}

/** Deletes runs with their pods. @throws CommandError for one that has not ended, unless forced */
export async function remove(this: CliContext, flags: DeleteFlags, ...names: readonly string[]): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const namespace = flags.namespace ?? cluster.namespace
  for (const name of names) {
    const stored = await readRun(cluster.client, { namespace, name })
    if (stored === undefined) throw new CommandError(`There is no run "${namespace}/${name}"`)
    if (stored.progress.outcome === undefined && !flags.force)
      throw new CommandError(
        `The run "${namespace}/${name}" has not ended: run it to its end, or remove it by --force, which does not run its finally`,
        EXIT.refused,
      )
    const { uid } = stored.run
    await cluster.client.delete(configMaps, { namespace, name }, { propagationPolicy: 'Background', preconditions: { uid } })
    this.process.stdout.write(`run ${namespace}/${name} deleted\n`)
  }
}
