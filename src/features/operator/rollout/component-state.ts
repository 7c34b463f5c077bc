import { withSortedKeys } from '#apimachinery/json/sorted-keys.ts'
import { createHash } from 'node:crypto'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { ContainerStateTerminated } from '#api/core/v1/container.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod, PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { GenerationStatus } from '#api/kubevirt/v1/kubevirt.ts'
import { matchesNodeAffinity } from '#api/usage/node-affinity.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { matchesTemplateHash } from './daemonset-revision.ts'
import type { ComponentPod } from './component-pod.ts'
import { customizerAnnotation } from '../manifests/customize.ts'
import type { DeploymentState } from './deployments.ts'
import { releaseAnnotations } from '../manifests/install-strategy.ts'

interface Annotated {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined
}

/**
 * Reports whether an object or a pod has the version and the customization of the install strategy.
 */
export function matchesStrategy(object: Annotated | undefined, wanted: Annotated): boolean {
  const marks = [releaseAnnotations.identifier, customizerAnnotation]
  return object !== undefined && marks.every((key) => object.metadata?.annotations?.[key] === wanted.metadata?.annotations?.[key])
}

/**
 * Returns the entry of `status.generations` for an object: its generation or, for kinds without
 * one, a hash of its spec. Pure.
 */
export function generationOf({ metadata, spec }: Marked): Pick<GenerationStatus, 'lastGeneration' | 'hash'> {
  const { generation: lastGeneration } = metadata ?? {}
  return lastGeneration === undefined ? { lastGeneration: 0, hash: hashOf(spec) } : { lastGeneration }
}

/** Reports whether an object is unchanged since its entry of `status.generations`. Pure. */
export function isUnedited(present: Marked | undefined, mark: Pick<GenerationStatus, 'lastGeneration' | 'hash'> | undefined): boolean {
  if (present === undefined || mark === undefined) return false
  const { lastGeneration, hash } = generationOf(present)
  return lastGeneration === mark.lastGeneration && hash === mark.hash
}

type Marked = KubeObject & { readonly spec?: unknown }

/** Hashes content regardless of the order of its fields. */
function hashOf(content: unknown): string {
  return createHash('sha1')
    .update(JSON.stringify(withSortedKeys(content ?? null)))
    .digest('hex')
}

/** Compares the status of a Deployment with the install strategy. Pure. */
export function deploymentStateOf(deployment: Deployment | undefined, wanted: Annotated): DeploymentState {
  const { metadata, spec, status } = deployment ?? {}
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {}
  const desired = spec?.replicas ?? 1
  const isWanted = matchesStrategy(deployment, wanted)
  const isSeen = observedGeneration >= (metadata?.generation ?? 1)
  return {
    isWanted,
    isRolled: isSeen && updatedReplicas >= desired && availableReplicas >= desired && replicas === updatedReplicas,
    isReplacing: !isWanted || !isSeen || replicas > updatedReplicas,
    desired,
    updated: isWanted && isSeen ? updatedReplicas : 0,
    ready: isWanted && isSeen ? Math.min(availableReplicas, updatedReplicas) : 0,
  }
}

/**
 * Restarts after which a container that is not ready cannot start. A container that was killed is
 * ready after the first.
 */
const crashLoopRestarts = 2
/** A container that ends sooner after its start crashed, whatever its readiness said meanwhile. */
const shortRunMs = 10_000

/**
 * Reduces a pod to a {@link ComponentPod}. `hash` is the revision hash of the wanted template, when
 * that is known. Pure.
 */
export function componentPodOf(pod: Pod, wanted: Annotated, hash?: string): ComponentPod {
  const { metadata, spec, status } = pod
  const ready = findCondition(status?.conditions, 'Ready')
  const isReady = ready?.status === 'True'
  const container = status?.containerStatuses?.[0]
  const restarts = container?.restartCount ?? 0
  const end = container?.state?.terminated ?? container?.lastState?.terminated
  const lastEnd = end === undefined ? undefined : wordsFor(end)
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    node: spec.nodeName ?? targetOf(pod),
    isCurrent: matchesStrategy(pod, wanted) && matchesTemplateHash(pod, hash),
    isReady,
    readySince: isReady ? Date.parse(ready.lastTransitionTime ?? '') || 0 : undefined,
    notReadySince: isReady ? undefined : Date.parse(ready?.lastTransitionTime ?? '') || undefined,
    madeAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    crash: isReady || restarts < crashLoopRestarts ? undefined : lastEnd,
    lastEnd: isReady ? undefined : lastEnd,
    waitsFor: container?.state?.waiting?.message ?? container?.state?.waiting?.reason ?? unplaced(status?.conditions),
    isCrashLooping: restarts >= crashLoopRestarts && end !== undefined && endedEarly(end),
    isLeaving: isBeingDeleted({ metadata }),
    hasStarted: end !== undefined || container?.state?.running !== undefined,
  }
}

/** Exit codes of SIGKILL and SIGTERM: another process ended this one. */
const killed: readonly number[] = [137, 143]

function endedEarly({ exitCode, reason, startedAt, finishedAt }: ContainerStateTerminated): boolean {
  if (killed.includes(exitCode) && reason !== 'OOMKilled') return false
  const ranMs = Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')
  return Number.isNaN(ranMs) || ranMs < shortRunMs
}

/** Message of the PodScheduled condition. */
function unplaced(conditions: NonNullable<Pod['status']>['conditions']): string | undefined {
  const placed = findCondition(conditions, 'PodScheduled')
  return placed?.status === 'False' ? (placed.message ?? placed.reason) : undefined
}

function wordsFor({ exitCode, message }: ContainerStateTerminated): string {
  return `ended with exit code ${exitCode}${message === undefined ? '' : `: ${message.trim()}`}`
}

/** Returns the node of a DaemonSet pod that is not scheduled yet, from its affinity. */
function targetOf({ spec }: Pod): string {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return terms.flatMap(({ matchFields }) => matchFields ?? []).find(({ key }) => key === 'metadata.name')?.values?.[0] ?? ''
}

/** Returns the nodes that match the placement of a pod template. Pure. */
export function schedulableNodes(
  nodes: readonly Node[],
  template: PodTemplateSpec,
): readonly { readonly name: string; readonly isReady: boolean; readonly readySince: number | undefined }[] {
  const here = nodes.filter((node) => matchesNodeAffinity(template, node))
  return here.map(({ metadata, status }) => {
    const ready = findCondition(status?.conditions, 'Ready')
    const isReady = ready?.status === 'True'
    return {
      name: metadata.name ?? '',
      isReady,
      readySince: isReady ? Date.parse(ready.lastTransitionTime ?? '') || undefined : undefined,
    }
  })
}
