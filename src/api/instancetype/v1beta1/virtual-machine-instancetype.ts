import type { VirtualMachineInstancetypeSpec as NewerInstancetypeSpec } from '#api/instancetype/v1/virtual-machine-instancetype.ts'
import type { LaunchSecurity } from '#api/kubevirt/v1/domain/launch-security.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'

/** Sizes guests of one namespace. */
export interface VirtualMachineInstancetype extends ApiObject {
  /** The sizes. */
  spec: VirtualMachineInstancetypeSpec
}

/** Sizes guests of all namespaces. */
export interface VirtualMachineClusterInstancetype extends ApiObject {
  /** The sizes. */
  spec: VirtualMachineInstancetypeSpec
}

/**
 * Hardware that an instance type gives to a guest. A VM that sets one of these fields conflicts.
 */
export interface VirtualMachineInstancetypeSpec extends NewerInstancetypeSpec {
  /**
   * Protects the guest's memory from the node. Deprecated: use a preference.
   * @notActedOn
   */
  launchSecurity?: LaunchSecurity
}
