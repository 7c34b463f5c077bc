import type { Finding, RevisionReport, VersionReport } from '#features/revision-report/index.ts'
import { formatAge } from './age.ts'
import { table, type Paint } from './terminal.ts'

/** Output options. */
interface Style {
  readonly isWide: boolean
  readonly paint: Paint
  readonly nowMs: number
}

/** Rows per table unless `isWide`: findings on thousands of revisions mostly have one cause. */
const shown = 10

/** Renders a report: versions, counts, findings, and the commands that resolve them. */
export function renderRevisions(report: RevisionReport, style: Style): string {
  return [
    versionTable(report.versions, style),
    `\n${totals(report)}`,
    ...report.gaps.map((gap) => style.paint('yellow', `Not everything was seen: ${gap}.\n`)),
    findingTable(report.findings, style),
    remedies(report, style),
  ].join('')
}

function versionTable(versions: readonly VersionReport[], { paint, nowMs }: Style): string {
  const heading = ['VERSION', 'INSTANCE TYPES', 'PREFERENCES', 'OF SNAPSHOTS', 'SHARED', 'OLDEST', 'SAFE TO REMOVE']
  const rows = versions.map((one) => [
    one.version,
    ...[one.instancetypes, one.preferences, one.ofSnapshots, one.shared].map(String),
    formatAge(one.oldest, nowMs),
    one.safeToRemove === 'yes' ? paint('green', 'yes') : `${one.safeToRemove}${reasonsOf(one)}`,
  ])
  return table([heading, ...rows])
}

const reasons = {
  Latest: 'the latest',
  StorageVersion: 'new objects are stored in it',
  StoredObjects: 'objects are stored in it',
  Copy: 'copy',
  UnreadableCopy: 'unreadable copy',
  MissingCopy: 'missing copy',
} as const

function reasonsOf({ blockers }: VersionReport): string {
  const words = (Object.keys(reasons) as (keyof typeof reasons)[]).flatMap((reason) => {
    const count = blockers.filter((blocker) => blocker.reason === reason).length
    if (count === 0) return []
    if (!reasons[reason].endsWith('copy')) return [reasons[reason]]
    return [count === 1 ? `1 ${reasons[reason]}` : `${count} ${reasons[reason].replace(/copy$/, 'copies')}`]
  })
  return words.length === 0 ? '' : `: ${words.join(', ')}`
}

function totals({ revisions, states, drift, ages }: RevisionReport): string {
  if (revisions === 0 && states.missing === 0) return 'Nothing has been captured yet.\n'
  const rows = [
    ['  state', countsOf(states, stateWords)],
    ['  drift', countsOf(drift, driftWords)],
    ['  age', countsOf(ages, ageWords)],
  ].filter(([, counts]) => counts !== '')
  return `${revisions} revision${revisions === 1 ? '' : 's'}\n${table(rows)}`
}

const stateWords = {
  current: 'up to date',
  outdated: 'outdated',
  orphaned: 'orphaned',
  undecodable: 'undecodable',
  missing: 'missing',
} as const
const driftWords = {
  same: 'as their objects are now',
  newerGeneration: 'of an older generation',
  replaced: 'of an object that was replaced',
  deleted: 'of an object that was deleted',
  unknown: 'without a word of what they are of',
} as const
const ageWords = { underOneDay: 'under a day', underThirtyDays: 'under 30 days', underOneYear: 'under a year', older: 'older' } as const

function countsOf<K extends string>(counts: Readonly<Record<K, number>>, words: Readonly<Record<K, string>>): string {
  const keys = Object.keys(words) as K[]
  return keys.flatMap((key) => (counts[key] === 0 ? [] : [`${counts[key]} ${words[key]}`])).join(', ')
}

const colours = { outdated: 'yellow', orphaned: 'yellow', undecodable: 'red', missing: 'red' } as const

function findingTable(findings: readonly Finding[], { isWide, paint }: Style): string {
  if (findings.length === 0) return ''
  const kept = isWide ? findings : findings.slice(0, shown)
  const rows = kept.map(({ state, namespace, revision, version, message, referrers, command }) => [
    paint(colours[state], state.padEnd('undecodable'.length)),
    `${namespace}/${revision}`,
    version ?? 'unknown',
    [...new Set(referrers.map(({ subject }) => subject))].join(', '),
    // The second column names the revision already.
    message.split(`${namespace}/${revision}: `).at(-1) ?? '',
    ...(isWide ? [command] : []),
  ])
  const heading = ['STATE', 'REVISION', 'HOLDS', 'NAMED BY', 'WHY', ...(isWide ? ['COMMAND'] : [])]
  const more = findings.length - kept.length
  return `\n${table([heading, ...rows])}${more === 0 ? '' : `… and ${more} more: see -o wide\n`}`
}

/** Lists the commands that resolve all findings, without duplicates. */
function remedies({ findings, versions }: RevisionReport, { isWide }: Style): string {
  const stored = versions.flatMap(({ blockers }) =>
    blockers.flatMap(({ reason, command }) => (reason === 'StoredObjects' && command !== undefined ? [command] : [])),
  )
  const commands = [...new Set([...findings.map(({ command }) => command), ...stored])]
  if (commands.length === 0) return ''
  const kept = isWide ? commands : commands.slice(0, shown)
  const more = commands.length - kept.length
  return `\nTo settle that:\n${kept.map((command) => `  ${command}\n`).join('')}${more === 0 ? '' : `  … and ${more} more: see -o wide\n`}`
}
