import type { StatusCause } from '#apimachinery/errors.ts'
import { canonicalQuantity, formatQuantity, isQuantity, parseQuantity, quantityToBytes, type Quantity } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { mostMemory } from '#features/cluster-config/index.ts'
import { invalidValue, requiredValue, when, type ValidationConfig } from '../cause.ts'

type Amount = string | number | undefined

const zero = parseQuantity('0')
const leastRequest = parseQuantity('1M')

/**
 * Validates that amounts of memory are positive and consistent. Amounts that no machine can have
 * are refused as well, where KubeVirt fails at the start.
 */
export function validateMemory({ domain }: VirtualMachineInstanceSpec, base: string, config: ValidationConfig): readonly StatusCause[] {
  const path = `${base}.domain`
  const { memory, resources } = domain
  const request = amountAt(`${path}.resources.requests.memory`, resources?.requests?.['memory'])
  const limit = amountAt(`${path}.resources.limits.memory`, resources?.limits?.['memory'])
  const guest = amountAt(`${path}.memory.guest`, memory?.guest)
  const max = amountAt(`${path}.memory.maxGuest`, memory?.maxGuest)
  const unusable = [
    ...notNegative(request),
    ...(isPositive(request) ? atLeast(request, leastRequest, '1M') : []),
    ...notNegative(limit),
    ...[request, limit, guest, max].flatMap(possible),
    ...[guest, max].flatMap((amount) => (isZero(amount) ? [] : greaterThanZero(amount))),
  ]
  if (unusable.length > 0) return unusable
  return [
    ...when(
      isPositive(limit) && isLess(limit, request),
      invalidValue(request.field, `${request.field} '${request.text}' is greater than ${limit.field} '${limit.text}'`),
    ),
    ...validateHugepages(domain, path, request, guest, limit),
    ...when(isLess(max, guest), invalidValue(guest.field, 'Guest memory is greater than the configured maxGuest memory')),
    ...when(
      config.rolloutStrategy !== 'LiveUpdate' && isPositive(limit) && isLess(limit, guest),
      invalidValue(
        guest.field,
        `${guest.field} '${guest.text}' must be equal to or less than the memory limit ${limit.field} '${limit.text}'`,
      ),
    ),
  ]
}

/** Validates that memory is set by one of its fields, and is not 0. */
export function validateMemorySize({ domain: { memory, resources } }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const given = memory?.guest ?? memory?.hugepages ?? resources?.requests?.['memory'] ?? resources?.limits?.['memory']
  const path = `${base}.domain`
  const alternatives = `'${path}.memory.guest', '${path}.memory.hugepages.pageSize' or '${path}.resources.requests.memory'`
  return [
    ...when(given === undefined, requiredValue(`${path}.memory.guest`, `no memory requested, at least one of ${alternatives} must be set`)),
    ...[amountAt(`${path}.memory.guest`, memory?.guest), amountAt(`${path}.memory.maxGuest`, memory?.maxGuest)].flatMap((amount) =>
      isZero(amount) ? greaterThanZero(amount) : [],
    ),
  ]
}

type Domain = VirtualMachineInstanceSpec['domain']

function validateHugepages({ memory }: Domain, path: string, request: Found, guest: Found, limit: Found): readonly StatusCause[] {
  if (memory?.hugepages === undefined) return []
  const { pageSize = '' } = memory.hugepages
  const field = `${path}.memory.hugepages.pageSize`
  if (!isQuantity(pageSize)) {
    const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    return [invalidValue(field, `${field} '${pageSize}': ${format}`)]
  }
  const page = quantityToBytes(parseQuantity(pageSize))
  if (page <= 0n) return [invalidValue(field, `${field} '${pageSize}': must be greater than 0.`)]
  const bytes = [request, guest, limit]
    .map(({ quantity }) => (quantity === undefined ? 0n : quantityToBytes(quantity)))
    .find((size) => size > 0n)
  if (bytes === undefined) return []
  const pages = `page size ${field} '${pageSize}'`
  const given = `${request.field} '${request.text}'`
  if (bytes < page) return [invalidValue(request.field, `${given} must be equal to or larger than ${pages}`)]
  return when(bytes % page !== 0n, invalidValue(request.field, `${given} is not a multiple of the ${pages}`))
}

/** An amount of a spec, and its path. */
interface Found {
  readonly field: string
  readonly given: Amount
  /** Undefined when it is absent, or no quantity. */
  readonly quantity: Quantity | undefined
  /** As Kubernetes prints it; "0" when it is absent. */
  readonly text: string
}

function amountAt(field: string, given: Amount): Found {
  const quantity = given !== undefined && isQuantity(given) ? parseQuantity(given) : undefined
  return { field, given, quantity, text: quantity === undefined ? String(given ?? 0) : canonicalQuantity(given ?? 0) }
}

function notNegative({ field, quantity, text }: Found): readonly StatusCause[] {
  return when(quantity !== undefined && quantity.nanos < 0n, invalidValue(field, `${field} '${text}': must be greater than or equal to 0.`))
}

function atLeast({ field, quantity, text }: Found, least: Quantity, name: string): readonly StatusCause[] {
  const isLower = quantity !== undefined && quantity.nanos < least.nanos
  return when(isLower, invalidValue(field, `${field} '${text}': must be greater than or equal to ${name}.`))
}

function greaterThanZero({ field, given, quantity, text }: Found): readonly StatusCause[] {
  const isFine = given === undefined || (quantity !== undefined && quantity.nanos > 0n)
  return when(!isFine, invalidValue(field, `${field} '${text}': must be greater than 0.`))
}

function isZero({ quantity }: Found): boolean {
  return quantity?.nanos === 0n
}

function possible({ field, quantity, text }: Found): readonly StatusCause[] {
  const isMore = quantity !== undefined && quantity.nanos > mostMemory.nanos
  return when(isMore, invalidValue(field, `${field} '${text}': must be at most ${formatQuantity(mostMemory)}.`))
}

function isPositive({ quantity = zero }: Found): boolean {
  return quantity.nanos > 0n
}

function isLess(a: Found, b: Found): boolean {
  return a.quantity !== undefined && b.quantity !== undefined && a.quantity.nanos < b.quantity.nanos
}
