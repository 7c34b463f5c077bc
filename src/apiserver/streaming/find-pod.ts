import type { Pod } from '#api/core/v1/pod.ts'
import { pathNotFound } from '#apimachinery/errors.ts'
import type { Verbs } from '#apiserver/endpoints/api-request.ts'
import type { UpgradeCall } from '#apiserver/front/upgrade-handler.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'

/** Where pods are found. */
export interface PodSource {
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
}

/** The pod that somebody connects to. @throws StatusError 404 */
export async function findPod({ verbs, registry }: PodSource, call: UpgradeCall): Promise<Pod> {
  const { info, user, signal } = call
  const definition = registry.find('', 'v1', 'pods')
  if (definition === undefined || info.kind !== 'resource' || info.namespace === undefined || info.name === '') throw pathNotFound()
  const target = { definition, namespace: info.namespace, name: info.name, subresource: '' }
  const { object } = await verbs.get(target, { user, warn: () => {}, signal, fieldManager: '' })
  return object as Pod
}
