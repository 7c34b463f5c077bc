import { applyImport, describe, planImport, readExport, type ImportPlan, type ImportStep } from '#features/import/index.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { readManifests } from '#cli/arguments/manifests.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { progressOn } from '#cli/render/progress.ts'
import { table } from '#cli/render/terminal.ts'

interface Flags extends ClusterFlags {
  readonly file: readonly string[]
  readonly keepRunStrategy: boolean
  readonly dryRun: boolean
  readonly output: OutputFormat
}

/**
 * Takes over the VMs that were exported from a namespace of KubeVirt. Nothing is written when an
 * object of the cluster is in the way. Exit code 2 with `--dry-run` when there is something to do.
 */
export async function importExport(this: CliContext, flags: Flags): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const exported = readExport(await readManifests(this, flags.file), { keepRunStrategy: flags.keepRunStrategy })
  const plan = await planImport(cluster.client, exported)
  const conflicts = plan.steps.filter(({ action }) => action === 'conflict')
  if (conflicts.length > 0)
    throw new CommandError(`Nothing is imported:\n${conflicts.map((step) => `  ${describe(step.object)}: ${step.why}`).join('\n')}`)
  if (!flags.dryRun) {
    using progress = progressOn(this)
    const created = (object: ImportStep['object']): void => progress.show(`created ${object.kind} ${object.metadata?.name ?? ''}`)
    await applyImport({ client: cluster.client, created }, exported, plan)
  }
  print(this, flags.output, {
    kind: 'Import',
    document: {
      objects: plan.steps.map(({ object, action, why }) => ({ kind: object.kind, ...keyOf(object), action, why })),
      skipped: plan.skipped,
    },
    names: plan.steps.map(({ object }) => describe(object)),
    text: () => render(plan, flags),
  })
  if (flags.dryRun && plan.steps.some(({ action }) => action === 'create')) this.process.exitCode = EXIT.findings
}

function keyOf({ metadata }: ImportStep['object']): { readonly namespace?: string; readonly name: string } {
  return { ...(metadata?.namespace === undefined ? {} : { namespace: metadata.namespace }), name: metadata?.name ?? '' }
}

function render({ steps, skipped }: ImportPlan, { dryRun, keepRunStrategy }: Flags): string {
  const words: Readonly<Record<ImportStep['action'], string>> = {
    create: dryRun ? 'would be created' : 'created',
    present: 'is there',
    kept: 'kept',
    conflict: 'in the way',
  }
  const rows = steps.map(({ object, action, why }) => [
    object.kind ?? '',
    object.metadata?.namespace ?? '',
    object.metadata?.name ?? '',
    why === undefined ? words[action] : `${words[action]}: ${why}`,
  ])
  const vms = steps.filter(({ object, action }) => object.kind === 'VirtualMachine' && action === 'create').length
  const notes = [
    ...skipped.map((name) => `not imported: ${name}`),
    ...(vms === 0 || keepRunStrategy
      ? []
      : ['VMs are halted: bring their disks, and start them once they no longer run where they come from (virtctl start)']),
  ]
  return [table([['KIND', 'NAMESPACE', 'NAME', 'IMPORT'], ...rows]), ...notes, ''].join('\n')
}
