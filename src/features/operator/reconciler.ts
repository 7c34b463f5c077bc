import type { KubeVirt, UpgradePlan } from '#api/kubevirt/v1/kubevirt.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import { tracing } from '#runtime/tracing/tracing.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { act } from './act.ts'
import { decideRollout, notStarted, type RolloutDecision } from './rollout/decide.ts'
import { createMonitoring } from './monitoring/monitoring.ts'
import { createPrerequisites } from './install/prerequisites.ts'
import { createUnbundledObjects } from './install/unbundled-objects.ts'
import { createPlanner, recheckMs } from './rollout/preflight.ts'
import type { OperatorPorts } from './ports.ts'
import { reconfiguredStages } from './rollout/reconfiguration.ts'
import { reportsReconfiguration, type InstallationReport } from './status/conditions.ts'
import { createWebhookInstaller } from './install/webhook-installer.ts'
import { rolloutFailureOf, createClusterObserver, type RolloutSnapshot } from './observe.ts'
import { installedNames } from './manifests/install-strategy.ts'
import { resolveTarget, type ResolvedTarget, type ReleaseTarget } from './rollout/target-version.ts'
import { createStatusWriter } from './status/status-writer.ts'
import { createUpgradeTracer } from './status/upgrade-trace.ts'
import { createUninstaller } from './uninstall/index.ts'

/**
 * Installs the version that the KubeVirt object requests, stage by stage, and repairs deviations.
 */
export function createOperatorReconciler(ports: OperatorPorts): Reconciler {
  const { clock, own, namespace, platform } = ports
  const planFor = createPlanner(ports.preflight, clock)
  const prerequisites = createPrerequisites(ports)
  const webhooks = createWebhookInstaller(ports)
  const observer = createClusterObserver(ports, prerequisites, webhooks)
  const statusWriter = createStatusWriter(ports)
  const upgradeTracer = createUpgradeTracer()
  const uninstaller = createUninstaller(ports)
  const monitoring = createMonitoring(ports)
  const applyUnbundled = createUnbundledObjects(ports, ports.unbundled)

  return async (_request, { signal }) => {
    const all = ports.kubevirts.list().filter(({ metadata }) => metadata.namespace === namespace)
    const chosen = chooseKubeVirt(all)
    for (const other of all) if (other !== chosen && isDeleting(other)) await uninstaller.release(other, signal)
    if (chosen === undefined) return done
    if (isDeleting(chosen)) {
      prerequisites.forget()
      return uninstaller.remove(chosen, signal)
    }
    const kubevirt = await uninstaller.hold(chosen, signal)
    const target = resolveTarget(kubevirt, own, { namespace, platform }, ports.nodes.list())
    try {
      return await reconcile(kubevirt, target, signal)
    } catch (error) {
      await statusWriter.recordError(kubevirt, target, error, signal)
      throw error
    }
  }

  async function reconcile(kubevirt: KubeVirt, target: ResolvedTarget, signal: AbortSignal): Promise<Result> {
    await applyUnbundled(signal)
    // Observe and decide: may the requested version begin, and did a version that began fail?
    const plan = await preflight(kubevirt, target, signal)
    if (plan?.refused === false) return startUpgrade(kubevirt, plan, target, signal)
    const components = await observer.components(kubevirt, target, signal)
    const failure = rolloutFailureOf(kubevirt, target, components)
    if (failure !== undefined) {
      await statusWriter.rejectVersion(kubevirt, failure, signal)
      return done
    }
    // Observe, decide, act, report.
    const snapshot = await observer.snapshot(kubevirt, target, components, signal)
    const decision = await tracing().span('decide rollout', {}, async () => decideRollout(snapshot.observation, clock.now()))
    const generations = await perform(kubevirt, target, snapshot, decision, signal)
    const monitoringMs = await monitoring.apply(kubevirt, target.target.version, signal)
    return report(kubevirt, target, { snapshot, decision, generations, plan, monitoringMs }, signal)
  }

  async function preflight(kubevirt: KubeVirt, { unchecked }: ResolvedTarget, signal: AbortSignal): Promise<UpgradePlan | undefined> {
    if (unchecked === undefined) return undefined
    const from = kubevirt.status?.observedKubeVirtVersion ?? ''
    return planFor({ kubevirt, from, to: unchecked.target.version }, unchecked, signal)
  }

  /** Records the requested version as the target: the next pass begins with it. */
  async function startUpgrade(kubevirt: KubeVirt, plan: UpgradePlan, { unchecked }: ResolvedTarget, signal: AbortSignal): Promise<Result> {
    if (unchecked !== undefined) await statusWriter.update(kubevirt, reportOf(kubevirt, unchecked, notStarted, { plan }), signal)
    return done
  }

  async function perform(
    { status }: KubeVirt,
    { strategy }: ReleaseTarget,
    { found, scope, prerequisites: differences, isServed, webhookChanges, registration, observation }: RolloutSnapshot,
    decision: RolloutDecision,
    signal: AbortSignal,
  ): Promise<InstallationReport['generations']> {
    const phase = isServed ? 'after' : observation.from !== undefined && decision.apply.includes('API') ? 'during' : 'before'
    const { missingCrds: coming = [], foreignCrds: foreign = [] } = differences ?? {}
    await webhooks.apply(webhookChanges ?? (await webhooks.changes({ ...registration, phase })), { phase, coming, foreign }, signal)
    if (decision.stage === 'Contract') {
      await prerequisites.apply(await prerequisites.obsolete(scope, installedNames, signal), signal)
    }
    const expand = async (): Promise<void> => {
      const { changes } = differences ?? (await prerequisites.observe(scope, false, signal))
      await prerequisites.apply(changes, signal)
    }
    return act(ports, { strategy, found, generations: status?.generations ?? [] }, decision, expand, signal)
  }

  async function report(
    kubevirt: KubeVirt,
    target: ResolvedTarget,
    { snapshot, decision, generations, plan, monitoringMs }: RolloutPass,
    signal: AbortSignal,
  ): Promise<Result> {
    const { agents, agentsWanted, controllers, api, prerequisites: differences } = snapshot
    // Contract is one step: once it has run, the upgrade is complete.
    const isContracted = decision.stage === 'Contract' && kubevirt.status?.steadyvm?.upgrade?.stage === 'Contract'
    const reached = isContracted ? { ...decision, stage: undefined } : decision
    const health = observer.health(target, snapshot)
    const details = {
      generations,
      skipped: agents.skipped,
      rejected: target.rejected,
      plan,
      trouble: (agentsWanted ? agents.problem : undefined) ?? controllers.problem ?? api.problem,
      reconfigured: target.isSettled
        ? reconfiguredStages({ ...snapshot, daemonSet: snapshot.found.agent, wasReported: reportsReconfiguration(kubevirt) })
        : [],
      ailments: health.ailments,
    }
    const told = await statusWriter.update(kubevirt, reportOf(kubevirt, target, reached, details), signal)
    upgradeTracer.report(told, ports.pods.list(), clock.now())
    const waits = [
      reached.stage === 'Contract' ? 0 : undefined,
      decision.recheckAfterMs,
      health.recheckAfterMs,
      differences?.recheckAfterMs,
      monitoringMs,
      plan === undefined ? undefined : recheckMs,
    ].filter((wait) => wait !== undefined)
    return waits.length === 0 ? done : recheckIn(Math.min(...waits))
  }

  function reportOf(
    kubevirt: KubeVirt,
    { target, strategy }: ReleaseTarget,
    decision: RolloutDecision,
    more: Partial<InstallationReport>,
  ): InstallationReport {
    const { version, registry } = target
    const { identifier } = strategy
    const generations = kubevirt.status?.generations ?? []
    const problems = strategy.problems.map(({ index, message }) => `spec.customizeComponents.patches[${index}] ${message}`)
    const release = { version, registry, identifier, operatorVersion: own.version }
    const nothing = { skipped: [], rejected: undefined, plan: undefined, trouble: undefined, reconfigured: [], ailments: [] }
    return { decision, ...release, ...nothing, generations, problems, ...more }
  }
}

/** Observation, decision and results of one pass of the reconciler. */
interface RolloutPass {
  readonly snapshot: RolloutSnapshot
  readonly decision: RolloutDecision
  readonly generations: InstallationReport['generations']
  /** A plan with findings that block the requested version. */
  readonly plan: UpgradePlan | undefined
  /** Milliseconds until the objects for Prometheus are looked at again. */
  readonly monitoringMs: number | undefined
}

function isDeleting({ metadata }: KubeVirt): boolean {
  return isBeingDeleted({ metadata })
}
