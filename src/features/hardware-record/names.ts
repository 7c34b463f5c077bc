/** Annotations and conditions about what guests see of their hardware. */
export const hardwareNames = {
  /**
   * On a VM, or on the KubeVirt object for all VMs: what is done about a guest that would see other
   * hardware. One of {@link hardwarePolicies}.
   */
  policyAnnotation: 'steadyvm.io/hardware-changes',
  /**
   * On a VM: the fingerprint, or the start of it, of the hardware that its owner wants from now on.
   */
  acceptAnnotation: 'steadyvm.io/accept-hardware',
  /**
   * On VMIs, and so on their VMs: the guest sees other hardware than at its last start, or would.
   */
  changedCondition: 'steadyvm.io/HardwareChanged',
  /** Reason of that condition where the guest was not started. */
  refusedReason: 'Refused',
} as const

/**
 * `Allow`: nothing is said. `Warn`: it is told. `Refuse`: the guest is not started until its owner accepts it.
 */
export const hardwarePolicies = ['Allow', 'Warn', 'Refuse'] as const

/** See {@link hardwarePolicies}. */
export type HardwarePolicy = (typeof hardwarePolicies)[number]
