import type { Deployment } from '#api/apps/v1/deployment.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { ComponentPod } from '../rollout/component-pod.ts'

/** A component of which there is a Deployment. */
export interface DeploymentObservation {
  readonly name: string
  readonly deployment: Deployment | undefined
  readonly pods: readonly ComponentPod[]
  /** Whether all of its pods are those of its template, and ready. */
  readonly isRolled: boolean
}

/** The component of which there is one on each node. */
export interface AgentsHealthObservation {
  readonly name: string
  readonly nodes: readonly { readonly name: string; readonly isReady: boolean; readonly readySince?: number | undefined }[]
  readonly pods: readonly ComponentPod[]
}

/** A component that has not been ready for longer than it takes to start one anew. */
export interface UnhealthyComponent {
  /** Whether nobody of it serves. */
  readonly isDown: boolean
  /** Which one, how many are ready, and why not all are. */
  readonly message: string
}

/** How the components of an installation are that is to stay as it is. */
export interface ComponentHealth {
  readonly ailments: readonly UnhealthyComponent[]
  /**
   * Milliseconds after which somebody who is not ready now will have been so for too long;
   * undefined: there is nobody.
   */
  readonly recheckAfterMs: number | undefined
}

/**
 * Milliseconds that a component may take to be ready again: one that is killed, replaced or moved
 * comes back before that.
 */
const graceMs = 30_000
/** The same for one whose image may still be on its way to a node that has never had it. */
const imageGraceMs = 120_000
/** What the kubelet says meanwhile. */
const onItsWay: readonly (string | undefined)[] = ['ContainerCreating', 'PodInitializing']

/** Nobody has looked, or everybody is well. */
export const healthy: ComponentHealth = { ailments: [], recheckAfterMs: undefined }

/**
 * Judges components by what is stored about their pods alone, so that whoever judges next comes to
 * the same verdict. Agents of nodes that are not ready count for nothing, and one that waits for
 * the controller of its kind to make it is not known of. Pure.
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

/** What would be an {@link UnhealthyComponent} if it lasted. */
interface Complaint extends UnhealthyComponent {
  /** So long it may be as it is, in milliseconds since the epoch. */
  readonly until: number
}

function complaintOfDeployment({ name, deployment, pods, isRolled }: DeploymentObservation, now: number): Complaint | undefined {
  const { replicas: desired = 1 } = deployment?.spec ?? {}
  const { availableReplicas: ready = 0, conditions } = deployment?.status ?? {}
  // Somebody asks for that, and it does not pass.
  if (desired === 0) return { isDown: true, message: `${name} has no replicas`, until: 0 }
  const looping = pods.filter((pod) => isUnstable(pod, now))
  if (deployment === undefined || (isRolled && looping.length === 0)) return undefined
  const serving = Math.max(0, ready - looping.filter(({ isReady }) => isReady).length)
  const sick = pods.filter((pod) => isSick(pod) || looping.includes(pod)).toSorted((a, b) => patienceWith(a) - patienceWith(b))
  // Where nobody can be made, there is no pod to tell of it.
  const missing = findCondition(conditions, 'Available')
  const missingUntil =
    missing?.status === 'False' && sick.length === 0 ? [(Date.parse(missing.lastTransitionTime ?? '') || 0) + graceMs] : []
  const limits = [...sick.map((pod) => patienceWith(pod)), ...missingUntil]
  if (limits.length === 0) return undefined
  return { isDown: serving === 0, message: describe(name, serving, desired, sick), until: Math.min(...limits) }
}

/** One complaint at most: of the node that lacks its agent for longest. */
function complaintOfAgents({ name, nodes, pods }: AgentsHealthObservation, now: number): readonly Complaint[] {
  const readyNodes = nodes.filter(({ isReady }) => isReady)
  const byNode = Map.groupBy(pods, ({ node }) => node)
  const isServed = (node: string): boolean => (byNode.get(node) ?? []).some((pod) => pod.isReady && !pod.isLeaving && !isUnstable(pod, now))
  // After a start of its node an agent is not ready for as long as nobody could have started it.
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
 * Reports whether a pod must be regarded as not ready because its container keeps ending: such a
 * container may be ready for a moment in each of its runs.
 */
function isUnstable({ isReady, readySince = 0, isCrashLooping, isLeaving }: ComponentPod, now: number): boolean {
  return isCrashLooping === true && !isLeaving && (!isReady || now < readySince + graceMs)
}

/** Until when it may be not ready. A container in a crash loop has had its time. */
function patienceWith({ notReadySince = 0, madeAt, waitsFor, isCrashLooping }: ComponentPod, notBefore = 0): number {
  if (isCrashLooping === true) return notBefore === 0 ? 0 : notBefore + graceMs
  return Math.max(notReadySince, madeAt, notBefore) + (onItsWay.includes(waitsFor) ? imageGraceMs : graceMs)
}

/** Which component, how many of it are ready, and what the first one that is not says about it. */
function describe(component: string, ready: number, desired: number, [first]: readonly ComponentPod[]): string {
  const why = inShort(first?.crash ?? first?.waitsFor)
  const place = first === undefined || first.node === '' ? '' : ` on node ${first.node}`
  const example = first === undefined || why === undefined ? '' : ` (${first.name}${place}: ${why})`
  return `${component}: ${ready} of ${desired} ready${example}`
}

/** Most characters of what a pod says about itself. */
const longestWords = 300

/** Of a log entry what it says: with its time in it, each crash would be another reason. */
function inShort(words: string | undefined): string | undefined {
  if (words === undefined) return undefined
  const [before = '', entry] = words.split(/(?=\{)(.*)/s)
  const said = /"err":\{[^{}]*?"message":("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")/u.exec(entry ?? '')?.[1]
  const text = said === undefined ? words : `${before}${String(JSON.parse(said))}`
  return text.length > longestWords ? `${text.slice(0, longestWords)}…` : text
}
