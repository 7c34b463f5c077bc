import type { NumberedEntry } from '#features/plan/index.ts'
import { formatAge } from '#cli/render/age.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import type { CliContext } from '#cli/context.ts'
import { table } from '#cli/render/terminal.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { getVm } from '#cli/cluster/read.ts'
import { historyOf } from '#cli/cluster/vm-history.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly output: OutputFormat
}

/** Lists the instance type and preference revisions that a VM has used. */
export async function history(this: CliContext, flags: Flags, target: string): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const key = parseVmKey(target, flags.namespace ?? cluster.namespace)
  const entries = await historyOf(cluster.client, await getVm(cluster.client, key))
  const now = this.now()
  print(this, flags.output, {
    kind: 'History',
    document: { virtualMachine: key, revisions: entries },
    names: entries.map(({ revision }) => `controllerrevision.apps/${revision}`),
    text: (isWide) => renderHistory(entries, now, isWide),
  })
}

function renderHistory(entries: readonly NumberedEntry[], now: number, isWide: boolean): string {
  if (entries.length === 0) return 'Nothing has been captured for it yet.\n'
  const rows = entries.map(({ family, number, kind, name, generation, createdAt, inForce, running, changes, revision }, index) => [
    family,
    String(number),
    isWide ? `${kind} ${name}` : name,
    String(generation),
    formatAge(createdAt, now),
    [...(inForce ? ['in force'] : []), ...(running ? ['running'] : [])].join(', '),
    // The oldest entry has no predecessor to compare with.
    entries[index + 1]?.family === family ? changes.map(describeChange).join(', ') : '',
    ...(isWide ? [revision] : []),
  ])
  const heading = ['OF', 'NUMBER', 'NAME', 'GENERATION', 'AGE', 'STATE', 'CHANGES', ...(isWide ? ['REVISION'] : [])]
  return table([heading, ...rows])
}

function describeChange({ path, old, new: wanted }: NumberedEntry['changes'][number]): string {
  return `${path.replace(/^spec\./, '')} ${valueOf(old)} → ${valueOf(wanted)}`
}

function valueOf(value: unknown): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
