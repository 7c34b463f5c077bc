import { isScalar, parseAllDocuments, type ParsedNode, type ScalarTag, type Tags } from 'yaml'

/**
 * A document of a file, or why it cannot be read. One without content, such as a comment before the
 * first `---`, says nothing, and opm refuses it.
 */
export type ReadDocument = { readonly line: number } & (
  | { readonly value: unknown; /** Keys that a mapping has more than once: the last one counts. */ readonly repeated?: readonly string[] }
  | { readonly problem: string }
  | { readonly isBlank: true }
)

/** Nested values beyond this are refused, as by Go's decoder. */
const deepest = 10_000

/**
 * Reads the documents of a file: YAML with `---` between them, or JSON objects in a row as opm
 * prints them. A document that cannot be read does not hide the others. Pure.
 */
export function* readDocuments(text: string): Generator<ReadDocument> {
  const begin = skipSpace(text, 0)
  let at = begin
  let line = 1 + newlinesIn(text, 0, at)
  if (text[at] !== '{') return yield* readYaml(text, 1)
  while (at < text.length) {
    const end = endOfObject(text, at)
    const value = end === undefined ? undefined : parseJson(text.slice(at, end))
    // Braces begin a mapping of YAML, too.
    if (value === undefined || end === undefined) return yield* readYaml(text.slice(at), line)
    yield { line, value }
    const next = skipSpace(text, end)
    line += newlinesIn(text, at, next)
    at = next
    if (text.startsWith('---', at)) at = skipSpace(text, at + 3)
    if (at < text.length && text[at] !== '{') return yield* readYaml(text.slice(at), line)
  }
  return undefined
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1
  return at
}

function newlinesIn(text: string, from: number, until: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < until; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Finds the end of a JSON object; undefined when there is none or it is too deep. */
function endOfObject(text: string, begin: number): number | undefined {
  let depth = 0
  const marks = /["{}[\]]/g
  marks.lastIndex = begin
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    switch (match[0]) {
      case '"':
        marks.lastIndex = endOfString(text, match.index + 1)
        break
      case '{':
      case '[':
        depth += 1
        if (depth > deepest) return undefined
        break
      default:
        depth -= 1
        if (depth === 0) return match.index + 1
    }
  }
  return undefined
}

function endOfString(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Booleans of YAML 1.1, which is what opm reads: an unquoted `on` is no text there. */
const booleans: ScalarTag = {
  identify: (value) => typeof value === 'boolean',
  default: true,
  tag: 'tag:yaml.org,2002:bool',
  test: /^(?:[yYnN]|[yY]es|YES|[nN]o|NO|[tT]rue|TRUE|[fF]alse|FALSE|[oO]n|ON|[oO]ff|OFF)$/,
  resolve: (text) => /^(?:y|yes|true|on)$/i.test(text),
}
const options = {
  merge: true,
  prettyErrors: false,
  customTags: (tags: Tags): Tags => [booleans, ...tags],
} as const

function* readYaml(text: string, firstLine: number): Generator<ReadDocument> {
  let [begin, line] = [0, firstLine]
  // Documents are parsed one by one, so that memory is that of one.
  for (const { index, 0: separator } of text.matchAll(/^---[^\S\n]*(?:#[^\n]*)?(?:\n|$)/gm)) {
    // opm takes a separator for content when nothing was before it.
    if (index === begin) continue
    const part = text.slice(begin, index)
    yield* readYamlPart(part, line)
    line += newlinesIn(part, 0, part.length) + 1
    begin = index + separator.length
  }
  if (begin < text.length) yield* readYamlPart(text.slice(begin), line)
}

function* readYamlPart(text: string, line: number): Generator<ReadDocument> {
  const hasContent = /^(?!(?:---)?[^\S\n]*(?:#.*)?$)/m.test(text)
  if (!hasContent) {
    yield { line, isBlank: true }
    return
  }
  const repeated = new Set<string>()
  const uniqueKeys = (one: ParsedNode, other: ParsedNode): boolean => {
    if (isScalar(one) && isScalar(other) && one.value === other.value) repeated.add(String(one.value))
    return false
  }
  try {
    for (const document of parseAllDocuments(text, { ...options, uniqueKeys })) {
      const [error] = document.errors
      if (error !== undefined) {
        yield { line: line + newlinesIn(text, 0, error.pos[0]), problem: `is no YAML: ${error.message}` }
        continue
      }
      const value: unknown = document.toJS()
      const place = { line: line + newlinesIn(text, 0, document.range[0]) }
      yield value === null || value === undefined ? { ...place, isBlank: true } : { ...place, value, repeated: [...repeated] }
    }
  } catch (error) {
    // Aliases that unfold without end, and values that are nested too deep.
    yield { line, problem: `is no YAML: ${error instanceof Error ? error.message : String(error)}` }
  }
}
