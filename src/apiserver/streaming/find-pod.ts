import type { Pod } from '#api/core/v1/pod.ts'
import { pathNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import type { UpgradeCall } from '#apiserver/front/upgrade/upgrade-handler.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import { isTrue } from '#apiserver/request/request-info.ts'

/** Lookup of pods. */
export interface PodSource {
  readonly verbs: Verbs
  readonly registry: ResourceRegistry
}

const optionKinds: Readonly<Record<string, string>> = {
  attach: 'PodAttachOptions',
  exec: 'PodExecOptions',
  portforward: 'PodPortForwardOptions',
}

/** Returns the pod of a connection after admission. @throws StatusError 403, 404 */
export async function findPod({ verbs, registry }: PodSource, call: UpgradeCall): Promise<Pod> {
  const { info, user, signal } = call
  const definition = registry.find('', 'v1', 'pods')
  if (definition === undefined || info.kind !== 'resource' || info.namespace === undefined || info.name === '') throw pathNotFound()
  const target = { definition, namespace: info.namespace, name: info.name, subresource: info.subresource }
  const { object } = await verbs.connect(target, connectOptions(info.subresource, call.query), {
    user,
    warn: () => {},
    signal,
    fieldManager: '',
  })
  return object as Pod
}

/** Converts the query to the options object that webhooks and policies see. */
function connectOptions(subresource: string, query: URLSearchParams): KubeObject {
  const options: Record<string, unknown> = { apiVersion: 'v1', kind: optionKinds[subresource] ?? '' }
  for (const name of ['stdin', 'stdout', 'stderr', 'tty']) if (query.has(name)) options[name] = isTrue(query.get(name))
  if (query.has('container')) options['container'] = query.get('container')
  if (query.has('command')) options['command'] = query.getAll('command')
  if (query.has('ports')) options['ports'] = query.getAll('ports').flatMap((ports) => ports.split(',').map(Number))
  return options as unknown as KubeObject
}
