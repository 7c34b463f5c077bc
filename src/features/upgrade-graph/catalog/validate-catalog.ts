import { parseSemver } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { parseSemverRange, SemverRangeError } from '#apimachinery/version/semver-range.ts'
import {
  catalogOf,
  propertiesOf,
  versionOf,
  type Catalog,
  type CatalogBundle,
  type CatalogChannel,
  type CatalogDeprecations,
  type CatalogObject,
  type CatalogPackage,
  type ChannelEntry,
} from './catalog.ts'
import { judgeChannel, type ChannelDefect } from './channel-graph.ts'
import { propertySchemas } from './schemas.ts'
import { decodeShape } from './shape.ts'

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
/** An image by tag, by digest, or by both. */
const imageReference = /^[\w.-]+(:\d+)?(\/[a-z0-9._-]+)*(:[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/
const releasePattern = /^(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*$/

/** Id of a rule of opm that a catalog breaks. */
export type CatalogDefect = ChannelDefect | 'bad-skiprange' | 'default-channel-missing' | 'invalid-catalog'

/** A rule of opm that a catalog breaks. */
export interface CatalogProblem {
  readonly id: CatalogDefect
  readonly package: string
  readonly channel?: string
  /** Title of the object, such as `channel "stable" of package "steadyvm"`. */
  readonly object: string
  readonly what: string
}

/** A problem without the object that has it. */
type Found = Pick<CatalogProblem, 'what'> & { readonly id?: CatalogDefect }

/** What the rules ask about one package. */
interface Owned {
  readonly exists: boolean
  readonly channels: CatalogChannel[]
  readonly bundles: CatalogBundle[]
  readonly bundleNames: Set<string>
  readonly entryNames: Set<string>
}

/**
 * Returns what is wrong with a catalog; empty if `opm validate` accepts it and every channel leads
 * to its head. Pure.
 */
export function validateCatalog(objects: readonly CatalogObject[]): readonly CatalogProblem[] {
  const catalog = catalogOf(objects)
  const owned = ownedBy(catalog)
  const of = ({ package: name = '' }: CatalogObject): Owned => owned.get(name) ?? nothing
  const twice = (all: readonly CatalogObject[]): readonly CatalogProblem[] =>
    repeated(all, titleOf).flatMap((object) => attribute(object, [{ what: 'it is there more than once' }]))
  return [
    ...twice(catalog.packages),
    ...catalog.packages.flatMap((one) => attribute(one, problemsOfPackage(one, owned.get(one.name ?? '') ?? nothing))),
    ...twice(catalog.channels),
    ...catalog.channels.flatMap((channel) => attribute(channel, problemsOfChannel(channel, of(channel)))),
    ...twice(catalog.bundles),
    ...catalog.bundles.flatMap((bundle) => attribute(bundle, problemsOfBundle(bundle, of(bundle)))),
    ...twice(catalog.deprecations),
    ...catalog.deprecations.flatMap((deprecations) => attribute(deprecations, problemsOfDeprecations(deprecations, of(deprecations)))),
  ]
}

/** Renders a problem as one line. Pure. */
export function problemText({ object, what }: CatalogProblem): string {
  return `${object}: ${what}`
}

const nothing: Owned = { exists: false, channels: [], bundles: [], bundleNames: new Set(), entryNames: new Set() }

function ownedBy({ packages, channels, bundles }: Catalog): ReadonlyMap<string, Owned> {
  const known = new Set(packages.map(({ name = '' }) => name))
  const owned = new Map<string, Owned>()
  const of = (name: string): Owned => {
    const found = owned.get(name) ?? {
      exists: known.has(name),
      channels: [],
      bundles: [],
      bundleNames: new Set(),
      entryNames: new Set(),
    }
    owned.set(name, found)
    return found
  }
  for (const name of known) of(name)
  for (const channel of channels) {
    const found = of(channel.package ?? '')
    found.channels.push(channel)
    for (const { name } of channel.entries ?? []) found.entryNames.add(name)
  }
  for (const bundle of bundles) {
    const found = of(bundle.package ?? '')
    found.bundles.push(bundle)
    found.bundleNames.add(bundle.name ?? '')
  }
  return owned
}

function attribute(object: CatalogObject, found: readonly Found[]): readonly CatalogProblem[] {
  const isChannel = object.schema === 'olm.channel'
  const owner = (object.schema === 'olm.package' ? object.name : object.package) ?? ''
  return found.map(({ id = 'invalid-catalog', what }) => ({
    id,
    package: owner,
    ...(isChannel ? { channel: object.name ?? '' } : {}),
    object: titleOf(object),
    what,
  }))
}

function titleOf({ schema, name = '', package: packageName = '' }: CatalogObject): string {
  if (schema === 'olm.package') return `package "${name}"`
  if (schema === 'olm.deprecations') return `deprecations of package "${packageName}"`
  return `${schema.replace('olm.', '')} "${name}" of package "${packageName}"`
}

/** The second one of each group with the same key. */
function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...Map.groupBy(items, keyOf).values()].flatMap(([, second]) => (second === undefined ? [] : [second]))
}

function problemsOfPackage({ name = '', defaultChannel = '' }: CatalogPackage, { channels, bundles }: Owned): readonly Found[] {
  const versions = bundles.flatMap((bundle): string[] => {
    const found = versionOf(bundle)
    return found === undefined ? [] : [`${found.version}${found.release === '' ? '' : `-${found.release}`}`]
  })
  return [
    ...(dnsLabel.test(name) ? [] : [{ what: 'its name is no DNS label' }]),
    ...(channels.length === 0 ? [{ what: 'it has no channel' }] : []),
    ...(defaultChannel === '' ? [{ id: 'default-channel-missing' as const, what: 'it has no default channel' }] : []),
    ...(defaultChannel === '' || channels.some((channel) => channel.name === defaultChannel)
      ? []
      : [{ id: 'default-channel-missing' as const, what: `its default channel "${defaultChannel}" does not exist` }]),
    ...repeated(versions, (version) => version).map((version) => ({ what: `it has several bundles of version ${version}` })),
  ]
}

function problemsOfChannel({ name = '', entries = [] }: CatalogChannel, { exists, bundleNames }: Owned): readonly Found[] {
  const verdict = entries.length === 0 ? { defect: 'invalid-catalog' as const, problem: 'it has no entry' } : judgeChannel(entries)
  return [
    ...(exists ? [] : [{ what: 'its package does not exist' }]),
    ...(name === '' ? [{ what: 'it has no name' }] : []),
    ...repeated(entries, (entry) => entry.name).map((entry) => ({ what: `it has entry "${entry.name}" more than once` })),
    ...('problem' in verdict ? [{ id: verdict.defect, what: verdict.problem }] : []),
    ...entries.flatMap((entry) => [
      ...problemsOfEntry(entry),
      ...(bundleNames.has(entry.name) ? [] : [{ what: `entry "${entry.name}" has no bundle` }]),
    ]),
  ]
}

function problemsOfEntry({ name, skips = [], skipRange = '' }: ChannelEntry): readonly Found[] {
  const problem = skipRange === '' ? undefined : rangeProblem(skipRange)
  return [
    ...(name === '' ? [{ what: 'an entry has no name' }] : []),
    ...(skips.includes('') ? [{ what: `entry "${name}" skips an entry without a name` }] : []),
    ...(problem === undefined ? [] : [{ id: 'bad-skiprange' as const, what: `entry "${name}": ${problem}` }]),
  ]
}

/** A wildcard without a number, which opm cannot read. */
const anyVersion = /(^|[^\w.])x(\.x)*($|[^\w.])/

/** Says why OLM cannot read a range; undefined when it can. Pure. */
export function rangeProblem(range: string): string | undefined {
  try {
    parseSemverRange(range)
    return anyVersion.test(range) ? `Range "${range}" cannot be read by OLM: a wildcard needs a number before it` : undefined
  } catch (error) {
    if (error instanceof SemverRangeError) return error.message
    throw error
  }
}

function problemsOfBundle(bundle: CatalogBundle, { exists, entryNames }: Owned): readonly Found[] {
  const { name = '', image = '', relatedImages = [] } = bundle
  const count = propertiesOf(bundle, 'olm.package').length
  return [
    ...(name === '' ? [{ what: 'it has no name' }] : []),
    ...(exists ? [] : [{ what: 'its package does not exist' }]),
    ...(entryNames.has(name) ? [] : [{ what: 'no channel has it' }]),
    ...(image === '' && propertiesOf(bundle, 'olm.bundle.object').length === 0 ? [{ what: 'it has no image' }] : []),
    ...[...new Set([image, ...relatedImages.map((one) => one.image)])]
      .filter((text) => text !== '' && text !== undefined && !imageReference.test(text))
      .map((text) => ({ what: `"${text}" is no image` })),
    ...problemsOfProperties(bundle),
    ...(count === 1 ? problemsOfVersion(bundle) : [{ what: `it has ${count} properties "olm.package" instead of one` }]),
  ]
}

function problemsOfProperties({ properties = [] }: CatalogBundle): readonly Found[] {
  const found: Found[] = []
  for (const [index, { type = '', value }] of properties.entries()) {
    const at = `properties[${index}].value`
    if (value === undefined) found.push({ what: `${at} of type "${type}" is absent` })
    else decodeShape(value, propertySchemas[type] ?? 'any', at, { problem: (path, what) => void found.push({ what: `${path} ${what}` }) })
  }
  return found
}

function problemsOfVersion(bundle: CatalogBundle): readonly Found[] {
  const { packageName, version, release } = versionOf(bundle) ?? { packageName: '', version: '', release: '' }
  // With a release of its own, a version appears in the name.
  const wanted = `${packageName}-v${version}-${release}`
  return [
    ...(packageName === bundle.package ? [] : [{ what: `its property "olm.package" names package "${packageName}"` }]),
    ...(parseSemver(version) === undefined ? [{ what: `its version "${version}" is no semantic version` }] : []),
    ...(release === '' || releasePattern.test(release) ? [] : [{ what: `its release "${release}" is none` }]),
    ...(release === '' || bundle.name === wanted ? [] : [{ what: `its name must be "${wanted}"` }]),
    ...(release !== '' && version.includes('+') ? [{ what: 'its version has build metadata and a release' }] : []),
  ]
}

function problemsOfDeprecations({ entries = [] }: CatalogDeprecations, { exists, channels, bundleNames }: Owned): readonly Found[] {
  const known = entries.map(({ reference = {}, message = '' }) => ({ schema: '', name: '', ...reference, message }))
  return [
    ...(exists ? [] : [{ what: 'their package does not exist' }]),
    ...repeated(known, ({ schema, name }) => `${schema} "${name}"`).map(({ schema, name }) => ({
      what: `${schema} "${name}" is deprecated more than once`,
    })),
    ...known.flatMap(({ schema, name, message }): readonly Found[] => {
      const isThere =
        schema === 'olm.package'
          ? name === ''
          : schema === 'olm.channel'
            ? channels.some((channel) => channel.name === name)
            : schema === 'olm.bundle' && bundleNames.has(name)
      return [
        ...(isThere ? [] : [{ what: `${schema} "${name}" is deprecated, and does not exist` }]),
        ...(message === '' ? [{ what: `${schema} "${name}" is deprecated without a message` }] : []),
      ]
    }),
  ]
}
