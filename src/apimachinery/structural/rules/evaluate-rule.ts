import { type CelBudget, createBudget, expressionCostLimit } from '#apimachinery/cel/budget.ts'
import { CelBudgetError, CelError } from '#apimachinery/cel/errors.ts'
import { fromJson } from '#apimachinery/cel/values/json-values.ts'
import type { CelType } from '#apimachinery/cel/types/types.ts'
import { type CelValue, none, some } from '#apimachinery/cel/values/values.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { byteLength } from '#apimachinery/meta/name-rules.ts'
import type { CompiledRule } from './compile-rules.ts'
import { brokenRule, defaultMessage, invalidType, ruleName } from './rule-errors.ts'

const maxMessageBytes = 5 * 1024

/** A value that a rule judges. */
export interface Judged {
  readonly value: unknown
  /** The value that it replaces; undefined when there is none. */
  readonly old: unknown
  readonly type: CelType
  /** Type name from the schema, for messages. */
  readonly typeName: string
  readonly field: string
}

/** Result of a rule. */
export interface Verdict {
  readonly error?: FieldError
  /** Reports whether the rule evaluated to false, as opposed to an evaluation error. */
  readonly broken: boolean
  /** Reports whether the budget is exhausted: no further rule is evaluated. */
  readonly spent: boolean
}

const fine: Verdict = { broken: false, spent: false }

/** Evaluates a rule; its cost is taken from the budget of the object. */
export function evaluateRule(compiled: CompiledRule, judged: Judged, budget: CelBudget): Verdict {
  const { rule, program, fault, usesOldSelf } = compiled
  const failed = (message: string, spent = false): Verdict => ({
    error: invalidType(judged.field, judged.typeName, message),
    broken: false,
    spent,
  })
  if (program === undefined) return fault === undefined ? fine : failed(`rule compile error: ${fault}`)
  const isOptional = rule.optionalOldSelf === true
  if (usesOldSelf && judged.old === undefined && !isOptional) return fine
  const bindings = bindingsOf(judged, isOptional)
  try {
    if (program.evaluate(bindings, createBudget(expressionCostLimit, budget)) === true) return fine
    return broken(compiled, judged, bindings, budget)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    if (error instanceof CelBudgetError) return failed(outOfBudget(error, budget, ruleName(rule)), true)
    if (error.message.startsWith('no such overload')) {
      return failed(
        `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleName(rule)}`,
      )
    }
    return failed(`${error.message} evaluating rule: ${ruleName(rule)}`)
  }
}

function outOfBudget(error: CelBudgetError, budget: CelBudget, name: string): string {
  if (budget.isSpent) return 'validation failed due to running out of cost budget, no further validation rules will be run'
  return `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`
}

function bindingsOf({ value, old, type }: Judged, isOptional: boolean): Record<string, CelValue> {
  const self = fromJson(value, type)
  if (isOptional) return { self, oldSelf: old === undefined ? none : some(fromJson(old, type)) }
  return old === undefined ? { self } : { self, oldSelf: fromJson(old, type) }
}

function broken(compiled: CompiledRule, judged: Judged, bindings: Record<string, CelValue>, budget: CelBudget): Verdict {
  const { rule, message } = compiled
  const field = placeOf(compiled, judged.field)
  const say = (text: string): Verdict => ({ error: brokenRule(field, judged.typeName, text, rule.reason), broken: true, spent: false })
  if (message === undefined) return say(defaultMessage(rule))
  try {
    const text = message.evaluate(bindings, createBudget(expressionCostLimit, budget))
    return say(usable(text) ?? defaultMessage(rule))
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    // The message expression is broken: the default message is used, since the value is invalid
    // anyway.
    if (!(error instanceof CelBudgetError)) return say(defaultMessage(rule))
    const expression = JSON.stringify(message.source)
    const why = budget.isSpent
      ? 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'
      : `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${expression}`
    return { error: invalidType(field, judged.typeName, why), broken: true, spent: true }
  }
}

function placeOf({ fieldPath }: CompiledRule, field: string): string {
  if (fieldPath === undefined || fieldPath === '') return field
  return field === '' || fieldPath.startsWith('[') ? `${field}${fieldPath}` : `${field}.${fieldPath}`
}

/** The message that an expression made, when it can be shown. */
function usable(value: CelValue): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' || text.includes('\n') || byteLength(text) > maxMessageBytes ? undefined : text
}
