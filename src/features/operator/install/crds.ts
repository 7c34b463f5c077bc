import { compareReleases } from '#apimachinery/release-version.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { releaseAnnotations } from '../manifests/install-strategy.ts'

type Versions = CustomResourceDefinition['spec']['versions']

/** Says which content of the manifest a definition was made from. */
export const hashAnnotation = 'steadyvm.io/manifest-hash'

/** Whose definitions they are. */
export interface CrdRelease {
  readonly version: string
  /** Of the manifest with all definitions. */
  readonly hash: string
  /**
   * How many there are in it. Written down beside the hash for the start of a machine, which then
   * knows without reading the manifest that all are there.
   */
  readonly count: number
  /** Newer versions that never were in place: what they have made of definitions is nobody's. */
  readonly abandoned?: readonly string[]
}

function hashOf({ metadata }: CustomResourceDefinition): string | undefined {
  return metadata.annotations?.[hashAnnotation]?.split('/')[0]
}

/** Whether a definition was made from a manifest, or from any. Pure. */
export function isInstalledByOperator(definition: CustomResourceDefinition, origin?: Pick<CrdRelease, 'hash'>): boolean {
  const hash = hashOf(definition)
  return origin === undefined ? hash !== undefined : hash === origin.hash
}

function madeBy({ metadata }: CustomResourceDefinition): string {
  return metadata.annotations?.[releaseAnnotations.version] ?? ''
}

/**
 * What to apply so that a definition has all that a version needs, while nothing goes that other
 * components use: their versions stay, and so does the one that objects are stored in. One that was
 * brought to a newer version already, which knows all that older ones know, only gets the versions
 * back that were dropped since. One that somebody has edited is put right. Undefined when nothing
 * is missing. Pure.
 */
export function expandedCrd(
  present: CustomResourceDefinition | undefined,
  wanted: CustomResourceDefinition,
  origin: CrdRelease,
): CustomResourceDefinition | undefined {
  if (present === undefined) return stamped(wanted, origin)
  const theirs = present.spec.versions
  const isOurs = hashOf(present) === origin.hash
  if (!isOurs && isNewer(present, origin)) {
    const missing = lackingIn(theirs, wanted.spec.versions).map((version) => ({ ...version, storage: false }))
    if (missing.length === 0) return undefined
    // Who converts is said by who converts.
    const { conversion: _, ...spec } = present.spec
    const { labels, annotations, name, resourceVersion } = present.metadata
    const metadata = { ...wanted.metadata, name, labels, annotations, resourceVersion }
    return { ...wanted, metadata, spec: { ...spec, versions: [...theirs, ...missing] } } as CustomResourceDefinition
  }
  const storage = theirs.find((version) => version.storage)?.name
  const all = [...switchedAs(present, wanted.spec.versions), ...lackingIn(wanted.spec.versions, theirs)]
  const versions = all.map((version) => ({ ...version, storage: version.name === storage }))
  return isOurs && isIntact(present, { ...wanted.spec, versions }) ? undefined : stamped(withVersions(wanted, versions, present), origin)
}

/**
 * Whether nobody has taken anything away from a definition, or changed it. What it has beside that,
 * the server or somebody else has said.
 */
function isIntact({ spec }: CustomResourceDefinition, wanted: CustomResourceDefinition['spec']): boolean {
  const byName = (versions: Versions): object => Object.fromEntries(versions.map((version) => [version.name, version]))
  return holds({ ...spec, versions: byName(spec.versions) }, { ...wanted, versions: byName(wanted.versions) })
}

/** Whether a value has all that is wanted of it. The server leaves empty things out. */
function holds(present: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === undefined || present === wanted
  const [has, needs] = [present ?? {}, wanted].map((value) => Object.entries(value)) as [[string, unknown][], [string, unknown][]]
  if (Array.isArray(wanted) && has.length !== needs.length) return false
  const known = new Map(has)
  return needs.every(([key, value]) => holds(known.get(key), value))
}

function isNewer(definition: CustomResourceDefinition, { version, abandoned = [] }: CrdRelease): boolean {
  const author = madeBy(definition)
  return compareReleases(author, version) > 0 && !abandoned.includes(author)
}

/** Those of `needed` whose names are not in `there`. */
function lackingIn(there: Versions, needed: Versions): Versions {
  return needed.filter(({ name }) => !there.some((version) => version.name === name))
}

/**
 * What to apply when no older component is left: the versions of the manifest alone, but for those
 * that objects are still stored in. Undefined when there is nothing to take away, or the definition
 * is of a newer version. Pure.
 */
export function contractedCrd(
  present: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
  origin: CrdRelease,
): CustomResourceDefinition | undefined {
  if (isNewer(present, origin)) return undefined
  const stored = new Set(present.status?.storedVersions ?? [])
  const kept = lackingIn(wanted.spec.versions, present.spec.versions).filter(({ name }) => stored.has(name))
  const versions = [...switchedAs(present, wanted.spec.versions), ...kept.map((version) => ({ ...version, storage: false }))]
  return isSame(versions, present.spec.versions) ? undefined : stamped(withVersions(wanted, versions, present), origin)
}

/** Versions that are shipped switched off are switched on and off in the cluster. */
function switchedAs(present: CustomResourceDefinition, wanted: Versions): Versions {
  const served = new Map(present.spec.versions.map((version) => [version.name, version.served]))
  return wanted.map((version) => (version.served ? version : { ...version, served: served.get(version.name) ?? false }))
}

/** The resource version, so that whoever switches a version at the same moment is not overruled. */
function withVersions(
  wanted: CustomResourceDefinition,
  versions: Versions,
  { metadata }: CustomResourceDefinition,
): CustomResourceDefinition {
  const { resourceVersion } = metadata
  const known = resourceVersion === undefined ? {} : { resourceVersion }
  return { ...wanted, metadata: { ...wanted.metadata, ...known }, spec: { ...wanted.spec, versions } }
}

function stamped(definition: CustomResourceDefinition, { version, hash, count }: CrdRelease): CustomResourceDefinition {
  const annotations = { ...definition.metadata.annotations, [hashAnnotation]: `${hash}/${count}`, [releaseAnnotations.version]: version }
  return { ...definition, metadata: { ...definition.metadata, annotations } }
}

/** By name, storage and being served: a schema is that of the manifest from the beginning. */
function isSame(one: Versions, other: Versions): boolean {
  const keyOf = ({ name, storage, served }: Versions[number]): string => `${name}/${storage}/${served}`
  return one.length === other.length && one.every((version) => other.some((each) => keyOf(each) === keyOf(version)))
}
