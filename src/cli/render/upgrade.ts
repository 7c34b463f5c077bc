import { findCondition } from '#apimachinery/conditions.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { formatDuration, table } from './terminal.ts'

/**
 * Reports whether an administrator has to look: an upgrade is under way, was refused or rolled
 * back, or a component is not ready. Pure.
 */
export function needsAttention({ status = {} }: KubeVirt): boolean {
  const { upgrade, rejected, plan } = status.steadyvm ?? {}
  const isUnderWay = upgrade !== undefined && upgrade.contractAt === undefined
  return isUnderWay || rejected !== undefined || plan?.refused === true || faultOf(status) !== undefined
}

/** Message of the conditions that report a component which is not ready. */
function faultOf({ conditions = [] }: NonNullable<KubeVirt['status']>): string | undefined {
  const degraded = findCondition(conditions, 'Degraded')
  if (degraded?.status === 'True') return degraded.message ?? degraded.reason
  const available = findCondition(conditions, 'Available')
  return available?.status === 'False' ? (available.message ?? available.reason) : undefined
}

/** Renders the progress of an upgrade. Pure. */
export function renderUpgrade({ status = {} }: KubeVirt, nowMs: number): string {
  const { upgrade, rejected, plan } = status.steadyvm ?? {}
  const since = (time: string): string => formatDuration(Math.max(0, nowMs - Date.parse(time)))
  const rows: string[][] = [['version', status.observedKubeVirtVersion ?? 'none yet']]
  if (upgrade !== undefined) {
    const { desired, updated, ready } = upgrade.progress
    const detail = desired === 0 ? '' : `: ${updated} of ${desired} replaced, ${ready} ready`
    rows.push(
      ['upgrade', `${upgrade.from === '' ? '' : `from ${upgrade.from} `}to ${upgrade.to}, for ${since(upgrade.startedAt)}`],
      ['stage', `${upgrade.stage}, for ${since(upgrade.stageStartedAt)}${detail}`],
    )
    if (upgrade.contractAt !== undefined) {
      rows.push([
        '',
        `The components are all of ${upgrade.to}. What only ${upgrade.from} needs is kept until ${upgrade.contractAt}: the way back is short`,
      ])
      rows.push(['guests', `${status.outdatedVirtualMachineInstanceWorkloads ?? 0} in launchers of other versions`])
    }
    if (upgrade.skipped !== undefined) rows.push(['skipped nodes', `${upgrade.skipped.join(', ')} (not ready; they follow when they are)`])
  }
  const isReported = rejected !== undefined || (upgrade !== undefined && upgrade.from === '')
  const fault = isReported ? undefined : faultOf(status)
  if (fault !== undefined) rows.push(['not ready', fault])
  if (upgrade?.lastError !== undefined && rejected === undefined) rows.push(['problem', upgrade.lastError])
  if (plan?.refused === true) {
    rows.push(['refused', `${plan.to}: nothing was changed; it is looked again from time to time`])
    for (const { id, message, fix } of plan.findings.filter(({ blocks }) => blocks))
      rows.push(['', `${id}: ${message}`], ...(fix === undefined ? [] : [['', `fix: ${fix}`]]))
  }
  if (rejected !== undefined) {
    rows.push(
      ['rolled back', `${rejected.version}: ${rejected.message}`],
      ['', 'It is tried again when the spec of the KubeVirt object changes'],
    )
  }
  return table(rows)
}
