import { componentGroups, componentUser } from '#api/access/component-users.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import type { UpgradeCheck } from '#features/upgrade-check/index.ts'
import { isReleaseVersion } from '#machine/release/release-directory.ts'
import { runUpgradeCheck } from '#cli/upgrade/upgrade-check.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { homeDirectory } from '#cli/cluster/home.ts'
import { paintFor } from '#cli/render/terminal.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { progressOn } from '#cli/render/progress.ts'
import { renderCheck, renderPlan } from '#cli/render/upgrade-check.ts'

interface Flags extends ClusterFlags {
  readonly to: string
  readonly output: OutputFormat
  readonly dataDir?: string
}

/**
 * Lists the findings that block an upgrade. Exit code 2 when there are any. @throws CommandError
 */
export async function check(this: CliContext, flags: Flags): Promise<void> {
  const found = await take(this, flags)
  print(this, flags.output, {
    kind: 'UpgradeCheck',
    document: { from: found.from, to: found.to, findings: found.findings, gaps: found.gaps },
    names: [...new Set(found.findings.map(({ object }) => object))],
    text: (isWide) => renderCheck(found, { isWide, paint: paintFor(this, 'stdout') }),
  })
  if (found.findings.length > 0) this.process.exitCode = EXIT.findings
}

/**
 * Prints the steps of an upgrade and their duration. Exit code 2 when there are steps. @throws
 * CommandError
 */
export async function plan(this: CliContext, flags: Flags): Promise<void> {
  const found = await take(this, flags)
  print(this, flags.output, {
    kind: 'UpgradePlan',
    document: { ...found },
    names: [...new Set(found.steps.map(({ stage }) => stage))],
    text: () => renderPlan(found),
  })
  if (found.from !== found.to) this.process.exitCode = EXIT.findings
}

async function take(context: CliContext, { to, dataDir, ...flags }: Flags): Promise<UpgradeCheck> {
  if (!isReleaseVersion(to))
    throw new CommandError(`"${to}" is no version of a release: they look like v0.2.0 (see "steadyvm release list")`)
  using cluster = await connectChosenCluster(context, flags)
  using progress = progressOn(context)
  const kubevirt = chooseKubeVirt((await cluster.client.list(kubeVirts)).items)
  const nothing = 'There is no KubeVirt object in this cluster: nothing is installed'
  if (kubevirt === undefined) throw new CommandError(nothing)
  const found = await runUpgradeCheck(cluster.client, {
    to,
    kubevirt,
    releases: homeDirectory(context, dataDir).releases,
    path: context.process.env['PATH'],
    installer: { user: componentUser('virt-operator'), groups: [...componentGroups, 'system:authenticated'] },
    nowMs: context.now(),
    signal: context.signal,
    onProgress: (objects) => progress.show(`${objects} objects read`),
  })
  if (found === undefined) throw new CommandError(nothing)
  return found
}
