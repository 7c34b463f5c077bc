import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { cloneWithoutNulls } from '#apimachinery/json/json-clone.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Family } from '../matcher.ts'
import type { Instancetype, Preference } from '../types.ts'
import { findTypeError } from './check-types.ts'
import { versionTable, type VersionedObject } from './versions.ts'
import { familyOfKind } from './labels.ts'

/** Versions in which new revisions are written. */
export type StashVersion = 'v1beta1' | 'v1'

/** Versions that are understood, oldest first. */
export const knownVersions: readonly string[] = [...versionTable.keys()]

/** The version in which new revisions are written, and to which old ones are brought. */
export function latestVersion({ featureGates }: Pick<ClusterConfig, 'featureGates'>): StashVersion {
  return featureGates.includes('InstancetypeV1') ? 'v1' : 'v1beta1'
}

/** A ControllerRevision does not hold what it should. */
export class RevisionUndecodable extends Error {
  override readonly name = 'RevisionUndecodable'
}

/** What the engine sees of each family. */
export interface FamilyObject {
  readonly instancetype: Instancetype
  readonly preference: Preference
}

/** What a revision holds, in the newest version, and how it was written. */
export interface Decoded<T> {
  readonly object: T
  readonly version: string
  /**
   * The oldest revisions hold the spec alone, or have been rewritten from one that did: no name, no
   * uid, and no kind but the family's.
   */
  readonly shape: 'object' | 'spec'
}

/**
 * What a revision holds. Which family it is of, only who refers to it knows for sure. @throws
 * RevisionUndecodable
 */
export function decodeRevision<F extends Family>(revision: ControllerRevision, family: F): Decoded<FamilyObject[F]> {
  const { apiVersion = '', kind, metadata = {}, spec = {} } = dataOf(revision)
  const { group, version } = versionOf(apiVersion)
  const row = groups.includes(group) ? versionTable.get(version) : undefined
  if (row === undefined) throw undecodable(revision, `unknown apiVersion ${JSON.stringify(apiVersion)}`)
  if (typeof spec !== 'string' && familyOfKind(kind) !== family) {
    throw new RevisionUndecodable(`unexpected type in ControllerRevision: ${typeof kind === 'string' ? kind : ''} in ${nameOf(revision)}`)
  }
  const stored = typeof spec === 'string' ? { spec: parseSpec(revision, spec) } : { metadata, spec }
  const fault = findTypeError(stored, family)
  if (fault !== undefined) throw undecodable(revision, fault)
  const { metadata: about = {}, spec: read } = row.decode(stored as VersionedObject, family)
  const isBare = typeof spec === 'string' || hasPlaceholderName(about)
  const object = isBare ? { kind: bareKinds[family], metadata: {}, spec: read } : { kind, metadata: about, spec: read }
  return { object: object as FamilyObject[F], version, shape: isBare ? 'spec' : 'object' }
}

/**
 * An instance type or preference as a revision keeps it: the whole object, without what belongs to
 * its own life.
 */
export function encodeRevisionData(object: Instancetype | Preference, version: StashVersion): Record<string, unknown> {
  const { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp } = object.metadata
  const metadata = { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp }
  const whole = {
    apiVersion: `${groups[0]}/${version}`,
    kind: object.kind,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)),
    spec: object.spec,
  }
  const family = familyOfKind(object.kind)
  return structuredClone({ ...(versionTable.get(version)?.encode?.(whole, family) ?? whole) })
}

/** The data as they are: whoever may write ControllerRevisions can write anything. */
interface Stored {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly metadata?: unknown
  readonly spec?: unknown
}

function dataOf({ data }: ControllerRevision): Stored {
  return isJsonObject(data) ? (cloneWithoutNulls(data) as Stored) : {}
}

/** Today's group, that of KubeVirt 0.55, and none. */
const groups: readonly string[] = ['instancetype.kubevirt.io', 'flavor.kubevirt.io', '']

/** What a bare spec counts as until somebody who refers to it knows better. */
const bareKinds = { instancetype: 'VirtualMachineInstancetype', preference: 'VirtualMachinePreference' } as const

/** The first revisions of all were written by a client that had lost the version on the way. */
function versionOf(apiVersion: unknown): { readonly group: string; readonly version: string } {
  if (apiVersion === '') return { group: '', version: 'v1alpha1' }
  return parseApiVersion(typeof apiVersion === 'string' ? apiVersion : '')
}

/**
 * KubeVirt 1.3 to 1.6 called what it found as a bare spec like this when it rewrote it, and since
 * 1.5.2 found it no more.
 */
const placeholderNames = ['old-version-of-instancetype-object', 'old-version-of-preference-object']

function hasPlaceholderName({ name = '', uid = '' }: { readonly name?: string; readonly uid?: string }): boolean {
  return uid === '' && placeholderNames.includes(name)
}

/**
 * KubeVirt 0.55 to 0.57 kept the spec alone, as JSON in base64: of which kind it is, only who
 * refers to it knows.
 */
function parseSpec(revision: ControllerRevision, text: string): unknown {
  try {
    return cloneWithoutNulls(JSON.parse(Buffer.from(text, 'base64').toString('utf8')))
  } catch (cause) {
    throw undecodable(revision, 'its spec is neither an object nor JSON in base64', cause)
  }
}

function undecodable(revision: ControllerRevision, why: string, cause?: unknown): RevisionUndecodable {
  return new RevisionUndecodable(`failed to decode object in ControllerRevision: ${nameOf(revision)}: ${why}`, { cause })
}

function nameOf({ metadata: { namespace = '', name = '' } }: ControllerRevision): string {
  return namespace === '' ? name : `${namespace}/${name}`
}
