import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from '../cluster-config.ts'
import { addDefaultNetworkInto, addMissingDisksInto, completeDevicesInto } from './devices.ts'
import { completeHotplugInto } from './hotplug.ts'
import { completeHypervInto } from './hyperv.ts'
import { completePullPoliciesInto } from './image-pull-policy.ts'
import { completeCpuInto, completeMemoryInto } from './resources.ts'

/**
 * Fills in required fields of a VMI that are unset. Idempotent, so that admission does not change a
 * VMI that the VM controller has completed.
 */
export function completeVmiSpecInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  ensureDomainInto(spec)
  spec.architecture ||= config.architecture
  completeMachineInto(spec, config)
  completeMemoryInto(spec, config)
  completeCpuInto(spec, config)
  completeHotplugInto(spec, config)
  if (spec.architecture !== 's390x') completeAcpiInto(spec)
  if (spec.architecture === 'amd64') completeHypervInto(spec)
  spec.evictionStrategy ??= config.evictionStrategy
  addMissingDisksInto(spec)
  addDefaultNetworkInto(spec, config)
  completeDevicesInto(spec)
  completePullPoliciesInto(spec)
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

function completeAcpiInto(spec: VirtualMachineInstanceSpec): void {
  const features = (spec.domain.features ??= {})
  features.acpi = { enabled: true, ...features.acpi }
}
