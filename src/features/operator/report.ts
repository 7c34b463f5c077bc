import type {
  GenerationStatus,
  KubeVirt,
  KubeVirtCondition,
  KubeVirtStatus,
  RejectedVersion,
  UpgradeStatus,
} from '#api/kubevirt/v1/kubevirt.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { RolloutDecision } from './decide.ts'

/** What is to be said about an installation. */
export interface Report {
  readonly decision: RolloutDecision
  readonly version: string
  readonly registry: string
  readonly identifier: string
  readonly operatorVersion: string
  readonly generations: readonly GenerationStatus[]
  readonly skipped: readonly string[]
  /** The version that did not work, and is not tried again. */
  readonly rejected: RejectedVersion | undefined
}

/** Says whether the version that is asked for has failed on its first node. */
export const canaryFailed = 'CanaryFailed'

/** The fields of the status that the operator owns; undefined when they are so already. A healthy upgrade is progress, and nothing is degraded by it. Pure. */
export function statusPatch(kubevirt: KubeVirt, report: Report, now: string): object | undefined {
  const { status = {}, metadata } = kubevirt
  const { decision, version, registry, identifier, rejected } = report
  const isDone = decision.stage === undefined
  const from = status.observedKubeVirtVersion
  let conditions: readonly KubeVirtCondition[] = status.conditions ?? []
  for (const condition of conditionsOf(report, from)) conditions = setCondition(conditions, condition, now)
  const patch = {
    phase: isDone || from !== undefined ? 'Deployed' : 'Deploying',
    conditions: [...conditions],
    operatorVersion: report.operatorVersion,
    targetKubeVirtVersion: version,
    targetKubeVirtRegistry: registry,
    targetDeploymentID: identifier,
    ...(isDone ? { observedKubeVirtVersion: version, observedKubeVirtRegistry: registry, observedDeploymentID: identifier } : {}),
    observedGeneration: metadata?.generation ?? 0,
    generations: [...report.generations],
  }
  const upgrade = upgradeOf(report, status.steadyvm?.upgrade, from, now)
  const isSame = Object.entries(patch).every(([key, value]) => deepEqual(value, status[key as keyof KubeVirtStatus]))
  if (isSame && deepEqual(upgrade, status.steadyvm?.upgrade) && deepEqual(rejected, status.steadyvm?.rejected)) return undefined
  // A merge patch takes null for "away with it", and would keep what an upgrade before this one has said.
  const parts = upgrade === undefined ? null : { skipped: null, lastError: null, ...upgrade }
  return { ...patch, steadyvm: { upgrade: parts, rejected: rejected ?? null } }
}

function conditionsOf({ decision, version, rejected }: Report, from: string | undefined): readonly KubeVirtCondition[] {
  const condition = (type: string, is: boolean, reason: string, message: string): KubeVirtCondition => ({
    type,
    status: is ? 'True' : 'False',
    reason,
    message,
  })
  const { stage } = decision
  const isUpgrade = from !== undefined
  const [reason, message] =
    stage === undefined
      ? ['AllComponentsReady', 'All components are ready.']
      : isUpgrade
        ? ['UpdateInProgress', `Going from ${from} to ${version}: ${stage}`]
        : ['DeploymentInProgress', `Installing ${version}`]
  const failure = rejected === undefined ? undefined : `${rejected.version} was taken back: ${rejected.message}`
  return [
    condition('Created', true, 'AllResourcesCreated', 'All resources were created.'),
    condition('Available', stage === undefined || isUpgrade, reason, message),
    condition(
      'Progressing',
      stage !== undefined && failure === undefined,
      failure === undefined ? reason : canaryFailed,
      failure ?? message,
    ),
    condition('Degraded', failure !== undefined, failure === undefined ? reason : canaryFailed, failure ?? message),
    condition(
      canaryFailed,
      failure !== undefined,
      failure === undefined ? 'AsExpected' : canaryFailed,
      failure ?? 'No version was taken back.',
    ),
  ]
}

function upgradeOf(
  { decision, version, skipped, rejected }: Report,
  old: UpgradeStatus | undefined,
  from: string | undefined,
  now: string,
): UpgradeStatus | undefined {
  const { stage, progress } = decision
  if (stage === undefined) return undefined
  const isSame = old?.to === version
  return {
    // Half-way, it comes from where it was going.
    from: isSame ? old.from : (old?.to ?? from ?? ''),
    to: version,
    stage,
    startedAt: isSame ? old.startedAt : now,
    stageStartedAt: isSame && old.stage === stage ? old.stageStartedAt : now,
    progress: { ...progress },
    ...(skipped.length === 0 ? {} : { skipped: [...skipped] }),
    ...(rejected === undefined ? {} : { lastError: rejected.message }),
  }
}
