/** A text is no JSONPath of kubectl's dialect. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
  readonly path: string
  constructor(path: string, why: string) {
    super(`JSONPath ${JSON.stringify(path)} cannot be read: ${why}`)
    this.path = path
  }
}

/** Comparison operator of a filter. */
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

/** The right side of a filter. */
export type PathOperand =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'path'; readonly steps: readonly PathStep[] }

/** `@.a == 1`, or `@.a` alone: whether it is there. */
export type PathFilter =
  | { readonly left: readonly PathStep[]; readonly comparison: Comparison; readonly right: PathOperand }
  | { readonly left: readonly PathStep[]; readonly comparison: undefined }

/** One step of a path. */
export type PathStep =
  | { readonly kind: 'field'; readonly names: readonly string[] }
  | { readonly kind: 'index'; readonly indexes: readonly number[] }
  | { readonly kind: 'slice'; readonly start: number | undefined; readonly end: number | undefined; readonly step: number }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'descendants' }
  | { readonly kind: 'filter'; readonly filter: PathFilter }

const nameCharacters = /(?:\\.|[^.[\]\\(){}\s=!<>&|,])+/y
const quoted = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/y
const integer = /-?\d+/y
const literalNumber = /-?\d+(?:\.\d+)?/y
const comparison = /==|!=|<=|>=|<|>/y
const word = /true|false|null/y
const blanks = /\s*/y

class PathReader {
  readonly text: string
  position = 0
  constructor(text: string) {
    this.text = text
  }
  get done(): boolean {
    return this.position >= this.text.length
  }
  fail(why: string): never {
    throw new JsonPathError(this.text, `${why} at position ${this.position}`)
  }
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.position
    const match = pattern.exec(this.text)
    if (match !== null) this.position = pattern.lastIndex
    return match ?? undefined
  }
  skip(token: string): boolean {
    const found = this.text.startsWith(token, this.position)
    if (found) this.position += token.length
    return found
  }
  expect(token: string): void {
    if (!this.skip(token)) this.fail(`"${token}" is missing`)
  }
  skipBlanks(): void {
    this.take(blanks)
  }
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/gs, '$1')
}

function takeQuoted(reader: PathReader): string | undefined {
  const match = reader.take(quoted)
  return match === undefined ? undefined : unescape(match[1] ?? match[2] ?? '')
}

function readName(reader: PathReader): PathStep {
  if (reader.skip('*')) return { kind: 'wildcard' }
  const match = reader.take(nameCharacters)
  if (match === undefined) reader.fail('a field name is missing')
  return { kind: 'field', names: [unescape(match[0])] }
}

function readOperand(reader: PathReader): PathOperand {
  if (reader.skip('@') || reader.skip('$')) return { kind: 'path', steps: readSteps(reader) }
  const string = takeQuoted(reader)
  if (string !== undefined) return { kind: 'literal', value: string }
  const number = reader.take(literalNumber)
  if (number !== undefined) return { kind: 'literal', value: Number(number[0]) }
  const name = reader.take(word)
  if (name === undefined) reader.fail('a value to compare with is missing')
  return { kind: 'literal', value: JSON.parse(name[0]) as unknown }
}

function readFilter(reader: PathReader): PathFilter {
  reader.skipBlanks()
  reader.expect('@')
  const left = readSteps(reader)
  reader.skipBlanks()
  const operator = reader.take(comparison)?.[0] as Comparison | undefined
  if (operator === undefined) return { left, comparison: undefined }
  reader.skipBlanks()
  const right = readOperand(reader)
  reader.skipBlanks()
  return { left, comparison: operator, right }
}

function takeInteger(reader: PathReader): number | undefined {
  const match = reader.take(integer)
  return match === undefined ? undefined : Number(match[0])
}

function readPositions(reader: PathReader): PathStep {
  const first = takeInteger(reader)
  if (!reader.skip(':')) {
    const indexes = [first ?? reader.fail('an index is missing')]
    while (reader.skip(',')) indexes.push(takeInteger(reader) ?? reader.fail('an index is missing'))
    return { kind: 'index', indexes }
  }
  const end = takeInteger(reader)
  const step = reader.skip(':') ? (takeInteger(reader) ?? 1) : 1
  if (step < 1) reader.fail('a step must be positive')
  return { kind: 'slice', start: first, end, step }
}

function readBracket(reader: PathReader): PathStep {
  if (reader.skip('?(')) {
    const filter = readFilter(reader)
    reader.expect(')')
    return { kind: 'filter', filter }
  }
  if (reader.skip('*')) return { kind: 'wildcard' }
  const name = takeQuoted(reader)
  if (name === undefined) return readPositions(reader)
  const names = [name]
  while (reader.skip(',')) names.push(takeQuoted(reader) ?? reader.fail('a quoted name is missing'))
  return { kind: 'field', names }
}

function readSteps(reader: PathReader): PathStep[] {
  const steps: PathStep[] = []
  for (;;) {
    if (reader.skip('..')) {
      steps.push({ kind: 'descendants' })
      if (!reader.text.startsWith('[', reader.position)) steps.push(readName(reader))
    } else if (reader.skip('.')) {
      // `.[0]` and `.['x']` are the same as without the dot; a lone dot is the root.
      if (!reader.done && !reader.text.startsWith('[', reader.position)) steps.push(readName(reader))
    } else if (reader.skip('[')) {
      steps.push(readBracket(reader))
      reader.expect(']')
    } else return steps
  }
}

/**
 * Reads a path into its steps.
 * @throws {JsonPathError} when the text is no path
 */
export function readJsonPath(text: string): readonly PathStep[] {
  const trimmed = text.trim()
  const inner = trimmed.startsWith('{') && trimmed.endsWith('}') ? trimmed.slice(1, -1).trim() : trimmed
  const reader = new PathReader(inner)
  reader.skip('$')
  const steps = readSteps(reader)
  // kubectl also takes `metadata.name` without the leading dot.
  if (!reader.done && reader.position === 0) steps.push(readName(reader), ...readSteps(reader))
  if (!reader.done) reader.fail('a step must start with "." or "["')
  return steps
}
