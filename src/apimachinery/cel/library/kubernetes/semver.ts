/** A semantic version 2.0.0; build metadata does not count when versions are compared. */
export interface SemanticVersion {
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly prerelease: readonly string[]
}

const part = '(0|[1-9]\\d*)'
const identifier = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)'
const pattern = new RegExp(
  `^${part}\\.${part}\\.${part}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
)
const largest = 2n ** 64n - 1n

/** Reads a version; undefined when it is none. */
export function parseSemver(text: string): SemanticVersion | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, major = '', minor = '', patch = '', prerelease] = match
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const
  if (numbers.some((number) => number > largest)) return undefined
  return { numbers, prerelease: prerelease === undefined ? [] : prerelease.split('.') }
}

/**
 * Takes a leading `v` and zeros away and adds the numbers that are missing, as `v1.02`; undefined
 * when that cannot be done.
 */
export function normaliseSemver(text: string): string | undefined {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.')
  const parts = [major, minor, rest.length === 0 ? undefined : rest.join('.')].filter((each) => each !== undefined)
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) return undefined
  const trimmed = parts.map((each) => each.replace(/^0+(?=\d)/, ''))
  return [...trimmed, '0', '0'].slice(0, 3).join('.')
}

function compareNumbers(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function compareIdentifiers(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0
  if (left === undefined) return -1
  if (right === undefined) return 1
  const isNumber = /^\d+$/
  const leftNumber = isNumber.test(left)
  const rightNumber = isNumber.test(right)
  if (leftNumber && rightNumber) return compareNumbers(BigInt(left), BigInt(right))
  if (leftNumber !== rightNumber) return leftNumber ? -1 : 1
  return left < right ? -1 : 1
}

/** -1, 0 or 1. A version before its release is less than the release. */
export function compareSemver(left: SemanticVersion, right: SemanticVersion): number {
  for (const index of [0, 1, 2] as const) {
    const order = compareNumbers(left.numbers[index], right.numbers[index])
    if (order !== 0) return order
  }
  if (left.prerelease.length === 0 || right.prerelease.length === 0) return Math.sign(right.prerelease.length - left.prerelease.length)
  const length = Math.max(left.prerelease.length, right.prerelease.length)
  for (let index = 0; index < length; index += 1) {
    const order = compareIdentifiers(left.prerelease[index], right.prerelease[index])
    if (order !== 0) return order
  }
  return 0
}
