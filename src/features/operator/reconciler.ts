import type { KubeVirt, UpgradePlan } from '#api/kubevirt/v1/kubevirt.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import { releaseMark } from '#features/vmi/index.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { act, findComponents, type Found } from './act.ts'
import { createAgentTemplate } from './agent-template.ts'
import { decideAgents, type AgentsDecision } from './agents.ts'
import { decideRollout, isEverywhere, nothingYet, type RolloutDecision } from './decide.ts'
import { createGround, type Tenant } from './ground.ts'
import { agentPodOf, isLike, nodesOf, rolloutStateOf } from './observe.ts'
import { createPlanner, lookAgainMs } from './preflight.ts'
import type { OperatorPorts } from './ports.ts'
import type { Report } from './report.ts'
import { createRegistrar } from './registrar.ts'
import type { ServingPhase } from './registrations.ts'
import { createExaminer } from './soundness.ts'
import { annotationsOf, components } from './strategy.ts'
import { abandonedBy, aimOf, keepForMs, type Aim, type Goal } from './target.ts'
import { createTeller } from './tell.ts'
import { createUninstaller } from './uninstall/index.ts'

/** Brings the components to the version that the KubeVirt object asks for, stage by stage, and keeps them there. */
export function createOperatorReconciler(ports: OperatorPorts): Reconciler {
  const { clock, own, namespace, platform } = ports
  const planFor = createPlanner(ports.preflight, clock)
  const ground = createGround(ports)
  const registrar = createRegistrar(ports)
  const examine = createExaminer(ports)
  const hashOfAgents = createAgentTemplate(ports.client)
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
    try {
      return await reconcile(kubevirt, aimOf(kubevirt, own, { namespace, platform }, ports.nodes.list()), signal)
    } catch (error) {
      await teller.stumble(kubevirt, error, signal)
      throw error
    }
  }

  async function reconcile(kubevirt: KubeVirt, aim: Aim, signal: AbortSignal): Promise<Result> {
    const { target, strategy, rejected, isSettled, unchecked } = aim
    const { status: { observedKubeVirtVersion: from, steadyvm: { upgrade } = {} } = {} } = kubevirt
    let plan: UpgradePlan | undefined
    if (unchecked !== undefined) {
      plan = await planFor({ kubevirt, from: from ?? '', to: unchecked.target.version }, unchecked, signal)
      if (!plan.refused) {
        await teller.tell(kubevirt, reportOf(kubevirt, unchecked, nothingYet, { plan }), signal)
        return done
      }
    }
    const found = findComponents(ports)
    const agents = await lookAtAgents(aim, kubevirt, signal)
    const agentsWanted = isLike(found.agent, strategy.agent)
    // What was in place before is where the way back leads to.
    const isTry = from !== undefined && !isSettled && strategy.identifier !== kubevirt.status?.observedDeploymentID
    if (agents.state === 'failed' && agentsWanted && isTry && rejected === undefined) {
      const { version } = target
      const generation = kubevirt.metadata.generation ?? 0
      const { problem: message = '' } = agents
      await teller.reject(kubevirt, { version, deploymentID: strategy.identifier, generation, message }, signal)
      return done
    }
    const isAlone = isSettled && upgrade === undefined && isEverywhere(agents)
    const tenant = { version: target.version, abandoned: abandonedBy(kubevirt) }
    const looking = ground.lacking(tenant, isAlone, signal)
    // Nobody waits for a look at all kinds while there is nothing yet.
    const isFirst = from === undefined && found.api === undefined
    const [controllers, api] = [rolloutStateOf(found.controller, strategy.controller), rolloutStateOf(found.api, strategy.api)]
    const fallback = from === undefined ? [] : [from, found.api?.metadata.annotations?.[annotationsOf.version] ?? from]
    const register = (phase: ServingPhase): ReturnType<typeof registrar.changes> =>
      registrar.changes({ wanted: target.version, phase, fallback })
    const isServed = isSettled || (api.isWanted && api.isRolled)
    const afterwards = isServed ? await register('after') : undefined
    const observation = {
      from,
      to: target.version,
      present: [found.agent, found.controller, found.api].flatMap((object) => object?.metadata.annotations?.[annotationsOf.version] ?? []),
      isSettled,
      isGrown: !isFirst && (await looking).length === 0,
      contractAt: upgrade?.to === target.version && upgrade.contractAt !== undefined ? Date.parse(upgrade.contractAt) : undefined,
      contractAfterMs: keepForMs(kubevirt, ports.contractAfterMs),
      agentsWanted,
      agents,
      isRegistered: afterwards !== undefined && afterwards.write.length + afterwards.remove.length === 0,
      controllers,
      api,
    }
    const decision = decideRollout(observation, clock.now())
    // Nobody is asked before there is somebody who answers; in what order, the registrar knows.
    const phase = isServed ? 'after' : from !== undefined && decision.apply.includes('API') ? 'during' : 'before'
    const kinds = isFirst ? { coming: [], foreign: [] } : ground.kinds
    await registrar.apply(afterwards ?? (await register(phase)), { phase, ...kinds }, signal)
    const generations = await perform(
      kubevirt,
      { strategy, tenant },
      found,
      decision,
      async () => ground.apply(await looking, signal),
      signal,
    )
    // Taken away all at once, what older versions needed is history.
    const isOver = decision.stage === 'Contract' && upgrade?.stage === 'Contract'
    const trouble = agentsWanted ? agents.problem : undefined
    const more = { generations, skipped: agents.skipped, rejected, plan, trouble }
    await teller.tell(
      kubevirt,
      reportOf(kubevirt, { target, strategy }, isOver ? { ...decision, stage: undefined } : decision, more),
      signal,
    )
    const waits = [
      decision.stage === 'Contract' && !isOver ? 0 : undefined,
      decision.recheckAfterMs,
      plan === undefined ? undefined : lookAgainMs,
    ].filter((wait) => wait !== undefined)
    return waits.length === 0 ? done : recheckIn(Math.min(...waits))
  }

  async function lookAtAgents(
    { target, strategy, isSettled }: Aim,
    { status: { observedKubeVirtVersion: from, generations = [] } = {} }: KubeVirt,
    signal: AbortSignal,
  ): Promise<AgentsDecision> {
    const { template } = strategy.agent.spec
    const hash = await hashOfAgents(ports.daemonSets.get(namespace, components.agent), generations, signal)
    const found = ports.agents.list().map((pod) => agentPodOf(pod, template, hash))
    const isNew = !isSettled && from !== undefined && from !== target.version
    const pods = isNew ? await examine(found, releaseMark(`${target.registry}/virt-launcher:${target.version}`), signal) : found
    const { soakMs, deadlineMs } = ports
    return decideAgents({ nodes: nodesOf(ports.nodes.list(), template), pods, soakMs, deadlineMs }, clock.now())
  }

  async function perform(
    { status }: KubeVirt,
    { strategy, tenant }: Pick<Goal, 'strategy'> & { readonly tenant: Tenant },
    found: Found,
    decision: RolloutDecision,
    expand: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<Report['generations']> {
    if (decision.stage === 'Contract') await ground.apply(await ground.surplus(tenant, Object.values(components), signal), signal)
    return act(ports, { strategy, found, generations: status?.generations ?? [] }, decision, expand, signal)
  }

  function reportOf(kubevirt: KubeVirt, { target, strategy }: Goal, decision: RolloutDecision, more: Partial<Report>): Report {
    const { version, registry } = target
    const { identifier } = strategy
    const generations = kubevirt.status?.generations ?? []
    const problems = strategy.problems.map(({ index, message }) => `spec.customizeComponents.patches[${index}] ${message}`)
    const place = { version, registry, identifier, operatorVersion: own.version }
    return { decision, ...place, generations, skipped: [], rejected: undefined, plan: undefined, trouble: undefined, problems, ...more }
  }
}

function isLeaving({ metadata }: KubeVirt): boolean {
  return metadata.deletionTimestamp !== undefined
}
