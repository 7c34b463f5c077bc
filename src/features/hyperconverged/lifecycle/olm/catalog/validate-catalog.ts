import { parseSemver } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { parseSemverRange, SemverRangeError } from '../../upgrade/patches/semver-range.ts'
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
import { judgeChannel } from './channel-graph.ts'

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
/** An image by tag, by digest, or by both. */
const imageReference = /^[\w.-]+(:\d+)?(\/[a-z0-9._-]+)*(:[\w][\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/
const releasePattern = /^(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*$/

/**
 * Returns what is wrong with a catalog; empty if `opm validate` accepts it and every channel leads
 * to its head. Pure.
 */
export function validateCatalog(objects: readonly CatalogObject[]): readonly string[] {
  const catalog = catalogOf(objects)
  return [
    ...repeated(catalog.packages.map(({ name = '' }) => name)).map((name) => `package "${name}" is there more than once`),
    ...catalog.packages.flatMap((one) => problemsOfPackage(one, catalog)),
    ...repeated(catalog.channels.map((channel) => titleOf(channel))).map((name) => `${name} is there more than once`),
    ...catalog.channels.flatMap((channel) => problemsOfChannel(channel, catalog)),
    ...repeated(catalog.bundles.map((bundle) => titleOf(bundle))).map((name) => `${name} is there more than once`),
    ...catalog.bundles.flatMap((bundle) => problemsOfBundle(bundle, catalog)),
    ...repeated(catalog.deprecations.map((one) => one.package ?? '')).map(
      (name) => `package "${name}" has more than one olm.deprecations object`,
    ),
    ...catalog.deprecations.flatMap((deprecations) => problemsOfDeprecations(deprecations, catalog)),
  ]
}

function titleOf({ schema, name = '', package: packageName = '' }: CatalogObject): string {
  return `${schema.replace('olm.', '')} "${name}" of package "${packageName}"`
}

function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}

function problemsOfPackage({ name = '', defaultChannel = '' }: CatalogPackage, { channels, bundles }: Catalog): readonly string[] {
  const own = channels.filter((channel) => channel.package === name)
  const versions = bundles.flatMap((bundle): string[] => {
    const found = bundle.package === name ? versionOf(bundle) : undefined
    return found === undefined ? [] : [`${found.version}${found.release === '' ? '' : `-${found.release}`}`]
  })
  return [
    ...(dnsLabel.test(name) ? [] : [`the name of package "${name}" is no DNS label`]),
    ...(own.length === 0 ? [`package "${name}" has no channel`] : []),
    ...(defaultChannel === '' ? [`package "${name}" has no default channel`] : []),
    ...(defaultChannel === '' || own.some((channel) => channel.name === defaultChannel)
      ? []
      : [`the default channel "${defaultChannel}" of package "${name}" does not exist`]),
    ...repeated(versions).map((version) => `package "${name}" has several bundles of version ${version}`),
  ]
}

function problemsOfChannel(channel: CatalogChannel, { packages, bundles }: Catalog): readonly string[] {
  const { name = '', package: packageName, entries = [] } = channel
  const title = titleOf(channel)
  const own = new Set(bundles.flatMap((bundle) => (bundle.package === packageName ? [bundle.name] : [])))
  const verdict = entries.length === 0 ? { problem: 'it has no entry' } : judgeChannel(entries)
  return [
    ...(packages.some((one) => one.name === packageName) ? [] : ['its package does not exist']),
    ...(name === '' ? ['it has no name'] : []),
    ...repeated(entries.map((entry) => entry.name)).map((entry) => `it has entry "${entry}" more than once`),
    ...('problem' in verdict ? [verdict.problem] : []),
    ...entries.flatMap((entry) => [...problemsOfEntry(entry), ...(own.has(entry.name) ? [] : [`entry "${entry.name}" has no bundle`])]),
  ].map((problem) => `${title}: ${problem}`)
}

function problemsOfEntry({ name, skips = [], skipRange = '' }: ChannelEntry): readonly string[] {
  return [
    ...(name === '' ? ['an entry has no name'] : []),
    ...(skips.includes('') ? [`entry "${name}" skips an entry without a name`] : []),
    ...(skipRange === '' ? [] : problemsOfRange(skipRange).map((problem) => `entry "${name}": ${problem}`)),
  ]
}

/** A wildcard without a number, which opm cannot read. */
const anyVersion = /(^|[^\w.])x(\.x)*($|[^\w.])/

function problemsOfRange(range: string): readonly string[] {
  try {
    parseSemverRange(range)
    return anyVersion.test(range) ? [`Range "${range}" cannot be read by OLM: a wildcard needs a number before it`] : []
  } catch (error) {
    if (error instanceof SemverRangeError) return [error.message]
    throw error
  }
}

function problemsOfBundle(bundle: CatalogBundle, { packages, channels }: Catalog): readonly string[] {
  const { name = '', package: packageName = '', image = '', relatedImages = [] } = bundle
  const title = titleOf(bundle)
  const own = channels.filter((channel) => channel.package === packageName)
  const isEntry = own.some(({ entries = [] }) => entries.some((entry) => entry.name === name))
  const count = propertiesOf(bundle, 'olm.package').length
  return [
    ...(name === '' ? ['it has no name'] : []),
    ...(packages.some((one) => one.name === packageName) ? [] : ['its package does not exist']),
    ...(isEntry ? [] : ['no channel has it']),
    ...(image === '' && propertiesOf(bundle, 'olm.bundle.object').length === 0 ? ['it has no image'] : []),
    ...[...new Set([image, ...relatedImages.map((one) => one.image)])]
      .filter((text) => text !== '' && !imageReference.test(text))
      .map((text) => `"${text}" is no image`),
    ...(count === 1 ? problemsOfVersion(bundle) : [`it has ${count} properties "olm.package" instead of one`]),
  ].map((problem) => `${title}: ${problem}`)
}

function problemsOfVersion(bundle: CatalogBundle): readonly string[] {
  const { packageName, version, release } = versionOf(bundle) ?? { packageName: '', version: '', release: '' }
  // With a release of its own, a version appears in the name.
  const wanted = `${packageName}-v${version}-${release}`
  return [
    ...(packageName === bundle.package ? [] : [`its property "olm.package" names package "${packageName}"`]),
    ...(parseSemver(version) === undefined ? [`its version "${version}" is no semantic version`] : []),
    ...(release === '' || releasePattern.test(release) ? [] : [`its release "${release}" is none`]),
    ...(release === '' || bundle.name === wanted ? [] : [`its name must be "${wanted}"`]),
    ...(release !== '' && version.includes('+') ? ['its version has build metadata and a release'] : []),
  ]
}

function problemsOfDeprecations(deprecations: CatalogDeprecations, { packages, channels, bundles }: Catalog): readonly string[] {
  const { package: packageName = '', entries = [] } = deprecations
  const isIn = (list: readonly CatalogObject[], name: string): boolean =>
    list.some((object) => object.package === packageName && object.name === name)
  const keys = entries.map(({ reference: { schema = '', name = '' } }) => `${schema} "${name}"`)
  return [
    ...(packages.some(({ name }) => name === packageName) ? [] : ['its package does not exist']),
    ...repeated(keys).map((key) => `${key} is deprecated more than once`),
    ...entries.flatMap(({ reference: { schema = '', name = '' }, message = '' }): string[] => {
      const exists =
        schema === 'olm.package'
          ? name === ''
          : schema === 'olm.channel'
            ? isIn(channels, name)
            : schema === 'olm.bundle' && isIn(bundles, name)
      return [
        ...(exists ? [] : [`${schema} "${name}" is deprecated, and does not exist`]),
        ...(message === '' ? [`${schema} "${name}" is deprecated without a message`] : []),
      ]
    }),
  ].map((problem) => `deprecations of package "${packageName}": ${problem}`)
}
