import { StatusError, unsupportedMediaType } from '#apimachinery/errors.ts'
import type { Patch } from '#client/client.ts'
import type { MutationOptions, RequestContext, Target } from './api-request.ts'
import type { Environment } from './environment.ts'
import type { Patched } from './patch.ts'

/**
 * Server-side apply will live here: merge the applied configuration, track who owns which field, report conflicts.
 * Until then the server says plainly that it does not take this kind of patch.
 */
export function apply(
  _environment: Environment,
  { definition }: Target,
  _change: Extract<Patch, { type: 'apply' }>,
  _options: MutationOptions,
  _context: RequestContext,
): Promise<Patched> {
  const accepted = [
    'application/json-patch+json',
    'application/merge-patch+json',
    ...(definition.custom ? [] : ['application/strategic-merge-patch+json']),
  ]
  const { status } = unsupportedMediaType(accepted)
  const message = `server-side apply is not supported by this server yet - accepted media types include: ${accepted.join(', ')}`
  return Promise.reject(new StatusError({ ...status, message }))
}
