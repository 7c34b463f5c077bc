import type { Int32, UInt32 } from '#api/scalars.ts'

/** Device through which a network is attached to the guest. */
export interface Interface extends InterfaceBindingMethod {
  /** Name of the network. */
  name: string
  /** Model of the interface: virtio, e1000, e1000e, igb, ne2k_pci, pcnet or rtl8139. */
  model?: string
  /**
   * Network binding plugin for the interface.
   * @notActedOn
   */
  binding?: PluginBinding
  /** Ports that are forwarded to the guest; all when absent. Masquerade binding only. */
  ports?: Port[]
  /**
   * Ranges of ports that are forwarded to the guest.
   * @listType atomic
   */
  portRanges?: PortRange[]
  /** MAC address. */
  macAddress?: string
  /** Position of the interface in the boot order; 1 is first. */
  bootOrder?: UInt32
  /**
   * PCI address of the interface in the guest, such as `0000:81:01.0`.
   * @notActedOn
   */
  pciAddress?: string
  /** DHCP settings. */
  dhcpOptions?: DHCPOptions
  /**
   * Tag of the device in the metadata of the guest.
   * @notActedOn
   */
  tag?: string
  /**
   * ACPI index, for stable device names in the guest.
   * @notActedOn
   */
  acpiIndex?: Int32
  /** Desired state of the interface: up, down or absent. */
  state?: string
}

/** Binding method of an interface. At most one member is set. */
export interface InterfaceBindingMethod {
  /** Bridge binding: the guest has the address of its pod. */
  bridge?: InterfaceBridge
  /**
   * SLIRP binding; deprecated.
   * @notActedOn
   */
  slirp?: DeprecatedInterfaceSlirp
  /** Masquerade binding (NAT). */
  masquerade?: InterfaceMasquerade
  /**
   * SR-IOV binding: passthrough of a virtual function.
   * @notActedOn
   */
  sriov?: InterfaceSRIOV
  /**
   * Macvtap binding; deprecated.
   * @notActedOn
   */
  macvtap?: DeprecatedInterfaceMacvtap
  /**
   * Passt binding; deprecated.
   * @notActedOn
   */
  passt?: DeprecatedInterfacePasst
  /**
   * Passt binding.
   * @notActedOn
   */
  passtBinding?: InterfacePasstBinding
}

/** Bridge binding. No fields; the presence of the object selects the binding. */
export interface InterfaceBridge {}

/** SLIRP binding; deprecated. No fields; the presence of the object selects the binding. */
export interface DeprecatedInterfaceSlirp {}

/** Masquerade binding. No fields; the presence of the object selects the binding. */
export interface InterfaceMasquerade {}

/** SR-IOV binding. No fields; the presence of the object selects the binding. */
export interface InterfaceSRIOV {}

/** Macvtap binding; deprecated. No fields; the presence of the object selects the binding. */
export interface DeprecatedInterfaceMacvtap {}

/** Passt binding; deprecated. No fields; the presence of the object selects the binding. */
export interface DeprecatedInterfacePasst {}

/** Passt binding. No fields; the presence of the object selects the binding. */
export interface InterfacePasstBinding {}

/** Reference to a network binding plugin. */
export interface PluginBinding {
  /** Name of the plugin. */
  name: string
}

/** Port that is forwarded to the guest. */
export interface Port {
  /** Name of the port. */
  name?: string
  /** Protocol of the port: TCP or UDP; TCP when absent. */
  protocol?: string
  /** Port number. */
  port: Int32
}

/** Range of ports. */
export interface PortRange {
  /** Protocol of the ports: TCP or UDP. */
  protocol: string
  /** First port. */
  start: Int32
  /** Last port. */
  end: Int32
}

/** DHCP settings. */
export interface DHCPOptions {
  /** Boot file name, option 67. */
  bootFileName?: string
  /** TFTP server name, option 66. */
  tftpServerName?: string
  /** Addresses of NTP servers, option 42. */
  ntpServers?: string[]
  /** Private options, 224 to 254. */
  privateOptions?: DHCPPrivateOptions[]
}

/** Private DHCP option. */
export interface DHCPPrivateOptions {
  /** Number of the option. */
  option: Int32
  /** Value of the option. */
  value: string
}
