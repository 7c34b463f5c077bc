import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { progressBar } from '#cli/render/progress.ts'
import { needsAttention, renderUpgrade } from '#cli/render/upgrade.ts'

interface Flags extends ClusterFlags {
  readonly watch: boolean
  readonly timeout: number
  readonly output: OutputFormat
}

const intervalMs = 500

/**
 * Shows the progress of an upgrade. Exit code 2 while one is under way, after one was refused or
 * rolled back, and while a component is not ready. @throws CommandError
 */
export async function status(this: CliContext, flags: Flags): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  let kubevirt = await read(cluster)
  if (flags.watch) kubevirt = await follow(this, cluster, flags.timeout * 1000)
  print(this, flags.output, {
    kind: 'UpgradeStatus',
    document: { version: kubevirt.status?.observedKubeVirtVersion, ...kubevirt.status?.steadyvm },
    names: [`kubevirt.kubevirt.io/${kubevirt.metadata.name ?? ''}`],
    text: () => renderUpgrade(kubevirt, this.now()),
  })
  if (needsAttention(kubevirt)) this.process.exitCode = EXIT.findings
}

async function read({ client }: ChosenCluster): Promise<KubeVirt> {
  const kubevirt = chooseKubeVirt((await client.list(kubeVirts)).items)
  if (kubevirt === undefined) throw new CommandError('There is no KubeVirt object in this cluster: nothing is installed')
  return kubevirt
}

/** Prints each change to standard error until the upgrade is complete or rolled back. */
async function follow(context: CliContext, cluster: ChosenCluster, timeoutMs: number): Promise<KubeVirt> {
  const limit = context.now() + timeoutMs
  let last = ''
  for (;;) {
    const kubevirt = await read(cluster)
    const { upgrade } = kubevirt.status?.steadyvm ?? {}
    const isSeen = kubevirt.status?.observedGeneration === kubevirt.metadata.generation
    if (
      isSeen &&
      (upgrade === undefined || upgrade.contractAt !== undefined) &&
      findCondition(kubevirt.status?.conditions, 'Progressing')?.status === 'False'
    )
      return kubevirt
    if (upgrade !== undefined) {
      const { desired, ready } = upgrade.progress
      const line = `${upgrade.to} ${upgrade.stage.padEnd('Controllers'.length)} ${progressBar(ready, desired)}  ${ready} of ${desired}`
      if (line !== last) context.process.stderr.write(`${line}\n`)
      last = line
    }
    if (context.signal.aborted) throw new CommandError('Interrupted')
    if (context.now() >= limit) throw new CommandError('The system is not there yet', EXIT.timeout)
    await context.sleep(intervalMs)
  }
}
