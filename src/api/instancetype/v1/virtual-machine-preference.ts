import type { ClockOffset, Timer } from '#api/kubevirt/v1/domain/clock.ts'
import type { CPUFeature } from '#api/kubevirt/v1/domain/cpu.ts'
import type { Rng, TPMDevice, VGPUOptions } from '#api/kubevirt/v1/domain/devices.ts'
import type { BlockSize } from '#api/kubevirt/v1/domain/disk.ts'
import type { FeatureAPIC, FeatureHyperv, FeatureKVM, FeatureState } from '#api/kubevirt/v1/domain/features.ts'
import type { EFI } from '#api/kubevirt/v1/domain/firmware.ts'
import type { InterfaceMasquerade } from '#api/kubevirt/v1/domain/interface.ts'
import type { LaunchSecurity } from '#api/kubevirt/v1/domain/launch-security.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int64, Quantity, UInt32 } from '#api/scalars.ts'

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
export interface VirtualMachinePreferenceSpec {
  /** Clock and timers. */
  clock?: ClockPreferences
  /** Virtual processors. */
  cpu?: CPUPreferences
  /** Devices. */
  devices?: DevicePreferences
  /** Features of the machine. */
  features?: FeaturePreferences
  /** Firmware. */
  firmware?: FirmwarePreferences
  /** Type of the machine. */
  machine?: MachinePreferences
  /** Volumes. */
  volumes?: VolumePreferences
  /** Subdomain of the guest. */
  preferredSubdomain?: string
  /** Seconds between being told to power off and being killed. */
  preferredTerminationGracePeriodSeconds?: Int64
  /** Minimum requirements of the guest; less is refused. */
  requirements?: PreferenceRequirements
  /** Annotations of the guest. */
  annotations?: Record<string, string>
  /** Processor architecture. */
  preferredArchitecture?: string
  /**
   * Protects the guest's memory from the node.
   * @notActedOn
   */
  preferredLaunchSecurity?: LaunchSecurity
}

/** Clock and timers. */
export interface ClockPreferences {
  /** Offset of the clock. */
  preferredClockOffset?: ClockOffset
  /** Timers of the guest. */
  preferredTimer?: Timer
}

/** Virtual processors. */
export interface CPUPreferences {
  /**
   * Topology of the instance type's CPUs.
   * @enum sockets,cores,threads,spread,any
   */
  preferredCPUTopology?: string
  /** Settings of the spread topology. */
  spreadOptions?: SpreadOptions
  /** Features to add to the model or take away from it. */
  preferredCPUFeatures?: CPUFeature[]
}

/** Settings of the spread topology. */
export interface SpreadOptions {
  /** SocketsCores, SocketsCoresThreads or CoresThreads. */
  across?: string
  /** How many of the second for each of the first; 2 when absent. */
  ratio?: UInt32
}

/** Devices. */
export interface DevicePreferences {
  /** Adds a graphics device. */
  preferredAutoattachGraphicsDevice?: boolean
  /** Adds a memory balloon. */
  preferredAutoattachMemBalloon?: boolean
  /** Adds an interface on the pod network. */
  preferredAutoattachPodInterface?: boolean
  /** Adds a serial console. */
  preferredAutoattachSerialConsole?: boolean
  /** Adds an input device. */
  preferredAutoattachInputDevice?: boolean
  /** Forbids plugging in disks while the guest runs. */
  preferredDisableHotplug?: boolean
  /**
   * Settings of virtual graphics processors.
   * @notActedOn
   */
  preferredVirtualGPUOptions?: VGPUOptions
  /** Model of the sound card. */
  preferredSoundModel?: string
  /** Speaks virtio 0.9. */
  preferredUseVirtioTransitional?: boolean
  /** Bus of input devices: virtio or usb. */
  preferredInputBus?: string
  /** Type of input devices: tablet or keyboard. */
  preferredInputType?: string
  /** Bus of disks: virtio, sata, scsi or usb. */
  preferredDiskBus?: string
  /** Bus of units: virtio, sata or scsi. */
  preferredLunBus?: string
  /** Bus of CD-ROMs: virtio, sata or scsi. */
  preferredCdromBus?: string
  /** Gives virtio disks an I/O thread of their own. */
  preferredDiskDedicatedIoThread?: boolean
  /** Cache of disks: none, writethrough or writeback. */
  preferredDiskCache?: string
  /** I/O of disks: native, default or threads. */
  preferredDiskIO?: string
  /** Sizes of disks' blocks. */
  preferredDiskBlockSize?: BlockSize
  /** Model of interfaces. */
  preferredInterfaceModel?: string
  /** Random numbers from the node. */
  preferredRng?: Rng
  /** Gives disks a queue for each processor. */
  preferredBlockMultiQueue?: boolean
  /**
   * Gives interfaces a queue for each processor.
   * @notActedOn
   */
  preferredNetworkInterfaceMultiQueue?: boolean
  /** Trusted platform module. */
  preferredTPM?: TPMDevice
  /** Puts interfaces on the pod network behind address translation. */
  preferredInterfaceMasquerade?: InterfaceMasquerade
  /** Model of the device that tells of the guest's panic: hyperv, isa or pvpanic. */
  preferredPanicDeviceModel?: string
  /** Type of the graphics device. */
  preferredVideoType?: string
}

/** Features of the machine. */
export interface FeaturePreferences {
  /** ACPI. */
  preferredAcpi?: FeatureState
  /** Interrupt controller of x86. */
  preferredApic?: FeatureAPIC
  /** Hyper-V enlightenments. */
  preferredHyperv?: FeatureHyperv
  /** How KVM shows itself. */
  preferredKvm?: FeatureKVM
  /** Paravirtual spin locks. */
  preferredPvspinlock?: FeatureState
  /** System management mode. */
  preferredSmm?: FeatureState
}

/** Firmware. */
export interface FirmwarePreferences {
  /** BIOS. */
  preferredUseBios?: boolean
  /** Shows the output of the BIOS on the serial console. */
  preferredUseBiosSerial?: boolean
  /** EFI. */
  preferredEfi?: EFI
}

/** Type of the machine. */
export interface MachinePreferences {
  /** `q35`, `virt`. */
  preferredMachineType?: string
}

/** Volumes. */
export interface VolumePreferences {
  /** Storage class of claims that name none. */
  preferredStorageClassName?: string
}

/** Minimum requirements of a guest. */
export interface PreferenceRequirements {
  /** Virtual processors. */
  cpu?: CPUPreferenceRequirement
  /** Memory. */
  memory?: MemoryPreferenceRequirement
  /** Processor architecture. */
  architecture?: string
}

/** Virtual processors that a guest needs at least. */
export interface CPUPreferenceRequirement {
  /** How many. */
  guest: UInt32
}

/** Memory that a guest needs at least. */
export interface MemoryPreferenceRequirement {
  /** How much. */
  guest: Quantity
}
