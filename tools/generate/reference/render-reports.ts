import type { Reported, Reports } from './read-reports.ts'

interface Page {
  readonly title: string
  readonly intro: string
  readonly columns: readonly string[]
  readonly row: (name: string, reports: readonly Reported[]) => readonly string[]
}

const pages: Readonly<Record<keyof Reports, Page>> = {
  events: {
    title: 'Events',
    intro: 'Reasons of the events that the components record, as `kubectl events` and `kubectl describe` show them.',
    columns: ['reason', 'type', 'message', 'reported by'],
    row: (name, reports) => [
      code(name),
      unique(reports.map(({ kind }) => kind)),
      texts(reports),
      unique(reports.map(({ source }) => source)),
    ],
  },
  conditions: {
    title: 'Condition reasons',
    intro: 'Reasons of the conditions in the status of objects, for `kubectl wait` and for alerts.',
    columns: ['reason', 'condition', 'message', 'reported by'],
    row: (name, reports) => [
      code(name),
      unique(reports.map(({ kind }) => code(kind))),
      texts(reports),
      unique(reports.map(({ source }) => source)),
    ],
  },
  metrics: {
    title: 'Metrics',
    intro: 'Metrics of the components, as `/metrics` serves them. A runbook in `docs/runbooks` belongs to each alert on them.',
    columns: ['metric', 'help', 'reported by'],
    row: (name, reports) => [code(name), texts(reports), unique(reports.map(({ source }) => source))],
  },
  findings: {
    title: 'Findings of `steadyvm upgrade check`',
    intro:
      'Ids of the findings. `blocking` stops the upgrade, `forceable` stops it until an annotation forces that version, `warning` stops nothing.',
    columns: ['id', 'severity', 'finding', 'reported by'],
    row: (name, reports) => [
      code(name),
      unique(reports.map(({ kind }) => kind)),
      texts(reports),
      unique(reports.map(({ source }) => source)),
    ],
  },
}

/** The pages of `docs/reference`: text by path. `<name>` in a message stands for a value. Pure. */
export function renderReports(reports: Reports): ReadonlyMap<string, string> {
  const names = Object.keys(pages) as (keyof Reports)[]
  return new Map(names.map((name) => [`docs/reference/${name}.md`, renderPage(pages[name], reports[name])]))
}

function renderPage({ title, intro, columns, row }: Page, reports: readonly Reported[]): string {
  const byName = Map.groupBy(reports, ({ name }) => name)
  const rows = [...byName].map(([name, group]) => line(row(name, group)))
  const head = [line(columns), `|${'---|'.repeat(columns.length)}`]
  const origin = 'Generated from the sources by `npm run generate`. `<name>` in a message stands for a value.'
  return `# ${title}\n\n${intro} ${origin}\n\n${[...head, ...rows].join('\n')}\n`
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function texts(reports: readonly Reported[]): string {
  return unique(
    reports.map(({ text }) => escaped(text)),
    '<br>',
  )
}

function unique(values: readonly string[], separator = ', '): string {
  return [...new Set(values.filter((value) => value !== ''))].join(separator)
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}

function escaped(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/\s*\n\s*/g, ' ')
}
