/**
 * A virtual machine as QEMU sees it: every value is set, and none is left to a default that a later
 * QEMU could change. Independent of Kubernetes. {@link buildArguments} converts it to a command
 * line.
 */
export interface Domain {
  /** Shown in process lists. */
  readonly name: string
  /** SMBIOS UUID. */
  readonly uuid: string
  readonly machine: Machine
  readonly cpu: Cpu
  readonly memory: Memory
  readonly firmware: Firmware
  /** Direct kernel boot. Absent: the firmware boots from the disks. */
  readonly kernel?: Kernel
  readonly clock: Clock
  readonly disks: readonly Disk[]
  /** CD-ROM drives that start empty. They come after the disks of their bus. */
  readonly drives?: readonly CdromDrive[]
  readonly interfaces: readonly Interface[]
  readonly inputs: readonly Input[]
  readonly serial?: SerialConsole
  readonly graphics?: Graphics
  /** Unix socket that is connected to the guest agent's virtio port. */
  readonly guestAgentSocket?: string
  /** Unix sockets, one for each USB device that a client may lend to the guest at a time. */
  readonly usbRedirectors?: readonly string[]
  readonly balloon: boolean
  readonly rng: boolean
  /** QEMU stops the guest when it expires; the action is the node agent's. */
  readonly watchdog?: { readonly model: 'i6300esb'; readonly action: 'reset' | 'poweroff' | 'shutdown' }
  /** Device through which the guest reports a panic, on the ISA or the PCI bus. */
  readonly panicDevice?: 'isa' | 'pci'
  readonly tpm?: Tpm
  readonly sound?: 'ich9' | 'ac97'
  /** PCIe ports for devices that are plugged in while the guest runs. */
  readonly hotplugPorts?: number
  /** Threads that disks may be served by, besides QEMU's main one. */
  readonly ioThreads: readonly string[]
  readonly smbios: Smbios
  /** Unix sockets of the two QMP monitors: for the node agent, and for administrators and tools. */
  readonly monitors: readonly string[]
  /** Start with the CPUs stopped, so that the agent decides when the guest runs. */
  readonly startPaused: boolean
}

/** Machine type and accelerator. */
export interface Machine {
  /**
   * Versioned (`pc-q35-7.2`), never an alias: an alias means another machine version in another
   * QEMU.
   */
  readonly type: string
  readonly accelerator: 'kvm' | 'tcg'
  readonly acpi: boolean
  readonly smm: boolean
  /** Enables virtio 0.9 beside 1.0, for old guests. */
  readonly virtioTransitional: boolean
}

/** SMBIOS tables, by QEMU's field names. */
export interface Smbios {
  /** Table 1. */
  readonly system: Readonly<Record<string, string>>
  /** Table 3. */
  readonly chassis: Readonly<Record<string, string>>
}

/** Trusted platform module, which another process emulates behind a unix socket. */
export interface Tpm {
  readonly model: 'tpm-tis' | 'tpm-crb'
  readonly socketPath: string
}

/**
 * Virtual CPUs. `sockets × cores × threads` run at start; up to `maxSockets` sockets may be plugged
 * later.
 */
export interface Cpu {
  /** QEMU model name: `qemu64`, `host`, `max`, `Westmere` … */
  readonly model: string
  /** Flags to switch on or off beyond the model: `+sse4.2`, `hv-relaxed`, `kvm=off`. */
  readonly flags: readonly string[]
  readonly sockets: number
  readonly cores: number
  readonly threads: number
  readonly maxSockets?: number
}

/** Guest RAM, in bytes. */
export interface Memory {
  readonly bytes: number
  /** Size of huge pages in bytes, when RAM comes from hugetlbfs. */
  readonly hugepageBytes?: number
  /** Maximum memory of the guest while it runs. More than `bytes` adds a memory device. */
  readonly maxBytes?: number
  /** True if QEMU is ended when it takes much more than the guest's memory. */
  readonly isLimited?: true
}

/** Firmware of the guest. */
export type Firmware =
  | { readonly kind: 'bios'; readonly useSerial: boolean }
  | { readonly kind: 'efi'; readonly codePath: string; readonly variablesPath: string; readonly secureBoot: boolean }

/** Files of a direct kernel boot. */
export interface Kernel {
  readonly kernelPath: string
  readonly initrdPath?: string
  readonly commandLine: string
}

/** Real-time clock and timers. */
export interface Clock {
  /** `utc`, `localtime`, or the time at the start: `2026-11-21T18:00:00`. */
  readonly base: string
  /** True if the real-time clock runs while the guest is paused. Default: it does. */
  readonly follows?: 'host' | 'guest'
  /** Delivers missed ticks of the real-time clock as soon as the guest can take them. */
  readonly catchUp?: boolean
  readonly hpet: boolean
  /** Programmable interval timer. */
  readonly pit: boolean
  /** Policy for missed PIT ticks, with KVM. */
  readonly missedPitTicks?: 'delay' | 'discard'
}

/** Content of a disk, and its presentation to the guest. */
export interface Disk {
  /** Letters, digits, `-`, `_`: part of QEMU ids. Unique. */
  readonly name: string
  readonly path: string
  readonly format: 'raw' | 'qcow2'
  /** Set when the path is a host device. Absent: a file. */
  readonly isHostDevice?: true
  /**
   * Set when every node that the guest may migrate to has the same content at this path, so that it
   * is not copied.
   */
  readonly shared?: true
  readonly readOnly: boolean
  /** Set when other guests write to the disk, too: QEMU does not lock its image. */
  readonly shareable?: true
  readonly device: 'disk' | 'cdrom'
  readonly bus: 'virtio' | 'scsi' | 'sata' | 'usb'
  readonly serial?: string
  readonly bootOrder?: number
  readonly cache?: 'none' | 'writethrough' | 'writeback'
  readonly io?: 'native' | 'threads'
  readonly blockSize?: { readonly logical: number; readonly physical: number; readonly discard?: number }
  readonly queues?: number
  /** One of {@link Domain.ioThreads}; for bus virtio. */
  readonly ioThread?: string
  /**
   * What an I/O error does: stops the guest, is reported to the guest, is ignored, or stops the
   * guest only when there is no space. Default: QEMU's, which is the last.
   */
  readonly onError?: 'stop' | 'report' | 'ignore' | 'enospc'
}

/** A CD-ROM drive whose medium changes while the guest runs. */
export interface CdromDrive {
  /** As of a {@link Disk}. */
  readonly name: string
  readonly bus: 'scsi' | 'sata'
  readonly serial?: string
  readonly bootOrder?: number
}

/** One network card. */
export interface Interface {
  readonly name: string
  /** `virtio`, or QEMU's name of another: `e1000e`, `rtl8139` … */
  readonly model: string
  readonly mac: string
  readonly bootOrder?: number
  /** Pairs of queues, with a tap device of several. Default: 1. For model `virtio`. */
  readonly queues?: number
  /** Number of the hotplug port, for a card that can be unplugged. Absent: on the root bus. */
  readonly port?: number
  /**
   * `user`: user-mode network, without access to the host's services when restricted. `tap`: a tap
   * device in QEMU's network namespace, which exists already.
   */
  readonly backend: { readonly kind: 'user'; readonly restrict: boolean } | { readonly kind: 'tap'; readonly device: string }
}

/** Pointing device or keyboard. */
export interface Input {
  readonly name: string
  readonly type: 'tablet' | 'keyboard'
  readonly bus: 'usb' | 'virtio'
}

/**
 * First serial port: a unix socket for one reader at a time and a log of everything that was
 * printed.
 */
export interface SerialConsole {
  readonly socketPath: string
  readonly logPath: string
}

/** Framebuffer on a VNC unix socket. */
export interface Graphics {
  readonly vncSocket: string
  readonly device: 'VGA' | 'bochs-display' | 'virtio-vga' | 'cirrus-vga' | 'ramfb'
}
