import type { Finding, UpgradeCheck } from '#features/upgrade-check/index.ts'
import { formatDuration, table, type Paint } from './terminal.ts'

/** Renders the findings that block an upgrade. Pure. */
export function renderCheck(
  { from, to, findings, stopping, gaps }: UpgradeCheck,
  { isWide, paint }: { isWide: boolean; paint: Paint },
): string {
  const verdict =
    findings.length === 0
      ? paint('green', `No findings for an upgrade to ${to}`)
      : stopping.length === 0
        ? paint('yellow', `Upgrade to ${to} is possible, with ${counted(findings.length, 'warning')}`)
        : paint('red', `Upgrade to ${to} is blocked by ${counted(stopping.length, 'finding')}`)
  const forceable = stopping.length > 0 && stopping.every(({ severity }) => severity === 'forceable')
  const force = forceable ? [`It can be forced: kubectl annotate kubevirt --all -A --overwrite steadyvm.io/force-upgrade-to=${to}`] : []
  const lines = [
    `${verdict}${from === '' ? '' : ` (from ${from})`}`,
    ...gaps.map((gap) => paint('dim', `Not checked: ${gap}`)),
    ...force,
    ...findings.flatMap((finding) => ['', ...linesOf(finding, { isWide, paint })]),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function linesOf({ id, severity, object, what, why, command }: Finding, { isWide, paint }: { isWide: boolean; paint: Paint }): string[] {
  const colour = severity === 'warning' ? 'yellow' : 'red'
  return [
    `${paint(colour, `${id}${severity === 'warning' ? '' : ` (${severity})`}`)} ${paint('bold', object)}`,
    `  ${what}.`,
    ...(isWide ? [`  ${why}.`] : []),
    `  ${command}`,
  ]
}

/** Renders the steps of an upgrade in their order. Pure. */
export function renderPlan({ from, to, findings, stopping, steps, gaps }: UpgradeCheck): string {
  if (from === to) return `${to} is installed\n`
  const total = steps.reduce((sum, step) => sum + step.seconds, 0)
  const rows = steps.map((step) => [step.stage, String(step.count), step.seconds === 0 ? '-' : about(step.seconds), step.what])
  const rest = [
    `${from === '' ? `Installing ${to}` : `From ${from} to ${to}`}: about ${about(total)}`,
    ...(findings.length === 0
      ? []
      : [
          `${counted(findings.length, 'finding')}, ${stopping.length === 0 ? 'none' : stopping.length} blocking: steadyvm upgrade check --to ${to}`,
        ]),
    ...findings.filter(({ id }) => id.startsWith('Gate')).map(({ what }) => `${what}.`),
    ...gaps.map((gap) => `Not checked: ${gap}`),
  ]
  return `${table([['STAGE', 'COUNT', 'ABOUT', 'WHAT'], ...rows])}\n${rest.map((line) => `${line}\n`).join('')}`
}

function about(amount: number): string {
  return amount < 10 ? `${amount} s` : formatDuration(amount * 1000)
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
