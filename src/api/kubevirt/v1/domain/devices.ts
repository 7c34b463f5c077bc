import type { Disk } from './disk.ts'
import type { FeatureState } from './features.ts'
import type { Interface } from './interface.ts'

/** Devices of a guest. */
export interface Devices {
  /** Uses transitional virtio devices, which support guests with virtio 0.9. */
  useVirtioTransitional?: boolean
  /** Disables the hotplug of disks. */
  disableHotplug?: boolean
  /**
   * Disks, CD-ROMs and LUNs.
   * @maxItems 256
   */
  disks?: Disk[]
  /** Watchdog device. */
  watchdog?: Watchdog
  /**
   * Network interfaces.
   * @maxItems 256
   */
  interfaces?: Interface[]
  /** Input devices. */
  inputs?: Input[]
  /** Adds an interface on the pod network to a guest without interfaces; true when absent. */
  autoattachPodInterface?: boolean
  /** Adds a video device; true when absent. */
  autoattachGraphicsDevice?: boolean
  /** Adds a serial console; true when absent. */
  autoattachSerialConsole?: boolean
  /**
   * Writes the output of the serial console to a log.
   * @notActedOn
   */
  logSerialConsole?: boolean
  /** Adds a memory balloon; true when absent. */
  autoattachMemBalloon?: boolean
  /** Adds a tablet as input device; false when absent. */
  autoattachInputDevice?: boolean
  /** Adds a vsock device for communication between guest and node. */
  autoattachVSOCK?: boolean
  /** Random number generator with the node as entropy source. */
  rng?: Rng
  /** Gives each disk one queue for each virtual CPU. */
  blockMultiQueue?: boolean
  /** Gives each network interface of model virtio one queue for each virtual CPU, 256 at most. */
  networkInterfaceMultiqueue?: boolean
  /**
   * GPUs of the node that are passed through to the guest.
   * @listType atomic
   */
  gpus?: GPU[]
  /**
   * Metrics of the node, exposed through a serial port.
   * @notActedOn
   */
  downwardMetrics?: DownwardMetrics
  /** Panic devices, which notify the node of a panic of the guest. */
  panicDevices?: PanicDevice[]
  /**
   * File systems that are shared with the guest.
   * @listType atomic
   * @notActedOn
   */
  filesystems?: Filesystem[]
  /**
   * Host devices of the node that are passed through to the guest.
   * @listType atomic
   */
  hostDevices?: HostDevice[]
  /** Redirection of USB devices from clients to the guest. */
  clientPassthrough?: ClientPassthroughDevices
  /** Sound device. */
  sound?: SoundDevice
  /** TPM device. */
  tpm?: TPMDevice
  /** Video device. */
  video?: VideoDevice
}

/** Watchdog device. */
export interface Watchdog extends WatchdogDevice {
  /** Name of the device. */
  name: string
}

/** Type of a watchdog device; i6300esb when no member is set. */
export interface WatchdogDevice {
  /** i6300esb, a PCI watchdog. */
  i6300esb?: I6300ESBWatchdog
  /**
   * diag288, the watchdog of s390x.
   * @notActedOn
   */
  diag288?: Diag288Watchdog
}

/** i6300esb, a PCI watchdog. */
export interface I6300ESBWatchdog {
  /** Action on expiry: poweroff, reset or shutdown; reset when absent. */
  action?: string
}

/** diag288, the watchdog of s390x. */
export interface Diag288Watchdog {
  /** Action on expiry: poweroff, reset or shutdown; reset when absent. */
  action?: string
}

/** Input device. */
export interface Input {
  /** Bus of the device: virtio or usb. */
  bus?: string
  /** Type of the device: tablet or keyboard. */
  type: string
  /** Name of the device. */
  name: string
}

/** Random number generator. No fields; the presence of the object adds the device. */
export interface Rng {}

/** Device for metrics of the node. No fields; the presence of the object adds the device. */
export interface DownwardMetrics {}

/** Request for a device through a ResourceClaim. */
export interface ClaimRequest {
  /** Name of the claim in the resourceClaims of the VMI. */
  claimName?: string
  /** Name of the request in the ResourceClaim. */
  requestName?: string
}

/** GPU of the node that is passed through to the guest. */
export interface GPU extends ClaimRequest {
  /** Name of the device. */
  name: string
  /** Name of the device plugin resource that provides the GPU. */
  deviceName?: string
  /** Settings of a virtual GPU. */
  virtualGPUOptions?: VGPUOptions
  /** Tag of the device in the metadata of the guest. */
  tag?: string
}

/** Settings of a virtual GPU. */
export interface VGPUOptions {
  /** Display of the virtual GPU. */
  display?: VGPUDisplayOptions
}

/** Display of a virtual GPU. */
export interface VGPUDisplayOptions {
  /** True if the display is enabled; true when absent. */
  enabled?: boolean
  /** Frame buffer (ramfb) for the display until the driver of the guest is loaded. */
  ramFB?: FeatureState
}

/** Host device of the node that is passed through to the guest. */
export interface HostDevice extends ClaimRequest {
  /** Name of the device. */
  name: string
  /** Name of the device plugin resource that provides the device. */
  deviceName?: string
  /** Tag of the device in the metadata of the guest. */
  tag?: string
}

/** Panic device, which notifies the node of a panic of the guest. */
export interface PanicDevice {
  /** Model of the device: isa, hyperv or pvpanic. */
  model?: string
}

/** File system that is shared with the guest. */
export interface Filesystem {
  /** Name of the volume with the file system. */
  name: string
  /** Sharing through virtiofs. */
  virtiofs: FilesystemVirtiofs
}

/** Sharing through virtiofs. No fields; the presence of the object selects virtiofs. */
export interface FilesystemVirtiofs {}

/**
 * Redirection of USB devices from clients. No fields; the presence of the object enables the
 * redirection.
 */
export interface ClientPassthroughDevices {}

/** Sound device. */
export interface SoundDevice {
  /** Name of the device. */
  name: string
  /** Model of the device: ich9 or ac97; ich9 when absent. */
  model?: string
}

/** TPM device. */
export interface TPMDevice {
  /** True if the TPM is enabled; true when absent. */
  enabled?: boolean
  /** Keeps the state of the TPM across restarts of the VM. */
  persistent?: boolean
}

/** Video device. */
export interface VideoDevice {
  /** Type of the device: virtio, vga, bochs or ramfb. */
  type?: string
}
