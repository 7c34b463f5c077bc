import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { Instancetype, Preference } from '../types.ts'

/** The version in which new revisions are written and which the engine sees. */
export const latestVersion = 'v1beta1'

/** API group of instance types and preferences. */
const instancetypeGroup = 'instancetype.kubevirt.io'

/** A ControllerRevision does not hold what it should. */
export class RevisionUndecodable extends Error {
  override readonly name = 'RevisionUndecodable'
}

interface StoredObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: ObjectMeta
  readonly spec?: unknown
}

/** Brings a stored object of one version to the newest. */
type Decoder = (stored: StoredObject) => StoredObject

/** The only place that knows versions. A new one is a new row; an old row goes when no revision of that version is left anywhere. */
const decoders: ReadonlyMap<string, Decoder> = new Map([
  // The first revisions of all were written by a client that had lost the version on the way.
  ['', fromAlpha],
  ['v1alpha1', fromAlpha],
  ['v1alpha2', fromAlpha],
  ['v1beta1', (stored) => stored],
])

const instancetypeKinds = ['VirtualMachineInstancetype', 'VirtualMachineClusterInstancetype']
const preferenceKinds = ['VirtualMachinePreference', 'VirtualMachineClusterPreference']

/** The instance type that a revision holds, in the newest version. The oldest ones hold no name. @throws RevisionUndecodable */
export function decodeInstancetype(revision: ControllerRevision): Instancetype {
  return decode(revision, instancetypeKinds) as Instancetype
}

/** The preference that a revision holds, in the newest version. @throws RevisionUndecodable */
export function decodePreference(revision: ControllerRevision): Preference {
  return decode(revision, preferenceKinds) as Preference
}

/** An instance type or preference as a revision keeps it: the whole object, without what belongs to its own life. */
export function encodeRevisionData(object: Instancetype | Preference): Record<string, unknown> {
  const { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp } = object.metadata
  const metadata = { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp }
  return structuredClone({
    apiVersion: `${instancetypeGroup}/${latestVersion}`,
    kind: object.kind,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)),
    spec: object.spec,
  })
}

function decode(revision: ControllerRevision, kinds: readonly string[]): unknown {
  const stored = (revision.data ?? {}) as StoredObject
  const version = parseApiVersion(stored.apiVersion ?? '').version
  const decoder = decoders.get(version)
  if (decoder === undefined) {
    throw new RevisionUndecodable(`failed to decode object in ControllerRevision: unknown apiVersion "${stored.apiVersion ?? ''}"`)
  }
  if (typeof stored.spec === 'string')
    return { kind: kinds[0], metadata: {}, spec: decoder({ ...stored, spec: parseSpec(stored.spec) }).spec }
  if (!kinds.includes(stored.kind ?? '')) {
    throw new RevisionUndecodable(`unexpected type in ControllerRevision: ${stored.kind ?? ''}`)
  }
  const { kind, metadata = {}, spec = {} } = decoder(stored)
  return { kind, metadata, spec }
}

/** KubeVirt 0.55 to 0.57 kept the spec alone, as JSON in base64: of which kind it is, only who refers to it knows. */
function parseSpec(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
  } catch (cause) {
    throw new RevisionUndecodable('failed to decode object in ControllerRevision: its spec is neither an object nor JSON in base64', {
      cause,
    })
  }
}

/** The alpha versions differ only in that an empty topology means none. */
function fromAlpha(stored: StoredObject): StoredObject {
  const spec = structuredClone(stored.spec ?? {}) as { cpu?: { preferredCPUTopology?: string } }
  if (spec.cpu?.preferredCPUTopology === '') delete spec.cpu.preferredCPUTopology
  return { ...stored, spec }
}
