import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { ComponentCondition, ComponentStatus, HyperConvergedStatus, RelatedObject } from '#api/hco/v1/status.ts'
import { isTrue, setCondition } from '#apimachinery/conditions.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { Outcome } from './act.ts'
import { stateOf, type ComponentState, type CurrentState } from '../components/objects/state.ts'
import { importCronKind } from '../components/boot-images/import-crons.ts'
import { bootImageStatus } from '../components/boot-images/report.ts'
import { consentConditions, consentPending } from '../configuration/gates/consent.ts'
import { recordedDefaults } from '../configuration/gates/gate-defaults.ts'
import { isAppliedEverywhere } from '../lifecycle/rollback/refusal.ts'
import { configurationChange, withRollBack, type RollBackReport } from '../lifecycle/rollback/report.ts'
import { reportedInputs } from '../components/rendering/settings.ts'
import { nameOfOverride, type Override } from '../configuration/overrides/override.ts'
import { journalChange } from '../lifecycle/upgrade/journal.ts'
import { withUpgradeConditions, type UpgradeReport } from '../lifecycle/upgrade/report.ts'
import { injectorReady, networkResourcesInjector } from '../components/workloads/network-resources-injector.ts'
import type { Observation } from './observe.ts'

/** Condition that is there while overrides change what the operator renders. */
const tainted = 'TaintedConfiguration'

/** Conditions that the operator writes. */
export const ownedConditions: readonly string[] = [
  'ReconcileComplete',
  'Available',
  'Progressing',
  'Degraded',
  'Upgradeable',
  tainted,
  consentPending,
  injectorReady,
]

/** Conditions that are there only while there is something to say. */
const temporary: readonly string[] = [tainted, consentPending, injectorReady]

/** What the parts of a pass have found out. */
export interface PassReports {
  readonly upgrade: UpgradeReport
  /** Default: nothing is rolled back. */
  readonly rollBack?: RollBackReport
  /** False until the webhooks are registered. Default true. */
  readonly isAdmissionReady?: boolean
}

/** Returns the status after a pass. Conditions name every component that is not ready. Pure. */
export function statusOf(
  { hyperconverged, input, importer }: Observation,
  outcomes: readonly Outcome[],
  now: string,
  { upgrade, rollBack = { isDone: true }, isAdmissionReady = true }: PassReports,
): HyperConvergedStatus {
  const states = outcomes.map(stateOf)
  const { status = {}, metadata } = hyperconverged
  const { nodes, version } = input
  const gateDefaults = recordedDefaults({ ...input.hyperconverged, status }, version, isAppliedEverywhere(outcomes))
  const wanted = [
    ...withUpgradeConditions(
      withRollBack(isAdmissionReady ? conditionsOf(states) : withoutAdmission(conditionsOf(states), status), rollBack),
      upgrade.conditions,
    ),
    ...taint(input.overrides ?? [], outcomes),
    ...consentConditions(gateDefaults, version),
    ...injectorConditions(states),
  ].map((condition) => ({
    ...condition,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  }))
  const before = (status.conditions ?? []).filter(
    ({ type }) => !temporary.includes(type) || wanted.some((condition) => condition.type === type),
  )
  const conditions = wanted.reduce<Condition[]>((list, condition) => setCondition(list, condition, now), before)
  return {
    conditions,
    observedGeneration: metadata.generation ?? 0,
    versions: upgrade.version === '' ? [] : [{ name: 'operator', version: upgrade.version }],
    relatedObjects: outcomes.flatMap((outcome) => relatedObject(outcome, status.relatedObjects ?? [])),
    ...bootImageStatus(
      { ...input.hyperconverged, status },
      {
        nodeArchitectures: nodes.workloadArchitectures,
        importer,
        errors: importErrors(outcomes),
        now,
      },
    ),
    systemHealthStatus: healthOf(conditions),
    infrastructureHighlyAvailable: nodes.workers > 1,
    nodeInfo: {
      workloadsArchitectures: [...nodes.workloadArchitectures],
      controlPlaneArchitectures: [...nodes.controlPlaneArchitectures],
      ...(nodes.defaultArchitecture === undefined ? {} : { defaultWorkloadArchitecture: nodes.defaultArchitecture }),
    },
    steadyvm: {
      components: outcomes.map((outcome, index) => componentStatus(outcome, states[index], hyperconverged, now)),
      gateDefaults,
      inputs: reportedInputs(input),
      ...(rollBack.configuration === undefined ? {} : { configuration: rollBack.configuration }),
      ...(upgrade.upgrade === undefined ? {} : { upgrade: upgrade.upgrade }),
    },
  }
}

/** Returns the merge patch for a status: what it no longer has is removed. Pure. */
export function statusChange({ steadyvm = {}, ...status }: HyperConvergedStatus): object {
  const { tlsSecurityProfile } = steadyvm.inputs ?? {}
  const profile = tlsSecurityProfile === undefined ? null : { custom: null, ...tlsSecurityProfile }
  const inputs = { environment: null, openShift: null, ...steadyvm.inputs, tlsSecurityProfile: profile }
  return {
    ...status,
    steadyvm: { ...steadyvm, inputs, ...configurationChange(steadyvm.configuration), ...journalChange(steadyvm.upgrade) },
  }
}

/** Errors of boot images whose objects the operator writes, by the name of the object. */
function importErrors(outcomes: readonly Outcome[]): ReadonlyMap<string, string> {
  return new Map(
    outcomes.flatMap(({ decision: { observed }, error }) =>
      observed.component.cache === importCronKind.name && error !== undefined ? [[observed.component.objectName, error]] : [],
    ),
  )
}

function componentStatus(
  { decision, written }: Outcome,
  state: CurrentState | undefined,
  { status }: HyperConverged,
  now: string,
): ComponentStatus {
  const { isUpgradeable: _, ...current } = state ?? { name: '', state: 'Failed' as const, isUpgradeable: true }
  const before = status?.steadyvm?.components?.find(({ name }) => name === current.name)
  const { step } = decision
  const overwritten = (before?.overwritten ?? 0) + (step.kind === 'apply' && step.cause === 'drift' && written !== undefined ? 1 : 0)
  const since = before?.state === current.state ? (before.since ?? now) : now
  return { ...current, since, ...(overwritten === 0 ? {} : { overwritten }) }
}

function conditionsOf(states: readonly CurrentState[]): readonly Condition[] {
  const among = (...words: readonly ComponentState[]): readonly CurrentState[] => states.filter(({ state }) => words.includes(state))
  const failed = among('Failed')
  const progressing = among('Progressing')
  const degraded = [...failed, ...among('Degraded')]
  // While it is updated, a component stays available.
  const installing = progressing.filter(({ conditions = [], version }) => version === undefined || conditions.some(isUnavailable))
  const unavailable = [...among('NotAvailable'), ...installing]
  const vetoing = states.filter(({ isUpgradeable }) => !isUpgradeable)
  const busy = [...new Set([...degraded, ...among('NotAvailable'), ...progressing, ...vetoing])]
  return [
    {
      type: 'ReconcileComplete',
      status: failed.length === 0 ? 'True' : 'False',
      reason: failed.length === 0 ? 'ReconcileCompleted' : 'ComponentsFailed',
      message: naming(failed),
    },
    {
      type: 'Available',
      status: unavailable.length === 0 ? 'True' : 'False',
      reason: unavailable.length === 0 ? 'AllComponentsReady' : 'ComponentsNotAvailable',
      message: naming(unavailable),
    },
    {
      type: 'Progressing',
      status: progressing.length === 0 ? 'False' : 'True',
      reason: progressing.length === 0 ? 'AllComponentsReady' : 'ComponentsProgressing',
      message: naming(progressing),
    },
    {
      type: 'Degraded',
      status: degraded.length === 0 ? 'False' : 'True',
      reason: degraded.length === 0 ? 'AllComponentsReady' : 'ComponentsDegraded',
      message: naming(degraded),
    },
    {
      type: 'Upgradeable',
      status: busy.length === 0 ? 'True' : 'False',
      reason: busy.length === 0 ? 'AllComponentsReady' : 'ComponentsNotReady',
      message: naming(busy),
    },
  ]
}

/**
 * A new platform is available once its edits are checked. It stays available while the operator is
 * replaced, since the registrations of the one before stay.
 */
function withoutAdmission(conditions: readonly Condition[], before: HyperConvergedStatus): readonly Condition[] {
  if (isTrue(before.conditions, 'Available')) return conditions
  const message = 'the webhooks are not registered yet, and edits are not checked'
  return conditions.map((condition) =>
    condition.type === 'Available' && condition.status === 'True'
      ? { ...condition, status: 'False', reason: 'WebhooksNotRegistered', message }
      : condition,
  )
}

/** KubeVirt leaves network resources to the injector while the condition is true. */
function injectorConditions(states: readonly CurrentState[]): readonly Condition[] {
  const found = states.find(({ name }) => name === networkResourcesInjector.name)
  if (found === undefined || found.state === 'NotWanted' || found.state === 'Absent') return []
  const isReady = found.state === 'Ready'
  const reason = isReady ? 'DeploymentReady' : 'DeploymentNotReady'
  return [{ type: injectorReady, status: isReady ? 'True' : 'False', reason, message: found.message ?? 'All pods are ready' }]
}

/** Names the overrides, and those that are not applied with the reason. */
function taint(overrides: readonly Override[], outcomes: readonly Outcome[]): readonly Condition[] {
  const effective = overrides.filter(({ problem }) => problem?.reason !== 'Expired')
  if (effective.length === 0) return []
  const results = outcomes.flatMap(({ decision }) => decision.overrides)
  const phrases = effective.map((override) => {
    const problem = override.problem ?? results.find((result) => result.override === override)?.problem
    return `${nameOfOverride(override.source)} of ${override.component}${problem === undefined ? '' : ` is not applied: ${problem.message}`}`
  })
  const isAnnotated = effective.some(({ source }) => source.kind === 'annotation')
  return [
    {
      type: tainted,
      status: 'True',
      reason: isAnnotated ? 'UnsupportedFeatureAnnotation' : 'ComponentOverrides',
      message: phrases.join('; '),
    },
  ]
}

function isUnavailable({ type }: ComponentCondition): boolean {
  return type === 'Available'
}

/** Names every component with its reason. */
function naming(found: readonly CurrentState[]): string {
  return found.map(({ name, message = '' }) => (message === '' ? name : `${name}: ${message}`)).join('; ')
}

function healthOf(conditions: readonly Condition[]): string {
  const is = (type: string, status: string): boolean => conditions.some((found) => found.type === type && found.status === status)
  if (!is('Available', 'True') || is('Degraded', 'True')) return 'error'
  return !is('ReconcileComplete', 'True') || is('Progressing', 'True') ? 'warning' : 'healthy'
}

/** The resource version is that of the last write: it would change with every status otherwise. */
function relatedObject({ decision, written }: Outcome, before: readonly RelatedObject[]): readonly RelatedObject[] {
  const { component, present, resource } = decision.observed
  const object = written ?? (decision.step.kind === 'keep' || decision.step.kind === 'apply' ? present : undefined)
  if (object === undefined || resource === undefined) return []
  const { namespace, name, uid, resourceVersion } = object.metadata ?? {}
  const known = written === undefined ? before.find((related) => related.uid === uid && related.kind === component.kind) : undefined
  return [
    {
      apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
      kind: component.kind,
      ...(namespace === undefined ? {} : { namespace }),
      name: name ?? '',
      uid: uid ?? '',
      resourceVersion: known?.resourceVersion ?? resourceVersion ?? '',
    },
  ]
}
