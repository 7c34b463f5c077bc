import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { names } from '#features/vmi/index.ts'

/** Index of budgets by the UID of the VMI that controls them. */
export const budgetsByVmi = 'disruptionBudget.vmi'

/** Returns the keys of a budget in {@link budgetsByVmi}. */
export function vmiUids(budget: PodDisruptionBudget): readonly string[] {
  const { kind, uid } = controllerOf(budget) ?? {}
  return kind === 'VirtualMachineInstance' && uid !== undefined ? [uid] : []
}

/**
 * Returns the name of a guest's budget. Derived from the VMI's UID: the same in each attempt, and
 * never that of an earlier VMI.
 */
export function budgetNameOf({ metadata }: VirtualMachineInstance): string {
  return `kubevirt-disruption-budget-${metadata.uid}`
}

/** Builds the budget of a guest, owned by its VMI. */
export function buildBudget(vmi: VirtualMachineInstance, minAvailable: number): PodDisruptionBudget {
  const { name = '', namespace = '', uid = '' } = vmi.metadata
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name, uid, controller: true, blockOwnerDeletion: true }
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: budgetNameOf(vmi), namespace, labels: { [names.createdByLabel]: uid }, ownerReferences: [owner] },
    // A number: percentages need a controller with a scale subresource, which a VMI has not.
    spec: { minAvailable, selector: { matchLabels: { [names.createdByLabel]: uid } } },
  }
}
