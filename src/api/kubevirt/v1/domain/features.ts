import type { UInt32 } from '#api/scalars.ts'

/** Features of the emulated machine. */
export interface Features {
  /** ACPI; on when absent. */
  acpi?: FeatureState
  /** Interrupt controller of x86. */
  apic?: FeatureAPIC
  /**
   * Every Hyper-V enlightenment that the node supports.
   * @notActedOn
   */
  hypervPassthrough?: HyperVPassthrough
  /** Hyper-V enlightenments. */
  hyperv?: FeatureHyperv
  /** System management mode. */
  smm?: FeatureState
  /** How KVM shows itself. */
  kvm?: FeatureKVM
  /** Paravirtual spin locks. */
  pvspinlock?: FeatureState
}

/** A switch. */
export interface FeatureState {
  /** On or off; on when absent. */
  enabled?: boolean
}

/** Interrupt controller of x86. */
export interface FeatureAPIC extends FeatureState {
  /** Notifies the guest of the end of interrupts. */
  endOfInterrupt?: boolean
}

/** Every Hyper-V enlightenment that the node supports. */
export interface HyperVPassthrough {
  /** On or off. */
  enabled?: boolean
}

/** How KVM shows itself. */
export interface FeatureKVM {
  /** Hides it from the guest. */
  hidden?: boolean
}

/** Hyper-V enlightenments. */
export interface FeatureHyperv {
  /** Switches off watchdogs of the guest. */
  relaxed?: FeatureState
  /** Paravirtual interrupts. */
  vapic?: FeatureState
  /** Paravirtual spin locks. */
  spinlocks?: FeatureSpinlocks
  /** Index of virtual processors. */
  vpindex?: FeatureState
  /** Accounting of run time. */
  runtime?: FeatureState
  /** Synthetic interrupts. */
  synic?: FeatureState
  /** Synthetic timers. */
  synictimer?: SyNICTimer
  /** Restart through the hypervisor. */
  reset?: FeatureState
  /** Name of the vendor. */
  vendorid?: FeatureVendorID
  /** Frequencies of the clocks. */
  frequencies?: FeatureState
  /** Notification of changes of the time stamp counter. */
  reenlightenment?: FeatureState
  /** Paravirtual flush of the TLB. */
  tlbflush?: TLBFlush
  /** Paravirtual interrupts between processors. */
  ipi?: FeatureState
  /** Faster nested guests. */
  evmcs?: FeatureState
}

/** Paravirtual spin locks. */
export interface FeatureSpinlocks extends FeatureState {
  /** Retries before the hypervisor is told; at least 4096. */
  spinlocks?: UInt32
}

/** Synthetic timers. */
export interface SyNICTimer extends FeatureState {
  /** Delivers expirations directly. */
  direct?: FeatureState
}

/** Name of the vendor. */
export interface FeatureVendorID extends FeatureState {
  /** At most twelve characters. */
  vendorid?: string
}

/** Paravirtual flush of the TLB. */
export interface TLBFlush extends FeatureState {
  /**
   * For nested guests.
   * @notActedOn
   */
  direct?: FeatureState
  /**
   * Flushes parts.
   * @notActedOn
   */
  extended?: FeatureState
}
