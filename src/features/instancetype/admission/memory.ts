import type { StatusCause } from '#apimachinery/errors.ts'
import { isQuantity, parseQuantity, quantityFromBytes, type Quantity } from '#apimachinery/quantity.ts'
import type { MemoryInstancetype } from '#api/instancetype/v1/virtual-machine-instancetype.ts'
import { mostMemory } from '#features/cluster-config/index.ts'
import { invalid, outOfRange } from './cause.ts'

const nanosOfOne = quantityFromBytes(1n).nanos

/** Validates an amount of memory: positive, whole bytes, at most what a machine type supports. */
export function validateMemoryAmount(field: string, amount: string | number | undefined): StatusCause[] {
  if (amount === undefined) return []
  const quantity = quantityOf(amount)
  if (quantity === undefined) return [outOfRange(field, amount, 'must be a quantity')]
  if (quantity.nanos <= 0n) return [outOfRange(field, amount, 'must be greater than 0')]
  if (quantity.nanos % nanosOfOne !== 0n) return [outOfRange(field, amount, 'must be a whole number of bytes')]
  return quantity.nanos > mostMemory.nanos ? [outOfRange(field, amount, 'must be at most 4Pi')] : []
}

/** Validates size, maximum, huge pages and overcommitment of memory. */
export function validateMemory(memory: MemoryInstancetype): StatusCause[] {
  const [guest, maxGuest] = ['spec.memory.guest', 'spec.memory.maxGuest']
  const causes = [
    ...(isZeroQuantity(memory.guest) ? [] : validateMemoryAmount(guest, memory.guest)),
    ...validateMemoryAmount(maxGuest, memory.maxGuest),
  ]
  // Invalid amounts cannot be compared.
  const relations = causes.length > 0 ? [] : [...validateCeiling(memory), ...validateHugepages(memory)]
  return [...causes, ...relations, ...validateOvercommit(memory)]
}

function validateCeiling({ guest, maxGuest }: MemoryInstancetype): StatusCause[] {
  if (maxGuest === undefined || parseQuantity(maxGuest).nanos >= parseQuantity(guest).nanos) return []
  return [outOfRange('spec.memory.maxGuest', maxGuest, `must be greater than or equal to spec.memory.guest '${guest}'`)]
}

function validateHugepages({ guest, hugepages }: MemoryInstancetype): StatusCause[] {
  if (hugepages === undefined) return []
  const { pageSize = '' } = hugepages
  const field = 'spec.memory.hugepages.pageSize'
  const causes = validateMemoryAmount(field, pageSize)
  if (causes.length > 0 || parseQuantity(guest).nanos % parseQuantity(pageSize).nanos === 0n) return causes
  return [invalid(field, `spec.memory.guest '${guest}' is not a multiple of ${field} '${pageSize}'.`)]
}

function validateOvercommit({ overcommitPercent: percent = 0, hugepages }: MemoryInstancetype): StatusCause[] {
  const field = 'spec.memory.overcommitPercent'
  const causes: StatusCause[] = []
  if (percent < 0 || percent > 100) causes.push(outOfRange(field, percent, 'must be in range between 0 and 100'))
  if (percent !== 0 && hugepages !== undefined) {
    causes.push(invalid(field, `${field} and spec.memory.hugepages should not be requested together.`))
  }
  return causes
}

/** Reports whether an amount is 0. KubeVirt's clients in Go write that for an absent one. */
export function isZeroQuantity(amount: string | number): boolean {
  return quantityOf(amount)?.nanos === 0n
}

function quantityOf(amount: string | number): Quantity | undefined {
  return isQuantity(amount) ? parseQuantity(amount) : undefined
}
