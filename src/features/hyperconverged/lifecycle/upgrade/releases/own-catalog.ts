import type { CatalogObject, ChannelEntry } from '#features/upgrade-graph/index.ts'
import { releasedVersions, type ReleasedVersion } from '../patches/releases.ts'

const packageName = 'steadyvm'
const channelName = 'releases'

/** Versions of KubeVirt's own operator have no leading `v`. */
function isOurs({ version }: ReleasedVersion): boolean {
  return version.startsWith('v')
}

/** Name of the bundle of a version. Pure. */
export function bundleNameOf(release: ReleasedVersion): string {
  return isOurs(release) ? `${packageName}.${release.version}` : `kubevirt-hyperconverged-operator.v${release.version}`
}

/**
 * The released versions as a file-based catalog, from the newest one on. A version of ours replaces
 * the one before it, and all others since the last required stop are in its range. Of KubeVirt's
 * own operator, each version replaces the one before it: so its catalogs have them. Pure.
 */
export function ownCatalog(releases: readonly ReleasedVersion[] = releasedVersions): readonly CatalogObject[] {
  const entries = releases.map((release, index): ChannelEntry => {
    const before = releases.slice(0, index)
    const previous = before.at(-1)
    const stop = before.findLastIndex(({ isRequiredStop }) => isRequiredStop === true)
    const range = isOurs(release) ? rangeOf(before.slice(stop === -1 ? 0 : stop, -1)) : ''
    return {
      name: bundleNameOf(release),
      ...(previous === undefined ? {} : { replaces: bundleNameOf(previous) }),
      ...(range === '' ? {} : { skipRange: range }),
    }
  })
  return [
    { schema: 'olm.package', name: packageName, defaultChannel: channelName } as CatalogObject,
    { schema: 'olm.channel', package: packageName, name: channelName, entries: entries.toReversed() } as CatalogObject,
    ...releases.map((release) => bundleOf(release)),
  ]
}

/** Versions one by one: those of KubeVirt's own operator have greater numbers than ours. */
function rangeOf(releases: readonly ReleasedVersion[]): string {
  return releases.map((release) => numberOf(release)).join(' || ')
}

function numberOf({ version }: ReleasedVersion): string {
  return version.replace(/^v/, '')
}

function bundleOf(release: ReleasedVersion): CatalogObject {
  const image = isOurs(release)
    ? `steadyvm.io/steadyvm-bundle:${release.version}`
    : `quay.io/kubevirt/hyperconverged-cluster-bundle:${release.version}`
  return {
    schema: 'olm.bundle',
    package: packageName,
    name: bundleNameOf(release),
    image,
    properties: [{ type: 'olm.package', value: { packageName, version: numberOf(release) } }],
  } as CatalogObject
}
