import type { Deployment } from '#api/apps/v1/deployment.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { ComponentPod } from '../rollout/component-pod.ts'

/** A component that runs as a Deployment. */
export interface DeploymentObservation {
  readonly name: string
  readonly deployment: Deployment | undefined
  readonly pods: readonly ComponentPod[]
  /** True if all of its pods are those of its template, and ready. */
  readonly isRolled: boolean
}

/** The component that runs as a DaemonSet. */
export interface AgentsHealthObservation {
  readonly name: string
  readonly nodes: readonly { readonly name: string; readonly isReady: boolean; readonly readySince?: number | undefined }[]
  readonly pods: readonly ComponentPod[]
}

/** A component that has not been ready for longer than a restart takes. */
export interface UnhealthyComponent {
  /** True if it has no ready pod. */
  readonly isDown: boolean
  /** Name, ready and desired pods, and the reason of the first one that is not ready. */
  readonly message: string
}

/** Health of an installation. */
export interface ComponentHealth {
  readonly ailments: readonly UnhealthyComponent[]
  /**
   * Milliseconds until a component that is not ready counts as unhealthy, or one recovers;
   * undefined when all are ready.
   */
  readonly recheckAfterMs: number | undefined
}

/** Milliseconds that a killed, replaced or moved pod may take to become ready again. */
const graceMs = 30_000
/** The same for a pod whose image may still be pulled. */
const imageGraceMs = 120_000
/** Waiting reasons of the kubelet before the first start. */
const onItsWay: readonly (string | undefined)[] = ['ContainerCreating', 'PodInitializing']

/** All components are ready, or were not checked. */
export const healthy: ComponentHealth = { ailments: [], recheckAfterMs: undefined }

/**
 * Derives health from stored pods alone, so that every operator instance comes to the same result.
 * Agents on nodes that are not ready do not count, and neither do nodes whose agent the DaemonSet
 * controller has not created yet. Pure.
 */
export function componentHealthOf(
  deployments: readonly DeploymentObservation[],
  agents: AgentsHealthObservation,
  now: number,
): ComponentHealth {
  const sick = [...deployments.flatMap((one) => complaintOfDeployment(one, now) ?? []), ...complaintOfAgents(agents, now)]
  const isLate = ({ until }: Complaint): boolean => until <= now
  const recovering = [...deployments.flatMap(({ pods }) => pods), ...agents.pods].filter((pod) => pod.isReady && isUnstable(pod, now))
  const waits = [
    ...sick.filter((one) => !isLate(one)).map(({ until }) => until - now),
    ...recovering.map(({ readySince = now }) => readySince + graceMs - now),
  ]
  return {
    ailments: sick.filter(isLate).map(({ isDown, message }) => ({ isDown, message })),
    recheckAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
  }
}

/** A component that becomes unhealthy unless it recovers. */
interface Complaint extends UnhealthyComponent {
  /** Time at which it becomes unhealthy, in milliseconds since the epoch. */
  readonly until: number
}

function complaintOfDeployment({ name, deployment, pods, isRolled }: DeploymentObservation, now: number): Complaint | undefined {
  const { replicas: desired = 1 } = deployment?.spec ?? {}
  const { availableReplicas: ready = 0, conditions } = deployment?.status ?? {}
  // Replicas of 0 are configured, and do not recover by themselves.
  if (desired === 0) return { isDown: true, message: `${name} has no replicas`, until: 0 }
  const looping = pods.filter((pod) => isUnstable(pod, now))
  if (deployment === undefined || (isRolled && looping.length === 0)) return undefined
  const serving = Math.max(0, ready - looping.filter(({ isReady }) => isReady).length)
  const sick = pods.filter((pod) => isSick(pod) || looping.includes(pod)).toSorted((a, b) => patienceWith(a) - patienceWith(b))
  // When no pod can be created, only the Deployment's condition tells.
  const missing = findCondition(conditions, 'Available')
  const missingUntil =
    missing?.status === 'False' && sick.length === 0 ? [(Date.parse(missing.lastTransitionTime ?? '') || 0) + graceMs] : []
  const limits = [...sick.map((pod) => patienceWith(pod)), ...missingUntil]
  if (limits.length === 0) return undefined
  return { isDown: serving === 0, message: describe(name, serving, desired, sick), until: Math.min(...limits) }
}

/** Returns one entry at most: for the node that has been without a ready agent the longest. */
function complaintOfAgents({ name, nodes, pods }: AgentsHealthObservation, now: number): readonly Complaint[] {
  const readyNodes = nodes.filter(({ isReady }) => isReady)
  const byNode = Map.groupBy(pods, ({ node }) => node)
  const isServed = (node: string): boolean => (byNode.get(node) ?? []).some((pod) => pod.isReady && !pod.isLeaving && !isUnstable(pod, now))
  // An agent could not start before its node did, so its grace begins then.
  const lacking = readyNodes
    .filter((node) => !isServed(node.name))
    .flatMap(({ name: node, readySince = 0 }) =>
      (byNode.get(node) ?? [])
        .filter((pod) => isSick(pod) || isUnstable(pod, now))
        .map((pod) => ({ pod, until: patienceWith(pod, readySince) })),
    )
    .toSorted((a, b) => a.until - b.until)
  const [first] = lacking
  if (first === undefined) return []
  const late = lacking.filter(({ until }) => until <= now).map(({ pod }) => pod)
  const served = readyNodes.filter((node) => isServed(node.name)).length
  return [{ isDown: served === 0, message: describe(name, served, readyNodes.length, late), until: first.until }]
}

function isSick({ isReady, isLeaving }: ComponentPod): boolean {
  return !isReady && !isLeaving
}

/**
 * Reports whether a pod counts as not ready because its container keeps ending: it may be ready for
 * a moment in each of its runs.
 */
function isUnstable({ isReady, readySince = 0, isCrashLooping, isLeaving }: ComponentPod, now: number): boolean {
  return isCrashLooping === true && !isLeaving && (!isReady || now < readySince + graceMs)
}

/**
 * Returns the end of a pod's grace period, in milliseconds since the epoch. A pod in a crash loop
 * has no grace period.
 */
function patienceWith({ notReadySince = 0, madeAt, waitsFor, isCrashLooping }: ComponentPod, notBefore = 0): number {
  if (isCrashLooping === true) return notBefore === 0 ? 0 : notBefore + graceMs
  return Math.max(notReadySince, madeAt, notBefore) + (onItsWay.includes(waitsFor) ? imageGraceMs : graceMs)
}

/** Formats name, ready and desired pods, and the reason of the first pod. */
function describe(component: string, ready: number, desired: number, [first]: readonly ComponentPod[]): string {
  const why = inShort(first?.crash ?? first?.waitsFor)
  const place = first === undefined || first.node === '' ? '' : ` on node ${first.node}`
  const example = first === undefined || why === undefined ? '' : ` (${first.name}${place}: ${why})`
  return `${component}: ${ready} of ${desired} ready${example}`
}

/** Maximal number of characters of a pod's reason. */
const longestWords = 300

/**
 * Extracts the message of a JSON log entry: with its timestamp, each crash would change the
 * condition.
 */
function inShort(words: string | undefined): string | undefined {
  if (words === undefined) return undefined
  const [before = '', entry] = words.split(/(?=\{)(.*)/s)
  const said = /"err":\{[^{}]*?"message":("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")/u.exec(entry ?? '')?.[1]
  const text = said === undefined ? words : `${before}${String(JSON.parse(said))}`
  return text.length > longestWords ? `${text.slice(0, longestWords)}…` : text
}
