import { estimateCost, withoutBound } from '#apimachinery/cel/estimate/estimate.ts'
import { schemaType } from '#apimachinery/cel/types/schema-types.ts'
import type { CelType } from '#apimachinery/cel/types/types.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { forbiddenValue, invalidValue, quote, requiredValue, unsupportedValue } from '#apimachinery/field-messages.ts'
import { forEachField, forEachItem, forEachValue, type VisitSchema } from '../definition/walk-schema.ts'
import type { StructuralSchema, ValidationRule } from '../schema.ts'
import { type CompiledRule, compileRule } from './compile-rules.ts'
import { normaliseFieldPath } from './field-path.ts'
import { hasRules } from './has-rules.ts'

/** Maximum estimated cost of one expression. */
const expressionLimit = 10_000_000
/** Maximum estimated cost of all expressions of a schema. */
const schemaLimit = 100_000_000
/**
 * Of the costs that make too much together, so many are named, when they are a hundredth of the
 * limit or more.
 */
const mostNamed = 4
const maxRequestBytes = 3 * 1024 * 1024

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const lineBreak = /[\n\r]/

/** Validates the CEL rules of an otherwise valid schema, in Kubernetes' wording. */
export function checkRules(schema: StructuralSchema, field: string): FieldError[] {
  const worded = checkWording(schema, field)
  if (worded.length > 0) return worded
  const found: Found = { errors: [], costs: [] }
  checkNode({ schema, field, isResource: true, cardinality: 1, uncorrelatable: undefined }, found)
  return [...found.errors, ...checkTotal(found.costs, field)]
}

/** Visits the children of a schema: fields, values of a map, items of a list. */
function forEachInner(schema: StructuralSchema, field: string, visit: VisitSchema): void {
  forEachField(schema, field, visit)
  forEachValue(schema, field, visit)
  forEachItem(schema, field, visit)
}

function checkWording(schema: StructuralSchema, field: string): FieldError[] {
  if (!hasRules(schema)) return []
  const errors: FieldError[] = []
  forEachInner(schema, field, (inner, place) => errors.push(...checkWording(inner, place)))
  for (const [index, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    errors.push(...checkRuleWording(rule, schema, `${field}.x-kubernetes-validations[${index}]`))
  }
  return errors
}

function checkRuleWording(given: ValidationRule, schema: StructuralSchema, field: string): FieldError[] {
  const { rule, message = '', messageExpression = '', reason, fieldPath = '' } = given
  return [
    ...checkMessage(rule.trim(), message, field),
    ...(messageExpression !== '' && messageExpression.trim() === ''
      ? [requiredValue(`${field}.messageExpression`, 'messageExpression must be non-empty if specified')]
      : []),
    ...(reason === undefined || reasons.includes(reason) ? [] : [unsupportedValue(`${field}.reason`, reason, reasons)]),
    ...(fieldPath !== '' && fieldPath.trim() === ''
      ? [invalidValue(`${field}.fieldPath`, fieldPath, 'must be non-empty if specified')]
      : []),
    ...(lineBreak.test(fieldPath) ? [invalidValue(`${field}.fieldPath`, fieldPath, 'must not contain line breaks')] : []),
    ...(fieldPath !== '' && normaliseFieldPath(fieldPath, schema) === undefined
      ? [invalidValue(`${field}.fieldPath`, fieldPath, 'must be a valid path')]
      : []),
  ]
}

function checkMessage(rule: string, message: string, field: string): FieldError[] {
  const trimmed = message.trim()
  if (rule === '') return [requiredValue(`${field}.rule`, 'rule is not specified')]
  if (message !== '' && trimmed === '') return [invalidValue(`${field}.message`, message, 'must be non-empty if specified')]
  if (lineBreak.test(trimmed)) return [invalidValue(`${field}.message`, message, 'must not contain line breaks')]
  return lineBreak.test(rule) && trimmed === ''
    ? [requiredValue(`${field}.message`, 'message must be specified if rule contains line breaks')]
    : []
}

interface Cost {
  readonly field: string
  readonly cost: number
}

interface Found {
  readonly errors: FieldError[]
  readonly costs: Cost[]
}

interface Node {
  readonly schema: StructuralSchema
  readonly field: string
  readonly isResource: boolean
  /** Maximum number of such values in an object; undefined when only the request size limits it. */
  readonly cardinality: number | undefined
  /** The enclosing list whose old items cannot be correlated, if any. */
  readonly uncorrelatable: string | undefined
}

/** Maximum number of children of a value. */
function capacity({ type, items, maxItems, additionalProperties, maxProperties }: StructuralSchema): number | undefined {
  if (type === 'array' && items !== undefined) return maxItems
  return typeof additionalProperties === 'object' ? maxProperties : 1
}

function checkNode(node: Node, found: Found): void {
  const { schema, field } = node
  if (!hasRules(schema)) return
  const held = capacity(schema)
  const cardinality = node.cardinality === undefined || held === undefined ? undefined : node.cardinality * held
  const isUncorrelatable = schema.type === 'array' && schema['x-kubernetes-list-type'] !== 'map'
  const uncorrelatable = node.uncorrelatable ?? (isUncorrelatable ? field : undefined)
  forEachInner(schema, field, (inner, place) => {
    const isResource = inner['x-kubernetes-embedded-resource'] === true
    checkNode({ schema: inner, field: place, isResource, cardinality, uncorrelatable }, found)
  })
  const rules = schema['x-kubernetes-validations'] ?? []
  if (rules.length === 0) return
  const type = schemaType(schema, node.isResource)
  if (type === undefined) {
    const why =
      'failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'
    found.errors.push({
      reason: 'FieldValueInvalid',
      field: `${field}.x-kubernetes-validations`,
      message: `Internal error: internal error: ${why}`,
    })
    return
  }
  for (const [index, rule] of rules.entries()) {
    checkRule(node, compileRule(rule, type), type, `${field}.x-kubernetes-validations[${index}]`, found)
  }
}

function checkRule(node: Node, compiled: CompiledRule, type: CelType, field: string, found: Found): void {
  const { rule, program, fault, message, messageFault, usesOldSelf } = compiled
  const times = node.cardinality ?? Math.floor(maxRequestBytes / ((type.minBytes ?? 1) + 1))
  if (program !== undefined) {
    addCost(found, `${field}.rule`, 'estimated rule cost', Math.min(estimateCost(program.checked, type) * times, withoutBound))
  }
  if (fault !== undefined) found.errors.push(wrong(`${field}.rule`, rule, fault))
  if (messageFault !== undefined) found.errors.push(wrong(`${field}.messageExpression`, rule, messageFault))
  if (message !== undefined)
    addCost(found, `${field}.messageExpression`, 'estimated messageExpression cost', estimateCost(message.checked, type))
  if (usesOldSelf && node.uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${node.uncorrelatable}`
    found.errors.push(invalidValue(`${field}.rule`, rule.rule, why))
  } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    found.errors.push(invalidValue(`${field}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'))
  }
}

function wrong(field: string, rule: ValidationRule, why: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${showRule(rule)}: ${why}` }
}

/** A rule as Go prints the struct. */
function showRule({ rule, message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf }: ValidationRule): string {
  const pointer = (type: string, value: unknown): string => `(*${type})(${value === undefined ? 'nil' : '0xc000000000'})`
  const fields = [
    `Rule:${quote(rule)}`,
    `Message:${quote(message)}`,
    `MessageExpression:${quote(messageExpression)}`,
    `Reason:${pointer('apiextensions.FieldValueErrorReason', reason)}`,
    `FieldPath:${quote(fieldPath)}`,
    `OptionalOldSelf:${pointer('bool', optionalOldSelf)}`,
  ]
  return `apiextensions.ValidationRule{${fields.join(', ')}}`
}

function addCost(found: Found, field: string, what: string, cost: number): void {
  found.costs.push({ field, cost })
  if (cost > expressionLimit) found.errors.push(forbiddenValue(field, excess(what, cost, expressionLimit)))
}

function excess(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`
  const advice = '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
  return `${what} exceeds budget by factor of ${shown} ${advice}`
}

function checkTotal(costs: readonly Cost[], field: string): FieldError[] {
  const total = costs.reduce((sum, { cost }) => sum + cost, 0)
  if (total <= schemaLimit) return []
  const expensive = costs.filter(({ cost }) => cost >= schemaLimit / 100).toSorted((a, b) => b.cost - a.cost)
  const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
  return [
    ...expensive
      .slice(0, mostNamed)
      .map((each) =>
        forbiddenValue(each.field, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'),
      ),
    forbiddenValue(field, excess(what, total, schemaLimit)),
  ]
}
