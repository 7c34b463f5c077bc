import { isNotFound } from '#apimachinery/errors.ts'
import { leases } from '#api/coordination/v1/resources.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { healthyUntil, lifecycleTaints, unknownConditions } from './node-health.ts'

const leaseNamespace = 'kube-node-lease'

/**
 * Detects nodes whose lease has expired: sets their conditions to Unknown and their pods to not
 * ready, and taints them.
 */
export function createNodeLifecycleController(options: ControllerOptions): Runnable {
  const { informers, clock, log } = options
  const nodeCache = informers.informer(nodes)
  const leaseCache = informers.informer(leases, { namespace: leaseNamespace })
  const podCache = informers.informer(pods)
  podCache.addIndex('node-lifecycle.node', (pod) => [pod.spec.nodeName ?? ''])
  const watchedSince = clock.now()

  const reconciler: Reconciler = async ({ name }, { signal }) => {
    const node = nodeCache.get('', name)
    if (node === undefined) return done
    const now = clock.now()
    const until = healthyUntil(leaseCache.get(leaseNamespace, name), watchedSince)
    const current = now < until ? node : await markUnknown(options, node, podCache.byIndex('node-lifecycle.node', name), signal)
    await taint(options, current, signal)
    return now < until ? recheckIn(until - now) : done
  }
  const sources = [
    watchResource(nodeCache, enqueueSelf),
    watchResource(leaseCache, ({ metadata }) => [{ namespace: '', name: metadata.name ?? '' }]),
  ]
  return createController({ name: 'nodelifecycle', reconciler, sources, clock, log })
}

async function markUnknown({ client, clock }: ControllerOptions, node: Node, bound: readonly Pod[], signal: AbortSignal): Promise<Node> {
  const now = timestamp(clock.now())
  for (const pod of bound) await markNotReady(client, pod, now, signal)
  const conditions = unknownConditions(node, now)
  if (conditions === node.status?.conditions) return node
  const body = { metadata: { uid: node.metadata.uid, resourceVersion: node.metadata.resourceVersion }, status: { conditions } }
  return client.patch(nodes, { name: node.metadata.name ?? '' }, { type: 'merge', body }, { subresource: 'status', signal })
}

/** Marks a pod of an unreachable node not ready. Its phase is kept: the process may still run. */
async function markNotReady(client: ControllerOptions['client'], pod: Pod, now: string, signal: AbortSignal): Promise<void> {
  const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready')
  if (ready?.status !== 'True') return
  const { namespace = '', name = '', uid } = pod.metadata
  const body = { metadata: { uid }, status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: now }] } }
  try {
    await client.patch(pods, { namespace, name }, { type: 'strategic', body }, { subresource: 'status', signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

async function taint({ client, clock }: ControllerOptions, node: Node, signal: AbortSignal): Promise<void> {
  const taints = lifecycleTaints(node, timestamp(clock.now()))
  if (taints === (node.spec?.taints ?? taints) && taints.length === (node.spec?.taints ?? []).length) return
  const body = { metadata: { uid: node.metadata.uid, resourceVersion: node.metadata.resourceVersion }, spec: { taints } }
  await client.patch(nodes, { name: node.metadata.name ?? '' }, { type: 'merge', body }, { signal })
}
