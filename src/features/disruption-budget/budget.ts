import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { names } from '#features/vmi/index.ts'

/** Selects the budgets of guests among all budgets. */
export const budgetSelector: string = names.createdByLabel

/**
 * Name of a guest's budget: by its uid, so that it is the same one in each attempt, and never that
 * of an earlier VMI.
 */
export function budgetNameOf({ metadata }: VirtualMachineInstance): string {
  return `kubevirt-disruption-budget-${metadata.uid}`
}

/** The budget of a guest. It goes with its VMI. */
export function buildBudget(vmi: VirtualMachineInstance, minAvailable: number): PodDisruptionBudget {
  const { name = '', namespace = '', uid = '' } = vmi.metadata
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name, uid, controller: true, blockOwnerDeletion: true }
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: budgetNameOf(vmi), namespace, labels: { [names.createdByLabel]: uid }, ownerReferences: [owner] },
    // A number, since a percentage needs an owner of the pods that says how many it wants, which a
    // VMI cannot.
    spec: { minAvailable, selector: { matchLabels: { [names.createdByLabel]: uid } } },
  }
}
