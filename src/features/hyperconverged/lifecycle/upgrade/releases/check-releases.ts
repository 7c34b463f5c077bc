import {
  checkGraph,
  findingOf,
  upgradeLanes,
  type CheckedGraph,
  type CheckOptions,
  type GraphFinding,
} from '#features/upgrade-graph/index.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import { parseUpgradePatches, UpgradePatchesError, type UpgradePatch } from '../patches/patch-file.ts'
import { releasedVersions, type ReleasedVersion } from '../patches/releases.ts'
import { convergenceOf, type Convergence } from './convergence.ts'
import { bundleNameOf, ownCatalog } from './own-catalog.ts'

/** The checked graph of our own releases. */
export interface CheckedReleases extends CheckedGraph {
  /** What was found about the patches; undefined when their file cannot be read. */
  readonly convergence: Convergence | undefined
}

/**
 * Checks the upgrade graph of our own releases, and that the upgrade patches give the same object
 * on each way through it. `patchesText` is `upgradePatches.json`. Pure.
 */
export function checkReleases(
  patchesText: string,
  options: Pick<CheckOptions, 'semantics' | 'rules' | 'maxHops' | 'requiredStops'> = {},
  releases: readonly ReleasedVersion[] = releasedVersions,
): CheckedReleases {
  const names = releases.map(bundleNameOf)
  const own = releases.flatMap(({ version: text, isRequiredStop }) => {
    const version = parseTolerant(text)
    return isRequiredStop === true && version !== undefined ? [{ text, version }] : []
  })
  const checked = checkGraph(
    { objects: ownCatalog(releases) },
    {
      ...options,
      order: (one, other) => names.indexOf(one) - names.indexOf(other),
      requiredStops: [...own, ...(options.requiredStops ?? [])],
    },
  )
  const steps = upgradeLanes(checked.scopes).map(({ from, to }) => [names.indexOf(from), names.indexOf(to)] as const)
  try {
    const patches: readonly UpgradePatch[] = parseUpgradePatches(patchesText).patches
    const convergence = convergenceOf(releases, steps, patches)
    return { ...checked, convergence, findings: [...divergencesIn(convergence), ...checked.findings] }
  } catch (error) {
    if (!(error instanceof UpgradePatchesError)) throw error
    const finding = findingOf('patches-diverge', place, `upgradePatches.json cannot be read: ${error.message}`)
    return { ...checked, convergence: undefined, findings: [finding, ...checked.findings] }
  }
}

const place = { package: 'steadyvm', object: 'upgrade patches of package "steadyvm"' }

function divergencesIn({ divergences }: Convergence): readonly GraphFinding[] {
  return divergences.map(({ ways: [one, other], edited }) => {
    const object = edited === '' ? `the default object of ${one[0]}` : `an object of ${one[0]} with another ${edited}`
    return findingOf('patches-diverge', place, `${object} depends on the way: ${one.join(' → ')} differs from ${other.join(' → ')}`)
  })
}
