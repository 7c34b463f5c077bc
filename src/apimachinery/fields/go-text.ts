import { isJsonObject } from '../own-property.ts'

/**
 * Prints a value like Go's `%v`. Messages of kube-apiserver contain it, and users search for these
 * messages.
 */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (typeof value === 'string') return value
  if (!isJsonObject(value)) return value === null ? '<nil>' : JSON.stringify(value)
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key])}`)
  return `map[${fields.join(' ')}]`
}

/** The same with `%#v`. */
export function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (!isJsonObject(value)) return value === null ? 'interface {}(nil)' : JSON.stringify(value)
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`)
  return `map[string]interface {}{${fields.join(', ')}}`
}
