import { methodNotAllowed, notFound } from '#apimachinery/errors.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { RequestContext, Target } from './api-request.ts'
import type { Environment } from './environment.ts'
import { scaleOf } from './scale.ts'

/** The newest committed state of one object, or a view of it that a subresource gives. */
export function get(environment: Environment, target: Target, _context: RequestContext): Entry {
  const { definition, namespace = '', name, subresource } = target
  const entry = environment.store.get(definition.storageKey, namespace, name)
  if (entry === undefined) throw notFound(definition, name)
  const view = environment.views.of(definition, entry)
  if (subresource === 'scale') return scaleOf(definition, view)
  if (subresource === '' || (subresource === 'status' && definition.hasStatus)) return view
  throw methodNotAllowed(definition, 'get')
}
