import type { UpgradeRecord, UpgradeStageRecord, UpgradeStatus } from '#api/kubevirt/v1/kubevirt.ts'
import { traceIdOf } from '#runtime/tracing/span-id.ts'

/** Inputs of {@link recordUpgrade}. */
export interface UpgradeCourse {
  /** UID of the KubeVirt object. */
  readonly uid: string
  /** What is recorded. */
  readonly record: UpgradeRecord | undefined
  /** The upgrade as the status says, and as it will say. Undefined: none is under way. */
  readonly before: UpgradeStatus | undefined
  readonly after: UpgradeStatus | undefined
  readonly now: string
}

/**
 * Returns the record of the upgrade that is under way, or of the last one. It is in the same write
 * as the stage, so that no stage is missing when the operator ends in between. Pure.
 */
export function recordUpgrade({ uid, record, before, after, now }: UpgradeCourse): UpgradeRecord | undefined {
  if (after === undefined) return record === undefined || before === undefined ? record : completed(record, now)
  const { from, to, startedAt, stage, stageStartedAt } = after
  const isSame = record?.to === to && record.startedAt === startedAt
  const old = isSame ? record : { from, to, traceID: traceIdOf(uid, from, to, startedAt), startedAt, stages: [] }
  const last = old.stages.at(-1)
  const isEntered = last?.stage === stage && last.startedAt === stageStartedAt
  const next = isEntered ? old : { ...old, stages: [...closed(old.stages, stageStartedAt), { stage, startedAt: stageStartedAt }] }
  return isInPlace(stage) && next.completedAt === undefined ? { ...next, completedAt: stageStartedAt } : next
}

/** Returns the record of an upgrade whose version is taken back. Pure. */
export function recordFailure(record: UpgradeRecord | undefined, failure: string, now: string): UpgradeRecord | undefined {
  return record === undefined || record.completedAt !== undefined ? record : { ...completed(record, now), failure }
}

/**
 * Reports whether all components have the new version: guests follow, in days where their owners
 * restart them, and what older versions need is removed later.
 */
function isInPlace(stage: string): boolean {
  return stage === 'Workloads' || stage === 'Contract'
}

function completed(record: UpgradeRecord, now: string): UpgradeRecord {
  return { ...record, completedAt: record.completedAt ?? now, stages: closed(record.stages, now) }
}

function closed(stages: readonly UpgradeStageRecord[], endedAt: string): UpgradeStageRecord[] {
  return stages.map((stage) => (stage.endedAt === undefined ? { ...stage, endedAt } : stage))
}
