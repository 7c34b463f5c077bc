import { methodNotAllowed, notFound } from '#apimachinery/errors.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { GetQuery, RequestContext, Target } from '#apiserver/request/api-request.ts'
import type { Environment } from '../environment.ts'
import { isApproval } from '../write/approval.ts'
import { parseResourceVersion } from '../read/resource-version.ts'
import { isResize } from '../subresources/pod-resize.ts'
import { scaleOf } from '../subresources/scale.ts'
import { waitForRevision } from '../read/wait-for-revision.ts'

/**
 * Returns the newest committed state of an object, or the view of a subresource. @throws
 * StatusError 404; 504 for a resourceVersion in the future
 */
export async function get(
  environment: Environment,
  target: Target,
  context: RequestContext,
  { resourceVersion }: GetQuery = { resourceVersion: '' },
): Promise<Entry> {
  const wanted = parseResourceVersion(resourceVersion)
  if (wanted > environment.store.revision) await waitForRevision(environment, wanted, context)
  const { definition, namespace = '', name } = target
  const entry = environment.store.get(definition.storageKey, namespace, name)
  if (entry === undefined) throw notFound(definition, name)
  const converting = environment.views.prepare(definition, [entry])
  if (converting !== undefined) await converting
  return partOf(target, environment.views.of(definition, entry))
}

function partOf({ definition, subresource }: Target, view: Entry): Entry {
  if (subresource === 'scale') return scaleOf(definition, view)
  if (subresource === '' || (subresource === 'status' && definition.hasStatus)) return view
  if (isApproval({ definition, subresource }) || isResize({ definition, subresource })) return view
  throw methodNotAllowed(definition, 'get')
}
