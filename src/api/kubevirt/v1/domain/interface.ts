import type { Int32, UInt32 } from '#api/scalars.ts'

/** A network as a device of the guest. */
export interface Interface extends InterfaceBindingMethod {
  /** Name of the network. */
  name: string
  /** virtio, e1000, e1000e, igb, ne2k_pci, pcnet or rtl8139. */
  model?: string
  /**
   * Connects it with a plug-in.
   * @notActedOn
   */
  binding?: PluginBinding
  /**
   * Ports that are forwarded to the guest.
   * @notActedOn
   */
  ports?: Port[]
  /** Hardware address. */
  macAddress?: string
  /** Place in the boot order; 1 is first. */
  bootOrder?: UInt32
  /**
   * PCI address in the guest: `0000:81:01.0`.
   * @notActedOn
   */
  pciAddress?: string
  /**
   * Settings of DHCP.
   * @notActedOn
   */
  dhcpOptions?: DHCPOptions
  /**
   * Tag in the guest's metadata.
   * @notActedOn
   */
  tag?: string
  /**
   * Index for stable device names in the guest.
   * @notActedOn
   */
  acpiIndex?: Int32
  /**
   * Wanted state: up, down or absent.
   * @notActedOn
   */
  state?: string
}

/** How an interface is connected; at most one is set. */
export interface InterfaceBindingMethod {
  /**
   * Through a bridge.
   * @notActedOn
   */
  bridge?: InterfaceBridge
  /**
   * Through user networking; deprecated.
   * @notActedOn
   */
  slirp?: DeprecatedInterfaceSlirp
  /** Behind address translation. */
  masquerade?: InterfaceMasquerade
  /**
   * As a virtual function that is passed through.
   * @notActedOn
   */
  sriov?: InterfaceSRIOV
  /**
   * Through macvtap; deprecated.
   * @notActedOn
   */
  macvtap?: DeprecatedInterfaceMacvtap
  /**
   * Through passt; deprecated.
   * @notActedOn
   */
  passt?: DeprecatedInterfacePasst
  /**
   * Through passt.
   * @notActedOn
   */
  passtBinding?: InterfacePasstBinding
}

/** No settings: presence chooses it. */
export interface InterfaceBridge {}

/** No settings: presence chooses it. */
export interface DeprecatedInterfaceSlirp {}

/** No settings: presence chooses it. */
export interface InterfaceMasquerade {}

/** No settings: presence chooses it. */
export interface InterfaceSRIOV {}

/** No settings: presence chooses it. */
export interface DeprecatedInterfaceMacvtap {}

/** No settings: presence chooses it. */
export interface DeprecatedInterfacePasst {}

/** No settings: presence chooses it. */
export interface InterfacePasstBinding {}

/** Names a network binding plug-in. */
export interface PluginBinding {
  /** Name of the plug-in. */
  name: string
}

/** A port that is forwarded to the guest. */
export interface Port {
  /** Name of the port. */
  name?: string
  /** TCP or UDP; TCP when absent. */
  protocol?: string
  /** Port number. */
  port: Int32
}

/** Settings of DHCP. */
export interface DHCPOptions {
  /** Name of the boot file, option 67. */
  bootFileName?: string
  /** Name of the TFTP server, option 66. */
  tftpServerName?: string
  /** Addresses of time servers, option 42. */
  ntpServers?: string[]
  /** Private options, 224 to 254. */
  privateOptions?: DHCPPrivateOptions[]
}

/** A private option of DHCP. */
export interface DHCPPrivateOptions {
  /** Number of the option. */
  option: Int32
  /** Value of the option. */
  value: string
}
