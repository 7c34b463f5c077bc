import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import type { LinkBase } from '../links/link.ts'
import { manifestObjects, type ManifestOptions } from './manifest-objects.ts'

/**
 * Builds the ConfigMap that an exporter pod serves manifests from: a List for each side that
 * clients come from. It goes with the pod.
 */
export function manifestConfigMapOf(pod: Pod, name: string, bases: readonly LinkBase[], options: Omit<ManifestOptions, 'base'>): ConfigMap {
  const lists = bases.map((base) => [base.side, JSON.stringify({ items: manifestObjects({ ...options, base }) })] as const)
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: pod.metadata.namespace ?? '', ownerReferences: [controllerReference(pods, pod)] },
    data: Object.fromEntries(lists),
  }
}
