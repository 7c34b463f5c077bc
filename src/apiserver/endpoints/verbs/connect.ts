import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { RequestContext, Target } from '#apiserver/request/api-request.ts'
import type { Environment } from '../environment.ts'
import { get } from './get.ts'

/**
 * Admits a connection to a subresource such as `pods/exec` and returns the object. `options` are
 * the query as an object of the subresource's kind. @throws StatusError 404, or that of a plugin
 */
export async function connect(environment: Environment, target: Target, options: KubeObject, context: RequestContext): Promise<Entry> {
  const entry = get(environment, { ...target, subresource: '' }, context)
  for (const plugin of environment.admission) await plugin.connect?.({ target, options, context })
  return entry
}
