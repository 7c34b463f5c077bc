import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { daemonSets, deployments } from '#api/apps/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods, services } from '#api/core/v1/resources.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { GenerationStatus, KubeVirt, RejectedVersion, UpgradePlan } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { ClusterRole, ClusterRoleBinding } from '#api/rbac/v1/role.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import { announceRestart } from '#features/node-health/index.ts'
import { releaseMark } from '#features/vmi/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { decideAgents } from './agents.ts'
import { decideRollout, nothingYet, type RolloutDecision, type Stage } from './decide.ts'
import { createGround, type ReadContents } from './ground.ts'
import { agentPodOf, isLike, isUnedited, nodesOf, rolloutStateOf } from './observe.ts'
import { createPlanner, lookAgainMs, type Preflight } from './preflight.ts'
import { canaryFailed, preflightFailed, statusPatch, whyRefused, type Report } from './report.ts'
import { createExaminer } from './soundness.ts'
import { annotationsOf, components, type Platform } from './strategy.ts'
import { aimOf, keepForMs, type Goal } from './target.ts'

/** What the reconciler needs from the world. */
export interface OperatorPorts {
  readonly client: Client
  readonly kubevirts: Lister<KubeVirt>
  readonly deployments: Lister<Deployment>
  readonly daemonSets: Lister<DaemonSet>
  readonly services: Lister<Service>
  /** Of the node agents. */
  readonly agents: Lister<Pod>
  readonly nodes: Lister<Node>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly platform: Platform
  /** Installed when the object names no other. */
  readonly own: { readonly version: string; readonly registry: string }
  readonly namespace: string
  /** How long the first agent of a version must have been well before others follow. */
  readonly soakMs: number
  /** How long the first agent of a version may take to be ready. */
  readonly deadlineMs: number
  /** For how long what only older versions need is kept when a newer one is in place. */
  readonly contractAfterMs: number
  readonly contents: ReadContents
  readonly clusterRoles: Lister<ClusterRole>
  readonly clusterRoleBindings: Lister<ClusterRoleBinding>
  /** Who looks at the cluster before an upgrade. */
  readonly preflight: readonly Preflight[]
}

/** Brings the components to the version that the KubeVirt object asks for, stage by stage, and keeps them there. */
export function createOperatorReconciler(ports: OperatorPorts): Reconciler {
  const { client, kubevirts, clock, own, namespace } = ports
  const planFor = createPlanner(ports.preflight, clock)
  const ground = createGround(ports)
  const examine = createExaminer(ports)

  return async (_request, { signal }) => {
    const kubevirt = chooseKubeVirt(kubevirts.list())
    if (kubevirt === undefined || kubevirt.metadata.namespace !== namespace) return done
    const { target, strategy, rejected, isSettled, unchecked } = aimOf(kubevirt, own, { namespace, platform: ports.platform })
    const { version } = target
    const { identifier } = strategy
    let plan: UpgradePlan | undefined
    if (unchecked !== undefined) {
      plan = await planFor(
        { kubevirt, from: kubevirt.status?.observedKubeVirtVersion ?? '', to: unchecked.target.version },
        unchecked,
        signal,
      )
      if (!plan.refused) {
        await tell(kubevirt, reportOf(kubevirt, unchecked, nothingYet, { plan }), signal)
        return done
      }
    }
    const found = {
      agent: ports.daemonSets.get(namespace, components.agent),
      controller: ports.deployments.get(namespace, components.controller),
      api: ports.deployments.get(namespace, components.api),
      service: ports.services.get(namespace, components.api),
    }
    const { observedKubeVirtVersion: from } = kubevirt.status ?? {}
    const everyAgent = ports.agents.list().map((pod) => agentPodOf(pod, strategy.agent.spec.template))
    const isNew = !isSettled && from !== undefined && from !== version
    const launcher = releaseMark(`${target.registry}/virt-launcher:${version}`)
    const agentPods = isNew ? await examine(everyAgent, launcher, signal) : everyAgent
    const { soakMs, deadlineMs } = ports
    const agents = decideAgents(
      { nodes: nodesOf(ports.nodes.list(), strategy.agent.spec.template), pods: agentPods, soakMs, deadlineMs },
      clock.now(),
    )
    const failure = agents.state === 'failed' && isLike(found.agent, strategy.agent) ? agents.problem : undefined
    if (failure !== undefined && !isSettled && rejected === undefined && from !== undefined) {
      await reject(kubevirt, { version, deploymentID: identifier, generation: kubevirt.metadata.generation ?? 0, message: failure }, signal)
      return done
    }
    const { upgrade } = kubevirt.status?.steadyvm ?? {}
    const lacking = await ground.lacking(version, isSettled && upgrade === undefined, signal)
    const observation = {
      from,
      to: version,
      present: [found.agent, found.controller, found.api].flatMap((object) => object?.metadata.annotations?.[annotationsOf.version] ?? []),
      isSettled,
      isGrown: lacking.length === 0,
      contractAt: upgrade?.to === version && upgrade.contractAt !== undefined ? Date.parse(upgrade.contractAt) : undefined,
      contractAfterMs: keepForMs(kubevirt, ports.contractAfterMs),
      agentsWanted: isLike(found.agent, strategy.agent),
      agents,
      controllers: rolloutStateOf(found.controller, strategy.controller),
      api: rolloutStateOf(found.api, strategy.api),
    }
    const decision = decideRollout(observation, clock.now())

    const generations = new Map((kubevirt.status?.generations ?? []).map((one) => [keyOf(one), one]))
    const keep = async <T extends KubeObject>(resource: ResourceType<T>, present: T | undefined, wanted: T): Promise<void> => {
      const name = wanted.metadata?.name ?? ''
      const row = { group: resource.group, resource: resource.plural, namespace, name }
      const recorded = generations.get(keyOf(row))?.lastGeneration
      if (isLike(present, wanted) && (present?.metadata?.generation ?? 0) === recorded && isUnedited(present, wanted)) return
      const patch = { type: 'apply', body: wanted, fieldManager: `virt-operator/${name}`, force: true } as const
      const applied = await client.patch(resource, { namespace, name }, patch, { signal })
      generations.set(keyOf(row), { ...row, lastGeneration: applied.metadata?.generation ?? 0 })
    }
    const applyStage: Record<Stage | 'Expand', () => Promise<void>> = {
      Expand: () => ground.apply(lacking, signal),
      NodeAgents: () => keep(daemonSets, found.agent, strategy.agent),
      Controllers: () => keep(deployments, found.controller, strategy.controller),
      API: () => keep(deployments, found.api, strategy.api),
    }
    if (decision.stage === 'Contract') await ground.apply(await ground.surplus(version, Object.values(components), signal), signal)
    await Promise.all([keep(services, found.service, strategy.service), ...decision.apply.map((stage) => applyStage[stage]())])
    for (const { name, uid, node } of decision.remove) {
      await announceRestart(client, node, clock.now(), signal)
      await client.delete(pods, { namespace, name }, { preconditions: { uid }, signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
    }
    const rows = [...generations.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    const more = { generations: rows, skipped: agents.skipped, rejected, plan }
    // Taken away all at once, what older versions needed is history.
    const isOver = decision.stage === 'Contract' && upgrade?.stage === 'Contract'
    await tell(kubevirt, reportOf(kubevirt, { target, strategy }, isOver ? { ...decision, stage: undefined } : decision, more), signal)
    const waits = [
      decision.stage === 'Contract' && !isOver ? 0 : undefined,
      decision.recheckAfterMs,
      plan === undefined ? undefined : lookAgainMs,
    ].filter((wait) => wait !== undefined)
    return waits.length === 0 ? done : recheckIn(Math.min(...waits))
  }

  function reportOf(kubevirt: KubeVirt, { target, strategy }: Goal, decision: RolloutDecision, more: Partial<Report>): Report {
    const { version, registry } = target
    const { identifier } = strategy
    const generations = kubevirt.status?.generations ?? []
    const problems = strategy.problems.map(({ index, message }) => `spec.customizeComponents.patches[${index}] ${message}`)
    const place = { version, registry, identifier, operatorVersion: own.version }
    return { decision, ...place, generations, skipped: [], rejected: undefined, plan: undefined, problems, ...more }
  }

  /** Writes down that a version does not work: from then on the one before it is wanted. */
  async function reject(kubevirt: KubeVirt, rejected: RejectedVersion, signal: AbortSignal): Promise<void> {
    await patchStatus(kubevirt, { steadyvm: { rejected } }, signal)
    ports.recorder.event(kubevirt, 'Warning', canaryFailed, `${rejected.version} is taken back: ${rejected.message}`)
  }

  async function tell(kubevirt: KubeVirt, report: Report, signal: AbortSignal): Promise<void> {
    if (kubevirt.spec.infra?.replicas !== undefined && kubevirt.status?.observedGeneration !== kubevirt.metadata.generation)
      ports.recorder.event(
        kubevirt,
        'Warning',
        'AdvancedFeatureUse',
        'spec.infra.replicas sets the number of API servers and controllers: they do not follow the number of nodes',
      )
    const status = statusPatch(kubevirt, report, timestamp(clock.now()))
    if (status === undefined) return
    const told = await patchStatus(kubevirt, status, signal)
    const [before, after] = [kubevirt.status?.steadyvm?.upgrade, told.status?.steadyvm?.upgrade]
    if (after !== undefined && (after.stage !== before?.stage || after.to !== before.to)) {
      const way = after.from === '' ? 'Installing' : `From ${after.from} to`
      ports.recorder.event(kubevirt, 'Normal', 'UpgradeStage', `${way} ${after.to}: ${after.stage}`)
    }
    const { plan } = report
    if (plan?.refused === true && !isTrue(kubevirt.status?.conditions, preflightFailed))
      ports.recorder.event(kubevirt, 'Warning', preflightFailed, whyRefused(plan))
    if (before !== undefined && after === undefined)
      ports.recorder.event(kubevirt, 'Normal', 'UpgradeCompleted', `The system is at ${before.to}`)
  }

  /** The resourceVersion keeps the conditions of others: a lost race is a conflict, which is tried again. */
  function patchStatus({ metadata }: KubeVirt, status: object, signal: AbortSignal): Promise<KubeVirt> {
    const { namespace: space = '', name = '', resourceVersion } = metadata
    const body = { metadata: { resourceVersion }, status }
    return client.patch(kubeVirts, { namespace: space, name }, { type: 'merge', body }, { subresource: 'status', signal })
  }
}

function keyOf({ group, resource, name }: Pick<GenerationStatus, 'group' | 'resource' | 'name'>): string {
  return `${group}/${resource}/${name}`
}
