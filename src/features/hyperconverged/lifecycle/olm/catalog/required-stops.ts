import { compareSemver } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { parseSemverRange, parseTolerant } from '../../upgrade/patches/semver-range.ts'
import { catalogOf, versionOf, type CatalogObject, type ChannelEntry } from './catalog.ts'

/**
 * Returns the steps of a valid catalog that jump over a required version: OLM takes any step that
 * `replaces`, `skips` or `skipRange` allow, and the operator would refuse the upgrade afterwards.
 * Pure.
 */
export function requiredStopsJumped(objects: readonly CatalogObject[], packageName: string, stops: readonly string[]): readonly string[] {
  const { channels, bundles } = catalogOf(objects)
  const versions = new Map(
    bundles.flatMap((bundle) => {
      const version = bundle.package === packageName ? parseTolerant(versionOf(bundle)?.version ?? '') : undefined
      return version === undefined ? [] : [[bundle.name ?? '', version] as const]
    }),
  )
  const required = stops.flatMap((text) => {
    const version = parseTolerant(text)
    return version === undefined ? [] : [{ text, version }]
  })
  return channels
    .filter((channel) => channel.package === packageName)
    .flatMap(({ name = '', entries = [] }) =>
      entries.flatMap((entry) =>
        [...versions].flatMap(([from, older]): string[] => {
          const to = versions.get(entry.name)
          if (to === undefined || !isStep(entry, from, versions)) return []
          return required
            .filter(({ version }) => compareSemver(older, version) < 0 && compareSemver(version, to) < 0)
            .map(({ text }) => `channel "${name}" upgrades ${from} to ${entry.name}, and ${text} is between them`)
        }),
      ),
    )
}

function isStep(
  { name, replaces, skips = [], skipRange = '' }: ChannelEntry,
  from: string,
  versions: ReadonlyMap<string, NonNullable<ReturnType<typeof parseTolerant>>>,
): boolean {
  const version = versions.get(from)
  if (from === name || version === undefined) return false
  return from === replaces || skips.includes(from) || parseSemverRange(skipRange)(version)
}
