import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import type { CliContext } from '#cli/context.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { renderUpgradeReport } from '#cli/render/upgrade-report.ts'
import { readUpgradeReport } from '#cli/upgrade/upgrade-report.ts'

interface Flags extends ClusterFlags {
  readonly output: OutputFormat
}

/** Tells the story of the last upgrade from what is stored in the cluster. @throws CommandError */
export async function report(this: CliContext, flags: Flags): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const document = await readUpgradeReport(cluster.client)
  print(this, flags.output, {
    kind: 'UpgradeReport',
    document,
    names: document.guests.map(({ name }) => `virtualmachineinstance.kubevirt.io/${name}`),
    text: () => renderUpgradeReport(document, this.now()),
  })
}
