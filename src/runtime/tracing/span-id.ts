import { createHash } from 'node:crypto'

/** Returns the id of a trace about something: the same for the same parts. */
export function traceIdOf(...parts: readonly string[]): string {
  return digestOf(parts).slice(0, 32)
}

/**
 * Returns the id of a span of a trace: the same for the same parts, so that a process that was
 * restarted records the same span again, and not a second one.
 */
export function spanIdOf(traceId: string, ...parts: readonly string[]): string {
  return digestOf([traceId, ...parts]).slice(0, 16)
}

/** Returns the id of the span that all others of an upgrade are parts of. */
export function upgradeSpanId(traceId: string): string {
  return spanIdOf(traceId, 'upgrade')
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
