import type {
  CPUPreferences as NewerCPUPreferences,
  FirmwarePreferences as NewerFirmwarePreferences,
  VirtualMachinePreferenceSpec as NewerPreferenceSpec,
} from '#api/instancetype/v1/virtual-machine-preference.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { UInt32 } from '#api/scalars.ts'

/** Preference for the VMs of one namespace: values for fields that a VM leaves unset. */
export interface VirtualMachinePreference extends ApiObject {
  /** Preferred values. */
  spec: VirtualMachinePreferenceSpec
}

/** Preference for the VMs of all namespaces: values for fields that a VM leaves unset. */
export interface VirtualMachineClusterPreference extends ApiObject {
  /** Preferred values. */
  spec: VirtualMachinePreferenceSpec
}

/** Values for fields that the VM leaves unset. */
export interface VirtualMachinePreferenceSpec extends NewerPreferenceSpec {
  /** Virtual CPUs. */
  cpu?: CPUPreferences
  /** Firmware. */
  firmware?: FirmwarePreferences
  /**
   * Number of cores for each socket with the spread topology. Deprecated: use
   * cpu.spreadOptions.ratio.
   */
  preferSpreadSocketToCoreRatio?: UInt32
}

/** Preferred CPU topology and features. */
export interface CPUPreferences extends NewerCPUPreferences {
  /** Topology of the virtual CPUs of the instance type: sockets, cores, threads, spread or any. */
  preferredCPUTopology?: string
}

/** Preferred firmware. */
export interface FirmwarePreferences extends NewerFirmwarePreferences {
  /** Boots with EFI. Deprecated: use preferredEfi. */
  preferredUseEfi?: boolean
  /** Boots signed software only (secure boot). Deprecated: use preferredEfi. */
  preferredUseSecureBoot?: boolean
}
