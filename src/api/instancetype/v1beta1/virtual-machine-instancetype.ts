import type { VirtualMachineInstancetypeSpec as NewerInstancetypeSpec } from '#api/instancetype/v1/virtual-machine-instancetype.ts'
import type { LaunchSecurity } from '#api/kubevirt/v1/domain/launch-security.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'

/** Instance type for the VMs of one namespace: CPUs, memory and other resources. */
export interface VirtualMachineInstancetype extends ApiObject {
  /** CPUs, memory and other resources. */
  spec: VirtualMachineInstancetypeSpec
}

/** Instance type for the VMs of all namespaces: CPUs, memory and other resources. */
export interface VirtualMachineClusterInstancetype extends ApiObject {
  /** CPUs, memory and other resources. */
  spec: VirtualMachineInstancetypeSpec
}

/**
 * Resources that an instance type gives to a VMI. A VM that sets one of these fields too is in
 * conflict with the instance type.
 */
export interface VirtualMachineInstancetypeSpec extends NewerInstancetypeSpec {
  /**
   * Encryption of the guest's memory against access by the node. Deprecated: use a preference.
   * @notActedOn
   */
  launchSecurity?: LaunchSecurity
}
