import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { compareResourceVersions } from '#client/resource-version.ts'
import type { Family } from '../matcher.ts'
import { changesBetween, type Change } from './changes.ts'
import { revisionLabels } from './controller-revision.ts'

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
 * The instance types and preferences that a VM has had, newest first. `revisions` may be all of the VM's namespace. `startRevision` is the one that
 * the VMI's status names.
 */
export function revisionHistory(
  vm: VirtualMachine,
  revisions: readonly ControllerRevision[],
  startRevision?: ControllerRevision,
): HistoryEntry[] {
  const started = startRevision?.data?.['spec'] as VirtualMachineSpec | undefined
  return (['instancetype', 'preference'] as const).flatMap((family) => {
    const inForce = revisionInForce(vm, family)
    const entries = revisions
      .filter((revision) => familyOf(revision) === family && (isOwnedBy(vm, revision) || revision.metadata.name === inForce))
      .toSorted(newestFirst)
    return entries.map((revision, index) => ({
      ...describe(revision),
      family,
      inForce: revision.metadata.name === inForce,
      running: revision.metadata.name === started?.[family]?.revisionName,
      changes: changesBetween({ spec: entries[index + 1]?.data?.['spec'] }, { spec: revision.data?.['spec'] }),
    }))
  })
}

/** Name of the revision that a VM's next start takes, as far as it is known. */
export function revisionInForce(vm: VirtualMachine, family: Family): string | undefined {
  const matcher = vm.spec[family]
  if (matcher === undefined) return undefined
  return matcher.revisionName || vm.status?.[`${family}Ref`]?.controllerRevisionRef?.name
}

/** Which family a revision is of; undefined for one that holds neither, such as what a VM was started from. */
export function familyOf({ metadata, data }: ControllerRevision): Family | undefined {
  const kind = metadata.labels?.[revisionLabels.kind] ?? data?.['kind']
  if (kind === 'VirtualMachineInstancetype' || kind === 'VirtualMachineClusterInstancetype') return 'instancetype'
  return kind === 'VirtualMachinePreference' || kind === 'VirtualMachineClusterPreference' ? 'preference' : undefined
}

function isOwnedBy(vm: VirtualMachine, { metadata }: ControllerRevision): boolean {
  return metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === vm.metadata.uid) === true
}

interface StoredObject {
  readonly kind?: string
  readonly metadata?: { readonly name?: string; readonly uid?: string; readonly generation?: number }
  readonly spec?: unknown
}

function describe({ metadata, data }: ControllerRevision): Omit<HistoryEntry, 'family' | 'inForce' | 'running' | 'changes'> {
  const stored = (data ?? {}) as StoredObject
  const labels = metadata.labels ?? {}
  return {
    revision: metadata.name ?? '',
    kind: labels[revisionLabels.kind] ?? stored.kind ?? '',
    // The label is cut when the name is long.
    name: stored.metadata?.name ?? labels[revisionLabels.name] ?? '',
    generation: stored.metadata?.generation ?? 0,
    uid: stored.metadata?.uid ?? '',
    createdAt: metadata.creationTimestamp,
    spec: stored.spec,
  }
}

/** Times are cut to seconds: of two copies of one object made in the same second the later generation is the newer, else the one written later. */
function newestFirst(a: ControllerRevision, b: ControllerRevision): number {
  const [left, right] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  if (left !== right) return left < right ? 1 : -1
  const [one, other] = [storedMetadata(a), storedMetadata(b)]
  const byGeneration = one.uid === other.uid ? (other.generation ?? 0) - (one.generation ?? 0) : 0
  const byVersion = compareResourceVersions(b.metadata.resourceVersion, a.metadata.resourceVersion) ?? 0
  return byGeneration || byVersion || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? 1 : -1)
}

function storedMetadata({ data }: ControllerRevision): NonNullable<StoredObject['metadata']> {
  return (data as StoredObject | undefined)?.metadata ?? {}
}
