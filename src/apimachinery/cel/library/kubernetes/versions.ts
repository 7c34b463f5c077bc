import { CelError } from '#apimachinery/cel/errors.ts'
import { type Overload, overload } from '#apimachinery/cel/types/signature.ts'
import type { CelOpaque, CelValue } from '#apimachinery/cel/values/values.ts'
import { traversal } from '../costs.ts'
import { compareSemver, normaliseSemver, parseSemver, type SemanticVersion } from './semver.ts'

const versionOf = (value: CelValue | undefined): SemanticVersion => (value as CelOpaque).value as SemanticVersion

function parse(text: CelValue | undefined, normalise: CelValue | undefined): SemanticVersion | undefined {
  const version = normalise === true ? normaliseSemver(text as string) : (text as string)
  return version === undefined ? undefined : parseSemver(version)
}

function read(text: CelValue | undefined, normalise?: CelValue): CelValue {
  const version = parse(text, normalise)
  if (version === undefined) throw new CelError('No Major.Minor.Patch elements found')
  const equals = (other: unknown): boolean => compareSemver(version, other as SemanticVersion) === 0
  return { kind: 'opaque', typeName: 'kubernetes.Semver', value: version, equals }
}

const once = { cost: traversal(0) }
const order = ([left, right]: readonly CelValue[]): number => compareSemver(versionOf(left), versionOf(right))

/** Semantic versions. */
export const versions: readonly Overload[] = [
  overload('string_to_semver', 'semver(string): Semver', ([text]) => read(text), once),
  overload('string_bool_to_semver', 'semver(string, bool): Semver', ([text, normalise]) => read(text, normalise), once),
  overload('is_semver_string', 'isSemver(string): bool', ([text]) => parse(text, false) !== undefined, once),
  overload('is_semver_string_bool', 'isSemver(string, bool): bool', ([text, normalise]) => parse(text, normalise) !== undefined, once),
  overload('semver_is_greater_than', 'Semver.isGreaterThan(Semver): bool', (args) => order(args) > 0),
  overload('semver_is_less_than', 'Semver.isLessThan(Semver): bool', (args) => order(args) < 0),
  overload('semver_compare_to', 'Semver.compareTo(Semver): int', (args) => BigInt(order(args))),
  overload('semver_major', 'Semver.major(): int', ([version]) => versionOf(version).numbers[0]),
  overload('semver_minor', 'Semver.minor(): int', ([version]) => versionOf(version).numbers[1]),
  overload('semver_patch', 'Semver.patch(): int', ([version]) => versionOf(version).numbers[2]),
]
