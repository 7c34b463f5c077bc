import { compareSemver, normaliseSemver, parseSemver, type SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'

/** Reports whether a version is in a range. */
export type SemverRange = (version: SemanticVersion) => boolean

/** A version range cannot be read. */
export class SemverRangeError extends Error {
  override readonly name = 'SemverRangeError'
}

/**
 * Reads a version as it may stand in a status: with or without `v`, and without minor and patch.
 * Returns undefined when it is none.
 */
export function parseTolerant(text: string): SemanticVersion | undefined {
  const full = normaliseSemver(text.trim())
  return full === undefined ? undefined : parseSemver(full)
}

/**
 * Parses a range: comparators `=`, `==`, `!=`, `!`, `<`, `<=`, `>`, `>=` and wildcards as `1.2.x`,
 * with a space for "and" and `||` for "or". A pre-release is less than its release, and else as any
 * version. The empty range holds for no version. Ranges with `^`, `~` or `-` do not exist.
 *
 * @throws {SemverRangeError} when the text is no range
 */
export function parseSemverRange(text: string): SemverRange {
  if (text.trim() === '') return () => false
  const alternatives = text.split('||').map((part) => {
    if (part.trim() === '') refuse('there is nothing on one side of ||', text)
    return [...part.matchAll(/([^\s\w.+-]*)\s*([\w.+-]*)/g)].flatMap(([found, operator = '', version = '']) =>
      found.trim() === '' ? [] : [parseComparator(operator, version, text)],
    )
  })
  return (version) => alternatives.some((comparators) => comparators.every((holds) => holds(version)))
}

/** First and following version of a wildcard: 1.2.0 and 1.3.0 for 1.2.x. */
interface Span {
  readonly from: SemanticVersion
  readonly until: SemanticVersion | undefined
}

function parseComparator(operator: string, version: string, range: string): SemverRange {
  const { from, until } = spanOf(version) ?? refuse(`"${version}" is no version`, range)
  const isBefore = (other: SemanticVersion): boolean => compareSemver(other, from) < 0
  const isAfter = (other: SemanticVersion): boolean => until !== undefined && compareSemver(other, until) >= 0
  switch (operator) {
    case '':
    case '=':
    case '==':
      return (other) => !isBefore(other) && !isAfter(other)
    case '!':
    case '!=':
      return (other) => isBefore(other) || isAfter(other)
    case '<':
      return isBefore
    case '<=':
      return (other) => !isAfter(other)
    case '>':
      return isAfter
    case '>=':
      return (other) => !isBefore(other)
    default:
      return refuse(`"${operator}" is no comparator`, range)
  }
}

function refuse(why: string, range: string): never {
  throw new SemverRangeError(`Range "${range}" cannot be read: ${why}`)
}

/** A plain version is a span that ends with the next version in the order of all versions. */
function spanOf(text: string): Span | undefined {
  const plain = parseSemver(text)
  if (plain !== undefined) return { from: plain, until: successorOf(plain) }
  const [, digits = ''] = /^((?:\d+\.){0,2})x(?:\.x)*$/.exec(text) ?? []
  const parts = digits.split('.').slice(0, -1)
  if (!/^(?:x|\d+\.x|\d+\.x\.x|\d+\.\d+\.x|x\.x|x\.x\.x)$/.test(text)) return undefined
  const [major = 0n, minor = 0n] = parts.map(BigInt)
  const release = (...numbers: readonly [bigint, bigint, bigint]): SemanticVersion => ({ numbers, prerelease: [] })
  const from = release(major, minor, 0n)
  if (parts.length === 0) return { from, until: undefined }
  return { from, until: parts.length === 1 ? release(major + 1n, 0n, 0n) : release(major, minor + 1n, 0n) }
}

/** Nothing is between a release and the first pre-release of the next patch. */
function successorOf({ numbers, prerelease }: SemanticVersion): SemanticVersion {
  const [major, minor, patch] = numbers
  return prerelease.length === 0
    ? { numbers: [major, minor, patch + 1n], prerelease: ['0'] }
    : { numbers, prerelease: [...prerelease, '0'] }
}
