import type { Node } from '#api/core/v1/node.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { names } from '#features/vmi/index.ts'
import { isAgentOlderThanLauncher } from './versions.ts'

/**
 * Whether a guest could go to a node, as far as the node itself says: it is there, open, has a node
 * agent that is not older than the guest's launcher, and the labels that the VMI asks for. Room and
 * affinity are the scheduler's. What is said no to here would be a pod that never starts.
 */
export function isEligibleTarget(node: Node, vmi: VirtualMachineInstance): boolean {
  const { metadata, spec, status } = node
  const labels = metadata.labels ?? {}
  if (spec?.unschedulable === true || labels[names.schedulableLabel] !== 'true' || !isTrue(status?.conditions, 'Ready')) return false
  return !isAgentOlderThanLauncher(node, vmi) && Object.entries(vmi.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)
}
