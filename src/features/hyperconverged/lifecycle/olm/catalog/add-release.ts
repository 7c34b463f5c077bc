import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { releasedVersions } from '../../upgrade/patches/releases.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import {
  catalogOf,
  checkGraph,
  judgeChannel,
  problemText,
  validateCatalog,
  type BundleProperty,
  type CatalogChannel,
  type CatalogObject,
  type ChannelEntry,
} from '#features/upgrade-graph/index.ts'

/** ClusterServiceVersion of a bundle, as far as a catalog repeats it. */
export interface ClusterServiceVersion extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly version: string
    readonly customresourcedefinitions: { readonly owned: readonly OwnedKind[] }
    readonly relatedImages: readonly { readonly name: string; readonly image: string }[]
  }
}

interface OwnedKind {
  readonly name: string
  readonly version: string
  readonly kind: string
}

/** A release, and its place in the catalog. */
export interface CatalogRelease {
  readonly packageName: string
  readonly clusterServiceVersion: ClusterServiceVersion
  readonly bundleImage: string
  readonly channel: string
  /** Name of the bundle that this one replaces. Default: the head of the channel. */
  readonly replaces?: string
  readonly skips?: readonly string[]
  readonly skipRange?: string
}

/** Versions of our own that no upgrade may jump over. */
const ownStops: readonly string[] = releasedVersions.flatMap(({ version, isRequiredStop }) =>
  isRequiredStop === true && version.startsWith('v') ? [version] : [],
)

/** A release cannot be added to a catalog. */
export class CatalogInvalid extends Error {
  override readonly name = 'CatalogInvalid'
}

/**
 * Returns the catalog with a release at the head of its channel. @throws CatalogInvalid if the
 * catalog is invalid before or after, or if an upgrade would jump over a required version. Pure.
 */
export function addRelease(before: readonly CatalogObject[], release: CatalogRelease): readonly CatalogObject[] {
  refuseIf('The catalog is invalid', validateCatalog(before).map(problemText))
  const { packageName, channel: channelName, clusterServiceVersion } = release
  const { metadata, spec } = clusterServiceVersion
  const name = metadata?.name ?? ''
  const { packages, channels, bundles } = catalogOf(before)
  const isOwn = (object: CatalogObject): boolean => object.package === packageName
  const channel = channels.find((one) => isOwn(one) && one.name === channelName)
  if (bundles.some((bundle) => isOwn(bundle) && bundle.name === name))
    throw new CatalogInvalid(`The catalog has ${name} already: a release is added once`)
  const entries = [entryOf(name, channel?.entries ?? [], release), ...(channel?.entries ?? [])]
  const edited = { schema: 'olm.channel', package: packageName, name: channelName, ...channel, entries } as CatalogChannel
  const after = [
    ...(packages.some((one) => one.name === packageName) ? [] : [packageOf(packageName, channelName, spec['displayName'])]),
    ...before.map((object) => (object === channel ? edited : object)),
    ...(channel === undefined ? [edited] : []),
    bundleOf(release),
  ]
  refuseIf('The catalog would become invalid', validateCatalog(after).map(problemText))
  refuseIf('An upgrade would jump over a required version', requiredStopsJumped(after, packageName, ownStops))
  return after
}

/**
 * Returns the steps that jump over a required version, also those to versions that OLM v0 does not
 * choose: OLM v1 takes them, and the operator would refuse the upgrade afterwards. Pure.
 */
export function requiredStopsJumped(objects: readonly CatalogObject[], packageName: string, stops: readonly string[]): readonly string[] {
  const requiredStops = stops.flatMap((text) => {
    const version = parseTolerant(text)
    return version === undefined ? [] : [{ text, version }]
  })
  return checkGraph({ objects }, { semantics: 'v1', requiredStops })
    .findings.filter((finding) => finding.id === 'missing-required-stop' && finding.package === packageName)
    .map(({ what }) => what)
}

function refuseIf(what: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new CatalogInvalid(`${what}: ${problems.join('; ')}`)
}

function entryOf(name: string, entries: readonly ChannelEntry[], { replaces, skips = [], skipRange }: CatalogRelease): ChannelEntry {
  const verdict = judgeChannel(entries)
  const replaced = replaces ?? ('head' in verdict ? verdict.head : undefined)
  return {
    name,
    ...(replaced === undefined ? {} : { replaces: replaced }),
    ...(skips.length === 0 ? {} : { skips }),
    ...(skipRange === undefined ? {} : { skipRange }),
  }
}

function packageOf(name: string, defaultChannel: string, description: unknown): CatalogObject {
  return { schema: 'olm.package', name, defaultChannel, description } as CatalogObject
}

/** Fields of the spec that a console shows before the bundle is installed. */
const shown: readonly string[] = [
  'customresourcedefinitions',
  'description',
  'displayName',
  'installModes',
  'keywords',
  'links',
  'maintainers',
  'maturity',
  'minKubeVersion',
  'provider',
]

function bundleOf({ packageName, clusterServiceVersion: { metadata, spec }, bundleImage }: CatalogRelease): CatalogObject {
  const annotations = (metadata?.annotations ?? {}) as Readonly<Record<string, string>>
  const { 'olm.properties': declared = '[]', ...others } = annotations
  const { customresourcedefinitions: crdDescriptions, ...described } = Object.fromEntries(shown.map((key) => [key, spec[key]]))
  const kinds = spec.customresourcedefinitions.owned.map(({ name, version, kind }) => ({
    group: name.slice(name.indexOf('.') + 1),
    kind,
    version,
  }))
  const properties: readonly BundleProperty[] = [
    ...kinds.map((value) => ({ type: 'olm.gvk', value })),
    ...(JSON.parse(declared) as BundleProperty[]),
    { type: 'olm.package', value: { packageName, version: spec.version } },
    { type: 'olm.csv.metadata', value: { annotations: others, apiServiceDefinitions: {}, crdDescriptions, ...described } },
  ]
  return {
    schema: 'olm.bundle',
    package: packageName,
    name: metadata?.name ?? '',
    image: bundleImage,
    properties,
    relatedImages: [...spec.relatedImages, { name: '', image: bundleImage }],
  } as CatalogObject
}
