import type { MigrationDefaults } from '#features/cluster-config/index.ts'
import type { MigrationPolicy } from '#api/migrations/v1alpha1/migration-policy.ts'

/** Settings of one migration. Frozen at the hand-over: later changes apply to later migrations. */
export interface MigrationSettings {
  readonly migrationPolicyName?: string
  readonly migrationConfiguration: Readonly<Record<string, unknown>>
}

/** Returns the cluster's settings, overridden by those of the policy that matches best. */
export function resolveMigrationSettings(
  defaults: MigrationDefaults,
  policies: readonly MigrationPolicy[],
  labels: WorkloadLabels,
): MigrationSettings {
  const policy = choosePolicy(policies, labels)
  if (policy === undefined) return { migrationConfiguration: { ...defaults } }
  const { selectors: _selectors, ...overrides } = policy.spec
  const disruption = overrides.allowWorkloadDisruption ?? overrides.allowPostCopy ?? defaults.allowWorkloadDisruption
  return {
    migrationPolicyName: policy.metadata.name ?? '',
    migrationConfiguration: { ...defaults, ...overrides, allowWorkloadDisruption: disruption },
  }
}

/** Labels that policies select by: the VMI's and its namespace's. */
export interface WorkloadLabels {
  readonly guest: Readonly<Record<string, string>>
  readonly namespace: Readonly<Record<string, string>>
}

/**
 * Returns the policy for a guest: of those whose selectors all match, the one with the most labels;
 * VMI labels count before namespace labels, then the name.
 */
export function choosePolicy(policies: readonly MigrationPolicy[], labels: WorkloadLabels): MigrationPolicy | undefined {
  return policies.filter((policy) => fits(policy, labels)).toSorted(compare)[0]
}

function fits({ spec }: MigrationPolicy, { guest, namespace }: WorkloadLabels): boolean {
  const { namespaceSelector = {}, virtualMachineInstanceSelector = {} } = spec.selectors ?? {}
  return hasAll(guest, virtualMachineInstanceSelector) && hasAll(namespace, namespaceSelector)
}

function hasAll(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value)
}

function compare(one: MigrationPolicy, other: MigrationPolicy): number {
  const [a, b] = [countOf(one), countOf(other)]
  const names = (one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1
  return b.all - a.all || b.guest - a.guest || names
}

function countOf({ spec }: MigrationPolicy): { readonly all: number; readonly guest: number } {
  const guest = Object.keys(spec.selectors?.virtualMachineInstanceSelector ?? {}).length
  return { guest, all: guest + Object.keys(spec.selectors?.namespaceSelector ?? {}).length }
}
