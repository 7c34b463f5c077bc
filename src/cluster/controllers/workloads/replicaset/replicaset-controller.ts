import type { ReplicaSet, ReplicaSetCondition } from '#api/apps/v1/replica-set.ts'
import { pods } from '#api/core/v1/resources.ts'
import { isNotFound, messageOf } from '#apimachinery/errors.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { removeCondition, setCondition } from '#apimachinery/conditions.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import { expectationKey, createExpectations } from '#runtime/controller/expectations.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { enqueueController } from '#runtime/ownership/enqueue-controller.ts'
import { ownedInformer } from '#runtime/ownership/owner-index.ts'
import { podControl, type PodControl } from '../pods/pod-control.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { slowStart } from '#runtime/controller/slow-start.ts'
import { writeStatus } from '../status-patch.ts'
import { typed, workloadPorts } from '../workload-ports.ts'
import { decideReplicaSet, type ReplicaSetDecision } from './decide.ts'
import { observeReplicaSet } from './observe.ts'
import { type ReplicaSetKind, replicaSetKind } from './replica-set-kind.ts'

/** Maintains the number of pods of each ReplicaSet, or of another kind that maps to one. */
export function createReplicaSetController(options: ControllerOptions, form: ReplicaSetKind = replicaSetKind): Runnable {
  const ports = workloadPorts(options, `${form.name}-controller`)
  const { client, informers, clock, log } = ports
  const { resource } = form
  const caches = { replicaSets: form.informer(informers), pods: ownedInformer(informers, pods) }
  const expectations = createExpectations({ clock })
  caches.pods.onEvent((event) => expectations.observe(event))

  const reconciler: Reconciler = async ({ namespace, name }, { signal }) => {
    const cached = caches.replicaSets.get(namespace, name)
    if (cached === undefined) return done
    const replicaSet = typed(resource, cached)
    // Read before the pods: a pod that appears in between is then counted.
    const settled = expectations.satisfied(expectationKey(replicaSet))
    const observed = await observeReplicaSet(client, { ...caches, resource }, replicaSet, settled, signal)
    const decision = decideReplicaSet(observed, clock.now())
    const failure = await act(podControl(ports, replicaSet, expectations, signal), resource, replicaSet, decision)
    await report(replicaSet, decision, failure, signal)
    if (failure !== undefined) throw failure.error
    return decision.recheckAfterMs === undefined ? done : recheckIn(decision.recheckAfterMs)
  }

  async function report(
    replicaSet: ReplicaSet,
    decision: ReplicaSetDecision,
    failure: Failure | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const conditions = conditionsOf(replicaSet, decision, failure, timestamp(clock.now()))
    const counts = Object.entries(decision.status).filter(([count]) => !form.unknownCounts.includes(count))
    const status = { ...Object.fromEntries(counts), conditions: conditions.length === 0 ? undefined : conditions }
    try {
      await writeStatus(client, resource, replicaSet, status, { optional: optionalCounts, signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  const sources = [
    watchResource(caches.replicaSets, enqueueSelf, {
      predicate: (event) => {
        if (event.type === 'deleted') expectations.forget(expectationKey(event.object))
        return event.type !== 'deleted'
      },
    }),
    watchResource(caches.pods, enqueueController(resource, caches.replicaSets)),
  ]
  return createController({ name: form.name, reconciler, sources, clock, log, concurrency: 5 })
}

const optionalCounts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'terminatingReplicas', 'observedGeneration']

interface Failure {
  readonly error: unknown
  readonly reason: 'FailedCreate' | 'FailedDelete'
}

async function act(
  control: PodControl,
  resource: ResourceType<ReplicaSet>,
  replicaSet: ReplicaSet,
  { create, remove }: ReplicaSetDecision,
): Promise<Failure | undefined> {
  try {
    await slowStart(create, () => control.create(podFromTemplate(resource, replicaSet, replicaSet.spec.template)))
    const results = await Promise.allSettled(remove.map((pod) => control.remove(pod)))
    const failed = results.find((result) => result.status === 'rejected')
    return failed === undefined ? undefined : { error: failed.reason, reason: 'FailedDelete' }
  } catch (error) {
    return { error, reason: 'FailedCreate' }
  }
}

/**
 * The failure stays until something was done about the number of pods without one, as in
 * Kubernetes.
 */
function conditionsOf(
  { spec, status }: ReplicaSet,
  decision: ReplicaSetDecision,
  failure: Failure | undefined,
  now: string,
): ReplicaSetCondition[] {
  const old = status?.conditions
  if (failure === undefined) {
    const isDone = decision.create + decision.remove.length > 0 || decision.status.replicas === (spec.replicas ?? 1)
    return isDone ? removeCondition(old, 'ReplicaFailure') : (old ?? [])
  }
  const condition: ReplicaSetCondition = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: failure.reason,
    message: messageOf(failure.error),
  }
  return setCondition(old, condition, now)
}
