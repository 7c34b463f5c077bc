/** Firmware of a guest. */
export interface Firmware {
  /** UUID of the guest in SMBIOS. */
  uuid?: string
  /** Boot loader: BIOS or EFI. */
  bootloader?: Bootloader
  /** Serial number of the guest in SMBIOS. */
  serial?: string
  /** Direct boot of a kernel. */
  kernelBoot?: KernelBoot
  /**
   * ACPI tables.
   * @notActedOn
   */
  acpi?: ACPI
}

/** Boot loader: BIOS or EFI. At most one member is set. */
export interface Bootloader {
  /** BIOS with these settings. */
  bios?: BIOS
  /** EFI with these settings. */
  efi?: EFI
}

/** Settings of the BIOS. */
export interface BIOS {
  /** Sends the output of the BIOS to the serial console. */
  useSerial?: boolean
}

/** Settings of EFI. */
export interface EFI {
  /** Boots signed software only (secure boot); true when absent. */
  secureBoot?: boolean
  /** Keeps the EFI variables across restarts of the VM. */
  persistent?: boolean
}

/** Direct boot of a kernel. */
export interface KernelBoot {
  /** Kernel command line. */
  kernelArgs?: string
  /** Container image with the kernel. */
  container?: KernelBootContainer
}

/** Container image with a kernel. */
export interface KernelBootContainer {
  /** Image reference. */
  image: string
  /** Secret with registry credentials. */
  imagePullSecret?: string
  /** Pull policy of the image: Always, Never or IfNotPresent. */
  imagePullPolicy?: string
  /** Path of the kernel in the image. */
  kernelPath?: string
  /** Path of the initrd in the image. */
  initrdPath?: string
}

/** ACPI tables. */
export interface ACPI {
  /** Name of the Secret volume with a SLIC table. */
  slicNameRef?: string
  /** Name of the Secret volume with an MSDM table. */
  msdmNameRef?: string
}

/** Machine type. */
export interface Machine {
  /** Name of the machine type, such as `q35`, `pc-q35-10.0` or `virt`. */
  type?: string
}

/** Chassis data of the guest in SMBIOS. */
export interface Chassis {
  /** Manufacturer of the chassis. */
  manufacturer?: string
  /** Version of the chassis. */
  version?: string
  /** Serial number of the chassis. */
  serial?: string
  /** Asset tag of the chassis. */
  asset?: string
  /** SKU of the chassis. */
  sku?: string
}
