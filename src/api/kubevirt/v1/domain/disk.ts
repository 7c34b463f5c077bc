import type { UInt32 } from '#api/scalars.ts'
import type { FeatureState } from './features.ts'

/** Device through which a volume is attached to the guest. */
export interface Disk extends DiskDevice {
  /** Name of the volume. */
  name: string
  /** Position of the disk in the boot order; 1 is first. */
  bootOrder?: UInt32
  /** Serial number of the disk in the guest. */
  serial?: string
  /** Gives the disk a dedicated I/O thread. */
  dedicatedIOThread?: boolean
  /** Cache mode of the disk: none, writethrough or writeback. */
  cache?: string
  /** I/O mode of the disk: native, default or threads. */
  io?: string
  /**
   * Tag of the device in the metadata of the guest.
   * @notActedOn
   */
  tag?: string
  /** Block sizes of the disk. */
  blockSize?: BlockSize
  /** Allows several VMs to write to the disk. */
  shareable?: boolean
  /**
   * Policy for I/O errors of the disk: stop, ignore, report or enospace, which stops the guest when
   * there is no space. stop when absent.
   */
  errorPolicy?: string
  /**
   * Tracks the changed blocks of the disk.
   * @notActedOn
   */
  changedBlockTracking?: boolean
}

/** Type of the device of a volume; disk when no member is set. */
export interface DiskDevice {
  /** Disk device. */
  disk?: DiskTarget
  /** SCSI LUN that is passed through to the guest. */
  lun?: LunTarget
  /** CD-ROM device. */
  cdrom?: CDRomTarget
}

/** Disk device. */
export interface DiskTarget {
  /** Bus of the disk: virtio, sata, scsi or usb. */
  bus?: string
  /** Makes the disk read-only. */
  readonly?: boolean
  /**
   * PCI address of the disk in the guest, such as `0000:81:01.0`.
   * @notActedOn
   */
  pciAddress?: string
}

/** SCSI LUN that is passed through to the guest. */
export interface LunTarget {
  /** Bus of the LUN: virtio, sata or scsi. */
  bus?: string
  /** Makes the LUN read-only. */
  readonly?: boolean
  /**
   * Enables SCSI persistent reservations.
   * @notActedOn
   */
  reservation?: boolean
}

/** CD-ROM device. */
export interface CDRomTarget {
  /** Bus of the CD-ROM: virtio, sata or scsi. */
  bus?: string
  /** Makes the CD-ROM read-only; true when absent. */
  readonly?: boolean
  /**
   * State of the tray: open or closed.
   * @notActedOn
   */
  tray?: string
}

/** Block sizes of a disk. At most one member is set. */
export interface BlockSize {
  /** Explicit block sizes. */
  custom?: CustomBlockSize
  /**
   * Block sizes of the volume.
   * @notActedOn
   */
  matchVolume?: FeatureState
}

/** Explicit block sizes of a disk, in bytes. */
export interface CustomBlockSize {
  /** Logical block size: the smallest unit that can be addressed. */
  logical?: UInt32
  /** Physical block size: the smallest unit that is written at once. */
  physical?: UInt32
  /** Discard granularity: the smallest unit that can be discarded. */
  discardGranularity?: UInt32
}
