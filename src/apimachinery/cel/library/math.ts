import { compareValues } from '../values/compare.ts'
import { CelError } from '../errors.ts'
import { type Overload, overload } from '../types/signature.ts'
import { type CelList, type CelUint, type CelValue, itemsOf } from '../values/values.ts'
import { checkedInt, checkedUint } from './operators.ts'

type Numbers = readonly CelValue[]

function extreme(values: Numbers, sign: 1 | -1): CelValue {
  const [first, ...rest] = values
  if (first === undefined) throw new CelError('math: argument must not be empty')
  return rest.reduce((best, value) => (compareValues(value, best) * sign > 0 ? value : best), first)
}

const types = ['int', 'uint', 'double'] as const

const extremes: readonly Overload[] = (['greatest', 'least'] as const).flatMap((name) => {
  const pick = (values: Numbers): CelValue => extreme(values, name === 'greatest' ? 1 : -1)
  const id = name === 'greatest' ? 'max' : 'min'
  return types.flatMap((type) => [
    overload(`math_@${id}_${type}`, `math.${name}(${type}): ${type}`, pick),
    overload(`math_@${id}_list_${type}`, `math.${name}(list(${type})): ${type}`, ([list]) => pick([...itemsOf(list as CelList)])),
    ...types.flatMap((other) => {
      const result = type === other ? type : 'dyn'
      return [
        overload(`math_@${id}_${type}_${other}`, `math.${name}(${type}, ${other}): ${result}`, pick),
        overload(`math_@${id}_${type}_${other}_${other}`, `math.${name}(${type}, ${other}, ${other}): ${result}`, pick),
      ]
    }),
  ])
})

const doubles: readonly Overload[] = (
  [
    ['ceil', Math.ceil],
    ['floor', Math.floor],
    ['trunc', Math.trunc],
    ['round', (value: number): number => Math.sign(value) * Math.round(Math.abs(value))],
  ] as const
).map(([name, change]) => overload(`math_${name}_double`, `math.${name}(double): double`, ([value]) => change(value as number)))

const sign = (value: bigint): bigint => (value > 0n ? 1n : value < 0n ? -1n : 0n)
const uintOf = (value: CelValue | undefined): bigint => (value as CelUint).value

const signs: readonly Overload[] = [
  overload('math_abs_int', 'math.abs(int): int', ([value]) => checkedInt((value as bigint) < 0n ? -(value as bigint) : (value as bigint))),
  overload('math_abs_uint', 'math.abs(uint): uint', ([value = null]) => value),
  overload('math_abs_double', 'math.abs(double): double', ([value]) => Math.abs(value as number)),
  overload('math_sign_int', 'math.sign(int): int', ([value]) => sign(value as bigint)),
  overload('math_sign_uint', 'math.sign(uint): uint', ([value]) => checkedUint(sign(uintOf(value)))),
  overload('math_sign_double', 'math.sign(double): double', ([value]) => Math.sign(value as number)),
  overload('math_isNaN_double', 'math.isNaN(double): bool', ([value]) => Number.isNaN(value)),
  overload('math_isInf_double', 'math.isInf(double): bool', ([value]) => Math.abs(value as number) === Number.POSITIVE_INFINITY),
  overload('math_isFinite_double', 'math.isFinite(double): bool', ([value]) => Number.isFinite(value)),
  overload('math_sqrt_double', 'math.sqrt(double): double', ([value]) => Math.sqrt(value as number)),
  overload('math_sqrt_int', 'math.sqrt(int): double', ([value]) => Math.sqrt(Number(value))),
  overload('math_sqrt_uint', 'math.sqrt(uint): double', ([value]) => Math.sqrt(Number(uintOf(value)))),
]

function shift(value: bigint, by: bigint, left: boolean): bigint {
  if (by < 0n) throw new CelError(`math.${left ? 'bitShiftLeft' : 'bitShiftRight'}() negative offset: ${by}`)
  if (by > 63n) return 0n
  return left ? value << by : BigInt.asUintN(64, value) >> by
}

const bitOperations = [
  ['And', (a: bigint, b: bigint): bigint => a & b],
  ['Or', (a: bigint, b: bigint): bigint => a | b],
  ['Xor', (a: bigint, b: bigint): bigint => a ^ b],
] as const

const bits: readonly Overload[] = [
  ...bitOperations.flatMap(([name, operate]) => [
    overload(`math_bit${name}_int_int`, `math.bit${name}(int, int): int`, ([a, b]) => operate(a as bigint, b as bigint)),
    overload(`math_bit${name}_uint_uint`, `math.bit${name}(uint, uint): uint`, ([a, b]) => checkedUint(operate(uintOf(a), uintOf(b)))),
  ]),
  overload('math_bitNot_int_int', 'math.bitNot(int): int', ([value]) => ~(value as bigint)),
  overload('math_bitNot_uint_uint', 'math.bitNot(uint): uint', ([value]) => checkedUint(BigInt.asUintN(64, ~uintOf(value)))),
  ...([true, false] as const).flatMap((left) => {
    const name = left ? 'bitShiftLeft' : 'bitShiftRight'
    return [
      overload(`math_${name}_int_int`, `math.${name}(int, int): int`, ([a, b]) => BigInt.asIntN(64, shift(a as bigint, b as bigint, left))),
      overload(`math_${name}_uint_int`, `math.${name}(uint, int): uint`, ([a, b]) =>
        checkedUint(BigInt.asUintN(64, shift(uintOf(a), b as bigint, left))),
      ),
    ]
  }),
]

/** Functions of numbers. */
export const math: readonly Overload[] = [...extremes, ...doubles, ...signs, ...bits]
