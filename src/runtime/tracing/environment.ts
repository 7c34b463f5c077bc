/**
 * Returns the variables of OpenTelemetry that a process passes on to those that it starts, or whose
 * pods it creates, sorted by name. Headers are left out: they may hold credentials, and the
 * variables of pods can be read by more users than Secrets. Pure.
 */
export function tracingEnvironment(env: Readonly<NodeJS.ProcessEnv>): Readonly<Record<string, string>> {
  const own = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value !== '' && /^OTEL_[A-Z_]+$/.test(name) && !name.endsWith('_HEADERS') && name !== 'OTEL_SERVICE_NAME'
      ? [[name, value] as const]
      : [],
  )
  return Object.fromEntries(own.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
