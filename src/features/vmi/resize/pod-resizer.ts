import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { isConflict, StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { names } from '../names.ts'
import { computeContainer, type PodResize } from './pod-resize.ts'
import type { ResizeObstacle } from './resized-condition.ts'

/** Resizes launcher pods in place. */
export interface PodResizer {
  /**
   * Gives a pod the resources, and notes the size on it. Returns why the cluster does not;
   * undefined when it was done. @throws StatusError when the pod has changed, or to try again
   */
  resize(client: Pick<Client, 'patch'>, pod: Pod, change: PodResize): Promise<ResizeObstacle | undefined>
}

/**
 * Milliseconds after which a cluster that cannot resize pods is asked again: it may be upgraded.
 */
const askAgainMs = 600_000

/**
 * Creates a resizer. It remembers that the API server has no `pods/resize`, as before Kubernetes
 * 1.33, so that it is not asked for each guest.
 */
export function createPodResizer({ clock }: { readonly clock: Clock }): PodResizer {
  let missingUntil = 0
  return {
    async resize(client, pod, { resources, size }) {
      let current = pod
      if (resources !== undefined) {
        if (clock.now() < missingUntil) return notSupported
        try {
          current = await patchResources(client, pod, resources)
        } catch (error) {
          const obstacle = obstacleIn(error, pod)
          if (obstacle === notSupported) missingUntil = clock.now() + askAgainMs
          return obstacle
        }
      }
      await patchIfUnchanged(client, pods, current, { metadata: { annotations: { [names.guestSizeAnnotation]: size } } })
      return undefined
    },
  }
}

const notSupported: ResizeObstacle = {
  reason: 'NotSupported',
  message: 'this cluster cannot resize pods, as Kubernetes 1.33 can',
}

function patchResources(client: Pick<Client, 'patch'>, { metadata }: Pod, resources: PodResize['resources']): Promise<Pod> {
  const { name = '', namespace = '', resourceVersion } = metadata
  const body = { metadata: { resourceVersion }, spec: { containers: [{ name: computeContainer, resources }] } }
  return client.patch(pods, { namespace, name }, { type: 'strategic', body }, { subresource: 'resize' })
}

/** @throws the error when the next reconcile may succeed */
function obstacleIn(error: unknown, { metadata }: Pod): ResizeObstacle {
  if (!(error instanceof StatusError) || isConflict(error) || error.code >= 500 || error.code === 429) throw error
  // A path that does not exist is not found either, but the answer names no pod.
  if (error.code === 404 && error.status.details?.name !== metadata.name) return notSupported
  if (error.code === 404) throw error
  return { reason: 'Refused', message: error.message }
}
