import { StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { chooseKubeVirt, toClusterConfig } from '#features/cluster-config/index.ts'
import { takeReport, type RevisionReport } from '#features/revision-report/index.ts'
import { check } from './check.ts'
import type { Finding } from './finding.ts'
import { rightsFor, rightsOf, type Installer } from './operator-rights.ts'
import { gapsOfGates } from './hyperconverged/gates.ts'
import { renderOverrides, type RenderRelease } from './hyperconverged/render-overrides.ts'
import { planSteps, type UpgradeStep } from './plan.ts'
import { readLists, type ReadOptions } from './read-inventory.ts'
import { preventsUpgrade } from './report.ts'
import { currentVersion, type UpgradeSubject, type UpgradeInventory } from './inventory.ts'

/** Options of the upgrade check, and the time of the check. */
export interface CheckOptions extends UpgradeSubject, ReadOptions {
  /** The installing user; undefined for the caller. */
  readonly installer: Installer | undefined
  readonly nowMs: number
  /** Renders the components of HyperConverged as the requested release does. */
  readonly render: RenderRelease
}

/** Result of a check. */
export interface UpgradeCheck {
  /** Empty when nothing is installed. */
  readonly from: string
  readonly to: string
  readonly findings: readonly Finding[]
  readonly steps: readonly UpgradeStep[]
  /** Errors of failed reads. */
  readonly gaps: readonly string[]
  /** Findings that prevent the upgrade. */
  readonly stopping: readonly Finding[]
}

/**
 * Reads a cluster and returns findings about an upgrade and its steps. Writes nothing. Undefined
 * without a KubeVirt object. @throws StatusError
 */
export async function checkClusterUpgrade(
  client: Pick<Client, 'list' | 'create'>,
  options: CheckOptions,
): Promise<UpgradeCheck | undefined> {
  const { to, releases, objects, access, patchProblems, nextDefinitions, damage, installer, signal, nowMs } = options
  const rights = rightsFor([...objects, ...access])
  const [{ lists, gaps }, revisions, operator] = await Promise.all([
    readLists(client, options),
    readRevisions(client, options),
    rightsOf(client, installer, rights, signal),
  ])
  const kubevirt = chooseKubeVirt(lists.kubevirts)
  if (kubevirt === undefined) return undefined
  const { platform, gaps: unrendered } = await renderOverrides(options, { ...lists, kubevirt })
  const inventory: UpgradeInventory = {
    ...lists,
    to,
    releases,
    objects,
    access,
    patchProblems,
    nextDefinitions,
    platform,
    ...(damage === undefined ? {} : { damage }),
    kubevirt,
    config: toClusterConfig(kubevirt),
    revisions,
    operator: operator ?? { user: '', missing: [] },
    gaps: [
      ...gaps,
      ...(revisions === undefined ? ['copies of instance types and preferences may not be read'] : []),
      ...(operator === undefined ? ['what the operator may do may not be asked'] : []),
      ...gapsOfReleases(options, currentVersion({ kubevirt })),
      ...gapsOfGates({ ...lists, releases, to }),
      ...unrendered,
    ],
    nowMs,
  }
  const findings = check(inventory)
  const stopping = findings.filter((finding) => preventsUpgrade(finding, to, kubevirt))
  return { from: currentVersion(inventory) ?? '', to, findings, stopping, steps: planSteps(inventory), gaps: inventory.gaps }
}

async function readRevisions(client: Pick<Client, 'list'>, { signal, nowMs }: CheckOptions): Promise<RevisionReport | undefined> {
  try {
    return await takeReport(client, { nowMs, ...(signal === undefined ? {} : { signal }) })
  } catch (error) {
    if (error instanceof StatusError && ['Forbidden', 'NotFound'].includes(error.reason)) return undefined
    throw error
  }
}

function gapsOfReleases({ releases, to }: UpgradeSubject, from: string | undefined): string[] {
  return [...new Set([to, from])].flatMap((version) => {
    const release = releases.find((one) => one.version === version)
    if (version === undefined || (release === undefined && version === to)) return []
    if (release === undefined)
      return [`nothing is known of ${version}, which is installed: changes of feature gates and machines are not seen`]
    return release.qemu === undefined
      ? [`nothing is known of the hypervisor of ${version}: machines that vanish or change are not seen`]
      : []
  })
}
