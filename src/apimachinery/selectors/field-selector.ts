import { SelectorError } from './selector-error.ts'

/** One term of a field selector. */
export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** Splits at commas that no backslash precedes, and keeps the escapes. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1
    else if (text[index] === ',') {
      terms.push(text.slice(start, index))
      start = index + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function unescapeValue(selector: string, value: string): string {
  return value.replaceAll(/\\(.?)|[,=]/gs, (sequence, escaped: string | undefined) => {
    if (escaped !== undefined && escaped !== '' && '\\,='.includes(escaped)) return escaped
    throw new SelectorError(
      selector,
      `invalid field selector: ${JSON.stringify(sequence)} must be escaped or be an escape of "\\", "," or "="`,
    )
  })
}

const term = /^([^=!\\]*)(!=|==|=)(.*)$/s

function parseTerm(selector: string, text: string): FieldRequirement {
  const match = term.exec(text)
  if (match === null) throw new SelectorError(selector, `invalid selector: '${selector}'; can't understand '${text}'`)
  const [, field = '', operator, value = ''] = match
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(selector, value) }
}

/**
 * Parses `metadata.name=a,status.phase!=Running`; all terms must hold. A backslash escapes `\`, `,`
 * and `=` in values. Empty terms are skipped. Which fields exist is the caller's to say.
 * @throws {SelectorError} when the text is no field selector
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTerms(text)
    .filter((part) => part !== '')
    .map((part) => parseTerm(text, part))
}

/** Writes a field selector that {@link parseFieldSelector} reads back. */
export function formatFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements.map(({ field, operator, value }) => `${field}${operator}${value.replaceAll(/[\\,=]/g, '\\$&')}`).join(',')
}
