import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { compareResourceVersions } from '#client/resource-version.ts'
import type { Family } from '../matcher.ts'
import { currentNameOf } from '../find/replaced-names.ts'
import { changesBetween, type Change } from './diff.ts'
import { decodeRevision } from '../codec/codec.ts'
import { hasSharedName } from '../codec/revision-name.ts'
import { familyOfKind, revisionLabels, type Identified } from '../codec/labels.ts'

/** An instance type or preference that a VM has had, as captured. */
export interface HistoryEntry {
  /** Name of the ControllerRevision; setting `revisionName` to it rolls back. */
  readonly revision: string
  readonly family: Family
  readonly kind: string
  readonly name: string
  readonly generation: number
  readonly uid: string
  /** RFC 3339. */
  readonly createdAt: string | undefined
  /** True if the VM's next start uses it. */
  readonly inForce: boolean
  /** True if the running guest uses it. */
  readonly running: boolean
  readonly spec: unknown
  /**
   * Differences from the next older entry of the family, below `spec`; all of the spec for the
   * oldest.
   */
  readonly changes: readonly Change[]
}

/**
 * Returns the instance types and preferences that a VM has had, newest first: revisions that it
 * owns and those listed in its status. `revisions` may be all of the namespace; `startRevision` is
 * the one that the VMI's status names.
 */
export function revisionHistory(
  vm: VirtualMachine,
  revisions: readonly ControllerRevision[],
  startRevision?: ControllerRevision,
): HistoryEntry[] {
  const started = startRevision?.data?.['spec'] as VirtualMachineSpec | undefined
  return (['instancetype', 'preference'] as const).flatMap((family) => {
    const inForce = revisionInForce(vm, family)
    const running = currentNameOf(vm, started?.[family]?.revisionName ?? '')
    const entries = takenBy(vm, family, revisions).map((revision) => describe(revision, family))
    return entries.map((entry, index) => ({
      ...entry,
      family,
      inForce: entry.revision === inForce,
      running: entry.revision === running,
      changes: changesBetween({ spec: entries[index + 1]?.spec }, { spec: entry.spec }),
    }))
  })
}

/**
 * Returns the VM's revisions of a family, newest first. A shared revision is as old as its first
 * user, so that the order of the status wins over creation time.
 */
function takenBy(vm: VirtualMachine, family: Family, revisions: readonly ControllerRevision[]): ControllerRevision[] {
  const inForce = revisionInForce(vm, family)
  const remembered = vm.status?.steadyvm?.[family]?.history ?? []
  const placeOf = ({ metadata: { name = '' } }: ControllerRevision): number => {
    const place = remembered.indexOf(name)
    if (place >= 0) return place
    // A current shared revision that is not listed is the newest; any other one is older than the
    // list.
    return name === inForce && hasSharedName(name) ? -1 : remembered.length
  }
  return revisions
    .filter((revision) => {
      const { name = '' } = revision.metadata
      // The oldest revisions have no kind; the reference tells their family.
      if (name === inForce) return familyOf(revision) !== otherOf(family)
      return familyOf(revision) === family && (isControlledBy(revision, vm) || remembered.includes(name))
    })
    .toSorted((a, b) => placeOf(a) - placeOf(b) || newestFirst(a, b))
}

/** Returns the name of the revision that the VM's next start uses, if known. */
export function revisionInForce(vm: VirtualMachine, family: Family): string | undefined {
  const matcher = vm.spec[family]
  if (matcher === undefined) return undefined
  const name = matcher.revisionName || vm.status?.[`${family}Ref`]?.controllerRevisionRef?.name
  return name === undefined ? undefined : currentNameOf(vm, name)
}

/** Returns the family of a revision; undefined for others, such as start revisions. */
export function familyOf({ metadata, data }: ControllerRevision): Family | undefined {
  return familyOfKind(metadata.labels?.[revisionLabels.kind] ?? data?.['kind'])
}

function otherOf(family: Family): Family {
  return family === 'instancetype' ? 'preference' : 'instancetype'
}

function describe(revision: ControllerRevision, family: Family): Omit<HistoryEntry, 'family' | 'inForce' | 'running' | 'changes'> {
  const stored = objectIn(revision, family)
  const labels = revision.metadata.labels ?? {}
  return {
    revision: revision.metadata.name ?? '',
    kind: labels[revisionLabels.kind] ?? stored.kind ?? '',
    // Labels are cut at 63 characters.
    name: stored.metadata?.name ?? labels[revisionLabels.name] ?? '',
    generation: stored.metadata?.generation ?? 0,
    uid: stored.metadata?.uid ?? '',
    createdAt: revision.metadata.creationTimestamp,
    spec: stored.spec,
  }
}

/**
 * Returns the object in a revision. An undecodable one is listed with its raw data; the report
 * complains about it.
 */
function objectIn(revision: ControllerRevision, family: Family): Identified & { readonly spec?: unknown } {
  try {
    return decodeRevision(revision, family).object
  } catch {
    return (revision.data ?? {}) as Identified
  }
}

/**
 * Compares by creation time, which has a resolution of seconds; then by generation for revisions of
 * one object, else by resourceVersion.
 */
function newestFirst(a: ControllerRevision, b: ControllerRevision): number {
  const [left, right] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  if (left !== right) return left < right ? 1 : -1
  const [one, other] = [storedMetadata(a), storedMetadata(b)]
  const byGeneration = one.uid === other.uid ? (other.generation ?? 0) - (one.generation ?? 0) : 0
  const byVersion = compareResourceVersions(b.metadata.resourceVersion, a.metadata.resourceVersion) ?? 0
  return byGeneration || byVersion || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? 1 : -1)
}

function storedMetadata({ data }: ControllerRevision): NonNullable<Identified['metadata']> {
  return (data as Identified | undefined)?.metadata ?? {}
}
