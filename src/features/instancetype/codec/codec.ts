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

/** Decodable versions, oldest first. */
export const knownVersions: readonly string[] = [...versionTable.keys()]

/** Returns the version of new revisions, to which older ones are upgraded. */
export function latestVersion({ featureGates }: Pick<ClusterConfig, 'featureGates'>): StashVersion {
  return featureGates.includes('InstancetypeV1') ? 'v1' : 'v1beta1'
}

/** The data of a ControllerRevision cannot be decoded. */
export class RevisionUndecodable extends Error {
  override readonly name = 'RevisionUndecodable'
}

/** Decoded object of each family. */
export interface FamilyObject {
  readonly instancetype: Instancetype
  readonly preference: Preference
}

/** A decoded object, and how it was stored. */
export interface Decoded<T> {
  readonly object: T
  readonly version: string
  /** `spec`: a bare spec, or a revision rewritten from one, without name, UID and actual kind. */
  readonly shape: 'object' | 'spec'
}

/**
 * Decodes a revision into the newest version. The family comes from the reference: a bare spec does
 * not tell it. @throws RevisionUndecodable
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
 * Encodes an object as the data of a revision: without labels, annotations, finalizers, owners and
 * managed fields.
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

/** Unvalidated data: the API server accepts any JSON in a ControllerRevision. */
interface Stored {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly metadata?: unknown
  readonly spec?: unknown
}

function dataOf({ data }: ControllerRevision): Stored {
  return isJsonObject(data) ? (cloneWithoutNulls(data) as Stored) : {}
}

/** The current group, that of KubeVirt 0.55, and none. */
const groups: readonly string[] = ['instancetype.kubevirt.io', 'flavor.kubevirt.io', '']

/** Kinds of bare specs, until a reference tells the actual one. */
const bareKinds = { instancetype: 'VirtualMachineInstancetype', preference: 'VirtualMachinePreference' } as const

/** Treats an empty apiVersion as v1alpha1: the client of the first releases dropped it. */
function versionOf(apiVersion: unknown): { readonly group: string; readonly version: string } {
  if (apiVersion === '') return { group: '', version: 'v1alpha1' }
  return parseApiVersion(typeof apiVersion === 'string' ? apiVersion : '')
}

/** Names that KubeVirt 1.3 to 1.6 gave to rewritten bare specs, and does not find since 1.5.2. */
const placeholderNames = ['old-version-of-instancetype-object', 'old-version-of-preference-object']

function hasPlaceholderName({ name = '', uid = '' }: { readonly name?: string; readonly uid?: string }): boolean {
  return uid === '' && placeholderNames.includes(name)
}

/** Parses a spec that KubeVirt 0.55 to 0.57 stored as JSON in base64, without its kind. */
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
