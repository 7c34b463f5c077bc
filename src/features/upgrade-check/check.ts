import { budgetFindings } from './checks/budgets.ts'
import { capacityFindings } from './checks/capacity.ts'
import { componentFindings } from './checks/components.ts'
import { guestFindings } from './checks/guests.ts'
import { hardwareFindings } from './checks/hardware.ts'
import { nodeFindings } from './checks/nodes.ts'
import { patchFindings } from './checks/patches.ts'
import { releaseFindings } from './checks/release.ts'
import { rightsFindings } from './checks/rights.ts'
import { settingsFindings } from './checks/settings.ts'
import { targetFindings } from './checks/targets.ts'
import { versionFindings } from './checks/versions.ts'
import { sortFindings, type Finding } from './finding.ts'
import type { UpgradeWorld } from './world.ts'

const checks: readonly ((world: UpgradeWorld) => readonly Finding[])[] = [
  releaseFindings,
  settingsFindings,
  patchFindings,
  versionFindings,
  guestFindings,
  targetFindings,
  capacityFindings,
  hardwareFindings,
  budgetFindings,
  nodeFindings,
  componentFindings,
  rightsFindings,
]

/**
 * Says all that is in the way of an upgrade, the worst first. Pure: it looks at nothing but what it
 * is given.
 */
export function check(world: UpgradeWorld): Finding[] {
  return sortFindings(checks.flatMap((one) => one(world)))
}
