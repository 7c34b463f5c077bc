import { readFile } from 'node:fs/promises'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import type { ParamValue, PipelineSpec, RunTimeouts, WorkspaceBinding } from '#features/pipeline-run/index.ts'
import type { ClusterFlags } from '../cluster/connect.ts'
import { CommandError } from '../context.ts'
import type { OutputFormat } from '../render/print.ts'

/** Flags of everything that is run. */
export interface RunFlags extends ClusterFlags {
  readonly param?: readonly string[]
  readonly workspace?: readonly string[]
  readonly serviceAccount?: readonly string[]
  readonly name?: string
  readonly registry?: string
  readonly timeout?: string
  readonly tasksTimeout?: string
  readonly finallyTimeout?: string
  readonly namespace?: string
  readonly dryRun: boolean
  readonly output: OutputFormat
}

/** Type of a parameter by its name. */
type TypeOf = (name: string) => 'string' | 'array' | undefined

/**
 * Parses `KEY=VALUE`. A value `@FILE` is the content of the file, and `@@` stands for `@`. An array
 * is a list in JSON, or the values of a key that occurs several times. @throws CommandError
 */
export async function parseParams(texts: readonly string[], typeOf: TypeOf): Promise<Readonly<Record<string, ParamValue>>> {
  const given = new Map<string, string[]>()
  for (const text of texts) {
    const [key, value] = pairOf(text, '-p', 'KEY=VALUE')
    given.set(key, [...(given.get(key) ?? []), await contentOf(value)])
  }
  return Object.fromEntries(
    [...given].map(([key, values]): [string, ParamValue] => {
      const [first = '', ...rest] = values
      if (typeOf(key) === 'array') return [key, rest.length === 0 && first.trimStart().startsWith('[') ? listOf(key, first) : values]
      if (rest.length > 0) throw new CommandError(`-p ${key} occurs ${values.length} times, and is no array`)
      return [key, first]
    }),
  )
}

async function contentOf(value: string): Promise<string> {
  if (!value.startsWith('@')) return value
  if (value.startsWith('@@')) return value.slice(1)
  try {
    return await readFile(value.slice(1), 'utf8')
  } catch (cause) {
    throw new CommandError(`Cannot read "${value.slice(1)}": ${(cause as Error).message}; @@ stands for @`, undefined, { cause })
  }
}

function listOf(key: string, text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  } catch {
    // Reported below.
  }
  throw new CommandError(`-p ${key} must be a list of strings in JSON, or be repeated for each value`)
}

/** Parses `NAME=claim:X`, `NAME=emptydir` … @throws CommandError */
export function parseWorkspaces(texts: readonly string[]): Readonly<Record<string, WorkspaceBinding>> {
  return Object.fromEntries(texts.map((text) => [pairOf(text, '-w', 'NAME=claim:CLAIM')[0], bindingOf(text)]))
}

function bindingOf(text: string): WorkspaceBinding {
  const [, value] = pairOf(text, '-w', 'NAME=claim:CLAIM')
  const [kind = '', name = '', ...rest] = value.split(':')
  const subPath = rest.join(':')
  if (kind === 'emptydir' && name === '') return { kind }
  if (name !== '') {
    if (kind === 'claim') return { kind, name, ...(subPath === '' ? {} : { subPath }) }
    if ((kind === 'configmap' || kind === 'secret') && subPath === '') return { kind, name }
    if (kind === 'folder' && name.startsWith('/')) return { kind, path: value.slice('folder:'.length) }
  }
  throw new CommandError(
    `Cannot use the workspace "${text}": it must be NAME=claim:CLAIM[:FOLDER], NAME=emptydir, NAME=configmap:NAME, NAME=secret:NAME or NAME=folder:/PATH/OF/THE/NODE`,
  )
}

/** Parses `SA` and `TASK=SA`; the empty name stands for all other tasks. */
export function parseServiceAccounts(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map((text) => (text.includes('=') ? pairOf(text, '--service-account', 'TASK=ACCOUNT') : ['', text])))
}

/** Limit of a run whose tasks have none of their own: 1 hour, as in Tekton. */
const defaultLimitMs = 3_600_000

/**
 * Parses the limits of a run; 0 is none. Without one, tasks with limits of their own get these in
 * addition. @throws CommandError
 */
export function parseTimeouts(
  { timeout, tasksTimeout, finallyTimeout }: Pick<RunFlags, 'timeout' | 'tasksTimeout' | 'finallyTimeout'>,
  { tasks: first, finally: finals }: Pick<PipelineSpec, 'tasks' | 'finally'>,
): RunTimeouts {
  const own = [...first, ...finals].map(({ timeoutMs = 0, retries }) => timeoutMs * (retries + 1)).reduce((sum, ms) => sum + ms, 0)
  const [pipeline, tasks, last] = [
    timeout === undefined ? defaultLimitMs + own : limitOf('--timeout', timeout),
    limitOf('--tasks-timeout', tasksTimeout),
    limitOf('--finally-timeout', finallyTimeout),
  ]
  if (pipeline !== undefined && (tasks ?? 0) + (last ?? 0) > pipeline)
    throw new CommandError(`--tasks-timeout and --finally-timeout together are more than --timeout, which is ${pipeline / 1000} s`)
  return {
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(tasks === undefined ? {} : { tasks }),
    ...(last === undefined ? {} : { finally: last }),
  }
}

function limitOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = durationMs(text)
  if (ms === undefined || ms < 0) throw new CommandError(`${flag} must be a duration such as 1h30m, and is "${text}"`)
  return ms === 0 ? undefined : ms
}

function pairOf(text: string, flag: string, form: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at <= 0) throw new CommandError(`${flag} must be ${form}, and is "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}
