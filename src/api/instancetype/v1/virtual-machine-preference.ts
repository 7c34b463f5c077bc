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
export interface VirtualMachinePreferenceSpec {
  /** Clock and timers. */
  clock?: ClockPreferences
  /** Virtual CPUs. */
  cpu?: CPUPreferences
  /** Devices. */
  devices?: DevicePreferences
  /** Features of the machine. */
  features?: FeaturePreferences
  /** Firmware. */
  firmware?: FirmwarePreferences
  /** Machine type. */
  machine?: MachinePreferences
  /** Volumes. */
  volumes?: VolumePreferences
  /** Subdomain of the guest's host name. */
  preferredSubdomain?: string
  /** Seconds between the shutdown request to the guest and its forced termination. */
  preferredTerminationGracePeriodSeconds?: Int64
  /** Minimum requirements of the guest. A VM with fewer resources is rejected. */
  requirements?: PreferenceRequirements
  /** Annotations of the VMI. */
  annotations?: Record<string, string>
  /** CPU architecture. */
  preferredArchitecture?: string
  /**
   * Encryption of the guest's memory against access by the node.
   * @notActedOn
   */
  preferredLaunchSecurity?: LaunchSecurity
}

/** Preferred clock and timers. */
export interface ClockPreferences {
  /** Offset of the guest's clock. */
  preferredClockOffset?: ClockOffset
  /** Timers of the guest. */
  preferredTimer?: Timer
}

/** Preferred CPU topology and features. */
export interface CPUPreferences {
  /**
   * Topology of the virtual CPUs of the instance type.
   * @enum sockets,cores,threads,spread,any
   */
  preferredCPUTopology?: string
  /** Settings for the spread topology. */
  spreadOptions?: SpreadOptions
  /** CPU features to add to the model or to remove from the model. */
  preferredCPUFeatures?: CPUFeature[]
}

/** Settings for the spread topology. */
export interface SpreadOptions {
  /**
   * Levels of the topology to spread the virtual CPUs across: SocketsCores, SocketsCoresThreads or
   * CoresThreads.
   */
  across?: string
  /** Ratio of the second level of the topology to the first; 2 when absent. */
  ratio?: UInt32
}

/** Preferred devices. */
export interface DevicePreferences {
  /** Adds a video device. */
  preferredAutoattachGraphicsDevice?: boolean
  /** Adds a memory balloon. */
  preferredAutoattachMemBalloon?: boolean
  /** Adds an interface on the pod network. */
  preferredAutoattachPodInterface?: boolean
  /** Adds a serial console. */
  preferredAutoattachSerialConsole?: boolean
  /** Adds an input device. */
  preferredAutoattachInputDevice?: boolean
  /** Disables the hotplug of disks. */
  preferredDisableHotplug?: boolean
  /**
   * Settings of virtual GPUs.
   * @notActedOn
   */
  preferredVirtualGPUOptions?: VGPUOptions
  /** Model of the sound device. */
  preferredSoundModel?: string
  /** Uses transitional virtio devices, which support virtio 0.9. */
  preferredUseVirtioTransitional?: boolean
  /** Bus of input devices: virtio or usb. */
  preferredInputBus?: string
  /** Type of input devices: tablet or keyboard. */
  preferredInputType?: string
  /** Bus of disks: virtio, sata, scsi or usb. */
  preferredDiskBus?: string
  /** Bus of LUNs: virtio, sata or scsi. */
  preferredLunBus?: string
  /** Bus of CD-ROMs: virtio, sata or scsi. */
  preferredCdromBus?: string
  /** Gives each virtio disk a dedicated I/O thread. */
  preferredDiskDedicatedIoThread?: boolean
  /** Cache mode of disks: none, writethrough or writeback. */
  preferredDiskCache?: string
  /** I/O mode of disks: native, default or threads. */
  preferredDiskIO?: string
  /** Block sizes of disks. */
  preferredDiskBlockSize?: BlockSize
  /** Model of network interfaces. */
  preferredInterfaceModel?: string
  /** Random number generator with the node as entropy source. */
  preferredRng?: Rng
  /** Gives each disk one queue for each virtual CPU. */
  preferredBlockMultiQueue?: boolean
  /**
   * Gives each network interface one queue for each virtual CPU.
   * @notActedOn
   */
  preferredNetworkInterfaceMultiQueue?: boolean
  /** TPM device. */
  preferredTPM?: TPMDevice
  /** Masquerade (NAT) as binding of interfaces on the pod network. */
  preferredInterfaceMasquerade?: InterfaceMasquerade
  /** Model of the panic device: hyperv, isa or pvpanic. */
  preferredPanicDeviceModel?: string
  /** Type of the video device. */
  preferredVideoType?: string
}

/** Preferred features of the machine. */
export interface FeaturePreferences {
  /** ACPI support. */
  preferredAcpi?: FeatureState
  /** APIC, the interrupt controller of x86. */
  preferredApic?: FeatureAPIC
  /** Hyper-V enlightenments. */
  preferredHyperv?: FeatureHyperv
  /** Visibility of KVM to the guest. */
  preferredKvm?: FeatureKVM
  /** Paravirtualized spinlocks. */
  preferredPvspinlock?: FeatureState
  /** System management mode (SMM). */
  preferredSmm?: FeatureState
}

/** Preferred firmware. */
export interface FirmwarePreferences {
  /** Boots with BIOS. */
  preferredUseBios?: boolean
  /** Sends the output of the BIOS to the serial console. */
  preferredUseBiosSerial?: boolean
  /** EFI with these settings. */
  preferredEfi?: EFI
}

/** Preferred machine type. */
export interface MachinePreferences {
  /** Machine type, such as `q35` or `virt`. */
  preferredMachineType?: string
}

/** Preferred settings of volumes. */
export interface VolumePreferences {
  /** Storage class of PersistentVolumeClaims without one. */
  preferredStorageClassName?: string
}

/** Minimum requirements of a guest. */
export interface PreferenceRequirements {
  /** Minimum number of virtual CPUs. */
  cpu?: CPUPreferenceRequirement
  /** Minimum size of the memory. */
  memory?: MemoryPreferenceRequirement
  /** Required CPU architecture. */
  architecture?: string
}

/** Minimum number of virtual CPUs that a guest needs. */
export interface CPUPreferenceRequirement {
  /** Number of virtual CPUs. */
  guest: UInt32
}

/** Minimum size of the memory that a guest needs. */
export interface MemoryPreferenceRequirement {
  /** Size of the memory. */
  guest: Quantity
}
