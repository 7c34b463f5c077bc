import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Family, Reference, RevisionFormat } from '#features/instancetype/index.ts'

/** What a report is made of: lists of one cluster, or of one namespace. */
export interface RevisionInventory {
  readonly revisions: readonly ControllerRevision[]
  readonly virtualMachines: readonly VirtualMachine[]
  readonly guests: readonly VirtualMachineInstance[]
  readonly snapshots: readonly KubeObject[]
  readonly contents: readonly VirtualMachineSnapshotContent[]
  readonly restores: readonly VirtualMachineRestore[]
  /** Instance types and preferences of both scopes as they are now. */
  readonly live: readonly KubeObject[]
  /** Definitions of the four kinds. */
  readonly definitions: readonly CustomResourceDefinition[]
  /**
   * What could not be seen, in words. As long as there is something, nothing is said to be safe.
   */
  readonly gaps: readonly string[]
}

/** How a revision is, or the place where one should be. */
export type RevisionState = 'current' | 'outdated' | 'orphaned' | 'undecodable' | 'missing'

/** Who names a revision. */
export interface Referrer extends Pick<Reference, 'path'> {
  readonly kind: Reference['referrer']['kind']
  readonly name: string
  readonly uid: string
  /**
   * What its user knows it by, as `kind/name` that kubectl takes: `vm/web`, `vmi/web` for its
   * guest, `vmsnapshot/before`.
   */
  readonly subject: string
}

/** Something that is not as it should be. */
export interface Finding {
  readonly state: Exclude<RevisionState, 'current'>
  readonly namespace: string
  readonly revision: string
  readonly family?: Family
  /** API version of what it holds; absent when nobody can tell. */
  readonly version?: string
  readonly message: string
  readonly referrers: readonly Referrer[]
  /** Whether the controllers settle it, or somebody has to decide. */
  readonly settledBy: 'controller' | 'user'
  /** What settles it; a controller is waited for. */
  readonly command: string
}

/** Why a version is still needed. */
export interface Blocker {
  readonly reason: 'Latest' | 'StorageVersion' | 'StoredObjects' | 'Copy' | 'UnreadableCopy' | 'MissingCopy'
  /**
   * `namespace/revision`, or the name of a CustomResourceDefinition. Absent for the latest version.
   */
  readonly object?: string
  /**
   * What removes it. Absent where nothing does: another release decides which version is the
   * latest, and in which objects are stored.
   */
  readonly command?: string
}

/** One version of the API, and who depends on it. */
export interface VersionReport {
  readonly version: string
  readonly instancetypes: number
  readonly preferences: number
  /** Of these, how many belong to snapshots, and how many are shared. */
  readonly ofSnapshots: number
  readonly shared: number
  /** When the oldest of them was made, in RFC 3339. */
  readonly oldest?: string
  /** `unknown`: nothing speaks against it, but not everything was seen. */
  readonly safeToRemove: 'yes' | 'no' | 'unknown'
  readonly blockers: readonly Blocker[]
}

/** Copies by how they differ from the object that they are of. */
export interface Drift {
  readonly same: number
  readonly newerGeneration: number
  /** Another object of that name is there by now. */
  readonly replaced: number
  readonly deleted: number
  /** The copy does not say what it is of. */
  readonly unknown: number
}

/** Copies by age. */
export interface Ages {
  readonly underOneDay: number
  readonly underThirtyDays: number
  readonly underOneYear: number
  readonly older: number
}

/** How many copies are alike. */
export interface RevisionCount {
  readonly family: Family
  /** `unknown` when nobody can tell. */
  readonly version: string
  readonly state: RevisionState
  readonly count: number
}

/** All that can be said about the copies of instance types and preferences. */
export interface RevisionReport {
  readonly wanted: RevisionFormat
  readonly revisions: number
  readonly states: Readonly<Record<RevisionState, number>>
  readonly counts: readonly RevisionCount[]
  readonly versions: readonly VersionReport[]
  readonly drift: Drift
  readonly ages: Ages
  readonly findings: readonly Finding[]
  readonly gaps: readonly string[]
}
