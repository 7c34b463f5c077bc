import { isConflict } from '#apimachinery/errors.ts'
import { TransportError } from '#client/client.ts'

/** A capture failed; `reason` is the reason of the VM's Failure condition. */
export class CaptureFailed extends Error {
  override readonly name = 'CaptureFailed'
  readonly reason: 'FailedFindInstancetype' | 'FailedFindPreference' | 'FailedCreate'
  constructor(reason: CaptureFailed['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Outcome of one step of a capture for one of the VM's two matchers. */
export type CaptureStep<T> =
  /** The VM has no such matcher. */
  { readonly kind: 'absent' } | { readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly failure: CaptureFailed }

/** Returns the value of a step that is done. */
export function valueOf<T>(step: CaptureStep<T>): T | undefined {
  return step.kind === 'done' ? step.value : undefined
}

/**
 * Converts an error into a failure of the VM. @throws errors that say nothing about the VM: an API
 * that cannot be reached, a conflict
 */
export function captureFailure(reason: CaptureFailed['reason'], cause: unknown, prefix = ''): CaptureFailed {
  if (cause instanceof TransportError || isConflict(cause)) throw cause
  return new CaptureFailed(reason, `${prefix}${cause instanceof Error ? cause.message : String(cause)}`, { cause })
}
