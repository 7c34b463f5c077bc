import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { runCommand } from '../support/kubectl.ts'

/** One command line, its expected output and exit code. */
export interface GoldenStep {
  /** The command line as written in the file, without `$`. */
  readonly command: string
  readonly args: readonly string[]
  /** Environment variables `NAME=value` before the command, such as the editor. */
  readonly env: Readonly<Record<string, string>>
  /** Expected lines; `...` matches any number of lines, `<*>` any text. */
  readonly expected: readonly string[]
  readonly code: number
}

/**
 * Reads a golden file. `$ args` starts a step, the lines after it are the normalised output, `[exit
 * N]` its code when that is not 0, `#` a comment.
 * `$ NAME=value args` sets a variable. `[>=1.30][<1.32]` before any of these is for some versions
 * only; `{ns}` is the namespace.
 */
export function readGoldenFile(path: string, of: { version: string; namespace: string }): readonly GoldenStep[] {
  const minor = Number(of.version.split('.')[1])
  const steps: { command: string; args: readonly string[]; env: GoldenStep['env']; expected: string[]; code: number }[] = []
  let skipped = false
  for (const raw of readFileSync(path, 'utf8').split('\n')) {
    if (raw.startsWith('#')) continue
    const line = raw.replaceAll('{ns}', of.namespace)
    const [, markers = '', rest = ''] = /^((?:\[(?:<|>=)1\.\d+\])*)(?:(?<=\]) )?(.*)$/.exec(line) ?? []
    const applicable = applies(markers, minor)
    const command = /^\$ (.*)$/.exec(rest)?.[1]
    if (command !== undefined) {
      skipped = !applicable
      if (!skipped) steps.push({ ...readCommand(command), expected: [], code: 0 })
      continue
    }
    const step = steps.at(-1)
    if (skipped || !applicable || step === undefined) continue
    const exit = /^\[exit (\d+)\]$/.exec(rest)
    if (exit === null) step.expected.push(rest)
    else step.code = Number(exit[1])
  }
  for (const step of steps) while (step.expected.at(-1) === '') step.expected.pop()
  return steps
}

/** Reports whether a kubectl's minor version is within all of the bounds: `[>=1.30][<1.32]`. */
function applies(markers: string, minor: number): boolean {
  return [...markers.matchAll(/(<|>=)1\.(\d+)/g)].every(([, operator, bound]) =>
    operator === '<' ? minor < Number(bound) : minor >= Number(bound),
  )
}

/** Splits at spaces, except within single quotes. */
function readCommand(command: string): Pick<GoldenStep, 'command' | 'args' | 'env'> {
  const words = [...command.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''))
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const env = Object.fromEntries(words.slice(0, first).map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]))
  return { command, args: words.slice(first), env }
}

/**
 * Removes what differs between runs: ages, times, uids, versions, addresses, generated names,
 * widths of columns.
 */
function normaliseOutput(output: string, of: { namespace: string }): string[] {
  const text = output
    // Who runs steadyvm is told that some kinds have no controller here; kube-apiserver has nothing
    // like it.
    .replaceAll(/^Warning: \w+ is stored, but nothing on this machine acts on it.*\n/gm, '')
    // kubectl may receive the first, empty message of a session before it registers its streams,
    // also from kube-apiserver.
    .replaceAll(/^E\d{4} .*websocket\.go:\d+\] Unknown stream id 1, discarding message\n/gm, '')
    // oxlint-disable-next-line no-control-regex -- older ones write in colour whatever they are told
    .replaceAll(/\u001b\[[\d;]*m/g, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replaceAll(
      /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [-+]\d{4}|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \+0000(?: UTC)?/g,
      '<time>',
    )
    .replaceAll(/X509SHA256=[0-9a-f]{64}/g, 'X509SHA256=<sha256>')
    .replaceAll(/(resource ?version"?: *)"?\d+"?/gi, '$1"<rv>"')
    .replaceAll(/127\.0\.0\.1:\d+|10\.245\.0\.1:6443/g, '<server>')
    // Services of machine mode and of the test cluster.
    .replaceAll(/\b(?:127\.(?!0\.0\.1\b)|10\.96\.)\d+\.\d+(?:\.\d+)?/g, '<ip>')
    // The runner gives each job a TMPDIR of its own.
    .replaceAll(`${tmpdir()}/`, '/tmp/')
    .replaceAll(/\/tmp\/(kubectl\S*?edit-|LIVE-|MERGED-)\d+/g, '/tmp/$1<*>')
    // What a ReplicaSet and its pods are called, and what is in the names of generated ones.
    .replaceAll(/(?<=[a-z0-9]-)[bcdfghjklmnpqrstvwxz2456789]{7,10}(-[bcdfghjklmnpqrstvwxz2456789]{5})?\b/g, '<hash>')
    .replaceAll(/(?<=[a-z0-9]-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '<hash>')
  const lines = text.split('\n').map((line) =>
    line
      .trimEnd()
      .replaceAll(/(?<=\S)(?: {2,}|\t+ *)/g, '  ')
      .replaceAll(/(?<= {2}|^)\d+(?:s|m|h|d)(?:\d+[smh])?(?: \(x\d+ over \w+\))?(?= {2}|$)/g, '<age>'),
  )
  while (lines.at(-1) === '') lines.pop()
  return lines.map((line) => line.replaceAll(` (namespace "${of.namespace}")`, ''))
}

/** Output of a step, compared with the expected one. */
export interface StepResult {
  readonly code: number | null
  readonly actual: readonly string[]
  /** Empty when output and exit code are the expected ones. */
  readonly difference: string
}

/**
 * Runs a step by a function that executes kubectl with these arguments. `order`: whether the causes
 * of a refusal must be in the expected order.
 */
export async function runStep(
  step: GoldenStep,
  namespace: string,
  kubectl: (args: readonly string[], env: GoldenStep['env']) => ReturnType<typeof runCommand>,
  order: 'as written' | 'any order of causes' = 'as written',
): Promise<StepResult> {
  const ordered = order === 'as written' ? (lines: readonly string[]) => lines : withSortedCauses
  const run = async (): Promise<StepResult> => {
    const { code, stdout, stderr } = await kubectl(['-n', namespace, ...step.args], step.env)
    const actual = normaliseOutput(stdout + stderr, { namespace })
    const exit = code === step.code ? undefined : `wanted exit code ${step.code}, got ${code}:\n${actual.join('\n')}`
    return { code, actual, difference: differenceTo(ordered(step.expected), ordered(actual)) ?? exit ?? '' }
  }
  let result = await run()
  // A container without a readiness probe is ready before it writes.
  const deadline = Date.now() + 10_000
  while (step.args[0] === 'logs' && result.difference !== '' && Date.now() < deadline) result = await run()
  return result
}

/** Sorts lines that follow each other and begin with `* `. */
function withSortedCauses(lines: readonly string[]): readonly string[] {
  const isCause = (line = ''): boolean => line.startsWith('* ')
  const groups = lines.reduce<string[][]>((list, line) => {
    const last = list.at(-1)
    if (last !== undefined && isCause(line) && isCause(last[0])) last.push(line)
    else list.push([line])
    return list
  }, [])
  return groups.flatMap((group) => group.toSorted())
}

/** Formats the difference between the lines; undefined when they match. */
function differenceTo(expected: readonly string[], actual: readonly string[]): string | undefined {
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
