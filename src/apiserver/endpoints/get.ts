import { methodNotAllowed, notFound } from '#apimachinery/errors.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { RequestContext, Target } from './api-request.ts'
import type { Environment } from './environment.ts'
import { scaleOf } from './scale.ts'

/** The newest committed state of one object, or a view of it that a subresource gives. */
export function get(environment: Environment, target: Target, _context: RequestContext): Entry | Promise<Entry> {
  const { definition, namespace = '', name } = target
  const entry = environment.store.get(definition.storageKey, namespace, name)
  if (entry === undefined) throw notFound(definition, name)
  const converting = environment.views.prepare(definition, [entry])
  const view = (): Entry => partOf(target, environment.views.of(definition, entry))
  return converting === undefined ? view() : converting.then(view)
}

function partOf({ definition, subresource }: Target, view: Entry): Entry {
  if (subresource === 'scale') return scaleOf(definition, view)
  if (subresource === '' || (subresource === 'status' && definition.hasStatus)) return view
  throw methodNotAllowed(definition, 'get')
}
