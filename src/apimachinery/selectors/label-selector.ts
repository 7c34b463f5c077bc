import { validateLabelValue, validateQualifiedName } from '../meta/name-rules.ts'
import { SelectorError } from './selector-error.ts'

export { SelectorError } from './selector-error.ts'

/** Operator of a requirement. */
export type LabelOperator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<'

/** One term of a label selector. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  /** Empty for `exists` and `!`, one for comparisons. */
  readonly values: readonly string[]
}

/** A compiled label selector. */
export interface LabelSelector {
  /** All must hold; none at all match everything. */
  readonly requirements: readonly LabelRequirement[]
  /** Reports whether an object with these labels is selected. */
  matches(labels: Readonly<Record<string, string>> | null | undefined): boolean
  /**
   * Returns the text form; parsing it gives an equal selector, except for one that matches nothing.
   */
  toString(): string
}

/** `metav1.LabelSelector`, as in the spec of a Deployment or Service. */
export interface LabelSelectorObject {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] | null }[]
}

const integer = /^[+-]?\d+$/

function compareIntegers(label: string, operator: '>' | '<', bound: string): boolean {
  if (!integer.test(label)) return false
  return operator === '>' ? BigInt(label) > BigInt(bound) : BigInt(label) < BigInt(bound)
}

function holds(requirement: LabelRequirement, value: string | undefined): boolean {
  const { operator, values } = requirement
  switch (operator) {
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case '=':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case '>':
    case '<':
      return value !== undefined && compareIntegers(value, operator, values[0] ?? '')
  }
}

function printRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.toSorted().join(',')})`
    case '=':
    case '!=':
    case '>':
    case '<':
      return `${key}${operator}${values[0] ?? ''}`
  }
}

function selectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  return {
    requirements,
    matches(labels) {
      return requirements.every((requirement) =>
        holds(requirement, labels && Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined),
      )
    },
    toString() {
      return requirements.map(printRequirement).join(',')
    },
  }
}

function checkRequirement(selector: string, requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement
  const [badKey] = validateQualifiedName(key)
  if (badKey !== undefined) throw new SelectorError(selector, `unable to parse requirement: key: Invalid value: "${key}": ${badKey}`)
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    throw new SelectorError(
      selector,
      `unable to parse requirement: values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`,
    )
  }
  if ((operator === '>' || operator === '<') && !integer.test(values[0] ?? '')) {
    throw new SelectorError(
      selector,
      `unable to parse requirement: values[0]: Invalid value: "${values[0] ?? ''}": for 'Gt', 'Lt' operators, the value must be an integer`,
    )
  }
  for (const [index, value] of values.entries()) {
    const [badValue] = validateLabelValue(value)
    if (badValue !== undefined)
      throw new SelectorError(selector, `unable to parse requirement: values[${index}][${key}]: Invalid value: "${value}": ${badValue}`)
  }
  return requirement
}

const tokenPattern = /\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+|$)/y

/** Reads tokens one by one; the empty token marks the end. */
class TokenReader {
  readonly text: string
  #tokens: readonly string[]
  #next = 0
  constructor(text: string) {
    this.text = text
    const tokens: string[] = []
    tokenPattern.lastIndex = 0
    for (let match = tokenPattern.exec(text); match?.[1]; match = tokenPattern.exec(text)) tokens.push(match[1])
    this.#tokens = tokens
  }
  peek(): string {
    return this.#tokens[this.#next] ?? ''
  }
  take(): string {
    const token = this.peek()
    this.#next += 1
    return token
  }
  expect(token: string): void {
    const found = this.take()
    if (found !== token) this.fail(found, `'${token}'`)
  }
  fail(found: string, expected: string): never {
    throw new SelectorError(this.text, `unable to parse requirement: found '${found}', expected: ${expected}`)
  }
}

const punctuation = new Set(['', '=', '==', '!=', '!', '<', '>', '(', ')', ','])

function readIdentifier(reader: TokenReader): string {
  const token = reader.take()
  if (punctuation.has(token)) reader.fail(token, 'identifier')
  return token
}

/** A value may be empty: the next token is then a separator. */
function readValue(reader: TokenReader): string {
  const next = reader.peek()
  return next === '' || next === ',' || next === ')' ? '' : readIdentifier(reader)
}

function readValues(reader: TokenReader): string[] {
  reader.expect('(')
  const values = [readValue(reader)]
  while (reader.peek() === ',') {
    reader.take()
    values.push(readValue(reader))
  }
  const end = reader.take()
  if (end !== ')') reader.fail(end, `',' or ')'`)
  return [...new Set(values)]
}

function readRequirement(reader: TokenReader): LabelRequirement {
  if (reader.peek() === '!') {
    reader.take()
    return { key: readIdentifier(reader), operator: '!', values: [] }
  }
  const key = readIdentifier(reader)
  const next = reader.peek()
  if (next === '' || next === ',') return { key, operator: 'exists', values: [] }
  const operator = reader.take()
  switch (operator) {
    case 'in':
    case 'notin':
      return { key, operator, values: readValues(reader) }
    case '=':
    case '==':
      return { key, operator: '=', values: [readValue(reader)] }
    case '!=':
    case '>':
    case '<':
      return { key, operator, values: [readValue(reader)] }
    default:
      return reader.fail(operator, 'in, notin, =, ==, !=, gt, lt')
  }
}

/**
 * Parses `app=web,tier in (a,b),!canary,weight>3`. The empty text selects everything. `!=` and
 * `notin` also select objects without the label.
 * @throws {SelectorError} when the text is no label selector
 */
export function parseLabelSelector(text: string): LabelSelector {
  const reader = new TokenReader(text)
  const requirements: LabelRequirement[] = []
  if (reader.peek() === '') return selectorOf(requirements)
  for (;;) {
    requirements.push(checkRequirement(text, readRequirement(reader)))
    const separator = reader.take()
    if (separator === '') return selectorOf(requirements)
    if (separator !== ',') reader.fail(separator, `',' or 'end of string'`)
  }
}

const objectOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  // Node affinity terms have these two as well.
  ['Gt', '>'],
  ['Lt', '<'],
])

/** Meaning of an absent selector in most specs. */
const selectsNothing: LabelSelector = { requirements: [], matches: () => false, toString: () => '<nothing>' }

/**
 * Compiles a selector from an object's spec. An empty object selects everything, an absent one
 * nothing.
 * @throws {SelectorError} when an operator, key or value is invalid
 */
export function labelSelectorFromObject(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (object === null || object === undefined) return selectsNothing
  const source = JSON.stringify(object)
  const equalities = Object.entries(object.matchLabels ?? {}).map(([key, value]): LabelRequirement => ({
    key,
    operator: '=',
    values: [value],
  }))
  const expressions = (object.matchExpressions ?? []).map((expression): LabelRequirement => {
    const operator = objectOperators.get(expression.operator)
    if (operator === undefined) throw new SelectorError(source, `"${expression.operator}" is not a valid label selector operator`)
    return { key: expression.key, operator, values: expression.values ?? [] }
  })
  return selectorOf([...equalities, ...expressions].map((requirement) => checkRequirement(source, requirement)))
}
