import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { IntOrString } from '#api/scalars.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { quote } from '#apimachinery/field-messages.ts'

// Kubernetes prints struct values with `%#v`. Users search for these messages, and scripts match
// them.

/** Formats a struct with its fields in order; undefined is the empty string. */
export function goStruct(type: string, fields: Readonly<Record<string, string | undefined>>): string {
  const shown = Object.entries(fields).map(([name, value]) => `${name}:${quote(value ?? '')}`)
  return `${type}{${shown.join(', ')}}`
}

/** Formats an IntOrString. */
export function goIntOrString(value: IntOrString): string {
  const isText = typeof value === 'string'
  return `intstr.IntOrString{Type:${isText ? 1 : 0}, IntVal:${isText ? 0 : value}, StrVal:${quote(isText ? value : '')}}`
}

/** Formats a list of strings; `nil` when absent. */
export function goStrings(values: readonly string[] | undefined, type: string = 'string'): string {
  return values === undefined ? `[]${type}(nil)` : `[]${type}{${values.map(quote).join(', ')}}`
}

/** Formats bytes. */
export function goBytes(bytes: Uint8Array): string {
  return `[]byte{${Array.from(bytes, (byte) => `0x${byte.toString(16)}`).join(', ')}}`
}

/** Formats a label selector. */
export function goLabelSelector({ matchLabels, matchExpressions }: LabelSelector): string {
  const labels = Object.entries(matchLabels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const shownLabels =
    matchLabels === undefined
      ? 'map[string]string(nil)'
      : `map[string]string{${labels.map((pair) => pair.map(quote).join(':')).join(', ')}}`
  const requirements = matchExpressions?.map(
    ({ key, operator, values }) =>
      `v1.LabelSelectorRequirement{Key:${quote(key)}, Operator:${quote(operator)}, Values:${goStrings(values)}}`,
  )
  const shown = requirements === undefined ? '(nil)' : `{${requirements.join(', ')}}`
  return `v1.LabelSelector{MatchLabels:${shownLabels}, MatchExpressions:[]v1.LabelSelectorRequirement${shown}}`
}

/** `Invalid value: <value>: <why>` for a formatted value. */
export function invalidShown(field: string, shown: string, why: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown}: ${why}` }
}

/** Returns an error when the selector of a workload has changed. */
export function immutableSelector(selector: LabelSelector | undefined, old: LabelSelector | undefined): readonly FieldError[] {
  return deepEqual(selector, old) ? [] : [invalidShown('spec.selector', goLabelSelector(selector ?? {}), 'field is immutable')]
}
