import type { Fault } from '../manifest/fields.ts'
import type { ParamValue } from '../manifest/parameter.ts'
import { onlyReference, type Reference, referencesIn } from './reference.ts'

/** What a reference stands for, or why it stands for nothing. */
export type Meaning = 'string' | 'array' | { readonly fault: string }

/** Where a text is, and what its references mean. */
export interface ReferenceCheck {
  readonly meaningOf: (reference: Reference) => Meaning
  readonly faults: Fault[]
}

/** Records references of a text that have no value or the wrong type. Pure but for the faults. */
export function checkText(text: string, field: string, check: ReferenceCheck, mayBeArray: boolean = false): void {
  const only = onlyReference(text)
  for (const reference of referencesIn(text)) {
    const message = faultOf(reference, check.meaningOf(reference), mayBeArray && only !== undefined)
    if (message !== undefined) check.faults.push({ field, message })
  }
}

/** Records wrong references of a parameter's value. */
export function checkValue(value: ParamValue, field: string, check: ReferenceCheck): void {
  if (typeof value === 'string') return checkText(value, field, check, true)
  for (const [index, item] of value.entries()) checkText(item, `${field}[${index}]`, check, true)
}

/**
 * Records wrong references in all texts of a JSON value. Arrays have a place in `args` and
 * `command`.
 */
export function checkDeep(value: unknown, field: string, check: ReferenceCheck): void {
  if (typeof value === 'string') return checkText(value, field, check, /\.(args|command)\[\d+\]$/.test(field))
  if (Array.isArray(value)) return value.forEach((item, index) => checkDeep(item, `${field}[${index}]`, check))
  if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) checkDeep(item, `${field}.${key}`, check)
}

function faultOf({ text, isWhole, index }: Reference, meaning: Meaning, mayBeArray: boolean): string | undefined {
  if (typeof meaning === 'object') return `${text}: ${meaning.fault}`
  if (meaning === 'string') return isWhole || index !== undefined ? `${text}: it is a string, and not an array` : undefined
  if (index !== undefined) return undefined
  if (!isWhole) return `${text}: it is an array: write [*] or an index behind its name`
  return mayBeArray ? undefined : `${text}: an array must be a whole element of a list`
}
