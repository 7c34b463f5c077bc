import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from '../cluster-config.ts'
import { addDefaultNetworkInto, addMissingDisksInto } from './devices.ts'
import { completePullPoliciesInto } from './image-pull-policy.ts'
import { completeCpuRequestInto, completeCpuTopologyInto, completeGuestMemoryInto } from './resources.ts'

/**
 * Fills in what a VM decides when its instance type is expanded into its template: the
 * architecture, the machine, its size, its disks and its network. All other defaults are decided at
 * each start. KubeVirt draws the same line.
 */
export function completeTemplateSpecInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  spec.architecture ||= config.architecture
  completeMachineInto(spec, config)
  completeCpuRequestInto(spec, config)
  completeGuestMemoryInto(spec)
  completeCpuTopologyInto(spec)
  completePullPoliciesInto(spec)
  spec.evictionStrategy ??= config.evictionStrategy
  addDefaultNetworkInto(spec, config)
  addMissingDisksInto(spec)
}

/** Creates `domain` and `domain.devices` in a spec that omits them. */
export function ensureDomainInto(spec: VirtualMachineInstanceSpec): void {
  const partial = spec as { domain?: Partial<VirtualMachineInstanceSpec['domain']> }
  partial.domain ??= {}
  partial.domain.devices ??= {}
}

function completeMachineInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  if ((spec.domain.machine?.type ?? '') !== '') return
  const type = config.machineTypes[spec.architecture ?? config.architecture]
  if (type !== undefined) spec.domain.machine = { ...spec.domain.machine, type }
}
