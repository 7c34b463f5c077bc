import { compareReleases, isReleaseVersion } from '#apimachinery/release-version.ts'
import { mergePatch, type Finding } from '../finding.ts'
import { currentVersion, kubevirtPlace, releaseOf, type UpgradeInventory } from '../inventory.ts'

/** Finds whether the release exists and the upgrade path is supported. */
export function releaseFindings(inventory: UpgradeInventory): Finding[] {
  const { to, damage } = inventory
  const object = `release/${to}`
  if (damage !== undefined) {
    const why = 'Its programs are not those that were built: nobody knows what they would do'
    return [{ id: 'ReleaseDamaged', severity: 'blocking', object, what: damage.message, why, command: damage.command }]
  }
  if (releaseOf(inventory, to) === undefined) {
    const what = `Release ${to} is not installed here. Installed: ${inventory.releases.map(({ version }) => version).join(', ')}`
    const why = 'Its components could not be started on any node'
    return [{ id: 'ReleaseMissing', severity: 'blocking', object, what, why, command: isReleaseVersion(to) ? build(to) : stay(inventory) }]
  }
  return [...pathFindings(inventory), ...historyFindings(inventory)]
}

function build(version: string): string {
  return `steadyvm release build --version ${version}`
}

/** Keeps the installed version, for a name such as `latest` that no release can have. */
function stay(inventory: UpgradeInventory): string {
  const { object, namespace } = kubevirtPlace(inventory)
  return mergePatch(object, namespace, { spec: { imageTag: currentVersion(inventory) ?? null } })
}

function pathFindings(inventory: UpgradeInventory): Finding[] {
  const { to, releases } = inventory
  const from = currentVersion(inventory)
  const oldest = releaseOf(inventory, to)?.upgradesFrom
  if (from === undefined || oldest === undefined || compareReleases(from, oldest) >= 0) return []
  const between = releases
    .filter(({ version }) => compareReleases(version, oldest) >= 0 && compareReleases(version, to) < 0)
    .filter(({ upgradesFrom }) => upgradesFrom === undefined || compareReleases(from, upgradesFrom) >= 0)
    .toSorted((a, b) => compareReleases(b.version, a.version))[0]
  const { object, namespace } = kubevirtPlace(inventory)
  return [
    {
      id: 'PathNotAllowed',
      severity: 'blocking',
      object: `release/${to}`,
      what: `${to} can be reached from ${oldest} on, and the system is at ${from}`,
      why: `${to} does not understand what components of ${from} have stored or keep running`,
      command: between === undefined ? build(oldest) : mergePatch(object, namespace, { spec: { imageTag: between.version } }),
    },
  ]
}

function historyFindings(inventory: UpgradeInventory): Finding[] {
  const { to, kubevirt } = inventory
  const { upgrade, rejected } = kubevirt.status?.steadyvm ?? {}
  const { object, namespace } = kubevirtPlace(inventory)
  const from = currentVersion(inventory)
  const findings: Finding[] = []
  if (upgrade !== undefined && upgrade.to !== to) {
    findings.push({
      id: 'UpgradeUnderWay',
      severity: 'warning',
      object,
      what: `The system is on its way to ${upgrade.to}: ${upgrade.stage}`,
      why: `Components of three versions would be there at a time`,
      command: 'steadyvm upgrade status --watch',
    })
  }
  if (rejected?.version === to && from !== undefined && upgrade?.to !== to) {
    findings.push({
      id: 'TakenBackBefore',
      severity: 'warning',
      object,
      what: `${to} was rolled back: ${rejected.message}`,
      why: 'Unless its cause was removed, it will fail again',
      command: mergePatch(object, namespace, { spec: { imageTag: from } }),
    })
  }
  return findings
}
