import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClusterConfig } from '../cluster-config.ts'
import { completeDevicesInto } from './devices.ts'
import { completeFeaturesInto, completeTimersInto } from './features.ts'
import { completeFirmwareInto } from './firmware.ts'
import { completeHotplugInto } from './hotplug.ts'
import { completeHypervInto } from './hyperv.ts'
import { completeProbesInto } from './probes.ts'
import { completeCountsInto, completeCpuModelInto } from './resources.ts'
import { completeTemplateSpecInto, ensureDomainInto } from './template-spec.ts'

/**
 * Fills in required fields of a VMI that are unset: those of a template, and those that only a
 * guest needs. Idempotent, so that admission does not change a VMI that the VM controller has
 * completed.
 */
export function completeVmiSpecInto(spec: VirtualMachineInstanceSpec, config: ClusterConfig): void {
  ensureDomainInto(spec)
  completeTemplateSpecInto(spec, config)
  completeCountsInto(spec)
  completeFeaturesInto(spec)
  completeTimersInto(spec)
  completeHypervInto(spec)
  completeDevicesInto(spec)
  completeFirmwareInto(spec)
  completeCpuModelInto(spec, config)
  completeProbesInto(spec)
  completeHotplugInto(spec, config)
}
