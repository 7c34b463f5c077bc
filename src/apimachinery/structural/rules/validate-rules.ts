import { type CelBudget, createBudget, objectCostLimit } from '#apimachinery/cel/budget.ts'
import { schemaType } from '#apimachinery/cel/types/schema-types.ts'
import type { CelType } from '#apimachinery/cel/types/types.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { getOwn, isJsonObject } from '#apimachinery/own-property.ts'
import { correlateItems } from '../list-correlation.ts'
import { Location } from '../location.ts'
import type { StructuralSchema } from '../schema.ts'
import { uncorrelated } from '../validation/validation-walk.ts'
import { type CompiledRule, compileRule } from './compile-rules.ts'
import { evaluateRule } from './evaluate-rule.ts'
import { normaliseFieldPath } from './field-path.ts'
import { hasRules } from './has-rules.ts'

/** The rules of a schema and of everything below it. */
interface RuleNode {
  readonly schema: StructuralSchema
  readonly type: CelType | undefined
  readonly rules: readonly CompiledRule[]
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly others: RuleNode | undefined
  readonly items: RuleNode | undefined
}

/** Results of all rules for an object. */
export interface RuleFindings {
  readonly errors: readonly FieldError[]
  /** Errors that the old object had, too. */
  readonly warnings: readonly FieldError[]
}

function compileNode(schema: StructuralSchema, isResource: boolean): RuleNode {
  const { properties = {}, additionalProperties, items } = schema
  const embedded = (inner: StructuralSchema): boolean => inner['x-kubernetes-embedded-resource'] === true
  const below = (inner: StructuralSchema | undefined): RuleNode | undefined =>
    inner !== undefined && hasRules(inner) ? compileNode(inner, embedded(inner)) : undefined
  const rules = rulesOf(schema)
  const type = rules.length === 0 ? undefined : schemaType(schema, isResource)
  return {
    schema,
    type,
    rules:
      type === undefined
        ? []
        : rules.map((rule) => ({ ...compileRule(rule, type), fieldPath: normaliseFieldPath(rule.fieldPath ?? '', schema) })),
    properties: new Map(
      Object.entries(properties).flatMap(([key, property]) => {
        const node = below(property)
        return node === undefined ? [] : [[key, node] as const]
      }),
    ),
    others: typeof additionalProperties === 'object' ? below(additionalProperties) : undefined,
    items: below(items),
  }
}

/** Rules in allOf are about the same value. */
function rulesOf(schema: StructuralSchema): NonNullable<StructuralSchema['x-kubernetes-validations']> {
  return [...(schema['x-kubernetes-validations'] ?? []), ...(schema.allOf ?? []).flatMap(rulesOf)]
}

const nodes = new WeakMap<StructuralSchema, RuleNode>()

function nodeOf(schema: StructuralSchema): RuleNode {
  const known = nodes.get(schema)
  if (known !== undefined) return known
  const node = compileNode(schema, true)
  nodes.set(schema, node)
  return node
}

/** Reports whether a value is unchanged; evaluated only for a broken rule. */
type Unchanged = () => boolean

class RuleWalk {
  readonly errors: FieldError[] = []
  readonly warnings: FieldError[] = []
  readonly location = new Location()
  readonly budget: CelBudget = createBudget(objectCostLimit)
  isSpent = false

  visit(node: RuleNode, value: unknown, old: unknown, unchanged: Unchanged): void {
    if (value === null || value === undefined || this.isSpent) return
    this.#judge(node, value, old, unchanged)
    if (Array.isArray(value)) this.#visitItems(node, value, old, unchanged)
    else if (isJsonObject(value)) this.#visitFields(node, value, old, unchanged)
  }

  #judge({ rules, type, schema }: RuleNode, value: unknown, old: unknown, unchanged: Unchanged): void {
    if (type === undefined) return
    const judged = { value, old: old === null ? undefined : old, type, typeName: schema.type ?? '', field: this.location.toString() }
    for (const rule of rules) {
      const { error, broken, spent } = evaluateRule(rule, judged, this.budget)
      if (error !== undefined) (broken && !rule.usesOldSelf && unchanged() ? this.warnings : this.errors).push(error)
      if (spent) this.isSpent = true
      if (this.isSpent) return
    }
  }

  #visitFields(node: RuleNode, value: Readonly<Record<string, unknown>>, old: unknown, unchanged: Unchanged): void {
    if (node.properties.size === 0 && node.others === undefined) return
    for (const [key, item] of Object.entries(value)) {
      const property = node.properties.get(key)
      const inner = property ?? (node.schema.properties?.[key] === undefined ? node.others : undefined)
      if (inner === undefined) continue
      const before = isJsonObject(old) ? getOwn(old, key) : undefined
      this.#inside(property === undefined ? `[${key}]` : `.${key}`, inner, item, before, unchanged)
    }
  }

  #visitItems(node: RuleNode, value: readonly unknown[], old: unknown, unchanged: Unchanged): void {
    if (node.items === undefined) return
    const oldItem = correlateItems(node.schema, old)
    for (const [index, item] of value.entries()) {
      const before = oldItem(item)
      this.#inside(index, node.items, item, before === uncorrelated ? undefined : before, unchanged)
    }
  }

  /** A value without old counterpart counts as unchanged when its parent is unchanged. */
  #inside(step: string | number, node: RuleNode, value: unknown, old: unknown, unchangedParent: Unchanged): void {
    this.location.push(step)
    this.visit(node, value, old, old === undefined ? unchangedParent : once(() => deepEqual(value, old)))
    this.location.pop()
  }
}

function once(compute: Unchanged): Unchanged {
  let known: boolean | undefined
  return () => (known ??= compute())
}

/**
 * Validates a resource by the rules of its schema, `x-kubernetes-validations`. It must be valid
 * otherwise. `old` is the object that it replaces. Evaluation is bounded: exhausting the budget is
 * an error, and no further rule is evaluated.
 */
export function validateRules(value: unknown, schema: StructuralSchema, old: unknown): RuleFindings {
  const walk = new RuleWalk()
  walk.visit(nodeOf(schema), value, old, old === undefined ? () => false : once(() => deepEqual(value, old)))
  return walk
}
