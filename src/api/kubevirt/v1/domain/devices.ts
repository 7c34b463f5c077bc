import type { Disk } from './disk.ts'
import type { FeatureState } from './features.ts'
import type { Interface } from './interface.ts'

/** Devices of a guest. */
export interface Devices {
  /** Speaks virtio 0.9 to old guests. */
  useVirtioTransitional?: boolean
  /** Forbids plugging in disks while the guest runs. */
  disableHotplug?: boolean
  /**
   * Disks, CD-ROMs and units.
   * @maxItems 256
   */
  disks?: Disk[]
  /** Watchdog. */
  watchdog?: Watchdog
  /**
   * Network interfaces.
   * @maxItems 256
   */
  interfaces?: Interface[]
  /** Input devices. */
  inputs?: Input[]
  /** Adds an interface on the pod network when there is none; true when absent. */
  autoattachPodInterface?: boolean
  /** Adds a graphics device; true when absent. */
  autoattachGraphicsDevice?: boolean
  /** Adds a serial console; true when absent. */
  autoattachSerialConsole?: boolean
  /**
   * Logs the serial console.
   * @notActedOn
   */
  logSerialConsole?: boolean
  /** Adds a memory balloon; true when absent. */
  autoattachMemBalloon?: boolean
  /** Adds a tablet; false when absent. */
  autoattachInputDevice?: boolean
  /**
   * Adds a socket between guest and node.
   * @notActedOn
   */
  autoattachVSOCK?: boolean
  /** Random numbers from the node. */
  rng?: Rng
  /** Gives disks a queue for each processor. */
  blockMultiQueue?: boolean
  /**
   * Gives interfaces a queue for each processor.
   * @notActedOn
   */
  networkInterfaceMultiqueue?: boolean
  /**
   * Graphics processors of the node.
   * @listType atomic
   * @notActedOn
   */
  gpus?: GPU[]
  /**
   * Metrics of the node over a serial port.
   * @notActedOn
   */
  downwardMetrics?: DownwardMetrics
  /** Devices that tell of the guest's panic. */
  panicDevices?: PanicDevice[]
  /**
   * Directories that are shared with the guest.
   * @listType atomic
   * @notActedOn
   */
  filesystems?: Filesystem[]
  /**
   * Devices of the node.
   * @listType atomic
   * @notActedOn
   */
  hostDevices?: HostDevice[]
  /**
   * Devices of the client.
   * @notActedOn
   */
  clientPassthrough?: ClientPassthroughDevices
  /** Sound. */
  sound?: SoundDevice
  /** Trusted platform module. */
  tpm?: TPMDevice
  /** Graphics. */
  video?: VideoDevice
}

/** A watchdog. */
export interface Watchdog extends WatchdogDevice {
  /** Name of the device. */
  name: string
}

/** Kind of a watchdog; i6300esb when none is set. */
export interface WatchdogDevice {
  /** On PCI. */
  i6300esb?: I6300ESBWatchdog
  /**
   * On s390x.
   * @notActedOn
   */
  diag288?: Diag288Watchdog
}

/** Watchdog on PCI. */
export interface I6300ESBWatchdog {
  /** Action on expiry: poweroff, reset or shutdown; reset when absent. */
  action?: string
}

/** Watchdog on s390x. */
export interface Diag288Watchdog {
  /** Action on expiry: poweroff, reset or shutdown; reset when absent. */
  action?: string
}

/** An input device. */
export interface Input {
  /** virtio or usb. */
  bus?: string
  /** tablet or keyboard. */
  type: string
  /** Name of the device. */
  name: string
}

/** No settings: presence adds the device. */
export interface Rng {}

/** No settings: presence adds the device. */
export interface DownwardMetrics {}

/** A device that is claimed for the guest. */
export interface ClaimRequest {
  /** Name of the claim in the machine. */
  claimName?: string
  /** Name of the request in the claim. */
  requestName?: string
}

/** A graphics processor of the node. */
export interface GPU extends ClaimRequest {
  /** Name of the device. */
  name: string
  /** Resource that stands for it. */
  deviceName?: string
  /** Settings of a virtual one. */
  virtualGPUOptions?: VGPUOptions
  /** Tag in the guest's metadata. */
  tag?: string
}

/** Settings of a virtual graphics processor. */
export interface VGPUOptions {
  /** Its display. */
  display?: VGPUDisplayOptions
}

/** Display of a virtual graphics processor. */
export interface VGPUDisplayOptions {
  /** On or off; on when absent. */
  enabled?: boolean
  /** Frame buffer until the guest has a driver. */
  ramFB?: FeatureState
}

/** A device of the node. */
export interface HostDevice extends ClaimRequest {
  /** Name of the device. */
  name: string
  /** Resource that stands for it. */
  deviceName?: string
  /** Tag in the guest's metadata. */
  tag?: string
}

/** A device that tells of the guest's panic. */
export interface PanicDevice {
  /** isa, hyperv or pvpanic. */
  model?: string
}

/** A directory that is shared with the guest. */
export interface Filesystem {
  /** Name of the volume. */
  name: string
  /** Shares it with virtiofs. */
  virtiofs: FilesystemVirtiofs
}

/** No settings: presence chooses it. */
export interface FilesystemVirtiofs {}

/** No settings: presence lets clients pass USB devices through. */
export interface ClientPassthroughDevices {}

/** A sound card. */
export interface SoundDevice {
  /** Name of the device. */
  name: string
  /** ich9 or ac97; ich9 when absent. */
  model?: string
}

/** A trusted platform module. */
export interface TPMDevice {
  /** On or off; on when absent. */
  enabled?: boolean
  /** Keeps its state over restarts of the machine. */
  persistent?: boolean
}

/** A graphics device. */
export interface VideoDevice {
  /** virtio, vga, bochs or ramfb. */
  type?: string
}
