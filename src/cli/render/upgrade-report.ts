import type { UpgradeReport } from '../upgrade/upgrade-report.ts'
import { formatDuration, table } from './terminal.ts'

/** Renders the story of an upgrade. Pure. */
export function renderUpgradeReport(report: UpgradeReport, nowMs: number): string {
  const { upgrade, guests, events, platform, unreadable } = report
  const { from, to, startedAt, completedAt, failure, traceID, stages } = upgrade
  const took = (start: string, end: string | undefined): string =>
    end === undefined ? `under way for ${formatDuration(nowMs - Date.parse(start))}` : formatDuration(Date.parse(end) - Date.parse(start))
  const head = [
    [from === '' ? 'installation' : 'upgrade', from === '' ? `of ${to}` : `from ${from} to ${to}`],
    ['started', startedAt],
    ...(completedAt === undefined
      ? [['', took(startedAt, undefined)]]
      : [[failure === undefined ? 'completed' : 'taken back', `${completedAt}, after ${took(startedAt, completedAt)}`]]),
    ...(failure === undefined ? [] : [['because', failure]]),
    ['trace', traceID],
  ]
  const parts = [
    table(head),
    section(
      ['STAGE', 'STARTED', 'TOOK'],
      stages.map((stage) => [stage.stage, stage.startedAt, took(stage.startedAt, stage.endedAt)]),
    ),
    section(
      ['GUEST', 'FROM', 'TO', 'RESULT', 'STARTED', 'TOOK'],
      guests.map(({ namespace, name, source, target, phase, startedAt: at, endedAt, failure: why }) => [
        `${namespace}/${name}`,
        source,
        target,
        why === undefined ? phase : `${phase}: ${why}`,
        at,
        took(at, endedAt),
      ]),
    ),
    section(
      ['PATCH', 'RESULT'],
      (platform?.patches ?? [])
        .filter(({ version }) => version === platform?.to)
        .map(({ id, result, reason }) => [id, reason === undefined ? result : `${result}: ${reason}`]),
    ),
    section(
      ['TIME', 'TYPE', 'REASON', 'MESSAGE'],
      events.map(({ time, type, reason, message }) => [time, type, reason, message]),
    ),
    unreadable.length === 0 ? '' : `You may not list ${unreadable.join(', ')}: the report is without them.\n`,
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function section(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : table([head, ...rows])
}
