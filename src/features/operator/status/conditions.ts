import type {
  GenerationStatus,
  KubeVirt,
  KubeVirtCondition,
  KubeVirtStatus,
  RejectedVersion,
  UpgradePlan,
  UpgradeStatus,
} from '#api/kubevirt/v1/kubevirt.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { RolloutDecision } from '../rollout/decide.ts'
import type { UnhealthyComponent } from './component-health.ts'

/** What is to be said about an installation. */
export interface InstallationReport {
  readonly decision: RolloutDecision
  readonly version: string
  readonly registry: string
  readonly identifier: string
  readonly operatorVersion: string
  readonly generations: readonly GenerationStatus[]
  readonly skipped: readonly string[]
  /** The version that did not work, and is not tried again. */
  readonly rejected: RejectedVersion | undefined
  /** What is wrong at some nodes, while the others go on. */
  readonly trouble: string | undefined
  /**
   * What was found when the way to the version that is asked for was looked at just now; undefined
   * when nobody had to look.
   */
  readonly plan: UpgradePlan | undefined
  /** What the spec asks for and cannot be done: it is left out. */
  readonly problems: readonly string[]
  /** Components that should be ready by now, and are not. */
  readonly ailments: readonly UnhealthyComponent[]
}

/** Says whether the version that is asked for has failed on its first node. */
export const canaryFailed = 'CanaryFailed'
/**
 * Says whether something was found that speaks against the version that is asked for, so that
 * nothing was changed.
 */
export const preflightFailed = 'PreflightFailed'

/** Why an installation is degraded that has been in place before. */
const [notReady, syncFailed] = ['ComponentsNotReady', 'SyncFailed']

/**
 * The fields of the status that the operator owns; undefined when they are so already. A healthy
 * upgrade is progress, and nothing is degraded by it. Pure.
 */
export function statusPatch(kubevirt: KubeVirt, report: InstallationReport, now: string): object | undefined {
  const { status = {}, metadata } = kubevirt
  const { decision, version, registry, identifier, rejected } = report
  const last = status.steadyvm?.plan
  // What was refused and is asked for no longer is nobody's concern.
  const plan = report.plan ?? (last?.refused === true ? undefined : last)
  const isDone = isInPlace(decision)
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
  const isSameToo = deepEqual(plan, last) && deepEqual(rejected, status.steadyvm?.rejected)
  if (isSame && isSameToo && deepEqual(upgrade, status.steadyvm?.upgrade)) return undefined
  // A merge patch takes null for "away with it", and would keep what an upgrade before this one has
  // said.
  const parts = upgrade === undefined ? null : { skipped: null, lastError: null, contractAt: null, ...upgrade }
  return { ...patch, steadyvm: { upgrade: parts, rejected: rejected ?? null, plan: plan ?? null } }
}

/** Whether the components are as they are to be, whatever else is to follow. */
function isInPlace({ stage }: RolloutDecision): boolean {
  return stage === undefined || stage === 'Workloads' || stage === 'Contract'
}

/**
 * What a step has failed by: a settled installation is not as it is to be, and an upgrade says so
 * itself. Undefined when that is told already. Pure.
 */
export function errorStatusPatch({ status = {} }: KubeVirt, message: string, isSettled: boolean, now: string): object | undefined {
  const { upgrade } = status.steadyvm ?? {}
  const before = status.conditions ?? []
  let conditions: readonly KubeVirtCondition[] = before
  if (isSettled)
    for (const [type, is] of [
      ['Synchronized', false],
      ['Degraded', true],
    ] as const)
      conditions = setCondition(conditions, condition(type, is, syncFailed, message), now)
  const isUnsaid = upgrade !== undefined && upgrade.lastError !== message
  if (conditions === before && !isUnsaid) return undefined
  return { conditions: [...conditions], ...(isUnsaid ? { steadyvm: { upgrade: { lastError: message } } } : {}) }
}

function condition(type: string, is: boolean, reason: string, message: string): KubeVirtCondition {
  return { type, status: is ? 'True' : 'False', reason, message }
}

function wordsInPlace(illness: string | undefined): readonly [reason: string, message: string] {
  return illness === undefined ? ['AllComponentsReady', 'All components are ready.'] : [notReady, illness]
}

function wordsOnTheWay(stage: string, from: string | undefined, to: string): readonly [reason: string, message: string] {
  return from === undefined ? ['DeploymentInProgress', `Installing ${to}`] : ['UpdateInProgress', `Going from ${from} to ${to}: ${stage}`]
}

function conditionsOf(report: InstallationReport, from: string | undefined): readonly KubeVirtCondition[] {
  const { decision, version, rejected, plan, problems, ailments } = report
  const stage = isInPlace(decision) ? undefined : decision.stage
  const isUpgrade = from !== undefined
  const illness = ailments.length === 0 ? undefined : ailments.map((ailment) => ailment.message).join('; ')
  const isDown = ailments.some((ailment) => ailment.isDown)
  const [reason, message] = stage === undefined ? wordsInPlace(illness) : wordsOnTheWay(stage, from, version)
  const [healthReason, healthMessage] = illness === undefined ? [reason, message] : [notReady, illness]
  const failure = rejected === undefined ? undefined : `${rejected.version} was taken back: ${rejected.message}`
  const refusal = plan?.refused === true ? refusalMessage(plan) : undefined
  return [
    condition(
      'Synchronized',
      problems.length === 0,
      problems.length === 0 ? 'AsExpected' : 'PatchUnusable',
      problems.length === 0 ? 'All that is asked for was done.' : problems.join('; '),
    ),
    condition('Created', true, 'AllResourcesCreated', 'All resources were created.'),
    condition(
      'Available',
      (stage === undefined || isUpgrade) && !isDown,
      ...(isDown ? ([notReady, illness ?? ''] as const) : ([reason, message] as const)),
    ),
    condition(
      'Progressing',
      stage !== undefined && failure === undefined,
      failure === undefined ? reason : canaryFailed,
      failure ?? message,
    ),
    condition(
      'Degraded',
      (failure ?? illness) !== undefined,
      failure === undefined ? healthReason : canaryFailed,
      failure ?? healthMessage,
    ),
    condition(
      canaryFailed,
      failure !== undefined,
      failure === undefined ? 'AsExpected' : canaryFailed,
      failure ?? 'No version was taken back.',
    ),
    condition(
      preflightFailed,
      refusal !== undefined,
      refusal === undefined ? 'AsExpected' : preflightFailed,
      refusal ?? 'Nothing speaks against the version that is asked for.',
    ),
  ]
}

/** Why an upgrade does not begin, in a sentence or two. */
export function refusalMessage({ to, findings }: UpgradePlan): string {
  const [first, ...others] = findings.filter(({ blocks }) => blocks)
  const more = others.length === 0 ? '' : ` (and ${others.length} more: see status.steadyvm.plan)`
  return `The way to ${to} is not free: ${first?.id ?? ''}: ${first?.message ?? ''}${more}`
}

function upgradeOf(
  { decision, version, skipped, rejected, trouble }: InstallationReport,
  old: UpgradeStatus | undefined,
  from: string | undefined,
  now: string,
): UpgradeStatus | undefined {
  const { stage, progress } = decision
  if (stage === undefined) return undefined
  const isSame = old?.to === version
  const lastError = rejected?.message ?? trouble
  return {
    // Half-way, it comes from where it was going.
    from: isSame ? old.from : (old?.to ?? from ?? ''),
    to: version,
    stage,
    startedAt: isSame ? old.startedAt : now,
    stageStartedAt: isSame && old.stage === stage ? old.stageStartedAt : now,
    progress: { ...progress },
    ...(decision.contractAt === undefined ? {} : { contractAt: new Date(decision.contractAt).toISOString().replace(/\.\d+Z$/, 'Z') }),
    ...(skipped.length === 0 ? {} : { skipped: [...skipped] }),
    ...(lastError === undefined ? {} : { lastError }),
  }
}
