import { deepEqual } from '#apimachinery/equality.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { applyJsonPatch, JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import { applyUpgradePatches } from '../patches/apply-patches.ts'
import type { UpgradePatch } from '../patches/patch-file.ts'
import type { ReleasedVersion } from '../patches/releases.ts'
import { defaultSpecs } from '../patches/validate.ts'

/** Two ways between the same versions that give different objects. */
export interface Divergence {
  /** Versions from the first to the last. */
  readonly ways: readonly [readonly string[], readonly string[]]
  /** What was edited before: the path of a field, or nothing. */
  readonly edited: string
}

/** What was found about all ways. */
export interface Convergence {
  /** The number of ways between all pairs of versions. */
  readonly ways: bigint
  /** The number of objects that were followed on each way: the defaults, and edited ones. */
  readonly objects: number
  /** The first divergence between each pair of versions. */
  readonly divergences: readonly Divergence[]
}

/** A step of the upgrade graph, by positions in the list of releases. */
export type ReleaseStep = readonly [from: number, to: number]

/** An object at a version: its spec, the patches that were decided about, and the way to it. */
interface Arrival {
  readonly spec: unknown
  readonly decided: ReadonlySet<string>
  readonly way: readonly number[]
}

/**
 * Follows the default object of each version, and objects in which a field that patches touch was
 * edited, on all ways through the upgrade graph. Ways that give the same object and the same
 * records of patches are followed as one, since their number doubles with each version. Pure.
 */
export function convergenceOf(
  releases: readonly ReleasedVersion[],
  steps: readonly ReleaseStep[],
  patches: readonly UpgradePatch[],
): Convergence {
  const specs = [...defaultSpecs(releases).values()]
  const found = releases.flatMap((_, start) => {
    const variants = variantsOf(specs[start], patches)
    return variants.map(({ spec, edited }) => ({ start, edited, ...follow(start, spec, releases, steps, patches) }))
  })
  const seen = new Set<string>()
  const divergences = found.flatMap(({ edited, divergences: all }) =>
    all.flatMap((ways): readonly Divergence[] => {
      const key = `${ways[0][0]} ${ways[0].at(-1)}`
      if (seen.has(key)) return []
      seen.add(key)
      return [{ edited, ways: [namesOf(ways[0], releases), namesOf(ways[1], releases)] }]
    }),
  )
  return { ways: waysIn(releases.length, steps), objects: found.length, divergences }
}

function namesOf(way: readonly number[], releases: readonly ReleasedVersion[]): readonly string[] {
  return way.map((index) => releases[index]?.version ?? '')
}

function follow(
  start: number,
  spec: unknown,
  releases: readonly ReleasedVersion[],
  steps: readonly ReleaseStep[],
  patches: readonly UpgradePatch[],
): { readonly divergences: readonly (readonly [readonly number[], readonly number[]])[] } {
  const arrivals = new Map<number, readonly Arrival[]>([[start, [{ spec, decided: new Set(), way: [start] }]]])
  const divergences: (readonly [readonly number[], readonly number[]])[] = []
  for (const [from, release] of releases.entries()) {
    const here = arrivals.get(from) ?? []
    const [first, other] = [here[0], here.find((arrival) => !deepEqual(arrival.spec, here[0]?.spec))]
    if (first !== undefined && other !== undefined) divergences.push([first.way, other.way])
    for (const [, to] of steps.filter((step) => step[0] === from))
      for (const arrival of here) {
        const next = upgraded(arrival, release, releases[to], patches, to)
        const known = arrivals.get(to) ?? []
        const isKnown = known.some((one) => deepEqual(one.spec, next.spec) && one.decided.symmetricDifference(next.decided).size === 0)
        if (!isKnown) arrivals.set(to, [...known, next])
      }
  }
  return { divergences }
}

/** An operator applies the patches that it shipped, each of them once in the life of an object. */
function upgraded(
  { spec, decided, way }: Arrival,
  from: ReleasedVersion,
  to: ReleasedVersion | undefined,
  patches: readonly UpgradePatch[],
  index: number,
): Arrival {
  const version = parseTolerant(from.version)
  const shipped = new Set(to?.upgradePatches ?? [])
  const pending = patches.filter(({ id }) => shipped.has(id) && !decided.has(id))
  if (version === undefined) return { spec, decided, way: [...way, index] }
  const { spec: after, outcomes } = applyUpgradePatches(spec, version, pending)
  return { spec: after, decided: new Set([...decided, ...outcomes.map(({ id }) => id)]), way: [...way, index] }
}

/**
 * The default object, and one for each field that patches test or change, with a value of a user.
 */
function variantsOf(spec: unknown, patches: readonly UpgradePatch[]): readonly { readonly spec: unknown; readonly edited: string }[] {
  const paths = new Set(
    patches.flatMap(({ operations }) => operations.flatMap(({ path, ...more }) => ('from' in more ? [path, String(more.from)] : [path]))),
  )
  const edited = [...paths].flatMap((path) => {
    try {
      const value = userValueFor(patches, path)
      const after = applyJsonPatch({ spec }, [{ op: 'add', path, value }], { ensurePathExistsOnAdd: true })
      return isJsonObject(after) ? [{ spec: after['spec'], edited: path }] : []
    } catch (error) {
      if (error instanceof JsonPatchError) return []
      throw error
    }
  })
  return [{ spec, edited: '' }, ...edited]
}

/** A value that no patch mentions. */
function userValueFor(patches: readonly UpgradePatch[], path: string): unknown {
  const values = patches.flatMap(({ operations }) => operations.flatMap((one) => (one.path === path && 'value' in one ? [one.value] : [])))
  return typeof values[0] === 'number' ? Math.max(...values.filter((value) => typeof value === 'number')) + 1 : 'edited'
}

/** Counts the ways between all pairs of versions; each step leads to a later one. */
function waysIn(count: number, steps: readonly ReleaseStep[]): bigint {
  let sum = 0n
  for (let start = 0; start < count; start += 1) {
    const ways = new Map<number, bigint>([[start, 1n]])
    for (let at = start; at < count; at += 1)
      for (const [, to] of steps.filter(([from]) => from === at)) ways.set(to, (ways.get(to) ?? 0n) + (ways.get(at) ?? 0n))
    sum += [...ways].reduce((all, [at, number]) => (at === start ? all : all + number), 0n)
  }
  return sum
}
