import { readFileSync } from 'node:fs'

/** One command line, and what it must print and end with. */
export interface GoldenStep {
  /** As it stands in the file, without `$`. */
  readonly command: string
  readonly args: readonly string[]
  /** Lines; `...` stands for any number of lines, `<*>` for any text. */
  readonly expected: readonly string[]
  readonly code: number
}

/**
 * Reads a golden file. `$ args` starts a step, the lines after it are the normalised output, `[exit N]` its code when that is not 0, `#` a comment.
 * `$[>=1.30] args` and `[<1.30] line` are for some versions only; `{ns}` is the namespace.
 */
export function readGoldenFile(path: string, of: { version: string; namespace: string }): readonly GoldenStep[] {
  const minor = Number(of.version.split('.')[1])
  const steps: { command: string; args: readonly string[]; expected: string[]; code: number }[] = []
  let skipped = false
  for (const raw of readFileSync(path, 'utf8').split('\n')) {
    if (raw.startsWith('#')) continue
    const line = raw.replaceAll('{ns}', of.namespace)
    const start = /^\$(?:\[(<|>=)1\.(\d+)\])? (.*)$/.exec(line)
    if (start !== null) {
      skipped = !applies(start[1], start[2], minor)
      if (!skipped) steps.push({ command: start[3] ?? '', args: splitArguments(start[3] ?? ''), expected: [], code: 0 })
      continue
    }
    const step = steps.at(-1)
    if (skipped || step === undefined) continue
    const exit = /^\[exit (\d+)\]$/.exec(line)
    const limited = /^\[(<|>=)1\.(\d+)\] (.*)$/.exec(line)
    if (exit !== null) step.code = Number(exit[1])
    else if (limited === null) step.expected.push(line)
    else if (applies(limited[1], limited[2], minor)) step.expected.push(limited[3] ?? '')
  }
  for (const step of steps) while (step.expected.at(-1) === '') step.expected.pop()
  return steps
}

function applies(operator: string | undefined, bound: string | undefined, minor: number): boolean {
  if (operator === undefined) return true
  return operator === '<' ? minor < Number(bound) : minor >= Number(bound)
}

/** Splits at spaces; what stands in single quotes stays together. */
function splitArguments(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

/** Output without what differs from run to run: ages, times, uids, versions, ports, widths of columns. */
export function normaliseOutput(output: string, of: { namespace: string }): string[] {
  const text = output
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replaceAll(/resourceVersion: "\d+"/g, 'resourceVersion: "<rv>"')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<server>')
  const lines = text.split('\n').map((line) =>
    line
      .trimEnd()
      .replaceAll(/(?<=\S)(?: {2,}|\t+ *)/g, '  ')
      .replaceAll(/(?<= {2}|^)\d+(?:s|m|h|d)(?:\d+[smh])?(?= {2}|$)/g, '<age>'),
  )
  while (lines.at(-1) === '') lines.pop()
  return lines.map((line) => line.replaceAll(` (namespace "${of.namespace}")`, ''))
}

/** What is wrong with the lines, for people; undefined when they match. */
export function differenceTo(expected: readonly string[], actual: readonly string[]): string | undefined {
  return matches(expected, actual) ? undefined : `wanted:\n${expected.join('\n')}\n\ngot:\n${actual.join('\n')}`
}

function matches([first, ...rest]: readonly string[], actual: readonly string[]): boolean {
  if (first === undefined) return actual.length === 0
  if (first === '...') return rest.length === 0 || actual.some((_, index) => matches(rest, actual.slice(index)))
  const [line, ...others] = actual
  return line !== undefined && matchesLine(first.trimEnd(), line) && matches(rest, others)
}

function matchesLine(pattern: string, line: string): boolean {
  if (!pattern.includes('<*>')) return pattern === line
  const parts = pattern.split('<*>').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(line)
}
