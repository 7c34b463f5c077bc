import { compareReleases } from '#apimachinery/release-version.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { releaseAnnotations } from '../manifests/install-strategy.ts'

type Versions = CustomResourceDefinition['spec']['versions']

/** Annotation with the hash of the manifest that a CRD was created from. */
export const hashAnnotation = 'steadyvm.io/manifest-hash'

/** The release that CRDs belong to. */
export interface CrdRelease {
  readonly version: string
  /** Hash of the manifest with all CRDs. */
  readonly hash: string
  /**
   * Number of CRDs in the manifest. Stored with the hash, so that a machine knows at its start that
   * all are installed without reading the manifest.
   */
  readonly count: number
  /** Newer versions that never became complete: their changes to CRDs are reverted. */
  readonly abandoned?: readonly string[]
}

function hashOf({ metadata }: CustomResourceDefinition): string | undefined {
  return metadata.annotations?.[hashAnnotation]?.split('/')[0]
}

/** Reports whether a CRD was created from this manifest or, without `origin`, from any. Pure. */
export function isInstalledByOperator(definition: CustomResourceDefinition, origin?: Pick<CrdRelease, 'hash'>): boolean {
  const hash = hashOf(definition)
  return origin === undefined ? hash !== undefined : hash === origin.hash
}

function madeBy({ metadata }: CustomResourceDefinition): string {
  return metadata.annotations?.[releaseAnnotations.version] ?? ''
}

/**
 * Returns the CRD to apply so that it has all that a release needs. Versions that other components
 * use stay, and so does the storage version. A CRD of a newer release only gets back versions that
 * were removed since. Edits by others are reverted. Undefined when nothing is missing. Pure.
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
    // The conversion belongs to certificates, which injects the CA bundle.
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
 * Reports whether a CRD still has all that the manifest specifies. Additional fields are defaults
 * or belong to others.
 */
function isIntact({ spec }: CustomResourceDefinition, wanted: CustomResourceDefinition['spec']): boolean {
  const byName = (versions: Versions): object => Object.fromEntries(versions.map((version) => [version.name, version]))
  return holds({ ...spec, versions: byName(spec.versions) }, { ...wanted, versions: byName(wanted.versions) })
}

/** Reports whether a value contains the wanted one. The API server omits empty values. */
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

/** Returns those of `needed` whose names are not in `there`. */
function lackingIn(there: Versions, needed: Versions): Versions {
  return needed.filter(({ name }) => !there.some((version) => version.name === name))
}

/**
 * Returns the CRD to apply when no older component is left: only the versions of the manifest, and
 * those that objects are still stored in. Undefined when nothing can be removed, or the CRD is of a
 * newer release. Pure.
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

/**
 * Versions that the manifest does not serve by default are enabled and disabled in the cluster:
 * keeps their current state.
 */
function switchedAs(present: CustomResourceDefinition, wanted: Versions): Versions {
  const served = new Map(present.spec.versions.map((version) => [version.name, version.served]))
  return wanted.map((version) => (version.served ? version : { ...version, served: served.get(version.name) ?? false }))
}

/** Sets the resourceVersion, so that a concurrent change of `served` is a conflict. */
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

/** Compares name, storage and served: schemas are those of the manifest from the beginning. */
function isSame(one: Versions, other: Versions): boolean {
  const keyOf = ({ name, storage, served }: Versions[number]): string => `${name}/${storage}/${served}`
  return one.length === other.length && one.every((version) => other.some((each) => keyOf(each) === keyOf(version)))
}
