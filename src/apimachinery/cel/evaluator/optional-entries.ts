/**
 * `[?e]` and `{?k: v}` are CEL that the parser library does not read. It reads `!e` in the same
 * places, so each such `?` is handed to it as a `!`, and the tree is put right afterwards by the
 * places of the marks.
 */
export interface MarkedSource {
  readonly text: string
  /** Offsets of the question marks that were replaced. */
  readonly marks: ReadonlySet<number>
}

const literals = /(?:[rR][bB]?|[bB][rR]?)?(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/y
const comment = /\/\/[^\n]*/y
const space = /\s+/y
const word = /[A-Za-z_0-9]+/y

function lengthAt(pattern: RegExp, source: string, offset: number): number {
  pattern.lastIndex = offset
  return pattern.exec(source)?.[0].length ?? 0
}

/**
 * Finds the question marks that make an entry optional: after a comma, or after a bracket that
 * opens a list or map and not an index.
 */
export function markOptionalEntries(source: string): MarkedSource {
  if (!source.includes('?')) return { text: source, marks: new Set() }
  const marks = new Set<number>()
  let previous = ''
  let offset = 0
  while (offset < source.length) {
    const skipped = lengthAt(space, source, offset) || lengthAt(comment, source, offset)
    if (skipped > 0) {
      offset += skipped
      continue
    }
    const operand = lengthAt(literals, source, offset) || lengthAt(word, source, offset)
    if (operand > 0) {
      previous = 'operand'
      offset += operand
      continue
    }
    const character = source[offset] ?? ''
    if (character === '?' && (previous === ',' || previous === '{' || previous === 'list')) marks.add(offset)
    previous = character === '[' && !isOperandEnd(previous) ? 'list' : character
    offset += 1
  }
  const text = marks.size === 0 ? source : Array.from(source.split(''), (unit, at) => (marks.has(at) ? '!' : unit)).join('')
  return { text, marks }
}

function isOperandEnd(previous: string): boolean {
  return previous === 'operand' || previous === ')' || previous === ']' || previous === '}'
}
