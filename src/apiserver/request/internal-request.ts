import type { MutationOptions, RequestContext } from './api-request.ts'

/** Options of a write by the API server itself. */
export const internalMutation: MutationOptions = { dryRun: false, fieldValidation: 'Ignore' }

/**
 * Returns the context of requests that the API server makes itself: with all rights, without
 * warnings, until `signal` is aborted. Default: no end.
 */
export function internalContext(
  username: string,
  fieldManager: string,
  signal: AbortSignal = new AbortController().signal,
): RequestContext {
  return { user: { username, groups: ['system:masters'] }, warn: () => {}, signal, fieldManager }
}
