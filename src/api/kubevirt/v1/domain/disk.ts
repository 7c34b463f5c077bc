import type { UInt32 } from '#api/scalars.ts'
import type { FeatureState } from './features.ts'

/** A volume as a device of the guest. */
export interface Disk extends DiskDevice {
  /** Name of the volume. */
  name: string
  /** Place in the boot order; 1 is first. */
  bootOrder?: UInt32
  /** Serial number that the guest sees. */
  serial?: string
  /** Gives it an I/O thread of its own. */
  dedicatedIOThread?: boolean
  /** none, writethrough or writeback. */
  cache?: string
  /** native, default or threads. */
  io?: string
  /**
   * Tag in the guest's metadata.
   * @notActedOn
   */
  tag?: string
  /** Sizes of its blocks. */
  blockSize?: BlockSize
  /**
   * Lets several machines write to it.
   * @notActedOn
   */
  shareable?: boolean
  /**
   * Policy for I/O errors: stop, ignore, report or enospace.
   * @notActedOn
   */
  errorPolicy?: string
  /**
   * Records which blocks change.
   * @notActedOn
   */
  changedBlockTracking?: boolean
}

/** Type of device of a volume; a plain disk when none is set. */
export interface DiskDevice {
  /** A disk. */
  disk?: DiskTarget
  /** A SCSI unit that is passed through. */
  lun?: LunTarget
  /** A CD-ROM. */
  cdrom?: CDRomTarget
}

/** A disk. */
export interface DiskTarget {
  /** virtio, sata, scsi or usb. */
  bus?: string
  /** Forbids writing. */
  readonly?: boolean
  /**
   * PCI address in the guest: `0000:81:01.0`.
   * @notActedOn
   */
  pciAddress?: string
}

/** A SCSI unit that is passed through. */
export interface LunTarget {
  /** virtio, sata or scsi. */
  bus?: string
  /** Forbids writing. */
  readonly?: boolean
  /**
   * Supports persistent reservations.
   * @notActedOn
   */
  reservation?: boolean
}

/** A CD-ROM. */
export interface CDRomTarget {
  /** virtio, sata or scsi. */
  bus?: string
  /** Forbids writing; true when absent. */
  readonly?: boolean
  /**
   * open or closed.
   * @notActedOn
   */
  tray?: string
}

/** Sizes of a disk's blocks; at most one is set. */
export interface BlockSize {
  /** Given sizes. */
  custom?: CustomBlockSize
  /**
   * Those of the volume.
   * @notActedOn
   */
  matchVolume?: FeatureState
}

/** Given sizes of a disk's blocks, in bytes. */
export interface CustomBlockSize {
  /** Smallest unit that can be addressed. */
  logical?: UInt32
  /** Smallest unit that is written at once. */
  physical?: UInt32
  /** Smallest unit that can be discarded. */
  discardGranularity?: UInt32
}
