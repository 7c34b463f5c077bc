import type { ResourceRequirements } from '#api/core/v1/container.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { compareQuantities, isQuantity, parseQuantity } from '#apimachinery/quantity.ts'

/**
 * Requests must not exceed limits, nothing may be negative. Malformed quantities are reported by
 * the schema.
 */
export function validateResources(resources: ResourceRequirements | undefined, field: string): FieldError[] {
  const { requests = {}, limits = {} } = resources ?? {}
  return [
    ...Object.entries(limits).flatMap(([name, value]) => validateAmount(`${field}.limits[${name}]`, value)),
    ...Object.entries(requests).flatMap(([name, value]) => [
      ...validateAmount(`${field}.requests[${name}]`, value),
      ...validateWithin(`${field}.requests`, name, value, limits[name]),
    ]),
  ]
}

function validateAmount(field: string, value: string | number): FieldError[] {
  if (!isQuantity(value) || compareQuantities(parseQuantity(value), parseQuantity(0)) >= 0) return []
  return [invalidValue(field, String(value), 'must be greater than or equal to 0')]
}

function validateWithin(field: string, name: string, request: string | number, limit: string | number | undefined): FieldError[] {
  if (limit === undefined || !isQuantity(request) || !isQuantity(limit)) return []
  const order = compareQuantities(parseQuantity(request), parseQuantity(limit))
  if (order > 0) return [invalidValue(field, String(request), `must be less than or equal to ${name} limit of ${limit}`)]
  return order < 0 && isExtended(name) ? [invalidValue(field, String(request), `must be equal to ${name} limit of ${limit}`)] : []
}

/** Devices and huge pages cannot be overcommitted. */
function isExtended(name: string): boolean {
  return name.startsWith('hugepages-') || (name.includes('/') && !name.startsWith('kubernetes.io/'))
}
