import type { Node } from '#api/core/v1/node.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { names } from '#features/vmi/index.ts'
import { isAgentOlderThanLauncher } from './versions.ts'

/**
 * Reports whether a guest may be migrated to a node, judged by the node alone: it is ready and
 * schedulable, its agent is not older than the guest's launcher, and it has the labels that the VMI
 * requires. Capacity and affinity are left to the scheduler. Without this check a target pod would
 * stay pending.
 */
export function isEligibleTarget(node: Node, vmi: VirtualMachineInstance): boolean {
  const { metadata, spec, status } = node
  const labels = metadata.labels ?? {}
  if (spec?.unschedulable === true || labels[names.schedulableLabel] !== 'true' || !isTrue(status?.conditions, 'Ready')) return false
  return !isAgentOlderThanLauncher(node, vmi) && Object.entries(vmi.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)
}
