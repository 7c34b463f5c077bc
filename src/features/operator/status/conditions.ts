import type {
  GenerationStatus,
  KubeVirt,
  KubeVirtCondition,
  RejectedVersion,
  UpgradePlan,
  UpgradeStatus,
} from '#api/kubevirt/v1/kubevirt.ts'
import { findCondition, setCondition } from '#apimachinery/conditions.ts'
import { componentNames } from '../manifests/install-strategy.ts'
import type { RolloutDecision, Stage } from '../rollout/decide.ts'
import type { UnhealthyComponent } from './component-health.ts'
import { recordUpgrade, type UpgradeCourse } from './upgrade-record.ts'

/** Inputs of the status of the KubeVirt object. */
export interface InstallationReport {
  readonly decision: RolloutDecision
  readonly version: string
  readonly registry: string
  readonly identifier: string
  readonly operatorVersion: string
  readonly generations: readonly GenerationStatus[]
  readonly skipped: readonly string[]
  /** The version that was rolled back and is not tried again. */
  readonly rejected: RejectedVersion | undefined
  /** A failure that does not stop the roll-out. */
  readonly trouble: string | undefined
  /** The plan of the requested version; undefined when no preflight was necessary. */
  readonly plan: UpgradePlan | undefined
  /** Customize patches that cannot be applied and are skipped. */
  readonly problems: readonly string[]
  /** Components of a complete release that a changed configuration replaces. */
  readonly reconfigured: readonly Stage[]
  /** Components that are not ready although their grace is over. */
  readonly ailments: readonly UnhealthyComponent[]
}

/** Condition: the requested version failed and was rolled back. */
export const canaryFailed = 'CanaryFailed'
/** Condition: preflight findings keep the requested version from being installed. */
export const preflightFailed = 'PreflightFailed'

/** Reasons of Degraded for an installation that was complete. */
const [notReady, syncFailed] = ['ComponentsNotReady', 'SyncFailed']
/** Reason of Progressing while a changed configuration replaces components. */
const reconfiguring = 'ConfigurationInProgress'

/**
 * Returns the status fields that the operator owns, to merge into the status; null removes one. An
 * upgrade without failures is Progressing and not Degraded. Pure.
 */
export function statusOf(kubevirt: KubeVirt, report: InstallationReport, now: string): object {
  const { status = {}, metadata } = kubevirt
  const { decision, version, registry, identifier, rejected } = report
  const last = status.steadyvm?.plan
  // A refused plan is removed once its version is no longer requested.
  const plan = report.plan ?? (last?.refused === true ? undefined : last)
  const isDone = isInPlace(decision)
  const from = status.observedKubeVirtVersion
  let conditions: readonly KubeVirtCondition[] = status.conditions ?? []
  for (const condition of conditionsOf(report, from)) conditions = setCondition(conditions, condition, now)
  const upgrade = upgradeOf(report, status.steadyvm?.upgrade, from, now)
  // Fields of the previous upgrade that this one lacks are removed.
  const lastUpgrade = lastUpgradeOf({
    uid: metadata?.uid ?? '',
    record: status.steadyvm?.lastUpgrade,
    before: status.steadyvm?.upgrade,
    after: upgrade,
    now,
  })
  const parts = upgrade === undefined ? null : { skipped: null, lastError: null, contractAt: null, ...upgrade }
  return {
    phase: isDone || from !== undefined ? 'Deployed' : 'Deploying',
    conditions: [...conditions],
    operatorVersion: report.operatorVersion,
    targetKubeVirtVersion: version,
    targetKubeVirtRegistry: registry,
    targetDeploymentID: identifier,
    ...(isDone ? { observedKubeVirtVersion: version, observedKubeVirtRegistry: registry, observedDeploymentID: identifier } : {}),
    observedGeneration: metadata?.generation ?? 0,
    generations: [...report.generations],
    steadyvm: { upgrade: parts, lastUpgrade: lastUpgrade ?? null, rejected: rejected ?? null, plan: plan ?? null },
  }
}

/** Returns the change of the record: fields of the previous one that this one lacks are removed. */
function lastUpgradeOf(course: UpgradeCourse): object | undefined {
  const record = recordUpgrade(course)
  return record === undefined ? undefined : { completedAt: null, failure: null, ...record }
}

/** Reports whether all components have the wanted version; Workloads and Contract may follow. */
function isInPlace({ stage }: RolloutDecision): boolean {
  return stage === undefined || stage === 'Workloads' || stage === 'Contract'
}

/**
 * Returns the status fields for an error of the reconciler: Degraded for a settled installation,
 * `lastError` for an upgrade. Pure.
 */
export function errorStatusOf({ status = {} }: KubeVirt, message: string, isSettled: boolean, now: string): object {
  let conditions: readonly KubeVirtCondition[] = status.conditions ?? []
  if (isSettled)
    for (const [type, is] of [
      ['Synchronized', false],
      ['Degraded', true],
    ] as const)
      conditions = setCondition(conditions, condition(type, is, syncFailed, message), now)
  return {
    ...(isSettled ? { conditions } : {}),
    ...(status.steadyvm?.upgrade === undefined ? {} : { steadyvm: { upgrade: { lastError: message } } }),
  }
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

const stageComponents: Record<Stage, string> = {
  NodeAgents: componentNames.agent,
  Controllers: componentNames.controller,
  API: componentNames.api,
}

/** Reports whether the status says that a changed configuration replaces components. Pure. */
export function reportsReconfiguration({ status }: Pick<KubeVirt, 'status'>): boolean {
  const progressing = findCondition(status?.conditions, 'Progressing')
  return progressing?.status === 'True' && progressing.reason === reconfiguring
}

function conditionsOf(report: InstallationReport, from: string | undefined): readonly KubeVirtCondition[] {
  const { decision, version, rejected, plan, problems, reconfigured, ailments } = report
  const stage = isInPlace(decision) ? undefined : decision.stage
  const isUpgrade = from !== undefined
  const illness = ailments.length === 0 ? undefined : ailments.map((ailment) => ailment.message).join('; ')
  const isDown = ailments.some((ailment) => ailment.isDown)
  const [reason, message] = stage === undefined ? wordsInPlace(illness) : wordsOnTheWay(stage, from, version)
  const [healthReason, healthMessage] = illness === undefined ? [reason, message] : [notReady, illness]
  const replaced = reconfigured.map((one) => stageComponents[one]).join(', ')
  const [progressReason, progressMessage] =
    stage === undefined && replaced !== ''
      ? [reconfiguring, `The changed configuration replaces the pods of ${replaced}`]
      : [reason, message]
  const failure = rejected === undefined ? undefined : `${rejected.version} was rolled back: ${rejected.message}`
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
      (stage !== undefined || replaced !== '') && failure === undefined,
      failure === undefined ? progressReason : canaryFailed,
      failure ?? progressMessage,
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
      failure ?? 'No version was rolled back.',
    ),
    condition(
      preflightFailed,
      refusal !== undefined,
      refusal === undefined ? 'AsExpected' : preflightFailed,
      refusal ?? 'No finding blocks the requested version.',
    ),
  ]
}

/** Formats why an upgrade does not begin. */
export function refusalMessage({ to, findings }: UpgradePlan): string {
  const [first, ...others] = findings.filter(({ blocks }) => blocks)
  const more = others.length === 0 ? '' : ` (and ${others.length} more: see status.steadyvm.plan)`
  return `The upgrade to ${to} is blocked: ${first?.id ?? ''}: ${first?.message ?? ''}${more}`
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
    // When the target changes during an upgrade, the new one starts from the previous target.
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
