import { vmiPathOf, why as explain, type Explanation } from '#features/plan/index.ts'
import { connectChosenCluster, type ClusterFlags } from '../cluster.ts'
import { CommandError, EXIT, type CliContext } from '../context.ts'
import { paintFor, table, type Paint } from '../output.ts'
import { print, type OutputFormat } from '../print.ts'
import { vmKeyOf } from '../targets.ts'
import { getVm, readClusterConfig } from '../vm-access.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly output: OutputFormat
}

type Row = Explanation['rows'][number]

/** Says where each value of a VM's guest comes from. Exit code 2 when the VM contradicts its instance type. */
export async function why(this: CliContext, flags: Flags, target: string, path?: string): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const { client } = cluster
  const key = vmKeyOf(target, flags.namespace ?? cluster.namespace)
  const [vm, config] = await Promise.all([getVm(client, key), readClusterConfig(this, client)])
  const { rows, conflict } = await explain({ client }, vm, config, path)
  if (path !== undefined && rows.length === 0) {
    throw new CommandError(`Nothing is set at "${vmiPathOf(path)}" of VM "${key.namespace}/${key.name}", and nothing has a default there`)
  }
  print(this, flags.output, {
    kind: 'Explanation',
    document: { virtualMachine: key, ...(conflict === undefined ? {} : { conflict }), values: rows },
    names: rows.map((row) => row.path),
    text: (isWide) => render(rows, conflict, { isWide, paint: paintFor(this, 'stdout') }),
  })
  if (conflict !== undefined) this.process.exitCode = EXIT.findings
}

function render(rows: readonly Row[], conflict: string | undefined, { isWide, paint }: { isWide: boolean; paint: Paint }): string {
  const shown = rows.map(({ path, value, overrode, ...row }) => [
    isWide ? path : path.replace(/^spec\./, ''),
    isWide ? show(value) : shorten(show(value)),
    originOf(row, isWide),
    // That a default would have been the same is of no use to anybody who reads a table.
    overrode
      .flatMap(({ source, value: old }) => (isWide || show(old) !== show(value) ? [`${show(old)} of ${sources[source]}`] : []))
      .join(', '),
  ])
  const heading = ['VALUE OF', 'IS', 'BECAUSE OF', 'INSTEAD OF']
  const problem = conflict === undefined ? '' : paint('red', `It cannot start: ${conflict}. This is what the VM says itself.\n\n`)
  return problem + table([heading, ...shown])
}

const sources = { vm: 'the VM', instancetype: 'the instance type', preference: 'the preference', default: 'the default' } as const

function originOf({ source, object }: Pick<Row, 'source' | 'object'>, isWide: boolean): string {
  if (source === 'vm') return 'the VM itself'
  if (object === undefined) return 'a default'
  if (source === 'default') return `${object.kind} ${object.name}`
  const at = object.generation === undefined ? '' : ` at generation ${object.generation}`
  const revision = object.revision === undefined ? ' (not captured yet)' : isWide ? ` (${object.revision})` : ''
  return `${object.kind} ${object.name}${at}${revision}`
}

/** Kernel arguments and keys would make a table that no terminal can show. */
function shorten(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}

const longest = 48

function show(value: unknown): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
