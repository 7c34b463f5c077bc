import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePoolSelectionPolicy, VirtualMachinePoolSelectors } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import type { LabelSelectorRequirement } from '#api/meta/v1/label-selector.ts'
import { type LabelSelector, labelSelectorFromObject, parseLabelSelector, SelectorError } from '#apimachinery/selectors/label-selector.ts'
import { ordinalOf } from '../names.ts'

/**
 * Returns the VMs that a policy selects, in its order. `Random`, which is the default, is the order
 * of their UIDs: a retry chooses the same. Pure.
 */
export function choose(vms: readonly VirtualMachine[], policy: VirtualMachinePoolSelectionPolicy = {}): readonly VirtualMachine[] {
  return vms.filter((vm) => matches(vm, policy.selectors)).toSorted(orders[policy.sortPolicy ?? ''] ?? byUid)
}

type Order = (a: VirtualMachine, b: VirtualMachine) => number

const byUid: Order = (a, b) => ((a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1)
const byOrdinal: Order = (a, b) => ordinalOf(a) - ordinalOf(b)
const byAge: Order = (a, b) => creation(a) - creation(b) || byOrdinal(a, b)

const orders: Readonly<Record<string, Order>> = {
  AscendingOrder: byOrdinal,
  DescendingOrder: (a, b) => byOrdinal(b, a),
  Oldest: byAge,
  Newest: (a, b) => byAge(b, a),
}

function creation({ metadata }: VirtualMachine): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0
}

/** Selectors apply to the template of a VM: to its labels and to its node selector. */
function matches({ spec: { template } }: VirtualMachine, selectors: VirtualMachinePoolSelectors = {}): boolean {
  const { ofLabels, ofNodes } = parseSelectors(selectors)
  return ofLabels.matches(template.metadata?.labels) && ofNodes.matches(template.spec.nodeSelector)
}

/** Returns both selectors; an absent one matches everything. @throws SelectorError */
export function parseSelectors({ labelSelector, nodeSelectorRequirementMatcher = [] }: VirtualMachinePoolSelectors): {
  readonly ofLabels: LabelSelector
  readonly ofNodes: LabelSelector
} {
  return {
    ofLabels: labelSelectorFromObject(labelSelector ?? {}),
    ofNodes: parseLabelSelector(nodeSelectorRequirementMatcher.map(textOf).join(',')),
  }
}

/** A requirement in the grammar of selectors, which has Gt and Lt, other than the object form. */
function textOf({ key, operator, values = [] }: LabelSelectorRequirement): string {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return `${key} ${operator.toLowerCase()} (${values.join(',')})`
    case 'Exists':
      return key
    case 'DoesNotExist':
      return `!${key}`
    case 'Gt':
    case 'Lt':
      return `${key} ${operator === 'Gt' ? '>' : '<'} ${values.join(',')}`
    default:
      throw new SelectorError(key, `"${operator}" is not a valid label selector operator`)
  }
}
