import { isMigrationFinal, isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { validateLabels } from '#apimachinery/meta/object-meta-rules.ts'
import type { MigrationPolicy } from '#api/migrations/v1alpha1/migration-policy.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import { migrationFinalizer, vmiNameLabel } from './decide.ts'

/** Facts that a new migration is reviewed with. */
export interface MigrationReviewContext {
  readonly vmi: VirtualMachineInstance | undefined
  /** All migrations of the namespace. */
  readonly others: readonly VirtualMachineInstanceMigration[]
  /** The request comes from a component of the system. */
  readonly isSystem: boolean
}

/** Validates a new migration. KubeVirt's rules and texts. */
export function validateMigration(
  migration: VirtualMachineInstanceMigration,
  { vmi, others, isSystem }: MigrationReviewContext,
): StatusCause[] {
  const { vmiName, priority, sendTo, receive, addedNodeSelector } = migration.spec
  if (vmiName === undefined || vmiName === '') return [invalid('spec.vmiName', 'vmiName is missing')]
  if (sendTo !== undefined || receive !== undefined)
    return [invalid('spec', 'guests cannot be moved to other namespaces or clusters yet: sendTo and receive must not be set')]
  if (priority !== undefined && !isSystem) return [invalid('spec.priority', 'priority may only be set by the system itself')]
  const unselectable = validateLabels(addedNodeSelector, 'spec.addedNodeSelector')
  if (unselectable.length > 0) return unselectable.map(({ field, message }) => invalid(field, message))
  if (vmi === undefined) return [invalid('spec.vmiName', `the VMI "${vmiName}" does not exist under the cache`)]
  if (isVmiFinal(vmi)) return [invalid('spec.vmiName', 'Cannot migrate VMI in finalized state.')]
  const migratable = findCondition(vmi.status?.conditions, 'LiveMigratable')
  if (migratable?.status === 'False')
    return [invalid('spec.vmiName', `Cannot migrate VMI, Reason: ${migratable.reason ?? ''}, Message: ${migratable.message ?? ''}`)]
  const active = others.find((other) => other.spec.vmiName === vmiName && !isMigrationFinal(other))
  if (active === undefined) return []
  const found = `Active migration job (${active.metadata.uid ?? ''}) is currently already in progress for VMI ${vmiName}.`
  return [invalid('spec.vmiName', `in-flight migration detected. ${found}`)]
}

/** Validates an update: the spec of a migration is immutable. */
export function validateMigrationUpdate(migration: VirtualMachineInstanceMigration, old: VirtualMachineInstanceMigration): StatusCause[] {
  if (!semanticEqual(migration.spec, old.spec)) return [invalid('spec', "update of Migration object's spec is restricted")]
  const label = vmiNameLabel
  const before = old.metadata.labels?.[label]
  const isKept = isMigrationFinal(old) || before === undefined || migration.metadata.labels?.[label] === before
  return isKept ? [] : [invalid('metadata.labels', `selector label "${label}" can't be modified on a Migration that is in progress`)]
}

/** Validates a migration policy. */
export function validatePolicy({ spec }: MigrationPolicy): StatusCause[] {
  const { completionTimeoutPerGiB: seconds, bandwidthPerMigration: bandwidth } = spec
  return [
    ...(seconds !== undefined && seconds < 0 ? [invalid('spec.completionTimeoutPerGiB', 'must not be negative')] : []),
    ...(String(bandwidth ?? '').startsWith('-') ? [invalid('spec.bandwidthPerMigration', 'must not be negative')] : []),
  ]
}

/** Adds label and finalizer to a new migration, which saves its controller a write. */
export function completeMigration({ metadata, spec }: VirtualMachineInstanceMigration): JsonPatchOperation[] {
  const { labels = {}, finalizers = [] } = metadata
  const name = spec.vmiName ?? ''
  return [
    ...(labels[vmiNameLabel] === name
      ? []
      : [{ op: 'add' as const, path: '/metadata/labels', value: { ...labels, [vmiNameLabel]: name } }]),
    ...(finalizers.includes(migrationFinalizer)
      ? []
      : [{ op: 'add' as const, path: '/metadata/finalizers', value: [...finalizers, migrationFinalizer] }]),
  ]
}

function invalid(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}
