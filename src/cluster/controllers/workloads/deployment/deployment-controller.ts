import type { Deployment, DeploymentStatus } from '#api/apps/v1/deployment.ts'
import { deployments, replicaSets } from '#api/apps/v1/resources.ts'
import { pods } from '#api/core/v1/resources.ts'
import { isNotFound, messageOf } from '#apimachinery/errors.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { claimDependents } from '#runtime/ownership/adoption.ts'
import { enqueueController } from '#runtime/ownership/enqueue-controller.ts'
import { candidatesOf, controlledBy, ownedInformer } from '#runtime/ownership/owner-index.ts'
import { isOver } from '../pods/pod-state.ts'
import { workloadSelector } from '#runtime/ownership/selector.ts'
import { writeStatus } from '../status-patch.ts'
import { typed, workloadPorts } from '../workload-ports.ts'
import { applyChange, NameCollision } from './act.ts'
import { withCondition } from './conditions.ts'
import { decideDeployment, type DeploymentDecision, type DeploymentObservation } from './decide.ts'
import { revisionAnnotation } from './names.ts'

const optionalCounts = [
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'observedGeneration',
]

/** Rolls the pods of Deployments from one template to the next, by way of ReplicaSets. */
export function createDeploymentController(options: ControllerOptions): Runnable {
  const ports = workloadPorts(options, 'deployment-controller')
  const { client, informers, clock, log } = ports
  const deploymentCache = informers.informer(deployments)
  const replicaSetCache = ownedInformer(informers, replicaSets)
  const podCache = ownedInformer(informers, pods)

  async function observe(deployment: Deployment, signal: AbortSignal): Promise<DeploymentObservation> {
    const claimant = { resource: deployments, owner: deployment, selector: workloadSelector(deployment.spec.selector) }
    const owned = await claimDependents(client, claimant, replicaSets, candidatesOf(replicaSetCache, deployment), signal)
    const withPods = owned.filter((one) => controlledBy(podCache, one).some((pod) => !isOver(pod)))
    return { deployment, replicaSets: owned, withPods: new Set(withPods.map(({ metadata }) => metadata.uid ?? '')) }
  }

  async function act(deployment: Deployment, { changes, revision }: DeploymentDecision, signal: AbortSignal): Promise<void> {
    for (const change of changes) await applyChange(ports, deployment, change, signal)
    if (revision === undefined) return
    const { namespace = '', name = '', uid } = deployment.metadata
    const body = { metadata: { uid, annotations: { [revisionAnnotation]: String(revision) } } }
    await client.patch(deployments, { namespace, name }, { type: 'merge', body }, { signal })
  }

  async function report(deployment: Deployment, status: DeploymentStatus, signal: AbortSignal): Promise<void> {
    await writeStatus(client, deployments, deployment, status, { optional: optionalCounts, signal })
  }

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const cached = deploymentCache.get(namespace, name)
    if (cached === undefined) return done
    const deployment = typed(deployments, cached)
    const decision = decideDeployment(await observe(deployment, signal), clock.now(), timestamp(clock.now()))
    try {
      await act(deployment, decision, signal)
    } catch (error) {
      const failed = statusAfter(error, decision, timestamp(clock.now()))
      if (failed !== undefined) await report(deployment, failed, signal)
      throw error
    }
    try {
      await report(deployment, decision.status, signal)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return decision.recheckAfterMs === undefined ? done : recheckIn(decision.recheckAfterMs)
  }
  const sources = [
    watchResource(deploymentCache, enqueueSelf, { predicate: ({ type }) => type !== 'deleted' }),
    watchResource(replicaSetCache, enqueueController(deployments, deploymentCache)),
  ]
  return createController({ name: 'deployment', reconciler, sources, clock, log, concurrency: 5 })
}

/**
 * Status of a Deployment whose new ReplicaSet could not be created; undefined for other failures.
 */
function statusAfter(error: unknown, { changes, status }: DeploymentDecision, now: string): DeploymentStatus | undefined {
  if (error instanceof NameCollision) return { ...status, collisionCount: (status.collisionCount ?? 0) + 1 }
  if (!changes.some(({ kind }) => kind === 'create')) return undefined
  const verdict = { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message: messageOf(error) } as const
  return { ...status, conditions: [...withCondition(status.conditions ?? [], verdict, now)] }
}
