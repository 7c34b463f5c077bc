import type {
  CPUPreferences as NewerCPUPreferences,
  FirmwarePreferences as NewerFirmwarePreferences,
  VirtualMachinePreferenceSpec as NewerPreferenceSpec,
} from '#api/instancetype/v1/virtual-machine-preference.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { UInt32 } from '#api/scalars.ts'

/** Fills what guests of one namespace leave open. */
export interface VirtualMachinePreference extends ApiObject {
  /** The preferences. */
  spec: VirtualMachinePreferenceSpec
}

/** Fills what guests of all namespaces leave open. */
export interface VirtualMachineClusterPreference extends ApiObject {
  /** The preferences. */
  spec: VirtualMachinePreferenceSpec
}

/** Values for fields that the VM leaves unset. */
export interface VirtualMachinePreferenceSpec extends NewerPreferenceSpec {
  /** Virtual processors. */
  cpu?: CPUPreferences
  /** Firmware. */
  firmware?: FirmwarePreferences
  /** Cores of each socket with the spread topology; deprecated for cpu.spreadOptions.ratio. */
  preferSpreadSocketToCoreRatio?: UInt32
}

/** Virtual processors. */
export interface CPUPreferences extends NewerCPUPreferences {
  /** Topology of the instance type's CPUs: sockets, cores, threads, spread or any. */
  preferredCPUTopology?: string
}

/** Firmware. */
export interface FirmwarePreferences extends NewerFirmwarePreferences {
  /** EFI; deprecated for preferredEfi. */
  preferredUseEfi?: boolean
  /** Starts only what is signed; deprecated for preferredEfi. */
  preferredUseSecureBoot?: boolean
}
