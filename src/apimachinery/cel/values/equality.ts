import type { CelBudget } from '../budget.ts'
import { type CelList, type CelMap, type CelOptional, type CelValue, itemsOf, kindOf } from './values.ts'

/**
 * Reports whether two values are equal; numbers by value, whatever their type. Values of different
 * kinds are unequal, never an error.
 */
export function celEqual(left: CelValue, right: CelValue, budget: CelBudget): boolean {
  if (left === right) return true
  if (typeof left !== 'object' && typeof right !== 'object' && typeof left === typeof right) return false
  budget.work(1)
  const number = numeric(left)
  if (number !== undefined) {
    const other = numeric(right)
    // Bigints and doubles compare exactly in JavaScript.
    return other !== undefined && !(number < other) && !(number > other) && !Number.isNaN(number) && !Number.isNaN(other)
  }
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false
  return structuresEqual(left, right, budget)
}

type Structure = Exclude<CelValue, null | boolean | bigint | number | string>

function structuresEqual(left: Structure, right: Structure, budget: CelBudget): boolean {
  if (left instanceof Uint8Array) return right instanceof Uint8Array && bytesEqual(left, right, budget)
  if (right instanceof Uint8Array) return false
  switch (left.kind) {
    case 'list':
      return right.kind === 'list' && listsEqual(left, right, budget)
    case 'map':
      return right.kind === 'map' && mapsEqual(left, right, budget)
    case 'timestamp':
    case 'duration':
      return right.kind === left.kind && left.nanos === right.nanos
    case 'optional':
      return right.kind === 'optional' && optionalsEqual(left, right, budget)
    case 'type':
      return right.kind === 'type' && left.name === right.name
    case 'opaque':
      return right.kind === 'opaque' && left.typeName === right.typeName && left.equals(right.value)
    case 'uint':
      return right.kind === 'uint' && left.value === right.value
  }
}

/** Returns the number in a form that JavaScript compares exactly; undefined for other values. */
export function numeric(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  return kindOf(value) === 'uint' ? (value as { value: bigint }).value : undefined
}

function bytesEqual(left: Uint8Array, right: Uint8Array, budget: CelBudget): boolean {
  if (left.length !== right.length) return false
  budget.work(left.length / 10)
  return left.every((byte, index) => byte === right[index])
}

function optionalsEqual(left: CelOptional, right: CelOptional, budget: CelBudget): boolean {
  if (left.value === undefined || right.value === undefined) return left.value === right.value
  return celEqual(left.value, right.value, budget)
}

function listsEqual(left: CelList, right: CelList, budget: CelBudget): boolean {
  if (left.size !== right.size) return false
  if (left.source !== undefined && left.source === right.source) return true
  if (left.listType !== undefined) return unorderedEqual(left, right, budget)
  for (let index = 0; index < left.size; index += 1) {
    if (!celEqual(left.get(index), right.get(index), budget)) return false
  }
  return true
}

/** Lists of `x-kubernetes-list-type` set and map are equal whatever their order. */
function unorderedEqual(left: CelList, right: CelList, budget: CelBudget): boolean {
  const others = [...itemsOf(right)]
  return itemsOf(left).every((item, index) => {
    // Mostly the order is the same.
    const same = others[index]
    return (same !== undefined && celEqual(item, same, budget)) || others.some((other) => celEqual(item, other, budget))
  })
}

function mapsEqual(left: CelMap, right: CelMap, budget: CelBudget): boolean {
  if (left.source !== undefined && left.source === right.source) return true
  if (left.size !== right.size) return false
  for (const key of left.keys()) {
    const value = left.get(key)
    const other = right.get(key)
    if (value === undefined || other === undefined || !celEqual(value, other, budget)) return false
  }
  return true
}
