import { badRequest } from '#apimachinery/errors.ts'
import type { ResourceCall } from '#apiserver/front/resources/resource-handler.ts'
import type { UpgradeRoute } from '#apiserver/front/upgrade/upgrade-handler.ts'
import type { PodSource } from './find-pod.ts'
import type { NodeStreams } from './node-streams.ts'
import { portForwardRoute } from './port-forward/port-forward.ts'
import { remoteCommandRoute } from './remote-command.ts'

/** Returns the routes of exec, attach and port-forward. */
export function podStreamRoutes(source: PodSource, nodes: NodeStreams): readonly UpgradeRoute[] {
  return [remoteCommandRoute(source, nodes), portForwardRoute(source, nodes)]
}

const subresources: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward'])

/** Refuses calls of these subresources without an upgrade; undefined for other requests. */
export function refusePlainRequest({ info }: Pick<ResourceCall, 'info'>): Promise<never> | undefined {
  return info.group === '' && info.resource === 'pods' && subresources.has(info.subresource)
    ? Promise.reject(badRequest('Upgrade request required'))
    : undefined
}
