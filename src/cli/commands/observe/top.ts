import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { print, type OutputFormat, type Printable } from '#cli/render/print.ts'
import { readUsage, type GuestSelection, type UsageSurvey } from '#cli/top/read-usage.ts'
import { renderNodes, renderVms, sorted, type SortKey, type TopView, type VmUsage } from '#cli/top/render.ts'
import { nodeUsages, readNodes, vmUsages } from '#cli/top/survey.ts'

interface Flags extends ClusterFlags {
  readonly sortBy: SortKey
  readonly headers: boolean
  readonly watch: boolean
  /** Seconds between two readings. */
  readonly interval: number
  readonly output: OutputFormat
}

interface VmFlags extends Flags {
  readonly namespace?: string
  readonly allNamespaces: boolean
  readonly selector?: string
}

/** Shows what the guests of VMs use. */
export async function topVms(this: CliContext, flags: VmFlags, ...names: readonly string[]): Promise<void> {
  if (names.length > 0 && (flags.allNamespaces || flags.selector !== undefined))
    throw new CommandError('Names of VMs cannot be combined with --all-namespaces or --selector')
  using cluster = await connectChosenCluster(this, flags)
  const selection: GuestSelection = {
    ...(flags.allNamespaces ? {} : { namespace: flags.namespace ?? cluster.namespace }),
    ...(flags.selector === undefined ? {} : { labelSelector: flags.selector }),
    names: names.map((name) => name.replace(/^(vms?|vmis?)\//, '')),
  }
  const read = (): Promise<UsageSurvey> => readUsage(cluster.client, selection, this.signal)
  await show(this, flags, read, async (vms) => ({
    kind: 'VirtualMachineUsageList',
    document: { items: sorted(vms, flags.sortBy) },
    names: sorted(vms, flags.sortBy).map(({ name }) => `virtualmachineinstance.kubevirt.io/${name}`),
    text: (isWide) =>
      vms.length === 0
        ? `No guest runs${selection.namespace === undefined ? '' : ` in namespace "${selection.namespace}"`}.\n`
        : renderVms(vms, viewOf(flags, isWide, flags.allNamespaces)),
  }))
}

/** Shows what the guests on nodes use. */
export async function topNodes(this: CliContext, flags: Flags, ...names: readonly string[]): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const wanted = names.map((name) => name.replace(/^nodes?\//, ''))
  const read = (): Promise<UsageSurvey> => readUsage(cluster.client, { names: [] }, this.signal)
  await show(this, flags, read, async (vms) => {
    const rows = nodeUsages(await readNodes(cluster.client, wanted, this.signal), vms)
    return {
      kind: 'NodeUsageList',
      document: { items: sorted(rows, flags.sortBy) },
      names: sorted(rows, flags.sortBy).map(({ name }) => `node/${name}`),
      text: (isWide) => renderNodes(rows, viewOf(flags, isWide, false)),
    }
  })
}

function viewOf({ sortBy, headers }: Flags, isWide: boolean, withNamespace: boolean): TopView {
  return { sortBy, headers, isWide, withNamespace }
}

/** Clears the terminal, and moves to its first line. */
const clear = '\u001B[H\u001B[2J'

/**
 * Prints what guests use between two readings: once, or again and again until Ctrl-C. JSON is one
 * line for each time then.
 */
async function show(
  context: CliContext,
  flags: Flags,
  read: () => Promise<UsageSurvey>,
  printableOf: (vms: readonly VmUsage[]) => Promise<Printable>,
): Promise<void> {
  const { process, signal } = context
  const told = new Set<string>()
  const tell = ({ failures }: UsageSurvey): void => {
    for (const failure of failures) if (!told.has(failure)) process.stderr.write(`warning: ${failure}\n`)
    for (const failure of failures) told.add(failure)
  }
  try {
    let before = await read()
    do {
      await context.sleep(flags.interval * 1000, signal)
      const after = await read()
      tell(after)
      const printable = await printableOf(vmUsages(before.readings, after.readings))
      if (flags.watch && process.stdout.isTTY === true) process.stdout.write(clear)
      if (flags.watch && flags.output === 'json')
        process.stdout.write(`${JSON.stringify({ kind: printable.kind, ...printable.document })}\n`)
      else print(context, flags.output, printable)
      before = after
    } while (flags.watch && !signal.aborted)
  } catch (error) {
    // Ctrl-C ends it.
    if (!(flags.watch && signal.aborted)) throw error
  }
}
