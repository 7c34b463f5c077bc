import type { GraphFinding, Route, ScopeReport } from '#features/upgrade-graph/index.ts'
import { table, type Paint } from './terminal.ts'

/** What `steadyvm graph` has found. */
export interface GraphResult {
  readonly reports: readonly ScopeReport[]
  readonly findings: readonly GraphFinding[]
  readonly routes: readonly Route[]
  /** Further results, one on each line. */
  readonly notes: readonly string[]
}

/** Renders channels, findings and routes. Pure. */
export function renderGraph(
  { reports, findings, routes, notes }: GraphResult,
  { isWide, paint }: { isWide: boolean; paint: Paint },
): string {
  const sections = [
    reports.length === 0 ? 'There is no channel\n' : channelTable(reports),
    ...(isWide ? reports.map(versionTable) : []),
    ...(routes.length === 0 ? [] : [routes.map((route) => routeText(route, paint)).join('')]),
    `${notes.map((note) => `${note}\n`).join('')}${findingsText(findings, { isWide, paint })}`,
  ]
  return sections.join('\n')
}

function channelTable(reports: readonly ScopeReport[]): string {
  const rows = reports.map((one) => [
    one.package,
    one.channel === undefined ? '(all)' : `${one.channel}${one.isDefault ? ' (default)' : ''}`,
    String(one.versionCount),
    String(one.laneCount),
    one.head ?? '-',
    `${one.longestPath}${one.longestPathFrom === undefined ? '' : ` from ${one.longestPathFrom}`}`,
  ])
  return table([['PACKAGE', 'CHANNEL', 'VERSIONS', 'UPGRADES', 'HEAD', 'LONGEST PATH'], ...rows])
}

function versionTable({ package: owner, channel, versions }: ScopeReport): string {
  const rows = versions.map(({ name, version, next, hops, steps, isSkipped, deprecation }) => [
    name,
    version === '' ? '-' : version,
    next ?? '-',
    hops === undefined ? '-' : String(hops),
    String(steps),
    [isSkipped ? 'skipped' : '', deprecation === undefined ? '' : 'deprecated'].filter(Boolean).join(', ') || '-',
  ])
  return `${owner}${channel === undefined ? '' : `/${channel}`}\n${table([['NAME', 'VERSION', 'NEXT', 'HOPS', 'UPGRADES', 'MARKS'], ...rows])}`
}

function routeText({ package: owner, channel, from, to, shortest, taken }: Route, paint: Paint): string {
  const place = channel === undefined ? owner : `${owner}/${channel}`
  const way =
    shortest === undefined
      ? paint('red', `no way from ${from} to ${to}`)
      : `${counted(shortest.length - 1, 'step')}: ${shortest.join(' → ')}`
  const isSame = shortest !== undefined && taken.join() === shortest.join()
  return `${place}: ${way}\n${isSame ? '' : `  OLM takes ${taken.length === 1 ? 'no step' : taken.join(' → ')}\n`}`
}

function findingsText(findings: readonly GraphFinding[], { isWide, paint }: { isWide: boolean; paint: Paint }): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const verdict =
    findings.length === 0
      ? paint('green', 'No findings')
      : paint(errors > 0 ? 'red' : 'yellow', `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`)
  const lines = findings.flatMap(({ id, severity, object, what, why, remedy }) => [
    '',
    `${paint(severity === 'error' ? 'red' : 'yellow', `${id} (${severity})`)} ${paint('bold', object)}`,
    `  ${what}.`,
    ...(isWide ? [`  ${capital(why)}.`] : []),
    `  ${capital(remedy)}.`,
  ])
  return [verdict, ...lines].map((line) => `${line}\n`).join('')
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
