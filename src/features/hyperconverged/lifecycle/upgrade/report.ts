import type { PlatformUpgrade } from '#api/hco/v1/status.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { Refusal } from './decide.ts'

/** What an upgrade adds to the status of a pass. */
export interface UpgradeReport {
  /** Version that the platform is at. */
  readonly version: string
  /** The journal; undefined: there has been no upgrade. */
  readonly upgrade: PlatformUpgrade | undefined
  /** Conditions of the pass that the upgrade determines instead. */
  readonly conditions: readonly Condition[]
}

/** Conditions while an upgrade proceeds. An update is no degradation. Pure. */
export function upgradingConditions(upgrade: PlatformUpgrade): readonly Condition[] {
  const { from, to, stage, message } = upgrade
  const change = `the upgrade from ${from === '' ? 'an unknown version' : from} to ${to}`
  const waits = message === undefined ? '' : `: ${message}`
  return [
    { type: 'Progressing', status: 'True', reason: 'HCOUpgrading', message: `${change} is at stage ${stage}${waits}` },
    { type: 'Upgradeable', status: 'False', reason: 'AlreadyPerformingUpgrade', message: `${change} is not complete` },
  ]
}

/**
 * Conditions while a step of an upgrade fails. `isFinal`: trying again alone does not help. Pure.
 */
export function stuckConditions(upgrade: PlatformUpgrade, isFinal: boolean): readonly Condition[] {
  const { stage, message = '' } = upgrade
  const failed: Condition = {
    type: 'ReconcileComplete',
    status: 'False',
    reason: stage === 'Removal' ? 'UpgradeRemovalFailed' : 'UpgradePatchesFailed',
    message,
  }
  return [...upgradingConditions(upgrade), failed, ...(isFinal ? [{ ...failed, type: 'Degraded', status: 'True' } as const] : [])]
}

/**
 * Conditions while an upgrade is refused: the components are as they were, and edits have no
 * effect. Another operator may replace this one if that is the remedy. Pure.
 */
export function refusedConditions({ reason, message }: Refusal): readonly Condition[] {
  const isRemedy = reason === 'UpgradePatchesInvalid' || reason === 'UpgradePatchFailed'
  return [
    { type: 'ReconcileComplete', status: 'False', reason, message },
    { type: 'Degraded', status: 'True', reason, message },
    { type: 'Upgradeable', status: isRemedy ? 'True' : 'False', reason, message },
  ]
}

/** Replaces conditions by those that an upgrade determines. Pure. */
export function withUpgradeConditions(conditions: readonly Condition[], determined: readonly Condition[]): readonly Condition[] {
  return conditions.map((condition) => determined.find(({ type }) => type === condition.type) ?? condition)
}
