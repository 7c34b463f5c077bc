/**
 * Splits a text into words at white space. Quotes keep white space, and a backslash keeps the next
 * character, except between single quotes. Nothing is expanded. Undefined: a quote is not closed.
 */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? ''
    if (character === '\\' && quote !== "'" && index + 1 < text.length) {
      index += 1
      word = (word ?? '') + (text[index] ?? '')
    } else if (quote !== '') {
      if (character === quote) quote = ''
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}
