/** What a reconciler is asked to look at: never an event, only a key (level-triggered). */
export interface Request {
  /** The empty string for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

/** When to look again although nothing changed. */
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
 * Brings the world one step closer to what one object asks for. Rejecting requeues with back-off,
 * except for {@link TerminalError}.
 */
export type Reconciler = (request: Request, context: { signal: AbortSignal }) => Promise<Result>

/** Retrying cannot help; wait for a change. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}
