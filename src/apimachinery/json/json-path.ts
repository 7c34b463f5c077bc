import { readJsonPath } from './json-path-syntax.ts'
import type { Comparison, PathFilter, PathStep } from './json-path-syntax.ts'
import { getOwn, isJsonObject } from '../own-property.ts'

export { JsonPathError } from './json-path-syntax.ts'

function valuesOf(node: unknown): readonly unknown[] {
  if (Array.isArray(node)) return node
  return isJsonObject(node) ? Object.values(node) : []
}

function descendants(node: unknown): unknown[] {
  return [node, ...valuesOf(node).flatMap(descendants)]
}

function slice(list: readonly unknown[], start: number | undefined, end: number | undefined, step: number): unknown[] {
  const from = start ?? 0
  return list.slice(from, end).filter((_, index) => index % step === 0)
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function compare(left: unknown, comparison: Comparison, right: unknown): boolean {
  if (comparison === '==') return left === right
  if (comparison === '!=') return left !== right
  const numbers = isNumber(left) && isNumber(right)
  const strings = typeof left === 'string' && typeof right === 'string'
  if (!numbers && !strings) return false
  switch (comparison) {
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    case '>=':
      return left >= right
  }
}

function passes(filter: PathFilter, node: unknown): boolean {
  const [left] = walk(filter.left, node)
  if (filter.comparison === undefined) return left !== undefined
  const right = filter.right.kind === 'literal' ? filter.right.value : walk(filter.right.steps, node)[0]
  return left !== undefined && compare(left, filter.comparison, right)
}

function step(node: unknown, { ...how }: PathStep): readonly unknown[] {
  switch (how.kind) {
    case 'field':
      return isJsonObject(node) ? how.names.map((name) => getOwn(node, name)) : []
    case 'index':
      return Array.isArray(node) ? how.indexes.map((index): unknown => node.at(index)) : []
    case 'slice':
      return Array.isArray(node) ? slice(node, how.start, how.end, how.step) : []
    case 'wildcard':
      return valuesOf(node)
    case 'descendants':
      return descendants(node)
    case 'filter':
      return valuesOf(node).filter((item) => passes(how.filter, item))
  }
}

function walk(steps: readonly PathStep[], root: unknown): readonly unknown[] {
  let nodes: readonly unknown[] = [root]
  for (const how of steps) nodes = nodes.flatMap((node) => step(node, how)).filter((node) => node !== undefined)
  return nodes
}

/**
 * Compiles a path in kubectl's dialect, as printer columns and selectable fields use it: `.a.b[0]`,
 * `['x']`, `.c[?(@.type=="Ready")].status`, `[*]`,
 * `..name`, `[1:3]`, with or without `$` or braces around. The function that comes out finds all
 * values, none where the path leads nowhere.
 * @throws {JsonPathError} when the text is no such path
 */
export function compileJsonPath(text: string): (value: unknown) => readonly unknown[] {
  const steps = readJsonPath(text)
  const names = steps.map((how) => (how.kind === 'field' && how.names.length === 1 ? how.names[0] : undefined))
  const plain = names.filter((name) => name !== undefined)
  if (plain.length < steps.length) return (value) => walk(steps, value)
  // Nearly every printer column is a plain chain of fields, and tables evaluate them for every row.
  return (value) => {
    let node = value
    for (const name of plain) node = isJsonObject(node) ? getOwn(node, name) : undefined
    return node === undefined ? [] : [node]
  }
}
