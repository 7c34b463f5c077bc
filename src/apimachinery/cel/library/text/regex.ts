import { RE2JS } from 're2js'
import type { CelBudget } from '#apimachinery/cel/budget.ts'
import { CelError } from '#apimachinery/cel/errors.ts'
import { type Overload, overload } from '#apimachinery/cel/types/signature.ts'
import { listValue } from '#apimachinery/cel/values/values.ts'
import { matching } from '../costs.ts'

const most = 200
/** Longer patterns are not cached: their compiled form can be a hundred times their size. */
const longest = 1000
const compiled = new Map<string, RE2JS>()

/**
 * Compiles a pattern as Go would; the most recently used ones are cached. @throws CelError when the
 * pattern is invalid
 */
export function compileRegex(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  try {
    const regex = RE2JS.compile(pattern)
    if (pattern.length > longest) return regex
    if (compiled.size >= most) compiled.delete(compiled.keys().next().value ?? '')
    compiled.set(pattern, regex)
    return regex
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Matching takes as long as text and compiled pattern are together; a short pattern can be long
 * when it is compiled.
 */
function prepare(pattern: string, text: string, budget: CelBudget): RE2JS {
  const regex = compileRegex(pattern)
  budget.work(((1 + text.length) * regex.programSize()) / 10)
  return regex
}

/** Regular expressions, as RE2 understands them. */
export const regex: readonly Overload[] = [
  overload('matches', 'matches(string, string): bool', run),
  overload('matches_string', 'string.matches(string): bool', run, { cost: matching }),
  overload(
    'string_find_string',
    'string.find(string): string',
    ([text, pattern], budget) => {
      const matcher = prepare(pattern as string, text as string, budget).matcher(text as string)
      return matcher.find() ? (matcher.group() ?? '') : ''
    },
    { cost: matching },
  ),
  overload(
    'string_find_all_string',
    'string.findAll(string): list(string)',
    ([text, pattern], budget) => findAll(text as string, pattern as string, -1n, budget),
    { cost: matching },
  ),
  overload(
    'string_find_all_string_int',
    'string.findAll(string, int): list(string)',
    ([text, pattern, limit], budget) => findAll(text as string, pattern as string, limit as bigint, budget),
    { cost: matching },
  ),
]

function run([text, pattern]: Parameters<Overload['run']>[0], budget: CelBudget): boolean {
  return prepare(pattern as string, text as string, budget)
    .matcher(text as string)
    .find()
}

function findAll(text: string, pattern: string, limit: bigint, budget: CelBudget): ReturnType<typeof listValue> {
  const matcher = prepare(pattern, text, budget).matcher(text)
  const found: string[] = []
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) found.push(matcher.group() ?? '')
  return listValue(found)
}
