import { compareSemver, normaliseSemver, parseSemver, type SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'

/** Reports whether a version is in a range. */
export type SemverRange = (version: SemanticVersion) => boolean

/**
 * All versions from one on until before another one, in the order of versions. Without `from` it
 * begins with the least version, without `until` it has no end.
 */
export interface SemverSpan {
  readonly from: SemanticVersion | undefined
  readonly until: SemanticVersion | undefined
}

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
  const spans = parseSemverSpans(text)
  return (version) => spans.some((span) => isIn(version, span))
}

/**
 * Parses a range as {@link parseSemverRange} does, into the spans whose union it is. They may
 * overlap.
 *
 * @throws {SemverRangeError} when the text is no range
 */
export function parseSemverSpans(text: string): readonly SemverSpan[] {
  if (text.trim() === '') return []
  return text.split('||').flatMap((part) => {
    if (part.trim() === '') refuse('there is nothing on one side of ||', text)
    return [...part.matchAll(/([^\s\w.+-]*)\s*([\w.+-]*)/g)]
      .flatMap(([found, operator = '', version = '']) => (found.trim() === '' ? [] : [parseComparator(operator, version, text)]))
      .reduce(intersect, [{ from: undefined, until: undefined }])
  })
}

function isIn(version: SemanticVersion, { from, until }: SemverSpan): boolean {
  return (from === undefined || compareSemver(version, from) >= 0) && (until === undefined || compareSemver(version, until) < 0)
}

function intersect(left: readonly SemverSpan[], right: readonly SemverSpan[]): readonly SemverSpan[] {
  return left.flatMap((one) =>
    right.flatMap((other): readonly SemverSpan[] => {
      const from = one.from === undefined || (other.from !== undefined && compareSemver(other.from, one.from) > 0) ? other.from : one.from
      const until =
        one.until === undefined || (other.until !== undefined && compareSemver(other.until, one.until) < 0) ? other.until : one.until
      return from === undefined || until === undefined || compareSemver(from, until) < 0 ? [{ from, until }] : []
    }),
  )
}

function parseComparator(operator: string, version: string, range: string): readonly SemverSpan[] {
  const { from, until } = spanOf(version) ?? refuse(`"${version}" is no version`, range)
  switch (operator) {
    case '':
    case '=':
    case '==':
      return [{ from, until }]
    case '!':
    case '!=':
      return [{ from: undefined, until: from }, ...(until === undefined ? [] : [{ from: until, until: undefined }])]
    case '<':
      return [{ from: undefined, until: from }]
    case '<=':
      return [{ from: undefined, until }]
    case '>':
      return until === undefined ? [] : [{ from: until, until: undefined }]
    case '>=':
      return [{ from, until: undefined }]
    default:
      return refuse(`"${operator}" is no comparator`, range)
  }
}

function refuse(why: string, range: string): never {
  throw new SemverRangeError(`Range "${range}" cannot be read: ${why}`)
}

/** A plain version is a span that ends with the next version in the order of all versions. */
function spanOf(text: string): { readonly from: SemanticVersion; readonly until: SemanticVersion | undefined } | undefined {
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
