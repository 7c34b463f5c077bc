/** Firmware of a guest. */
export interface Firmware {
  /** UUID that the guest sees. */
  uuid?: string
  /** BIOS or EFI. */
  bootloader?: Bootloader
  /** Serial number that the guest sees. */
  serial?: string
  /** Starts a kernel directly. */
  kernelBoot?: KernelBoot
  /**
   * Tables for ACPI.
   * @notActedOn
   */
  acpi?: ACPI
}

/** BIOS or EFI; at most one is set. */
export interface Bootloader {
  /** BIOS. */
  bios?: BIOS
  /** EFI. */
  efi?: EFI
}

/** Settings of the BIOS. */
export interface BIOS {
  /** Shows its output on the serial console. */
  useSerial?: boolean
}

/** Settings of EFI. */
export interface EFI {
  /** Starts only what is signed; true when absent. */
  secureBoot?: boolean
  /** Keeps its variables over restarts of the machine. */
  persistent?: boolean
}

/** Starts a kernel directly. */
export interface KernelBoot {
  /** Command line of the kernel. */
  kernelArgs?: string
  /** Image with the kernel. */
  container?: KernelBootContainer
}

/** Image with a kernel. */
export interface KernelBootContainer {
  /** Image reference. */
  image: string
  /**
   * Secret with registry credentials.
   * @notActedOn
   */
  imagePullSecret?: string
  /** Always, Never or IfNotPresent. */
  imagePullPolicy?: string
  /** Path of the kernel in the image. */
  kernelPath?: string
  /** Path of the initial ram disk in the image. */
  initrdPath?: string
}

/** Tables for ACPI. */
export interface ACPI {
  /** Secret volume with a SLIC table. */
  slicNameRef?: string
  /** Secret volume with an MSDM table. */
  msdmNameRef?: string
}

/** Type of the emulated machine. */
export interface Machine {
  /** `q35`, `pc-q35-10.0`, `virt`. */
  type?: string
}

/** SMBIOS chassis data of the guest. */
export interface Chassis {
  /** Manufacturer. */
  manufacturer?: string
  /** Version. */
  version?: string
  /** Serial number. */
  serial?: string
  /** Asset tag. */
  asset?: string
  /** Stock keeping unit. */
  sku?: string
}
