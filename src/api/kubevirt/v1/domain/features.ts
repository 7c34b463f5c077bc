import type { UInt32 } from '#api/scalars.ts'

/** Features of the emulated machine. */
export interface Features {
  /** ACPI support; enabled when absent. */
  acpi?: FeatureState
  /** APIC, the interrupt controller of x86. */
  apic?: FeatureAPIC
  /**
   * All Hyper-V enlightenments that the node supports.
   * @notActedOn
   */
  hypervPassthrough?: HyperVPassthrough
  /** Hyper-V enlightenments. */
  hyperv?: FeatureHyperv
  /** System management mode (SMM). */
  smm?: FeatureState
  /** Visibility of KVM to the guest. */
  kvm?: FeatureKVM
  /** Paravirtualized spinlocks. */
  pvspinlock?: FeatureState
}

/** State of a feature. */
export interface FeatureState {
  /** True if the feature is enabled; true when absent. */
  enabled?: boolean
}

/** APIC, the interrupt controller of x86. */
export interface FeatureAPIC extends FeatureState {
  /** Notifies the guest of the end of an interrupt (EOI). */
  endOfInterrupt?: boolean
}

/** All Hyper-V enlightenments that the node supports. */
export interface HyperVPassthrough {
  /** True if the passthrough is enabled. */
  enabled?: boolean
}

/** Visibility of KVM to the guest. */
export interface FeatureKVM {
  /** Hides KVM from the guest. */
  hidden?: boolean
}

/** Hyper-V enlightenments. */
export interface FeatureHyperv {
  /** Disables watchdogs of the guest. */
  relaxed?: FeatureState
  /** Paravirtualized interrupt controller. */
  vapic?: FeatureState
  /** Paravirtualized spinlocks. */
  spinlocks?: FeatureSpinlocks
  /** Virtual CPU indexes. */
  vpindex?: FeatureState
  /** Accounting of the run time of virtual CPUs. */
  runtime?: FeatureState
  /** Synthetic interrupt controller (SynIC). */
  synic?: FeatureState
  /** Synthetic timers. */
  synictimer?: SyNICTimer
  /** Reset through the hypervisor. */
  reset?: FeatureState
  /** Vendor ID of the hypervisor. */
  vendorid?: FeatureVendorID
  /** Frequencies of the TSC and of the APIC timer. */
  frequencies?: FeatureState
  /** Notification of changes of the TSC frequency. */
  reenlightenment?: FeatureState
  /** Paravirtualized TLB flush. */
  tlbflush?: TLBFlush
  /** Paravirtualized interrupts between virtual CPUs (IPI). */
  ipi?: FeatureState
  /** Enlightened VMCS, which accelerates nested virtualization. */
  evmcs?: FeatureState
}

/** Paravirtualized spinlocks. */
export interface FeatureSpinlocks extends FeatureState {
  /** Number of retries before the hypervisor is notified; at least 4096. */
  spinlocks?: UInt32
}

/** Synthetic timers. */
export interface SyNICTimer extends FeatureState {
  /** Direct mode: expirations are delivered directly. */
  direct?: FeatureState
}

/** Vendor ID of the hypervisor. */
export interface FeatureVendorID extends FeatureState {
  /** Vendor ID with at most twelve characters. */
  vendorid?: string
}

/** Paravirtualized TLB flush. */
export interface TLBFlush extends FeatureState {
  /**
   * TLB flush for nested guests.
   * @notActedOn
   */
  direct?: FeatureState
  /**
   * TLB flush for parts of the address space.
   * @notActedOn
   */
  extended?: FeatureState
}
