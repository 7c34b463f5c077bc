import {
  addQuantities,
  compareQuantities,
  isQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantityToNumber,
  subtractQuantities,
} from '#apimachinery/quantity.ts'
import { CelError } from '#apimachinery/cel/errors.ts'
import { type Overload, overload } from '#apimachinery/cel/types/signature.ts'
import type { CelOpaque, CelValue } from '#apimachinery/cel/values/values.ts'
import { traversal } from '../costs.ts'

const unit = 1_000_000_000n

const quantityOf = (value: CelValue | undefined): Quantity => (value as CelOpaque).value as Quantity

function quantityValue(quantity: Quantity): CelOpaque {
  return {
    kind: 'opaque',
    typeName: 'kubernetes.Quantity',
    value: quantity,
    equals: (other) => compareQuantities(quantity, other as Quantity) === 0,
  }
}

function parse(text: string): CelValue {
  try {
    return quantityValue(parseQuantity(text))
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
  }
}

const isWhole = ({ nanos }: Quantity): boolean => nanos % unit === 0n && BigInt.asIntN(64, nanos / unit) === nanos / unit

function toInteger(quantity: Quantity): bigint {
  if (!isWhole(quantity)) throw new CelError('cannot convert value to integer')
  return quantity.nanos / unit
}

const whole = (value: CelValue | undefined): Quantity => ({ nanos: (value as bigint) * unit, format: 'DecimalSI' })
const order = ([left, right]: readonly CelValue[]): number => compareQuantities(quantityOf(left), quantityOf(right))
const sign: Overload['run'] = ([value]) => {
  const { nanos } = quantityOf(value)
  return nanos > 0n ? 1n : nanos < 0n ? -1n : 0n
}

const once = { cost: traversal(0) }

/** Kubernetes' quantities. */
export const quantities: readonly Overload[] = [
  overload('string_to_quantity', 'quantity(string): Quantity', ([text]) => parse(text as string), once),
  overload('is_quantity_string', 'isQuantity(string): bool', ([text]) => isQuantity(text as string), once),
  overload('quantity_sign', 'sign(Quantity): int', sign),
  overload('quantity_sign_member', 'Quantity.sign(): int', sign),
  overload('quantity_is_greater_than', 'Quantity.isGreaterThan(Quantity): bool', (args) => order(args) > 0),
  overload('quantity_is_less_than', 'Quantity.isLessThan(Quantity): bool', (args) => order(args) < 0),
  overload('quantity_compare_to', 'Quantity.compareTo(Quantity): int', (args) => BigInt(order(args))),
  overload('quantity_get_float', 'Quantity.asApproximateFloat(): double', ([value]) => quantityToNumber(quantityOf(value))),
  overload('quantity_get_int', 'Quantity.asInteger(): int', ([value]) => toInteger(quantityOf(value))),
  overload('quantity_is_integer', 'Quantity.isInteger(): bool', ([value]) => isWhole(quantityOf(value))),
  overload('quantity_add', 'Quantity.add(Quantity): Quantity', ([a, b]) => quantityValue(addQuantities(quantityOf(a), quantityOf(b)))),
  overload('quantity_add_int', 'Quantity.add(int): Quantity', ([a, b]) => quantityValue(addQuantities(quantityOf(a), whole(b)))),
  overload('quantity_sub', 'Quantity.sub(Quantity): Quantity', ([a, b]) => quantityValue(subtractQuantities(quantityOf(a), quantityOf(b)))),
  overload('quantity_sub_int', 'Quantity.sub(int): Quantity', ([a, b]) => quantityValue(subtractQuantities(quantityOf(a), whole(b)))),
]
