import type { SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { applyJsonPatch, JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { applyUpgradePatches } from './apply-patches.ts'
import { parseUpgradePatches, UpgradePatchesError, type UpgradePatch, type UpgradePatches } from './patch-file.ts'
import { compareReleases, releasedVersions, type ReleasedVersion } from './releases.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'

/** What the operator knows about upgrades to its own version. */
export interface UpgradeRules extends UpgradePatches {
  /** Versions that no upgrade may jump over. */
  readonly requiredStops: readonly string[]
  /** Why no upgrade can begin: the file is missing or wrong. */
  readonly problems: readonly string[]
}

/**
 * Reads `upgradePatches.json`, and tries each patch out on the default objects of all released
 * versions and on every path between them. `text`: undefined when there is no such file. Pure.
 */
export function readUpgradeRules(
  text: string | undefined,
  own: string,
  releases: readonly ReleasedVersion[] = releasedVersions,
): UpgradeRules {
  const requiredStops = releases.flatMap(({ version, isRequiredStop }) => (isRequiredStop === true ? [version] : []))
  const without = { patches: [], removals: [], requiredStops }
  if (text === undefined) return { ...without, problems: ['there is no upgradePatches.json'] }
  try {
    const file = parseUpgradePatches(text)
    return { ...file, requiredStops, problems: problemsOf(file.patches, releases, own) }
  } catch (error) {
    if (!(error instanceof UpgradePatchesError)) throw error
    return { ...without, problems: error.problems }
  }
}

/** Returns the first required stop that an upgrade would jump over. Pure. */
export function stopBetween(from: string, to: string, stops: readonly string[]): string | undefined {
  return stops.find((stop) => (compareReleases(from, stop) ?? 0) < 0 && (compareReleases(stop, to) ?? 0) < 0)
}

/** Default spec of each released version. Pure. */
export function defaultSpecs(releases: readonly ReleasedVersion[]): ReadonlyMap<string, unknown> {
  let spec: unknown = {}
  return new Map(releases.map(({ version, defaults = {} }) => [version, (spec = applyMergePatch(spec, defaults))]))
}

/** Tries the patches out, and says what is wrong with them. */
function problemsOf(patches: readonly UpgradePatch[], releases: readonly ReleasedVersion[], own: string): readonly string[] {
  const graph = graphOf(releases, own)
  const unreadable = [...releases.map(({ version }) => version), own].filter((version) => parseTolerant(version) === undefined)
  if (unreadable.length > 0) return unreadable.map((version) => `"${version}" is no version`)
  const trials = graph.flatMap((release) => trialProblems(release, patches))
  return trials.length > 0 ? trials : graph.flatMap((release) => pathProblems(release, graph, patches, own))
}

/** A released version, in the order of the releases before the operator's own. */
interface Origin {
  readonly name: string
  readonly version: SemanticVersion
  readonly spec: unknown
  readonly shipped: ReadonlySet<string>
  /** Releases that an upgrade from here may go to, before the operator's own. */
  readonly next: readonly string[]
  readonly reachesOwn: boolean
}

function graphOf(releases: readonly ReleasedVersion[], own: string): readonly Origin[] {
  const specs = defaultSpecs(releases)
  const position = releases.findIndex(({ version }) => version === own)
  const earlier = position === -1 ? releases : releases.slice(0, position)
  return earlier.map(({ version: name, upgradePatches = [] }, index) => {
    const after = earlier.slice(index + 1)
    // The first stop after it is the furthest that one upgrade may go.
    const stop = after.findIndex(({ isRequiredStop }) => isRequiredStop === true)
    return {
      name,
      version: parseTolerant(name) ?? zero,
      spec: specs.get(name),
      shipped: new Set(upgradePatches),
      next: (stop === -1 ? after : after.slice(0, stop + 1)).map(({ version }) => version),
      reachesOwn: stop === -1,
    }
  })
}

const zero: SemanticVersion = { numbers: [0n, 0n, 0n], prerelease: [] }

/** A patch may be skipped by its own `test`, and by nothing else. */
function trialProblems({ name, version, spec }: Origin, patches: readonly UpgradePatch[]): readonly string[] {
  return patches.flatMap(({ id, range, operations, options }) => {
    if (!range(version)) return []
    try {
      applyJsonPatch({ spec }, operations, { ...options, refusesAbsentValues: true })
      return []
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error
      const isSkipped = error.kind !== 'malformed' && operations[error.index]?.op === 'test'
      return isSkipped ? [] : [`patch ${id} cannot be applied to the default object of ${name}: ${error.message}`]
    }
  })
}

/** A spec that an upgrade leads to, and the versions that it went through. */
interface Arrival {
  readonly spec: unknown
  readonly path: readonly string[]
}

/**
 * Follows the default object of a release on all paths. The states at each release are kept, not
 * the paths, since the number of paths doubles with each release.
 */
function pathProblems(start: Origin, graph: readonly Origin[], patches: readonly UpgradePatch[], own: string): readonly string[] {
  const arrivals = new Map<string, readonly Arrival[]>([[start.name, [{ spec: start.spec, path: [start.name] }]]])
  const arrive = (at: string, { spec, path }: Arrival, from: SemanticVersion, shipped: readonly UpgradePatch[]): void => {
    const patched = applyUpgradePatches(spec, from, shipped).spec
    const known = arrivals.get(at) ?? []
    if (!known.some((arrival) => deepEqual(arrival.spec, patched))) arrivals.set(at, [...known, { spec: patched, path: [...path, at] }])
  }
  for (const { name, version, next, reachesOwn } of graph)
    for (const arrival of arrivals.get(name) ?? []) {
      for (const { name: to, shipped } of graph.filter((release) => next.includes(release.name)))
        arrive(
          to,
          arrival,
          version,
          patches.filter(({ id }) => shipped.has(id)),
        )
      if (reachesOwn) arrive(own, arrival, version, patches)
    }
  const [first, second] = arrivals.get(own) ?? []
  if (first === undefined || second === undefined) return []
  return [`the default object of ${start.name} depends on the path: ${first.path.join(' → ')} differs from ${second.path.join(' → ')}`]
}
