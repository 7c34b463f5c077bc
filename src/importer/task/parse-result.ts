import type { ImportResult } from './task.ts'

/**
 * Parses the termination message of a worker. Where there is no file for it, Kubernetes takes the
 * end of the log: then the result is the last line. Undefined for a worker that was killed. Pure.
 */
export function parseResult(message: string | undefined): ImportResult | undefined {
  const line = (message ?? '').trimEnd().split('\n').at(-1) ?? ''
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return undefined
    const { reason, message: text, fatal, labels, digest } = value as Partial<Record<keyof ImportResult, unknown>>
    if (typeof reason !== 'string' || typeof text !== 'string') return undefined
    return {
      reason,
      message: text,
      fatal: fatal === true,
      ...(isLabels(labels) ? { labels } : {}),
      ...(typeof digest === 'string' ? { digest } : {}),
    }
  } catch {
    return undefined
  }
}

function isLabels(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string')
}
