/**
 * Finds what would make an upgrade fail or change guests, before it begins. `checkClusterUpgrade()`
 * reads a cluster once; each file of `checks/` derives findings from that inventory, with a command
 * that resolves each; `planSteps()` estimates duration. It writes nothing: virt-operator and
 * `steadyvm upgrade check` decide by the findings.
 */
export type { Finding, FindingId, Severity } from './finding.ts'
export type { Installer } from './operator-rights.ts'
export { preflightResultOf } from './report.ts'
export type { FeatureGate, QemuFacts, ReleaseFacts } from './release-facts.ts'
export { checkClusterUpgrade, type UpgradeCheck } from './check-cluster.ts'
export type { RenderRelease } from './hyperconverged/render-overrides.ts'
export type { UpgradeSubject } from './inventory.ts'
