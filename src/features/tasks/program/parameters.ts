import { parseArgs } from 'node:util'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { badInput } from '../exit-codes.ts'
import type { TaskDefinition, TaskParameter } from '../task.ts'

/** Longest wait: timers take no more. */
const longestMs = 500 * 3_600_000

/** Values of a task's parameters, with defaults. */
export interface ParameterValues {
  /** Returns a text without surrounding white space; empty when none is given. */
  readonly text: (name: string) => string
  /** Returns a text as it was given: scripts and manifests. */
  readonly verbatim: (name: string) => string
  readonly list: (name: string) => readonly string[]
  /** @throws TaskFailed unless it is `true`, `false` or empty, which is false */
  readonly isTrue: (name: string) => boolean
  /** @throws TaskFailed unless it is a duration above zero such as `3h2m1s` */
  readonly milliseconds: (name: string) => number
}

/** Flag of a parameter: `vmName` → `vm-name`. */
export function flagOf({ name }: Pick<TaskParameter, 'name'>): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

/**
 * Reads the parameters of a task: `--vm-name NAME` wins over the environment, an empty text is the
 * default, and words after `--` are appended to the first array.
 * @throws TaskFailed for an unknown flag and for a missing parameter
 */
export function readParameters(
  { name: task, parameters }: Pick<TaskDefinition, 'name' | 'parameters'>,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParameterValues {
  const { flags, words } = parseWords(task, parameters, args)
  const firstArray = parameters.find(({ type }) => type === 'array')
  if (words.length > 0 && firstArray === undefined) throw badInput(`Task ${task} takes no words after its flags: ${words.join(' ')}`)
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  const missing: TaskParameter[] = []
  for (const parameter of parameters) {
    const given = flags[flagOf(parameter)] ?? []
    if (parameter.type === 'array') {
      const list = [...given, ...(parameter === firstArray ? words : [])]
      lists.set(parameter.name, list.length > 0 ? list : [parameter.default ?? []].flat())
      continue
    }
    const text = given.at(-1) || (parameter.environment === undefined ? undefined : environment[parameter.environment])
    const value = text || parameter.default
    if (value === undefined) missing.push(parameter)
    texts.set(parameter.name, String(value ?? ''))
  }
  if (missing.length > 0) throw badInput(`Task ${task} needs ${missing.map(sourcesOf).join(', and ')}`)
  return valuesOf(texts, lists)
}

function parseWords(
  task: string,
  parameters: readonly TaskParameter[],
  args: readonly string[],
): { readonly flags: Readonly<Record<string, readonly string[] | undefined>>; readonly words: readonly string[] } {
  const options = Object.fromEntries(
    parameters.map((parameter) => [flagOf(parameter), { type: 'string' as const, multiple: true as const }]),
  )
  const end = args.indexOf('--')
  const [before, words] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)]
  try {
    return { flags: parseArgs({ args: [...before], options, strict: true, allowPositionals: false }).values, words }
  } catch (cause) {
    throw badInput(`Cannot read the flags of task ${task}: ${(cause as Error).message}; "steadyvm-tasks ${task} --help" lists them`)
  }
}

function sourcesOf(parameter: TaskParameter): string {
  const { environment } = parameter
  return `--${flagOf(parameter)}${environment === undefined ? '' : ` or ${environment} in its environment`}`
}

function valuesOf(texts: ReadonlyMap<string, string>, lists: ReadonlyMap<string, readonly string[]>): ParameterValues {
  const verbatim = (name: string): string => texts.get(name) ?? ''
  const text = (name: string): string => verbatim(name).trim()
  return {
    text,
    verbatim,
    list: (name) => lists.get(name) ?? [],
    isTrue(name) {
      const value = text(name)
      if (value === 'true') return true
      if (value === 'false' || value === '') return false
      throw badInput(`Parameter ${name} must be "true" or "false", and is ${JSON.stringify(value)}`)
    },
    milliseconds(name) {
      const value = durationMs(text(name))
      if (value !== undefined && value > 0 && value <= longestMs) return value
      throw badInput(
        `Parameter ${name} must be a duration such as "3h2m1s", above zero and below 500h, and is ${JSON.stringify(text(name))}`,
      )
    },
  }
}
