import { agentRoomFindings } from './checks/agent-room.ts'
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
import { hyperConvergedGateFindings } from './hyperconverged/gates.ts'
import { overrideFindings } from './hyperconverged/overrides.ts'
import { sortFindings, type Finding } from './finding.ts'
import type { UpgradeInventory } from './inventory.ts'

const checks: readonly ((inventory: UpgradeInventory) => readonly Finding[])[] = [
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
  agentRoomFindings,
  componentFindings,
  rightsFindings,
  hyperConvergedGateFindings,
  overrideFindings,
]

/** Returns all findings about an upgrade, the most severe first. Pure. */
export function check(inventory: UpgradeInventory): Finding[] {
  return sortFindings(checks.flatMap((one) => one(inventory)))
}
