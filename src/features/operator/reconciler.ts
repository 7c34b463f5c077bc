import type { KubeVirt, UpgradePlan } from '#api/kubevirt/v1/kubevirt.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { act } from './act.ts'
import { decideRollout, nothingYet, type RolloutDecision } from './decide.ts'
import { createGround } from './ground.ts'
import { createPlanner, lookAgainMs } from './preflight.ts'
import type { OperatorPorts } from './ports.ts'
import type { Report } from './report.ts'
import { createRegistrar } from './registrar.ts'
import { createSight, failureOf, type Seen } from './sight.ts'
import { components } from './strategy.ts'
import { aimOf, type Aim, type Goal } from './target.ts'
import { createTeller } from './tell.ts'
import { createUninstaller } from './uninstall/index.ts'

/**
 * Brings the components to the version that the KubeVirt object asks for, stage by stage, and keeps
 * them there.
 */
export function createOperatorReconciler(ports: OperatorPorts): Reconciler {
  const { clock, own, namespace, platform } = ports
  const planFor = createPlanner(ports.preflight, clock)
  const ground = createGround(ports)
  const registrar = createRegistrar(ports)
  const sight = createSight(ports, ground, registrar)
  const teller = createTeller(ports)
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
    const aim = aimOf(kubevirt, own, { namespace, platform }, ports.nodes.list())
    try {
      return await reconcile(kubevirt, aim, signal)
    } catch (error) {
      await teller.stumble(kubevirt, aim, error, signal)
      throw error
    }
  }

  async function reconcile(kubevirt: KubeVirt, aim: Aim, signal: AbortSignal): Promise<Result> {
    const { unchecked, rejected } = aim
    const { status: { observedKubeVirtVersion: from, steadyvm: { upgrade } = {} } = {} } = kubevirt
    let plan: UpgradePlan | undefined
    if (unchecked !== undefined) {
      plan = await planFor({ kubevirt, from: from ?? '', to: unchecked.target.version }, unchecked, signal)
      if (!plan.refused) {
        await teller.tell(kubevirt, reportOf(kubevirt, unchecked, nothingYet, { plan }), signal)
        return done
      }
    }
    const parts = await sight.components(kubevirt, aim, signal)
    const failure = failureOf(kubevirt, aim, parts)
    if (failure !== undefined) {
      await teller.reject(kubevirt, failure, signal)
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
    await teller.tell(
      kubevirt,
      reportOf(kubevirt, aim, reached, { generations, skipped, rejected, plan, trouble, ailments: health.ailments }),
      signal,
    )
    const waits = [
      reached.stage === 'Contract' ? 0 : undefined,
      decision.recheckAfterMs,
      health.recheckAfterMs,
      ground.recheckAfterMs,
      plan === undefined ? undefined : lookAgainMs,
    ].filter((wait) => wait !== undefined)
    return waits.length === 0 ? done : recheckIn(Math.min(...waits))
  }

  async function perform(
    { status }: KubeVirt,
    { strategy }: Goal,
    { found, tenant, lacking, isFirst, isServed, unregistered, registration, observation }: Seen,
    decision: RolloutDecision,
    signal: AbortSignal,
  ): Promise<Report['generations']> {
    // Nobody is asked before there is somebody who answers; in what order, the registrar knows.
    const phase = isServed ? 'after' : observation.from !== undefined && decision.apply.includes('API') ? 'during' : 'before'
    const kinds = isFirst ? { coming: [], foreign: [] } : ground.kinds
    await registrar.apply(unregistered ?? (await registrar.changes({ ...registration, phase })), { phase, ...kinds }, signal)
    if (decision.stage === 'Contract') await ground.apply(await ground.surplus(tenant, Object.values(components), signal), signal)
    const expand = async (): Promise<void> => ground.apply(await lacking, signal)
    return act(ports, { strategy, found, generations: status?.generations ?? [] }, decision, expand, signal)
  }

  function reportOf(kubevirt: KubeVirt, { target, strategy }: Goal, decision: RolloutDecision, more: Partial<Report>): Report {
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
