import { hyperConvergedKey, hyperConvergedManifests, operatorName, workloadImageVariables } from '#features/hyperconverged/index.ts'
import { installationManifests } from '#features/operator/index.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { readHyperConvergedInstallation, readInstallation } from '#cli/cluster/own-manifests.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { paintFor } from '#cli/render/terminal.ts'
import { partsToRemove, type UninstallScope } from '#cli/uninstall/decide.ts'
import { explain, type Finding } from '#cli/uninstall/explain.ts'
import { observeInstalled, type InstalledObject } from '#cli/uninstall/installed-objects.ts'
import { performUninstallation } from '#cli/uninstall/perform.ts'
import { observePlatform, type ControllerName, type Platform } from '#cli/uninstall/platform.ts'
import { observeProtection } from '#cli/uninstall/protection.ts'
import { renderFindings } from '#cli/uninstall/render.ts'

/** Images do not matter for what is removed. */
const allWorkloads = Object.fromEntries([...workloadImageVariables.keys()].map((name) => [name, '']))

interface Flags extends ClusterFlags {
  readonly explain: boolean
  readonly yes: boolean
  readonly keepComponents: boolean
  readonly timeout: number
  readonly output: OutputFormat
}

/**
 * Removes the platform in order, or lists what protects it. Exit code 2 for findings and without
 * --yes, 3 when something refuses the removal. @throws CommandError
 */
export async function uninstall(this: CliContext, flags: Flags): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const { client } = cluster
  const manifests = [
    ...hyperConvergedManifests(await readHyperConvergedInstallation(undefined, allWorkloads)),
    ...installationManifests(await readInstallation(undefined)),
  ]
  const scope = flags.keepComponents ? 'hyperconverged' : 'all'
  const [found, installed] = await Promise.all([observePlatform(client, this.signal), observeInstalled(client, manifests, this.signal)])
  const owner = installed.find(({ title }) => title === `Deployment/${operatorName}`)?.owner
  if (scope !== 'all' && owner !== undefined)
    throw new CommandError(`${operatorName} would remove the components, and is of ${owner}: remove it there first`, EXIT.refused)
  // The operator ends first if the components stay.
  const platform = scope === 'all' ? found : { ...found, components: [], otherKubeVirts: [], running: new Set<ControllerName>() }
  const protection = await observeProtection(client, platform, hyperConvergedKey.namespace, this.signal)
  const findings = explain(platform, protection).filter(({ effect }) => scope === 'all' || effect !== 'handled')
  const removed = removedBy(platform, installed, scope)
  const isBlocked = findings.some(({ effect }) => effect === 'blocks')
  if (flags.explain) {
    printExplanation(this, flags.output, findings, removed)
    if (findings.some(({ effect }) => effect !== 'note')) this.process.exitCode = EXIT.findings
    return
  }
  const { stderr } = this.process
  if (findings.length > 0) stderr.write(renderFindings(findings, paintFor(this, 'stderr')))
  if (isBlocked) throw new CommandError('The uninstallation is refused: nothing was removed', EXIT.refused)
  if (!flags.yes && removed.length > 0) {
    printExplanation(this, flags.output, [], removed)
    stderr.write('Nothing was removed: add --yes to remove all of this\n')
    this.process.exitCode = EXIT.findings
    return
  }
  const result = await performUninstallation(this, { client, manifests, scope, timeoutMs: flags.timeout * 1_000 })
  const left = leftOf(platform, result.left, scope)
  print(this, flags.output, {
    kind: 'UninstallResult',
    document: { deleted: result.deleted, left },
    names: result.deleted,
    text: () =>
      [
        result.deleted.length === 0
          ? 'Nothing is installed.\n'
          : scope === 'all'
            ? 'The platform is removed.\n'
            : 'HyperConverged is removed.\n',
        ...left.map((line) => `${line}\n`),
      ].join(''),
  })
}

function removedBy(platform: Platform, installed: readonly InstalledObject[], scope: UninstallScope): readonly string[] {
  const { hyperconverged, components } = platform
  return [
    ...(hyperconverged === undefined ? [] : [`HyperConverged/${hyperconverged.metadata.name ?? ''}`]),
    ...components.map(({ title }) => title),
    ...partsToRemove(platform, installed, scope)
      .toSorted((one, other) => one.stage - other.stage)
      .map(({ title }) => title),
  ]
}

/** What stays, and how it is removed. */
function leftOf({ isMachine }: Platform, parts: readonly InstalledObject[], scope: UninstallScope): readonly string[] {
  if (scope !== 'all') return ['The components stay as they are.']
  const owners = [...new Set(parts.map(({ owner }) => owner).filter((owner) => owner !== undefined))]
  return [
    ...owners.map((owner) => `The parts that ${owner} has installed stay: remove them there.`),
    isMachine
      ? 'This machine runs on: "steadyvm down" ends it.'
      : `The namespace "${hyperConvergedKey.namespace}" and the CRDs of disks and snapshots of disks stay: they may hold data.`,
  ]
}

function printExplanation(context: CliContext, output: OutputFormat, findings: readonly Finding[], removed: readonly string[]): void {
  print(context, output, {
    kind: 'UninstallExplanation',
    document: { findings, removed },
    names: removed,
    text: () => {
      const objects =
        removed.length === 0 ? 'Nothing is installed.\n' : `Removed in this order:\n${removed.map((title) => `  ${title}\n`).join('')}`
      return `${renderFindings(findings, paintFor(context, 'stdout'))}${objects}`
    },
  })
}
