/** Host devices that VMs may use. */
export interface PermittedHostDevices {
  /**
   * PCI devices.
   * @listType atomic
   */
  pciHostDevices?: PciHostDevice[]
  /**
   * Mediated devices, such as virtual GPUs.
   * @listType atomic
   */
  mediatedDevices?: MediatedHostDevice[]
  /**
   * USB devices.
   * @listType atomic
   */
  usb?: USBHostDevice[]
}

/** PCI devices with one vendor and product. */
export interface PciHostDevice {
  /** Vendor and product, as in `10DE:1EB8`. */
  pciVendorSelector: string
  /** Name of the resource by which VMs request a device. */
  resourceName: string
  /** Another device plugin offers the resource. */
  externalResourceProvider?: boolean
}

/** Mediated devices of one type. */
export interface MediatedHostDevice {
  /** Name of the type. */
  mdevNameSelector: string
  /** Name of the resource by which VMs request a device. */
  resourceName: string
  /** Another device plugin offers the resource. */
  externalResourceProvider?: boolean
}

/** USB devices that are passed through together. */
export interface USBHostDevice {
  /** Name of the resource by which VMs request the devices. */
  resourceName: string
  /**
   * The devices.
   * @listType atomic
   */
  selectors?: USBSelector[]
  /** Another device plugin offers the resource. */
  externalResourceProvider?: boolean
}

/** USB device with one vendor and product. */
export interface USBSelector {
  /** Vendor, in hexadecimal digits. */
  vendor: string
  /** Product, in hexadecimal digits. */
  product: string
}

/** Configuration of mediated devices on nodes. */
export interface MediatedDevicesConfiguration {
  /** False leaves the devices of nodes as they are. */
  enabled?: boolean
  /**
   * Types of the devices that nodes create.
   * @listType atomic
   */
  mediatedDeviceTypes?: string[]
  /**
   * Former name of `mediatedDeviceTypes`.
   * @listType atomic
   */
  mediatedDevicesTypes?: string[]
  /**
   * Types for some nodes.
   * @listType atomic
   */
  nodeMediatedDeviceTypes?: NodeMediatedDeviceTypesConfig[]
}

/** Types of mediated devices for some nodes. */
export interface NodeMediatedDeviceTypesConfig {
  /** Labels of the nodes. */
  nodeSelector: Record<string, string>
  /**
   * Types of the devices that these nodes create.
   * @listType atomic
   */
  mediatedDeviceTypes?: string[]
  /**
   * Former name of `mediatedDeviceTypes`.
   * @listType atomic
   */
  mediatedDevicesTypes?: string[]
}
