import type { KubeVirt, UpgradePlan } from '#api/kubevirt/v1/kubevirt.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { act } from './act.ts'
import { decideRollout, notStarted, type RolloutDecision } from './rollout/decide.ts'
import { createPrerequisites } from './install/prerequisites.ts'
import { createPlanner, recheckMs } from './rollout/preflight.ts'
import type { OperatorPorts } from './ports.ts'
import type { InstallationReport } from './status/conditions.ts'
import { createWebhookInstaller } from './install/webhook-installer.ts'
import { createClusterObserver, canaryFailureOf, type RolloutSnapshot } from './observe.ts'
import { componentNames } from './manifests/install-strategy.ts'
import { resolveTarget, type ResolvedTarget, type ReleaseTarget } from './rollout/target-version.ts'
import { createStatusWriter } from './status/status-writer.ts'
import { createUninstaller } from './uninstall/index.ts'

/**
 * Brings the components to the version that the KubeVirt object asks for, stage by stage, and keeps
 * them there.
 */
export function createOperatorReconciler(ports: OperatorPorts): Reconciler {
  const { clock, own, namespace, platform } = ports
  const planFor = createPlanner(ports.preflight, clock)
  const ground = createPrerequisites(ports)
  const registrar = createWebhookInstaller(ports)
  const sight = createClusterObserver(ports, ground, registrar)
  const teller = createStatusWriter(ports)
  const uninstaller = createUninstaller(ports)

  return async (_request, { signal }) => {
    const all = ports.kubevirts.list().filter(({ metadata }) => metadata.namespace === namespace)
    const chosen = chooseKubeVirt(all)
    for (const other of all) if (other !== chosen && isLeaving(other)) await uninstaller.release(other, signal)
    if (chosen === undefined) return done
    if (isLeaving(chosen)) {
      ground.forget()
      return uninstaller.remove(chosen, signal)
    }
    const kubevirt = await uninstaller.hold(chosen, signal)
    const aim = resolveTarget(kubevirt, own, { namespace, platform }, ports.nodes.list())
    try {
      return await reconcile(kubevirt, aim, signal)
    } catch (error) {
      await teller.recordError(kubevirt, aim, error, signal)
      throw error
    }
  }

  async function reconcile(kubevirt: KubeVirt, aim: ResolvedTarget, signal: AbortSignal): Promise<Result> {
    const { unchecked, rejected } = aim
    const { status: { observedKubeVirtVersion: from, steadyvm: { upgrade } = {} } = {} } = kubevirt
    let plan: UpgradePlan | undefined
    if (unchecked !== undefined) {
      plan = await planFor({ kubevirt, from: from ?? '', to: unchecked.target.version }, unchecked, signal)
      if (!plan.refused) {
        await teller.update(kubevirt, reportOf(kubevirt, unchecked, notStarted, { plan }), signal)
        return done
      }
    }
    const parts = await sight.components(kubevirt, aim, signal)
    const failure = canaryFailureOf(kubevirt, aim, parts)
    if (failure !== undefined) {
      await teller.rejectVersion(kubevirt, failure, signal)
      return done
    }
    const seen = await sight.whole(kubevirt, aim, parts, signal)
    const decision = decideRollout(seen.observation, clock.now())
    const generations = await perform(kubevirt, aim, seen, decision, signal)
    // Taken away all at once, what older versions needed is history.
    const isOver = decision.stage === 'Contract' && upgrade?.stage === 'Contract'
    const reached = isOver ? { ...decision, stage: undefined } : decision
    const trouble = seen.agentsWanted ? seen.agents.problem : undefined
    const health = sight.health(aim, seen)
    const { skipped } = seen.agents
    await teller.update(
      kubevirt,
      reportOf(kubevirt, aim, reached, { generations, skipped, rejected, plan, trouble, ailments: health.ailments }),
      signal,
    )
    const waits = [
      reached.stage === 'Contract' ? 0 : undefined,
      decision.recheckAfterMs,
      health.recheckAfterMs,
      ground.recheckAfterMs,
      plan === undefined ? undefined : recheckMs,
    ].filter((wait) => wait !== undefined)
    return waits.length === 0 ? done : recheckIn(Math.min(...waits))
  }

  async function perform(
    { status }: KubeVirt,
    { strategy }: ReleaseTarget,
    { found, tenant, lacking, isFirst, isServed, unregistered, registration, observation }: RolloutSnapshot,
    decision: RolloutDecision,
    signal: AbortSignal,
  ): Promise<InstallationReport['generations']> {
    // Nobody is asked before there is somebody who answers; in what order, the registrar knows.
    const phase = isServed ? 'after' : observation.from !== undefined && decision.apply.includes('API') ? 'during' : 'before'
    const kinds = isFirst ? { coming: [], foreign: [] } : ground.kinds
    await registrar.apply(unregistered ?? (await registrar.changes({ ...registration, phase })), { phase, ...kinds }, signal)
    if (decision.stage === 'Contract') await ground.apply(await ground.obsolete(tenant, Object.values(componentNames), signal), signal)
    const expand = async (): Promise<void> => ground.apply(await lacking, signal)
    return act(ports, { strategy, found, generations: status?.generations ?? [] }, decision, expand, signal)
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
    const place = { version, registry, identifier, operatorVersion: own.version }
    const nothing = { skipped: [], rejected: undefined, plan: undefined, trouble: undefined, ailments: [] }
    return { decision, ...place, ...nothing, generations, problems, ...more }
  }
}

function isLeaving({ metadata }: KubeVirt): boolean {
  return metadata.deletionTimestamp !== undefined
}
