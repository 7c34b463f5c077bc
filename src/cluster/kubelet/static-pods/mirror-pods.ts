import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { configHash, configMirror } from './static-pod.ts'

/** Reports whether this API object mirrors a static pod. */
export function isMirror(pod: Pod): boolean {
  return pod.metadata.annotations?.[configMirror] !== undefined
}

/** Reports whether this mirror shows exactly this static pod. */
export function mirrors(mirror: Pod, pod: Pod): boolean {
  return mirror.metadata.annotations?.[configMirror] === pod.metadata.annotations?.[configHash]
}

/** Write that brings a mirror pod up to date. */
export type MirrorStep = { readonly kind: 'create'; readonly pod: Pod } | { readonly kind: 'delete'; readonly mirror: Pod }

/**
 * Compares the static pods with the mirrors of this node in the API. A deleted or outdated mirror
 * is removed before its successor is created. Pure.
 */
export function planMirrors(staticPods: readonly Pod[], mirrorsFound: readonly Pod[]): readonly MirrorStep[] {
  const wanted = new Map(staticPods.map((pod) => [keyOf(pod), pod]))
  const found = new Set(mirrorsFound.map(keyOf))
  const stale = mirrorsFound.filter((mirror) => {
    const pod = wanted.get(keyOf(mirror))
    return pod === undefined || !mirrors(mirror, pod) || isBeingDeleted(mirror)
  })
  return [
    ...stale.map((mirror) => ({ kind: 'delete', mirror }) as const),
    ...staticPods.filter((pod) => !found.has(keyOf(pod))).map((pod) => ({ kind: 'create', pod }) as const),
  ]
}

/** Executes one step. Concurrent writes of the same step are ignored. */
export async function takeMirrorStep(client: Client, step: MirrorStep, nodeUid: string | undefined, signal: AbortSignal): Promise<void> {
  try {
    if (step.kind === 'create') await client.create(pods, mirrorOf(step.pod, nodeUid), { signal })
    else await deleteMirror(client, step.mirror, signal)
  } catch (error) {
    if (!isNotFound(error) && !isAlreadyExists(error)) throw error
  }
}

async function deleteMirror(client: Client, mirror: Pod, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid = '' } = mirror.metadata
  await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal })
}

function mirrorOf(pod: Pod, nodeUid: string | undefined): Pod {
  const { uid: _uid, ...metadata } = pod.metadata
  const owner = { apiVersion: 'v1', kind: 'Node', name: pod.spec.nodeName ?? '', uid: nodeUid ?? '', controller: true }
  return {
    ...pod,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [configMirror]: metadata.annotations?.[configHash] ?? '' },
      ...(nodeUid === undefined ? {} : { ownerReferences: [owner] }),
    },
    // A node's own pods are not put off by its taints.
    spec: { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' }] },
  }
}

function keyOf(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`
}
