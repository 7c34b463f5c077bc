/**
 * Splits a text into words as a POSIX shell does, with quotes and backslashes, and nothing else: no
 * variables, no patterns, no commands. Undefined: a quote or a backslash has no end. Pure.
 */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    word ??= ''
    if (character === "'" || character === '"') {
      const quoted = character === "'" ? readSingle(text, at + 1) : readDouble(text, at + 1)
      if (quoted === undefined) return undefined
      word += quoted.content
      at = quoted.end
    } else if (character === '\\') {
      at++
      if (at >= text.length) return undefined
      // A backslash at the end of a line joins it with the next one.
      if (text[at] !== '\n') word += text[at]
    } else word += character
  }
  if (word !== undefined) words.push(word)
  return words
}

interface Quoted {
  readonly content: string
  /** Position of the quote at the end. */
  readonly end: number
}

function readSingle(text: string, from: number): Quoted | undefined {
  const end = text.indexOf("'", from)
  return end < 0 ? undefined : { content: text.slice(from, end), end }
}

function readDouble(text: string, from: number): Quoted | undefined {
  let content = ''
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"') return { content, end: at }
    const next = text[at + 1] ?? ''
    if (character === '\\' && '$`"\\\n'.includes(next) && next !== '') {
      at++
      if (next !== '\n') content += next
    } else content += character
  }
  return undefined
}
