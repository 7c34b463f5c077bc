import { compileJsonPath, JsonPathError } from '#apimachinery/json/json-path.ts'
import { parseLabelSelector, SelectorError } from '#apimachinery/selectors/label-selector.ts'
import { badInput } from '../../exit-codes.ts'

/** A condition on an object. */
export type Condition = (object: object) => boolean

/**
 * Compiles a condition: a label selector whose keys are paths, such as
 * `status.phase in (Succeeded)`. A path that is no label key stands in braces, as
 * `{.status.conditions[?(@.type=="Ready")].status} == True`. A path that leads nowhere is a label
 * that is not there. @throws TaskFailed
 */
export function compileCondition(parameter: string, text: string): Condition {
  const invalid = (why: string): never => {
    throw badInput(`Parameter ${parameter} is no condition: ${why}`)
  }
  const paths = new Map<string, string>()
  try {
    const selector = parseLabelSelector(withNames(text, paths) ?? invalid(`a brace in ${JSON.stringify(text)} is not closed`))
    const readers = selector.requirements.map(({ key }) => [key, compileJsonPath(paths.get(key) ?? `.${key}`)] as const)
    return (object) => {
      const labels = readers.flatMap(([key, read]): [string, string][] => {
        const found = read(object)
        return found.length === 0 ? [] : [[key, found.map(textOf).join(' ')]]
      })
      return selector.matches(Object.fromEntries(labels))
    }
  } catch (error) {
    if (error instanceof SelectorError || error instanceof JsonPathError)
      return invalid(`${error.message}; a path with brackets stands in braces: {.status.interfaces[0].name}`)
    throw error
  }
}

/** Replaces paths in braces by names; undefined when a brace is not closed. */
function withNames(text: string, paths: Map<string, string>): string | undefined {
  let result = ''
  let rest = text
  for (;;) {
    const open = rest.indexOf('{')
    if (open < 0) return result + rest
    const close = endOfPath(rest, open)
    if (close === undefined) return undefined
    const name = `path-${paths.size}`
    paths.set(name, rest.slice(open, close + 1))
    result += `${rest.slice(0, open)}${name}`
    rest = rest.slice(close + 1)
  }
}

/** Finds the closing brace, which may also stand in a text of the path. */
function endOfPath(text: string, open: number): number | undefined {
  let quote = ''
  for (let index = open + 1; index < text.length; index += 1) {
    const character = text[index] ?? ''
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else if (character === '}') return index
  }
  return undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
