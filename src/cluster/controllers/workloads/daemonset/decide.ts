import type { DaemonSet, DaemonSetStatus } from '#api/apps/v1/daemon-set.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isAvailable, isTerminating, isReady, nextAvailabilityMs } from '../pods/pod-state.ts'
import { targetNode } from './daemon-pod.ts'
import { revisionHashLabel } from '../history/revision-label.ts'
import { type NodeView, viewNodes } from './nodes.ts'
import { rolloutBounds, rolloutStep } from './rolling-update.ts'

/** Input of {@link decideDaemonSet}. */
export interface DaemonSetObservation {
  readonly daemonSet: DaemonSet
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  /** Label of the pods that have the current template. */
  readonly hash: string
  /** The cache shows all earlier writes of this controller. */
  readonly settled: boolean
  /** Milliseconds since the epoch before which a failed pod on the node is left alone. */
  readonly retryAt: ReadonlyMap<string, number>
}

/** Writes that a DaemonSet needs, and its status. */
export interface DaemonSetDecision {
  /** Names of nodes to make a pod for. */
  readonly create: readonly string[]
  readonly remove: readonly Pod[]
  /** Those of `remove` that have ended by themselves. */
  readonly ended: readonly Pod[]
  /** Without conditions. */
  readonly status: DaemonSetStatus
  readonly recheckAfterMs: number | undefined
}

interface Upkeep {
  readonly create: readonly string[]
  readonly remove: readonly Pod[]
  readonly ended: readonly Pod[]
  readonly retryInMs: readonly number[]
}

/** Decides where pods are missing or too many, and, when none are, how a roll-out goes on. Pure. */
export function decideDaemonSet(observed: DaemonSetObservation, now: number): DaemonSetDecision {
  const { daemonSet, nodes, pods, hash, settled } = observed
  const views = viewNodes(daemonSet, nodes, pods)
  const acts = settled && !isBeingDeleted(daemonSet)
  const upkeep = acts ? upkeepOf(observed, views, now) : nothing
  const rolls = acts && upkeep.create.length + upkeep.remove.length === 0 && daemonSet.spec.updateStrategy?.type !== 'OnDelete'
  const { create, remove } = rolls ? rolloutStep(daemonSet, views, hash, now) : upkeep
  const waits = [
    ...upkeep.retryInMs,
    nextAvailabilityMs(
      pods.filter((pod) => !isTerminating(pod)),
      daemonSet.spec.minReadySeconds ?? 0,
      now,
    ),
  ]
  const finite = waits.filter((wait) => wait !== undefined)
  return {
    create,
    remove,
    ended: upkeep.ended,
    status: statusOf(daemonSet, views, hash, now),
    recheckAfterMs: finite.length === 0 ? undefined : Math.min(...finite),
  }
}

const nothing: Upkeep = { create: [], remove: [], ended: [], retryInMs: [] }

/** One pod on each node that should have one, none elsewhere. */
function upkeepOf({ daemonSet, nodes, pods, hash, retryAt }: DaemonSetObservation, views: readonly NodeView[], now: number): Upkeep {
  const surges = rolloutBounds(daemonSet, views.length).surge > 0
  const parts = views.map((view) => upkeepOfNode(view, hash, surges, retryAt.get(view.name) ?? 0, now, daemonSet.spec.minReadySeconds ?? 0))
  const known = new Set(nodes.map(({ metadata }) => metadata.name))
  // Pods that wait for a node that has gone will wait for ever.
  const lost = pods.filter((pod) => (pod.spec.nodeName ?? '') === '' && !known.has(targetNode(pod)) && !isTerminating(pod))
  return {
    create: parts.flatMap(({ create }) => create),
    remove: [...parts.flatMap(({ remove }) => remove), ...lost],
    ended: parts.flatMap(({ ended }) => ended),
    retryInMs: parts.flatMap(({ retryInMs }) => retryInMs),
  }
}

function upkeepOfNode(view: NodeView, hash: string, surges: boolean, retryAt: number, now: number, minReadySeconds: number): Upkeep {
  const living = view.pods.filter((pod) => !isTerminating(pod))
  if (!view.mayStay) return { ...nothing, remove: living }
  if (view.pods.length === 0) return view.shouldRun ? { ...nothing, create: [view.name] } : nothing
  const failed = living.filter(({ status }) => status?.phase === 'Failed')
  const succeeded = living.filter(({ status }) => status?.phase === 'Succeeded')
  const running = living.filter((pod) => !failed.includes(pod) && !succeeded.includes(pod))
  const waits = failed.length > 0 && now < retryAt
  const ended = waits ? succeeded : [...failed, ...succeeded]
  const create = surges && running.length === 0 && ended.length === 0 && !waits && view.shouldRun ? [view.name] : []
  const surplus = surges ? surplusOfSurge(running, hash, now, minReadySeconds) : running.slice(1)
  return { create, remove: [...ended, ...surplus], ended, retryInMs: waits ? [retryAt - now] : [] }
}

/** One old and one new pod may be there together, until the new one serves. */
function surplusOfSurge(running: readonly Pod[], hash: string, now: number, minReadySeconds: number): readonly Pod[] {
  const fresh = running.filter((pod) => pod.metadata.labels?.[revisionHashLabel] === hash)
  const old = running.filter((pod) => !fresh.includes(pod))
  const [successor] = fresh
  const isReplaced = successor !== undefined && isAvailable(successor, minReadySeconds, now)
  return [...fresh.slice(1), ...(isReplaced ? old : old.slice(1))]
}

function statusOf({ metadata, spec, status }: DaemonSet, views: readonly NodeView[], hash: string, now: number): DaemonSetStatus {
  const count = (test: (view: NodeView) => boolean): number => views.filter(test).length
  const first = (test: (pod: Pod) => boolean): number => count(({ shouldRun, pods }) => shouldRun && pods[0] !== undefined && test(pods[0]))
  const desired = count(({ shouldRun }) => shouldRun)
  const available = first((pod) => isAvailable(pod, spec.minReadySeconds ?? 0, now))
  return {
    currentNumberScheduled: first(() => true),
    numberMisscheduled: count(({ shouldRun, pods }) => !shouldRun && pods.length > 0),
    desiredNumberScheduled: desired,
    numberReady: first(isReady),
    updatedNumberScheduled: first((pod) => pod.metadata.labels?.[revisionHashLabel] === hash),
    numberAvailable: available,
    numberUnavailable: desired - available,
    observedGeneration: metadata.generation ?? 0,
    ...(status?.collisionCount === undefined ? {} : { collisionCount: status.collisionCount }),
  }
}
