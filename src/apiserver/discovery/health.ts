import { pathNotFound } from '#apimachinery/errors.ts'
import { quote } from '#apimachinery/field-messages.ts'
import type { Route } from '#apiserver/front/routes.ts'

/** A named check. */
export interface HealthCheck {
  readonly name: string
  /** Returns why the check fails; undefined when it passes. */
  readonly problem: () => string | undefined
}

/** Result of the checks. */
export interface HealthReport {
  readonly healthy: boolean
  readonly text: string
}

/**
 * Runs the checks except the excluded ones. `title` is the endpoint's name. The reasons of failures
 * are left out, as everybody may read this endpoint; the endpoint of a single check has them.
 */
export function checkHealth(title: string, checks: readonly HealthCheck[], excluded: readonly string[], verbose: boolean): HealthReport {
  const lines = checks.map(({ name, problem }) => {
    if (excluded.includes(name)) return { ok: true, line: `[+]${name} excluded: ok` }
    return problem() === undefined ? { ok: true, line: `[+]${name} ok` } : { ok: false, line: `[-]${name} failed: reason withheld` }
  })
  const healthy = lines.every(({ ok }) => ok)
  const unmatched = [...new Set(excluded)].filter((name) => checks.every((check) => check.name !== name)).toSorted()
  const warning =
    unmatched.length === 0 ? '' : `warn: some health checks cannot be excluded: no matches for ${unmatched.map(quote).join(',')}\n`
  const detail = `${lines.map(({ line }) => `${line}\n`).join('')}${warning}`
  if (!healthy) return { healthy, text: `${detail}${title} check failed\n` }
  return { healthy, text: verbose ? `${detail}${title} check passed\n` : 'ok' }
}

/** Runs one check, and says why it fails. */
export function checkOne({ problem }: HealthCheck): HealthReport {
  const reason = problem()
  return reason === undefined ? { healthy: true, text: 'ok' } : { healthy: false, text: `internal server error: ${reason}\n` }
}

/** Serves `/healthz`, `/livez` or `/readyz`, and single checks below. */
export function createHealthRoute(title: 'healthz' | 'livez' | 'readyz', checks: () => readonly HealthCheck[]): Route {
  return async ({ reply, path, query }) => {
    const name = path.slice(title.length + 2)
    const chosen = checks().find((check) => check.name === name)
    if (name !== '' && chosen === undefined) throw pathNotFound()
    const { healthy, text } =
      chosen === undefined ? checkHealth(title, checks(), query.getAll('exclude'), query.has('verbose')) : checkOne(chosen)
    reply.send(healthy ? 200 : 500, 'text/plain; charset=utf-8', Buffer.from(text), { 'x-content-type-options': 'nosniff' })
  }
}
