import { pathNotFound } from '#apimachinery/errors.ts'
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

/** Runs the checks except the excluded ones. `title` is the endpoint's name. */
export function checkHealth(title: string, checks: readonly HealthCheck[], excluded: readonly string[], verbose: boolean): HealthReport {
  const lines = checks.map((check) => {
    if (excluded.includes(check.name)) return { ok: true, line: `[+]${check.name} excluded: ok` }
    const problem = check.problem()
    return problem === undefined ? { ok: true, line: `[+]${check.name} ok` } : { ok: false, line: `[-]${check.name} failed: ${problem}` }
  })
  const healthy = lines.every(({ ok }) => ok)
  const detail = lines.map(({ line }) => `${line}\n`).join('')
  if (!healthy) return { healthy, text: `${detail}${title} check failed\n` }
  return { healthy, text: verbose ? `${detail}${title} check passed\n` : 'ok' }
}

/** Serves `/healthz`, `/livez` or `/readyz`, and single checks below. */
export function createHealthRoute(title: 'healthz' | 'livez' | 'readyz', checks: () => readonly HealthCheck[]): Route {
  return async ({ reply, path, query }) => {
    const name = path.slice(title.length + 2)
    const chosen = name === '' ? checks() : checks().filter((check) => check.name === name)
    if (name !== '' && chosen.length === 0) throw pathNotFound()
    const { healthy, text } = checkHealth(title, chosen, query.getAll('exclude'), query.has('verbose'))
    reply.send(healthy ? 200 : 500, 'text/plain; charset=utf-8', Buffer.from(text), { 'x-content-type-options': 'nosniff' })
  }
}
