import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { RelatedObjects } from '../cluster-state/read-related-objects.ts'

/** Names of the policies that select a guest of one of these VMs. */
export function policiesFor(
  vms: readonly (VirtualMachine | undefined)[],
  { migrationPolicies, namespaceLabels }: Pick<RelatedObjects, 'migrationPolicies' | 'namespaceLabels'>,
): string[] {
  const selecting = (migrationPolicies ?? []).filter(({ spec }) => {
    const { namespaceSelector, virtualMachineInstanceSelector } = spec?.selectors ?? {}
    // A policy without selectors selects nothing.
    if (namespaceSelector === undefined && virtualMachineInstanceSelector === undefined) return false
    return vms.some(
      (vm) =>
        hasAll(namespaceLabels.get(vm?.metadata.namespace ?? '') ?? {}, namespaceSelector ?? {}) &&
        hasAll(vm?.spec.template.metadata?.labels ?? {}, virtualMachineInstanceSelector ?? {}),
    )
  })
  return selecting.map(({ metadata }) => metadata?.name ?? '').toSorted()
}

function hasAll(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value)
}
