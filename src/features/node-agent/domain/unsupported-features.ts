import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isOn } from './cpu.ts'
import type { Host } from '../node/host.ts'

/**
 * Returns the requested features that the guest runs without: fields below `spec.domain` that only
 * affect speed or clock accuracy and need KVM, or a network. The VMI's status reports them.
 */
export function unsupportedFeatures(spec: VirtualMachineInstanceSpec, host: Host, hasNetwork: boolean): string[] {
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
    // User-mode networking has a single queue.
    ...(!hasNetwork && devices.networkInterfaceMultiqueue === true && vcpus > 1 ? ['devices.networkInterfaceMultiqueue'] : []),
  ]
}

/** Reports whether SeaBIOS adds its own ACPI tables, as it does on q35 when QEMU offers none. */
function hasFirmwareAcpi({ domain }: VirtualMachineInstanceSpec, { machineAliases }: Host): boolean {
  const wanted = domain.machine?.type ?? ''
  const isQ35 = (machineAliases[wanted] ?? wanted).startsWith('pc-q35-')
  return isQ35 && domain.features?.acpi?.enabled === false && domain.firmware?.bootloader?.efi === undefined
}
