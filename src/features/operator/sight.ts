import type { Pod, PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { KubeVirt, RejectedVersion } from '#api/kubevirt/v1/kubevirt.ts'
import { compareReleases } from '#apimachinery/release-version.ts'
import { releaseMark } from '#features/vmi/index.ts'
import { findComponents, type Found } from './act.ts'
import { createAgentTemplate } from './agent-template.ts'
import { decideAgents, type AgentsDecision } from './agents.ts'
import { isEverywhere, type RolloutObservation, type RolloutState } from './decide.ts'
import { healthOf, wellness, type ComponentPod, type Health } from './health.ts'
import type { Change, Ground, Tenant } from './ground.ts'
import { agentPodOf, isLike, nodesOf, rolloutStateOf } from './observe.ts'
import type { OperatorPorts } from './ports.ts'
import type { Registrar, RegistrationRequest } from './registrar.ts'
import type { RegistrationChanges } from './registrations.ts'
import { createExaminer } from './soundness.ts'
import { annotationsOf, components } from './strategy.ts'
import { abandonedBy, keepForMs, type Aim } from './target.ts'

/** The components, measured by what they are to be. */
export interface ComponentsSeen {
  readonly found: Found
  readonly agentsWanted: boolean
  readonly agents: AgentsDecision
  readonly controllers: RolloutState
  readonly api: RolloutState
}

/** All that a step is decided and taken by. */
export interface Seen extends ComponentsSeen {
  readonly observation: RolloutObservation
  readonly tenant: Tenant
  /**
   * What kinds and rights lack. Nobody waits for a look at all kinds while there is nothing yet.
   */
  readonly lacking: Promise<readonly Change[]>
  /** Whether there is nothing yet. */
  readonly isFirst: boolean
  /** Whether the wanted version answers, and no other one. */
  readonly isServed: boolean
  /** What registrations lack when it does; undefined until then. */
  readonly unregistered: RegistrationChanges | undefined
  /** What the registrar is to be asked with. */
  readonly registration: Omit<RegistrationRequest, 'phase'>
}

/** Looks at the cluster. */
export interface Sight {
  components(kubevirt: KubeVirt, aim: Aim, signal: AbortSignal): Promise<ComponentsSeen>
  /**
   * Whether what has been in place before is well. While it is replaced by another version, nobody
   * asks.
   */
  health(aim: Aim, seen: ComponentsSeen): Health
  /** All the rest, too. */
  whole(kubevirt: KubeVirt, aim: Aim, seen: ComponentsSeen, signal: AbortSignal): Promise<Seen>
}

/** Makes the sight. */
export function createSight(ports: OperatorPorts, ground: Ground, registrar: Registrar): Sight {
  const examine = createExaminer(ports)
  const hashOfAgents = createAgentTemplate(ports.client)

  return {
    health({ isSettled, strategy }, { found, controllers, api }) {
      if (!isSettled) return wellness
      const { agent, controller, api: front } = strategy
      const deployments = [
        { name: components.controller, deployment: found.controller, template: controller.spec.template, ...controllers },
        { name: components.api, deployment: found.api, template: front.spec.template, ...api },
      ].map((one) => ({ ...one, pods: livingPodsOf(one.name, one.template) }))
      const { template } = agent.spec
      const agents = {
        name: components.agent,
        nodes: nodesOf(ports.nodes.list(), template),
        pods: livingPodsOf(components.agent, template),
      }
      return healthOf(deployments, agents, ports.clock.now())
    },
    async components(kubevirt, aim, signal) {
      const { strategy } = aim
      const found = findComponents(ports)
      return {
        found,
        agentsWanted: isLike(found.agent, strategy.agent),
        agents: await lookAtAgents(kubevirt, aim, signal),
        controllers: rolloutStateOf(found.controller, strategy.controller),
        api: rolloutStateOf(found.api, strategy.api),
      }
    },
    async whole(kubevirt, { target: { version }, isSettled }, seen, signal) {
      const { status: { observedKubeVirtVersion: from, steadyvm: { upgrade } = {} } = {} } = kubevirt
      const { found, agents, agentsWanted, controllers, api } = seen
      const isAlone = isSettled && upgrade === undefined && isEverywhere(agents)
      const tenant = { version, abandoned: abandonedBy(kubevirt) }
      const lacking = ground.lacking(tenant, isAlone, signal)
      // Whoever waits for it hears of its failure; a failure before that must not end the process.
      lacking.catch(() => undefined)
      const isFirst = from === undefined && found.api === undefined
      const isServed = isSettled || (api.isWanted && api.isRolled)
      const fallback = from === undefined ? [] : [from, found.api?.metadata.annotations?.[annotationsOf.version] ?? from]
      const registration = { wanted: version, fallback }
      const unregistered = isServed ? await registrar.changes({ ...registration, phase: 'after' }) : undefined
      const observation = {
        from,
        to: version,
        present: versionsOf(found, api),
        isSettled,
        isGrown: !isFirst && (await lacking).length === 0,
        contractAt: upgrade?.to === version && upgrade.contractAt !== undefined ? Date.parse(upgrade.contractAt) : undefined,
        contractAfterMs: keepForMs(kubevirt, ports.contractAfterMs),
        agentsWanted,
        agents,
        isRegistered: unregistered !== undefined && unregistered.write.length + unregistered.remove.length === 0,
        controllers,
        api,
      }
      return { ...seen, observation, tenant, lacking, isFirst, isServed, unregistered, registration }
    },
  }

  function podsOf(component: string): readonly Pod[] {
    return ports.pods.list().filter(({ metadata }) => metadata.labels?.['kubevirt.io'] === component)
  }

  /** Those that have ended for good are replaced, and stay as they are. */
  function livingPodsOf(component: string, wanted: PodTemplateSpec): readonly ComponentPod[] {
    const living = podsOf(component).filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    return living.map((pod) => agentPodOf(pod, wanted))
  }

  async function lookAtAgents(
    { status: { observedKubeVirtVersion: from, generations = [] } = {} }: KubeVirt,
    { target, strategy, isSettled }: Aim,
    signal: AbortSignal,
  ): Promise<AgentsDecision> {
    const { template } = strategy.agent.spec
    const hash = await hashOfAgents(ports.daemonSets.get(ports.namespace, components.agent), generations, signal)
    const found = podsOf(components.agent).map((pod) => agentPodOf(pod, template, hash))
    const isNew = !isSettled && from !== undefined && from !== target.version
    const pods = isNew ? await examine(found, releaseMark(`${target.registry}/virt-launcher:${target.version}`), signal) : found
    const { soakMs, deadlineMs } = ports
    return decideAgents({ nodes: nodesOf(ports.nodes.list(), template), pods, soakMs, deadlineMs }, ports.clock.now())
  }
}

/**
 * The versions of the components that are there. Some API servers of one that is on its way may
 * still be as new as the controllers. Pure.
 */
function versionsOf({ agent, controller, api }: Found, { isRolled }: RolloutState): RolloutObservation['present'] {
  const versionOf = (object: Found['agent' | 'api']): string | undefined => object?.metadata.annotations?.[annotationsOf.version]
  const [NodeAgents, Controllers, API] = [versionOf(agent), versionOf(controller), versionOf(api)]
  const isBehind = API !== undefined && Controllers !== undefined && compareReleases(API, Controllers) < 0
  return { NodeAgents, Controllers, API: isBehind && !isRolled ? Controllers : API }
}

/**
 * Whether the first node has shown that what is tried does not work; what was in place before is
 * where the way back leads to. Pure.
 */
export function failureOf({ metadata, status }: KubeVirt, aim: Aim, { agents, agentsWanted }: ComponentsSeen): RejectedVersion | undefined {
  const { target, strategy, isSettled, rejected } = aim
  const isTry = status?.observedKubeVirtVersion !== undefined && !isSettled && strategy.identifier !== status.observedDeploymentID
  if (agents.state !== 'failed' || !agentsWanted || !isTry || rejected !== undefined) return undefined
  const { problem: message = '' } = agents
  return { version: target.version, deploymentID: strategy.identifier, generation: metadata.generation ?? 0, message }
}
