import type { ParamValue } from '../manifest/parameter.ts'
import { onlyReference, type Reference, replaceReferences } from './reference.ts'

/** Returns the value of a reference; undefined when there is none. */
export type ValueOf = (reference: Reference) => ParamValue | undefined

/** A reference has no value, or one of the wrong type. */
export class ReferenceUnresolved extends Error {
  override readonly name = 'ReferenceUnresolved'
}

/** Replaces the references in a text. Pure. @throws ReferenceUnresolved */
export function substituteText(text: string, valueOf: ValueOf): string {
  return replaceReferences(text, (reference) => {
    const value = itemOf(reference, valueOf)
    if (typeof value === 'string') return value
    throw new ReferenceUnresolved(`${reference.text} is an array: it cannot be a part of a text`)
  })
}

/**
 * Replaces the references in a list, in which an array takes the place of an element that consists
 * of its reference. Pure. @throws ReferenceUnresolved
 */
export function substituteList(texts: readonly string[], valueOf: ValueOf): string[] {
  return texts.flatMap((text) => {
    const only = onlyReference(text)
    return only?.isWhole === true ? itemOf(only, valueOf) : substituteText(text, valueOf)
  })
}

/** Replaces the references in a parameter's value. Pure. @throws ReferenceUnresolved */
export function substituteValue(value: ParamValue, valueOf: ValueOf): ParamValue {
  if (typeof value !== 'string') return substituteList(value, valueOf)
  const only = onlyReference(value)
  return only?.isWhole === true ? itemOf(only, valueOf) : substituteText(value, valueOf)
}

/** Replaces the references in all texts of a JSON value. Pure. @throws ReferenceUnresolved */
export function substituteDeep<T>(value: T, valueOf: ValueOf): T {
  return deep(value, valueOf) as T
}

function deep(value: unknown, valueOf: ValueOf): unknown {
  if (typeof value === 'string') return substituteText(value, valueOf)
  if (Array.isArray(value)) return value.map((item) => deep(item, valueOf))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deep(item, valueOf)]))
}

function itemOf(reference: Reference, valueOf: ValueOf): ParamValue {
  const { text, index } = reference
  const value = valueOf(reference)
  if (value === undefined) throw new ReferenceUnresolved(`${text} has no value`)
  if (index === undefined) return value
  const item = typeof value === 'string' ? undefined : value[index]
  if (item === undefined) throw new ReferenceUnresolved(`${text} has no value: the array has ${value.length} elements`)
  return item
}
