import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, quote } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'

// Checks that several kinds share, with Kubernetes' messages. Each returns its errors.

/** `Required value`. */
export function requiredField(field: string, why: string = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: why === '' ? 'Required value' : `Required value: ${why}` }
}

/** The value, if set, must be one of the supported ones. */
export function oneOf(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  if (value === undefined || supported.includes(value)) return []
  const message = `Unsupported value: ${quote(value)}: supported values: ${supported.map(quote).join(', ')}`
  return [{ reason: 'FieldValueNotSupported', field, message }]
}

/** The number must be a TCP or UDP port. */
export function portNumber(field: string, port: number): FieldError[] {
  return port >= 1 && port <= 65_535 ? [] : [invalidValue(field, port, 'must be between 1 and 65535, inclusive')]
}

/** The name must be an IANA service name. */
export function portName(field: string, name: string): FieldError[] {
  const faults: string[] = []
  if (name.length > 15) faults.push('must be no more than 15 characters')
  if (!/^[a-z0-9-]*$/.test(name)) faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens ('-')")
  if (!/[a-z]/.test(name)) faults.push('must contain at least one letter (a-z)')
  if (name.includes('--')) faults.push('must not contain consecutive hyphens')
  if (/^-|-$/.test(name)) faults.push('must not begin or end with a hyphen')
  return faults.map((why) => invalidValue(field, name, why))
}

/** The value must be a port number or name. */
export function portNumberOrName(field: string, port: number | string | undefined): FieldError[] {
  if (port === undefined) return []
  return typeof port === 'number' ? portNumber(field, port) : portName(field, port)
}

/** The value, if set, must not be negative. */
export function notNegative(field: string, value: number | undefined): FieldError[] {
  return value === undefined || value >= 0 ? [] : [invalidValue(field, value, 'must be greater than or equal to 0')]
}

/** The name is required and must be a DNS label. */
export function labelName(field: string, name: string | undefined): FieldError[] {
  if (name === undefined || name === '') return [requiredField(field)]
  return validateName(name, 'dns-label').map((why) => invalidValue(field, name, why))
}

/** Returns the indexes of repeated values. */
export function duplicates(values: readonly string[]): number[] {
  const seen = new Set<string>()
  return values.flatMap((value, index) => {
    if (value === '') return []
    if (seen.has(value)) return [index]
    seen.add(value)
    return []
  })
}
