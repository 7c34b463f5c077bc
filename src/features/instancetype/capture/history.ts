import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { compareResourceVersions } from '#client/resource-version.ts'
import type { Family } from '../matcher.ts'
import { currentNameOf } from '../find/replaced-names.ts'
import { changesBetween, type Change } from './diff.ts'
import { decodeRevision } from '../codec/codec.ts'
import { hasSharedName } from '../codec/revision-name.ts'
import { familyOfKind, revisionLabels, type Identified } from '../codec/labels.ts'

/** One instance type or preference that a VM has had, as it was then. */
export interface HistoryEntry {
  /** Name of the ControllerRevision: what `revisionName` takes to go back to it. */
  readonly revision: string
  readonly family: Family
  readonly kind: string
  readonly name: string
  readonly generation: number
  readonly uid: string
  /** RFC 3339. */
  readonly createdAt: string | undefined
  /** What the VM's next start takes. */
  readonly inForce: boolean
  /** What the guest runs with. */
  readonly running: boolean
  readonly spec: unknown
  /** What differs from the next older one of the family, below `spec`; all of it for the first. */
  readonly changes: readonly Change[]
}

/**
 * The instance types and preferences that a VM has had, newest first: those that it owns, and those
 * that its status remembers. `revisions` may be all of the VM's namespace. `startRevision` is the
 * one that the VMI's status names.
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
 * What the VM has taken of a family, newest first. What it shares is as old as the first who took
 * it, so that the order is as the VM remembers it.
 */
function takenBy(vm: VirtualMachine, family: Family, revisions: readonly ControllerRevision[]): ControllerRevision[] {
  const inForce = revisionInForce(vm, family)
  const remembered = vm.status?.steadyvm?.[family]?.history ?? []
  const placeOf = ({ metadata: { name = '' } }: ControllerRevision): number => {
    const place = remembered.indexOf(name)
    if (place >= 0) return place
    // Alone and shared, it is the first that is. Everything else is older than what is remembered.
    return name === inForce && hasSharedName(name) ? -1 : remembered.length
  }
  return revisions
    .filter((revision) => {
      const { name = '' } = revision.metadata
      // The oldest revisions do not tell what they are of: only who names them knows.
      if (name === inForce) return familyOf(revision) !== otherOf(family)
      return familyOf(revision) === family && (isOwnedBy(vm, revision) || remembered.includes(name))
    })
    .toSorted((a, b) => placeOf(a) - placeOf(b) || newestFirst(a, b))
}

/** Name of the revision that a VM's next start takes, as far as it is known. */
export function revisionInForce(vm: VirtualMachine, family: Family): string | undefined {
  const matcher = vm.spec[family]
  if (matcher === undefined) return undefined
  const name = matcher.revisionName || vm.status?.[`${family}Ref`]?.controllerRevisionRef?.name
  return name === undefined ? undefined : currentNameOf(vm, name)
}

/**
 * Which family a revision is of; undefined for one that holds neither, such as what a VM was
 * started from.
 */
export function familyOf({ metadata, data }: ControllerRevision): Family | undefined {
  return familyOfKind(metadata.labels?.[revisionLabels.kind] ?? data?.['kind'])
}

function otherOf(family: Family): Family {
  return family === 'instancetype' ? 'preference' : 'instancetype'
}

function isOwnedBy(vm: VirtualMachine, { metadata }: ControllerRevision): boolean {
  return metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === vm.metadata.uid) === true
}

function describe(revision: ControllerRevision, family: Family): Omit<HistoryEntry, 'family' | 'inForce' | 'running' | 'changes'> {
  const stored = objectIn(revision, family)
  const labels = revision.metadata.labels ?? {}
  return {
    revision: revision.metadata.name ?? '',
    kind: labels[revisionLabels.kind] ?? stored.kind ?? '',
    // The label is cut when the name is long.
    name: stored.metadata?.name ?? labels[revisionLabels.name] ?? '',
    generation: stored.metadata?.generation ?? 0,
    uid: stored.metadata?.uid ?? '',
    createdAt: revision.metadata.creationTimestamp,
    spec: stored.spec,
  }
}

/**
 * What a revision holds. One that cannot be read is part of the history all the same, and somebody
 * else's business to complain about.
 */
function objectIn(revision: ControllerRevision, family: Family): Identified & { readonly spec?: unknown } {
  try {
    return decodeRevision(revision, family).object
  } catch {
    return (revision.data ?? {}) as Identified
  }
}

/**
 * Times are cut to seconds: of two copies of one object made in the same second the later
 * generation is the newer, else the one written later.
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
