import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

type State = { enabled?: boolean }

/** Enables features that are present without a state: naming one asks for it, as in KubeVirt. */
export function completeFeaturesInto(spec: VirtualMachineInstanceSpec): void {
  const features = (spec.domain.features ??= {})
  features.acpi = { ...features.acpi, enabled: features.acpi?.enabled ?? spec.architecture !== 's390x' }
  enableInto(features.apic, features.smm, features.pvspinlock)
  const { hyperv } = features
  if (hyperv === undefined) return
  enableInto(...Object.values(hyperv as Record<string, State | undefined>))
  enableInto(hyperv.synictimer?.direct, hyperv.tlbflush?.direct, hyperv.tlbflush?.extended)
  if (hyperv.spinlocks?.enabled === true) hyperv.spinlocks.spinlocks ??= 4096
}

/** Enables timers that are present without a state. */
export function completeTimersInto({ domain }: VirtualMachineInstanceSpec): void {
  const { hpet, kvm, pit, rtc, hyperv } = domain.clock?.timer ?? {}
  for (const timer of [hpet, kvm, pit, rtc, hyperv]) if (timer !== undefined) timer.present ??= true
}

/** Enables features that are present without a state. A revision may hold other types of values. */
export function enableInto(...features: readonly (State | undefined)[]): void {
  for (const feature of features) if (typeof feature === 'object') feature.enabled ??= true
}
