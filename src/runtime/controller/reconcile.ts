/** Key to reconcile: never an event (level-triggered). */
export interface Request {
  /** The empty string for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

/** Delay until the next reconcile without a change. */
export interface Result {
  readonly requeueAfterMs?: number
}

/** Nothing more to do until something changes. */
export const done: Result = {}

/** Look again after `ms` milliseconds. */
export function recheckIn(ms: number): Result {
  return { requeueAfterMs: ms }
}

/**
 * Moves the cluster one step towards the desired state of one object. Rejecting requeues with
 * back-off, except for {@link TerminalError}.
 */
export type Reconciler = (request: Request, context: { signal: AbortSignal }) => Promise<Result>

/** Retrying is useless; the object is reconciled again after a change. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}
