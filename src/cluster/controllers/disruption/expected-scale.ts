import { compileJsonPath } from '#apimachinery/json/json-path.ts'
import type { KubeObject, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { ResourceCatalog, ScalableResource } from '../resource-catalog.ts'

/** Dependencies for reading the scale of controllers. */
export interface ScalePorts {
  readonly client: Client
  readonly catalog: ResourceCatalog
}

/** Expected number of a budget's pods, and those without a controller. */
export interface ExpectedScale {
  readonly count: number
  readonly unmanaged: readonly Pod[]
}

/** It cannot be said how many pods are wanted. */
export class ScaleUnknown extends Error {
  override readonly name = 'ScaleUnknown'
}

/**
 * Adds up what the controllers of the pods want. @throws ScaleUnknown when a controller has no
 * scale
 */
export async function expectedScale(ports: ScalePorts, pods: readonly Pod[], signal: AbortSignal): Promise<ExpectedScale> {
  const controllers = new Map<string, { readonly reference: OwnerReference; readonly pod: Pod }>()
  const unmanaged: Pod[] = []
  for (const pod of pods) {
    const reference = controllerOf(pod)
    if (reference === undefined) unmanaged.push(pod)
    else controllers.set(reference.uid, { reference, pod })
  }
  // Two replica sets of one deployment are one controller.
  const wanted = new Map<string, number>()
  for (const { reference, pod } of controllers.values()) {
    const found = await scaleOf(ports, reference, pod, signal)
    if (found !== undefined) wanted.set(found.uid, found.replicas)
  }
  return { count: [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged }
}

interface Scale {
  readonly uid: string
  readonly replicas: number
}

async function scaleOf(ports: ScalePorts, reference: OwnerReference, pod: Pod, signal: AbortSignal): Promise<Scale | undefined> {
  const { group } = parseApiVersion(reference.apiVersion)
  const resource = ports.catalog.scalable(group, reference.kind)
  if (resource === undefined) {
    const name = `${reference.kind.toLowerCase()}s${group === '' ? '' : `.${group}`}`
    throw new ScaleUnknown(`${name} does not implement the scale subresource`)
  }
  const owner = await find(ports.client, resource, reference, pod, signal)
  if (owner === undefined) return undefined
  const above = controllerOf(owner)
  // A replica set wants what its deployment wants, which during a rollout is less than the sum.
  if (above !== undefined && group === 'apps' && above.kind === 'Deployment') return scaleOf(ports, above, pod, signal)
  const [replicas] = compileJsonPath(resource.specReplicasPath)(owner)
  return { uid: reference.uid, replicas: typeof replicas === 'number' ? replicas : 1 }
}

/** Undefined when the controller is gone, or another one has its name. */
async function find(
  client: Client,
  { resource }: ScalableResource,
  { name, uid }: OwnerReference,
  { metadata }: Pod,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const scalable = await found(client.get(resource, { namespace: metadata.namespace ?? '', name }, { signal }))
  return scalable?.metadata?.uid === uid ? scalable : undefined
}
