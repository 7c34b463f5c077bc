import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isOn } from './cpu.ts'
import type { Host } from '../node/host.ts'

/**
 * What a guest asks for, can do without, and does not get here: fields below `spec.domain`. They
 * make a guest faster or its clock steadier, under a hypervisor that emulation is not. Whoever
 * asked is told.
 */
export function unsupportedFeatures(spec: VirtualMachineInstanceSpec, host: Host): string[] {
  const { features, clock, cpu, devices } = spec.domain
  const vcpus = (cpu?.sockets || 1) * (cpu?.cores || 1) * (cpu?.threads || 1)
  const onlyKvm = [
    ...Object.entries(features?.hyperv ?? {}).flatMap(([name, state]) => (isOn(state as object) ? [`features.hyperv.${name}`] : [])),
    ...(features?.pvspinlock?.enabled === true ? ['features.pvspinlock'] : []),
    ...(features?.apic?.endOfInterrupt === true ? ['features.apic.endOfInterrupt'] : []),
    ...(isOn(clock?.timer?.hyperv, 'present') ? ['clock.timer.hyperv'] : []),
    ...(isOn(clock?.timer?.kvm, 'present') ? ['clock.timer.kvm'] : []),
    ...(isOn(clock?.timer?.pit, 'present') && (clock?.timer?.pit?.tickPolicy ?? 'delay') !== 'delay' ? ['clock.timer.pit.tickPolicy'] : []),
    ...((devices.panicDevices ?? []).some(({ model }) => model === 'hyperv') ? ['devices.panicDevices'] : []),
  ]
  return [
    ...(host.accelerator === 'kvm' ? [] : onlyKvm),
    ...(hasFirmwareAcpi(spec, host) ? ['features.acpi'] : []),
    // The user-mode network has one queue.
    ...(devices.networkInterfaceMultiqueue === true && vcpus > 1 ? ['devices.networkInterfaceMultiqueue'] : []),
  ]
}

/**
 * On q35 SeaBIOS makes ACPI tables of its own when QEMU offers none: a guest that shall have no
 * ACPI finds some.
 */
function hasFirmwareAcpi({ domain }: VirtualMachineInstanceSpec, { machineAliases }: Host): boolean {
  const wanted = domain.machine?.type ?? ''
  const isQ35 = (machineAliases[wanted] ?? wanted).startsWith('pc-q35-')
  return isQ35 && domain.features?.acpi?.enabled === false && domain.firmware?.bootloader?.efi === undefined
}
