import type { Pod, PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { KubeVirt, RejectedVersion } from '#api/kubevirt/v1/kubevirt.ts'
import { compareReleases } from '#apimachinery/release-version.ts'
import { releaseMark } from '#features/vmi/index.ts'
import { findComponents, type InstalledComponents } from './act.ts'
import { createTemplateHashReader } from './rollout/daemonset-revision.ts'
import { decideNodeAgents, type NodeAgentsDecision } from './rollout/node-agents.ts'
import { isOnEveryNode, type RolloutObservation, type DeploymentState } from './rollout/decide.ts'
import { componentHealthOf, healthy, type ComponentPod, type ComponentHealth } from './status/component-health.ts'
import type { PrerequisiteChange, InstallPrerequisites, ReleaseScope } from './install/prerequisites.ts'
import { nodeAgentPodOf, matchesStrategy, schedulableNodes, deploymentStateOf } from './rollout/component-state.ts'
import type { OperatorPorts } from './ports.ts'
import type { WebhookInstaller, RegistrationRequest } from './install/webhook-installer.ts'
import type { RegistrationChanges } from './install/webhook-registrations.ts'
import { createCanaryCheck } from './rollout/canary-health.ts'
import { releaseAnnotations, componentNames } from './manifests/install-strategy.ts'
import { abandonedVersions, formerVersionRetentionMs, rolloutTiming, type ResolvedTarget } from './rollout/target-version.ts'

/** The components, measured by what they are to be. */
export interface ComponentsSnapshot {
  readonly found: InstalledComponents
  readonly agentsWanted: boolean
  readonly agents: NodeAgentsDecision
  readonly controllers: DeploymentState
  readonly api: DeploymentState
}

/** All that a step is decided and taken by. */
export interface RolloutSnapshot extends ComponentsSnapshot {
  readonly observation: RolloutObservation
  readonly tenant: ReleaseScope
  /**
   * What kinds and rights lack. Nobody waits for a look at all kinds while there is nothing yet.
   */
  readonly lacking: Promise<readonly PrerequisiteChange[]>
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
export interface ClusterObserver {
  components(kubevirt: KubeVirt, aim: ResolvedTarget, signal: AbortSignal): Promise<ComponentsSnapshot>
  /**
   * Whether what has been in place before is well. While it is replaced by another version, nobody
   * asks.
   */
  health(aim: ResolvedTarget, seen: ComponentsSnapshot): ComponentHealth
  /** All the rest, too. */
  whole(kubevirt: KubeVirt, aim: ResolvedTarget, seen: ComponentsSnapshot, signal: AbortSignal): Promise<RolloutSnapshot>
}

/** Makes the sight. */
export function createClusterObserver(ports: OperatorPorts, ground: InstallPrerequisites, registrar: WebhookInstaller): ClusterObserver {
  const examine = createCanaryCheck(ports)
  const hashOfAgents = createTemplateHashReader(ports.client)

  return {
    health({ isSettled, strategy }, { found, controllers, api }) {
      if (!isSettled) return healthy
      const { agent, controller, api: front } = strategy
      const deployments = [
        { name: componentNames.controller, deployment: found.controller, template: controller.spec.template, ...controllers },
        { name: componentNames.api, deployment: found.api, template: front.spec.template, ...api },
      ].map((one) => ({ ...one, pods: livingPodsOf(one.name, one.template) }))
      const { template } = agent.spec
      const agents = {
        name: componentNames.agent,
        nodes: schedulableNodes(ports.nodes.list(), template),
        pods: livingPodsOf(componentNames.agent, template),
      }
      return componentHealthOf(deployments, agents, ports.clock.now())
    },
    async components(kubevirt, aim, signal) {
      const { strategy } = aim
      const found = findComponents(ports)
      return {
        found,
        agentsWanted: matchesStrategy(found.agent, strategy.agent),
        agents: await lookAtAgents(kubevirt, aim, signal),
        controllers: deploymentStateOf(found.controller, strategy.controller),
        api: deploymentStateOf(found.api, strategy.api),
      }
    },
    async whole(kubevirt, { target: { version }, isSettled }, seen, signal) {
      const { status: { observedKubeVirtVersion: from, steadyvm: { upgrade } = {} } = {} } = kubevirt
      const { found, agents, agentsWanted, controllers, api } = seen
      const isAlone = isSettled && upgrade === undefined && isOnEveryNode(agents)
      const tenant = { version, abandoned: abandonedVersions(kubevirt) }
      const lacking = ground.missing(tenant, isAlone, signal)
      // Whoever waits for it hears of its failure; a failure before that must not end the process.
      lacking.catch(() => undefined)
      const isFirst = from === undefined && found.api === undefined
      const isServed = isSettled || (api.isWanted && api.isRolled)
      const fallback = from === undefined ? [] : [from, found.api?.metadata.annotations?.[releaseAnnotations.version] ?? from]
      const registration = { wanted: version, fallback }
      const unregistered = isServed ? await registrar.changes({ ...registration, phase: 'after' }) : undefined
      const observation = {
        from,
        to: version,
        present: versionsOf(found, api),
        isSettled,
        isGrown: !isFirst && (await lacking).length === 0,
        contractAt: upgrade?.to === version && upgrade.contractAt !== undefined ? Date.parse(upgrade.contractAt) : undefined,
        contractAfterMs: formerVersionRetentionMs(kubevirt, ports.contractAfterMs),
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
    return living.map((pod) => nodeAgentPodOf(pod, wanted))
  }

  async function lookAtAgents(
    kubevirt: KubeVirt,
    { target, strategy, isSettled }: ResolvedTarget,
    signal: AbortSignal,
  ): Promise<NodeAgentsDecision> {
    const { observedKubeVirtVersion: from, generations = [] } = kubevirt.status ?? {}
    const { template } = strategy.agent.spec
    const hash = await hashOfAgents(ports.daemonSets.get(ports.namespace, componentNames.agent), generations, signal)
    const found = podsOf(componentNames.agent).map((pod) => nodeAgentPodOf(pod, template, hash))
    const isNew = !isSettled && from !== undefined && from !== target.version
    const pods = isNew ? await examine(found, releaseMark(`${target.registry}/virt-launcher:${target.version}`), signal) : found
    return decideNodeAgents(
      { nodes: schedulableNodes(ports.nodes.list(), template), pods, ...rolloutTiming(kubevirt, ports) },
      ports.clock.now(),
    )
  }
}

/**
 * The versions of the components that are there. Some API servers of one that is on its way may
 * still be as new as the controllers. Pure.
 */
function versionsOf({ agent, controller, api }: InstalledComponents, { isRolled }: DeploymentState): RolloutObservation['present'] {
  const versionOf = (object: InstalledComponents['agent' | 'api']): string | undefined =>
    object?.metadata.annotations?.[releaseAnnotations.version]
  const [NodeAgents, Controllers, API] = [versionOf(agent), versionOf(controller), versionOf(api)]
  const isBehind = API !== undefined && Controllers !== undefined && compareReleases(API, Controllers) < 0
  return { NodeAgents, Controllers, API: isBehind && !isRolled ? Controllers : API }
}

/**
 * Whether the first node has shown that what is tried does not work; what was in place before is
 * where the way back leads to. Pure.
 */
export function canaryFailureOf(
  { metadata, status }: KubeVirt,
  aim: ResolvedTarget,
  { agents, agentsWanted }: ComponentsSnapshot,
): RejectedVersion | undefined {
  const { target, strategy, isSettled, rejected } = aim
  const isTry = status?.observedKubeVirtVersion !== undefined && !isSettled && strategy.identifier !== status.observedDeploymentID
  if (agents.state !== 'failed' || !agentsWanted || !isTry || rejected !== undefined) return undefined
  const { problem: message = '' } = agents
  return { version: target.version, deploymentID: strategy.identifier, generation: metadata.generation ?? 0, message }
}
