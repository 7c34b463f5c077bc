import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Family, Reference, RevisionFormat } from '#features/instancetype/index.ts'

/** Objects of a report, from one namespace or the cluster. */
export interface RevisionInventory {
  readonly revisions: readonly ControllerRevision[]
  readonly virtualMachines: readonly VirtualMachine[]
  readonly guests: readonly VirtualMachineInstance[]
  readonly snapshots: readonly KubeObject[]
  readonly contents: readonly VirtualMachineSnapshotContent[]
  readonly restores: readonly VirtualMachineRestore[]
  /** Live instance types and preferences of both scopes. */
  readonly live: readonly KubeObject[]
  /** CRDs of the four kinds. */
  readonly definitions: readonly CustomResourceDefinition[]
  /** Errors of failed reads. With a gap, no version is safe to remove. */
  readonly gaps: readonly string[]
}

/** State of a revision or reference. */
export type RevisionState = 'current' | 'outdated' | 'orphaned' | 'undecodable' | 'missing'

/** Object that references a revision. */
export interface Referrer extends Pick<Reference, 'path'> {
  readonly kind: Reference['referrer']['kind']
  readonly name: string
  readonly uid: string
  /** Argument for kubectl: `vm/web`, `vmi/web` for its guest, `vmsnapshot/before`. */
  readonly subject: string
}

/** A problem with a revision. */
export interface Finding {
  readonly state: Exclude<RevisionState, 'current'>
  readonly namespace: string
  readonly revision: string
  readonly family?: Family
  /** API version of the data; absent if unknown. */
  readonly version?: string
  readonly message: string
  readonly referrers: readonly Referrer[]
  /** Resolver of the finding: a controller, or a user. */
  readonly settledBy: 'controller' | 'user'
  /** Command that settles it, or waits for the controller. */
  readonly command: string
}

/** Reason why a version is needed. */
export interface Blocker {
  readonly reason: 'Latest' | 'StorageVersion' | 'StoredObjects' | 'Copy' | 'UnreadableCopy' | 'MissingCopy'
  /** `namespace/revision`, or the name of a CRD. Absent for the latest version. */
  readonly object?: string
  /** Command that removes the blocker. Absent where another release is needed. */
  readonly command?: string
}

/** Use of an API version. */
export interface VersionReport {
  readonly version: string
  readonly instancetypes: number
  readonly preferences: number
  /** Numbers of those that belong to snapshots, and of shared ones. */
  readonly ofSnapshots: number
  readonly shared: number
  /** Creation time of the oldest one, in RFC 3339. */
  readonly oldest?: string
  /** `unknown`: no blocker was found, but not everything could be read. */
  readonly safeToRemove: 'yes' | 'no' | 'unknown'
  readonly blockers: readonly Blocker[]
}

/** Number of copies by difference from the live object. */
export interface Drift {
  readonly same: number
  readonly newerGeneration: number
  /** Another object has the name now. */
  readonly replaced: number
  readonly deleted: number
  /** The copy does not name its object. */
  readonly unknown: number
}

/** Number of copies by age. */
export interface Ages {
  readonly underOneDay: number
  readonly underThirtyDays: number
  readonly underOneYear: number
  readonly older: number
}

/** Number of copies in the same state. */
export interface RevisionCount {
  readonly family: Family
  /** `unknown` if undecodable. */
  readonly version: string
  readonly state: RevisionState
  readonly count: number
}

/** Report on all captured instance types and preferences. */
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
