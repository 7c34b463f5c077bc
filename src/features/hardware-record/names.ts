/** Annotations and conditions about hardware changes. */
export const hardwareNames = {
  /**
   * On a VM, or on the KubeVirt object as default: policy for hardware changes, one of {@link
   * hardwarePolicies}.
   */
  policyAnnotation: 'steadyvm.io/hardware-changes',
  /** On a VM: fingerprint, or its prefix, that the owner accepts. */
  acceptAnnotation: 'steadyvm.io/accept-hardware',
  /**
   * On VMIs and their VMs: the guest sees other hardware than at its last start, or would see it.
   */
  changedCondition: 'steadyvm.io/HardwareChanged',
  /** Reason of the condition when the start was refused. */
  refusedReason: 'Refused',
} as const

/** `Allow`: silent. `Warn`: event and condition. `Refuse`: no start until the owner accepts. */
export const hardwarePolicies = ['Allow', 'Warn', 'Refuse'] as const

/** See {@link hardwarePolicies}. */
export type HardwarePolicy = (typeof hardwarePolicies)[number]
