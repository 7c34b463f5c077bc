import { compareSemver, parseSemver, type SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'

/** A constraint on versions cannot be read. */
export class VersionConstraintError extends Error {
  override readonly name = 'VersionConstraintError'
}

/** A comparator, such as `^1.2`. */
interface Comparator {
  readonly operator: string
  /** Parts that are missing or wildcards are 0. */
  readonly version: SemanticVersion
  /** The number of parts that are given. */
  readonly precision: number
}

const versionPattern = String.raw`v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*]))?(?:\.(?:\d+|[xX*]))?(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?`
const operatorPattern = '!=|=>|>=|=<|<=|~>|=|>|<|~|\\^|'
const comparatorPattern = `(${operatorPattern})\\s*(${versionPattern})`
const allPattern = new RegExp(String.raw`^\s*${comparatorPattern}\s*(?:(?:\s|,)\s*${comparatorPattern}\s*)*$`)
const hyphenPattern = new RegExp(String.raw`\s*(${versionPattern})\s+-\s+(${versionPattern})\s*`, 'g')

/**
 * Parses a constraint as `spec.source.catalog.version` of a ClusterExtension has it: comparators
 * with `=`, `!=`, `<`, `<=`, `>`, `>=`, `~` and `^`, wildcards, `1.2 - 1.4`, a space or comma for
 * "and" and `||` for "or". A pre-release is only wanted where a comparator beside it has one. It is
 * another syntax than that of `skipRange`. Pure.
 *
 * @throws {VersionConstraintError} when the text is no constraint
 */
export function parseVersionConstraint(text: string): (version: SemanticVersion) => boolean {
  const alternatives = text
    .replaceAll(hyphenPattern, ' >=$1 <=$2 ')
    .split('||')
    .map((part) => parseAlternative(part, text))
  return (version) => alternatives.some((holds) => holds(version))
}

function parseAlternative(part: string, whole: string): (version: SemanticVersion) => boolean {
  if (part.trim() === '' && whole.trim() === '') return ({ prerelease }) => prerelease.length === 0
  if (!allPattern.test(part))
    throw new VersionConstraintError(`"${whole}" is no constraint on versions: ${JSON.stringify(part.trim())} cannot be read`)
  const comparators = [...part.matchAll(new RegExp(comparatorPattern, 'g'))].map(([, operator = '', version = '']) =>
    comparatorOf(operator, version, whole),
  )
  const wantsPrereleases = comparators.some(({ version }) => version.prerelease.length > 0)
  return (version) => comparators.every((comparator) => holds(comparator, version, wantsPrereleases))
}

function comparatorOf(operator: string, text: string, whole: string): Comparator {
  const [, numbers = '', prerelease = ''] = /^v?([^-+]*)(-[^+]*)?/.exec(text) ?? []
  const parts = numbers.split('.')
  const wildcard = parts.findIndex((part) => /^[xX*]$/.test(part))
  const precision = wildcard === -1 ? parts.length : wildcard
  const full = [0, 1, 2].map((index) => (index < precision ? (parts[index] ?? '0') : '0')).join('.')
  const version = parseSemver(`${full}${prerelease}`)
  if (version === undefined) throw new VersionConstraintError(`"${whole}" is no constraint on versions: "${text}" is no version`)
  return { operator, version, precision }
}

function holds({ operator, version: bound, precision }: Comparator, version: SemanticVersion, wantsPrereleases: boolean): boolean {
  const isExact = precision === 3
  const isRefused = version.prerelease.length > 0 && bound.prerelease.length === 0 && !wantsPrereleases
  if (isRefused && !(operator === '!=' && isExact)) return false
  const order = compareSemver(version, bound)
  /** True if the parts that are given are those of the version. */
  const isWithin = bound.numbers.slice(0, precision).every((part, index) => part === version.numbers[index])
  switch (operator) {
    case '':
    case '=':
      return isExact ? order === 0 : order >= 0 && isWithin
    case '!=':
      return isExact ? order !== 0 : !isWithin
    case '>':
      return precision === 0 || isExact ? order > 0 : order > 0 && !isWithin
    case '>=':
    case '=>':
      return order >= 0
    case '<':
      return order < 0
    case '<=':
    case '=<':
      return isExact ? order <= 0 : order < 0 || isWithin
    case '~':
    case '~>':
      return order >= 0 && isNear(bound, version, Math.min(precision, 2), precision)
    case '^':
      return order >= 0 && isCompatible(bound, version, precision)
    default:
      return false
  }
}

/** `~0.0.0` is any version, which is a rule of upstream's library. */
function isNear(bound: SemanticVersion, version: SemanticVersion, count: number, precision: number): boolean {
  const isAny = precision === 3 && bound.numbers.every((part) => part === 0n)
  return isAny || bound.numbers.slice(0, count).every((part, index) => part === version.numbers[index])
}

/** Versions are compatible when their first part that is not 0 is the same. */
function isCompatible(bound: SemanticVersion, version: SemanticVersion, precision: number): boolean {
  const first = bound.numbers.findIndex((part) => part !== 0n)
  const count = first === -1 ? precision : Math.min(first + 1, precision)
  return bound.numbers.slice(0, count).every((part, index) => part === version.numbers[index])
}
