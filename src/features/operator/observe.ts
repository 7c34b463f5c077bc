import type { Deployment } from '#api/apps/v1/deployment.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod, PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { KubeVirt, RejectedVersion } from '#api/kubevirt/v1/kubevirt.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { compareReleases } from '#apimachinery/release-version.ts'
import { imageHash } from '#features/vmi/index.ts'
import { findComponents, type ComponentListers, type InstalledComponents } from './rollout/installed-components.ts'
import type { ComponentPod } from './rollout/component-pod.ts'
import { createTemplateHashReader } from './rollout/daemonset-revision.ts'
import { decideNodeAgents, type NodeAgentsDecision } from './rollout/node-agents.ts'
import { isOnEveryNode, type RolloutObservation, type Stage } from './rollout/decide.ts'
import { decideDeployment, type DeploymentRollout, type DeploymentState } from './rollout/deployments.ts'
import { componentHealthOf, type ComponentHealth } from './status/component-health.ts'
import type { InstallPrerequisites, PrerequisitesObservation, ReleaseScope } from './install/prerequisites.ts'
import { componentPodOf, matchesStrategy, schedulableNodes, deploymentStateOf } from './rollout/component-state.ts'
import type { OperatorPorts } from './ports.ts'
import type { WebhookInstaller, RegistrationRequest } from './install/webhook-installer.ts'
import type { RegistrationChanges } from './install/webhook-registrations.ts'
import { createCanaryCheck, type CanaryCheckPorts } from './rollout/canary-health.ts'
import { releaseAnnotations, componentNames } from './manifests/install-strategy.ts'
import { abandonedVersions, formerVersionRetentionMs, isTrial, rolloutLimits, type ResolvedTarget } from './rollout/target-version.ts'

/** The components compared with the install strategy. */
export interface ComponentsSnapshot {
  readonly found: InstalledComponents
  readonly agentsWanted: boolean
  readonly agents: NodeAgentsDecision
  readonly controllers: DeploymentRollout
  readonly api: DeploymentRollout
}

/** All that a step of a roll-out is decided and taken by. */
export interface RolloutSnapshot extends ComponentsSnapshot {
  readonly observation: RolloutObservation
  readonly scope: ReleaseScope
  /**
   * CRDs and RBAC compared with the release. Undefined during the first installation, in which
   * everything is applied at once: reading all CRDs first would only delay the components.
   */
  readonly prerequisites: PrerequisitesObservation | undefined
  /** True if virt-api of the target version, and of no other, serves. */
  readonly isServed: boolean
  /** Differences of webhooks and APIServices while `isServed`; undefined otherwise. */
  readonly webhookChanges: RegistrationChanges | undefined
  /** Arguments for the webhook installer. */
  readonly registration: Omit<RegistrationRequest, 'phase'>
}

/** Reads the cluster for the reconciler. */
export interface ClusterObserver {
  components(kubevirt: KubeVirt, target: ResolvedTarget, signal: AbortSignal): Promise<ComponentsSnapshot>
  /** Adds CRDs, RBAC and webhooks to what {@link ClusterObserver.components} returned. */
  snapshot(kubevirt: KubeVirt, target: ResolvedTarget, components: ComponentsSnapshot, signal: AbortSignal): Promise<RolloutSnapshot>
  /** Reports components that are not ready; during a roll-out, those without any ready pod. */
  health(target: ResolvedTarget, components: ComponentsSnapshot): ComponentHealth
}

/** Caches and settings that the observer reads. */
export type ObserverPorts = ComponentListers &
  CanaryCheckPorts &
  Pick<OperatorPorts, 'pods' | 'clock' | 'soakMs' | 'deadlineMs' | 'contractAfterMs'>

export function createClusterObserver(
  ports: ObserverPorts,
  prerequisites: Pick<InstallPrerequisites, 'observe'>,
  webhooks: Pick<WebhookInstaller, 'changes'>,
): ClusterObserver {
  const checkCanary = createCanaryCheck(ports)
  const readTemplateHash = createTemplateHashReader(ports.client)

  return {
    health({ isSettled, strategy }, { found, controllers, api }) {
      const { agent, controller, api: server } = strategy
      const deployments = [
        { name: componentNames.controller, deployment: found.controller, template: controller.spec.template, ...controllers },
        { name: componentNames.api, deployment: found.api, template: server.spec.template, ...api },
      ].map((one) => ({ ...one, pods: livingPodsOf(one.name, one.template) }))
      const { template } = agent.spec
      const agents = {
        name: componentNames.agent,
        nodes: schedulableNodes(ports.nodes.list(), template),
        pods: livingPodsOf(componentNames.agent, template),
      }
      const health = componentHealthOf(deployments, agents, ports.clock.now())
      // Pods are replaced by a roll-out: only a component without any ready pod is reported
      // meanwhile.
      return isSettled ? health : { ...health, ailments: health.ailments.filter(({ isDown }) => isDown) }
    },
    async components(kubevirt, target, signal) {
      const { strategy } = target
      const found = findComponents(ports)
      return {
        found,
        agentsWanted: matchesStrategy(found.agent, strategy.agent),
        agents: await observeNodeAgents(kubevirt, target, signal),
        controllers: observeDeployment('Controllers', found.controller, strategy.controller, kubevirt, target),
        api: observeDeployment('API', found.api, strategy.api, kubevirt, target),
      }
    },
    async snapshot(kubevirt, { target: { version }, isSettled }, components, signal) {
      const { status: { observedKubeVirtVersion: from, steadyvm: { upgrade } = {} } = {} } = kubevirt
      const { found, agents, agentsWanted, controllers, api } = components
      const isOnlyRelease = isSettled && upgrade === undefined && isOnEveryNode(agents)
      const scope = { version, abandoned: abandonedVersions(kubevirt) }
      const isFirst = from === undefined && found.api === undefined
      const differences = isFirst ? undefined : await prerequisites.observe(scope, isOnlyRelease, signal)
      const isServed = isSettled || (api.isWanted && api.isRolled)
      const fallback = from === undefined ? [] : [from, found.api?.metadata.annotations?.[releaseAnnotations.version] ?? from]
      const registration = { wanted: version, fallback }
      const webhookChanges = isServed ? await webhooks.changes({ ...registration, phase: 'after' }) : undefined
      const observation = {
        from,
        to: version,
        present: versionsOf(found, api),
        isSettled,
        isGrown: differences !== undefined && differences.changes.length === 0,
        contractAt: upgrade?.to === version && upgrade.contractAt !== undefined ? Date.parse(upgrade.contractAt) : undefined,
        contractAfterMs: formerVersionRetentionMs(kubevirt, ports.contractAfterMs),
        agentsWanted,
        agents,
        isRegistered: webhookChanges !== undefined && webhookChanges.write.length + webhookChanges.remove.length === 0,
        controllers,
        api,
      }
      return { ...components, observation, scope, prerequisites: differences, isServed, webhookChanges, registration }
    },
  }

  function podsOf(component: string): readonly Pod[] {
    return ports.pods.list().filter(({ metadata }) => metadata.labels?.['kubevirt.io'] === component)
  }

  /** Those that have ended for good are replaced, and stay as they are. */
  function livingPodsOf(component: string, wanted: PodTemplateSpec): readonly ComponentPod[] {
    const living = podsOf(component).filter(({ status }) => !isPodTerminal({ status }))
    return living.map((pod) => componentPodOf(pod, wanted))
  }

  function observeDeployment(
    stage: Stage,
    present: Deployment | undefined,
    wanted: Deployment,
    kubevirt: KubeVirt,
    target: ResolvedTarget,
  ): DeploymentRollout {
    const {
      metadata: { name = '' },
      spec,
    } = wanted
    const { upgrade } = kubevirt.status?.steadyvm ?? {}
    const isWaiting = upgrade?.stage === stage && upgrade.to === target.target.version
    const limits = rolloutLimits(kubevirt, ports)
    const rollout = decideDeployment(
      {
        name,
        state: deploymentStateOf(present, wanted),
        pods: livingPodsOf(name, spec.template),
        nodes: schedulableNodes(ports.nodes.list(), spec.template),
        waitingSince: isWaiting ? Date.parse(upgrade.stageStartedAt) : undefined,
        replicaFailure: findCondition(present?.status?.conditions, 'ReplicaFailure')?.message,
        ...limits,
      },
      ports.clock.now(),
    )
    // A version that has been complete before is not on trial: nothing waits for it to soak.
    return isTrial(kubevirt, target) ? rollout : { ...rollout, isSoaked: true, isFailed: false }
  }

  async function observeNodeAgents(
    kubevirt: KubeVirt,
    { target, strategy, isSettled }: ResolvedTarget,
    signal: AbortSignal,
  ): Promise<NodeAgentsDecision> {
    const { observedKubeVirtVersion: from, generations = [] } = kubevirt.status ?? {}
    const { template } = strategy.agent.spec
    const hash = await readTemplateHash(ports.daemonSets.get(ports.namespace, componentNames.agent), generations, signal)
    const found = podsOf(componentNames.agent).map((pod) => componentPodOf(pod, template, hash))
    const isNew = !isSettled && from !== undefined && from !== target.version
    const pods = isNew ? await checkCanary(found, imageHash(`${target.registry}/virt-launcher:${target.version}`), signal) : found
    return decideNodeAgents(
      { nodes: schedulableNodes(ports.nodes.list(), template), pods, ...rolloutLimits(kubevirt, ports) },
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
 * Returns why the target must be rolled back: its first node agent, virt-controller or virt-api
 * does not work. Undefined when nothing failed, or there is no version to go back to. Pure.
 */
export function rolloutFailureOf(
  kubevirt: KubeVirt,
  resolved: ResolvedTarget,
  { agents, agentsWanted, controllers, api }: ComponentsSnapshot,
): RejectedVersion | undefined {
  const { target, strategy } = resolved
  const failed = [
    ...(agentsWanted && agents.state === 'failed' ? [agents.problem] : []),
    ...[controllers, api].filter(({ isFailed }) => isFailed).map(({ problem }) => problem),
  ]
  if (failed.length === 0 || !isTrial(kubevirt, resolved)) return undefined
  const [message = ''] = failed
  return { version: target.version, deploymentID: strategy.identifier, generation: kubevirt.metadata.generation ?? 0, message }
}
