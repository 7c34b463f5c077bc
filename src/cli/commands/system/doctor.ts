import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { checkCluster } from '#cli/doctor/check-cluster.ts'
import { checkMachine } from '#cli/doctor/check-machine.ts'
import { printFindings } from '#cli/doctor/finding.ts'
import { observeCluster } from '#cli/doctor/observe-cluster.ts'

interface Flags extends ClusterFlags {
  readonly dataDir?: string
  readonly output: 'text' | 'json'
}

/**
 * Checks the machine, or with `--context` or `--kubeconfig` a cluster. Exit code 2 when a
 * requirement is not met.
 */
export async function doctor(this: CliContext, flags: Flags): Promise<void> {
  if (flags.context === undefined && flags.kubeconfig === undefined)
    return printFindings(this, await checkMachine(this, flags.dataDir), flags.output)
  if (flags.dataDir !== undefined) throw new CommandError('--data-dir names a machine, and --context and --kubeconfig a cluster: use one')
  using cluster = await connectChosenCluster(this, flags)
  printFindings(this, checkCluster(await observeCluster(cluster, this)), flags.output)
}
