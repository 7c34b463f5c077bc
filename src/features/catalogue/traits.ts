import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'

/** A part of a preference that several guests share. */
export type Trait = Partial<VirtualMachinePreferenceSpec>

/** The guest has virtio drivers from the first boot. */
export const virtio: Trait = { devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'virtio', preferredRng: {} } }

/** Boots from EFI without secure boot, which is KubeVirt's default and must be disabled. */
export const efi: Trait = { firmware: { preferredEfi: { secureBoot: false } } }

/** Boots from signed EFI. Secure boot needs SMM, which protects the firmware's keys. */
export const secureBoot: Trait = { firmware: { preferredEfi: { secureBoot: true } }, features: { preferredSmm: {} } }

/** Secure boot with persistent boot entries and keys. */
export const keptSecureBoot: Trait = together(secureBoot, { firmware: { preferredEfi: { persistent: true } } })

/** Needs a TPM whose state survives restarts. */
export const tpm: Trait = { devices: { preferredTPM: { persistent: true } } }

/** A tablet as absolute pointer. */
export const desktop: Trait = {
  devices: { preferredAutoattachInputDevice: true, preferredInputBus: 'virtio', preferredInputType: 'tablet' },
}

/** An I/O thread for each disk, where the VM has any. */
export const ioThread: Trait = { devices: { preferredDiskDedicatedIoThread: true } }

/** One queue for each vCPU, so that packets are handled on all. */
export const multiQueue: Trait = { devices: { preferredNetworkInterfaceMultiQueue: true } }

/** Virtio devices that also have the interface of before virtio 1.0. */
export const transitional: Trait = { devices: { preferredUseVirtioTransitional: true } }

/** A serial console, and no display or balloon, to avoid interrupts. */
export const realtime: Trait = {
  devices: {
    preferredAutoattachGraphicsDevice: false,
    preferredAutoattachMemBalloon: false,
    preferredAutoattachSerialConsole: true,
  },
}

/** Exposes vCPUs as sockets, which can be hotplugged. */
export const sockets: Trait = { cpu: { preferredCPUTopology: 'sockets' } }

/** Spreads vCPUs across sockets, cores and two threads. `ratio`: of sockets to cores. */
export function spread(ratio?: number): Trait {
  const spreadOptions = { across: 'SocketsCoresThreads', ...(ratio === undefined ? {} : { ratio }) }
  return { cpu: { preferredCPUTopology: 'spread', spreadOptions } }
}

/** Time for updates that are installed during shutdown: an interrupted one is rolled back. */
export const stopsInAnHour: Trait = { preferredTerminationGracePeriodSeconds: 3600 }

/** No PCI address space above 4 GiB, at which these guests crash. */
export const withoutPciHole: Trait = { annotations: { 'kubevirt.io/disablePCIHole64': 'true' } }

/** Hyper-V enlightenments: cheaper locks, timers and interrupts for Windows. */
export const hyperv: Trait = {
  features: {
    preferredAcpi: {},
    preferredApic: {},
    preferredHyperv: {
      frequencies: {},
      ipi: {},
      reenlightenment: {},
      relaxed: {},
      reset: {},
      runtime: {},
      spinlocks: { spinlocks: 8191 },
      synic: {},
      synictimer: { direct: {} },
      tlbflush: {},
      vapic: {},
      vpindex: {},
    },
  },
  // Missed ticks are delayed (PIT) or caught up (RTC), because Windows counts them.
  clock: {
    preferredClockOffset: { utc: {} },
    preferredTimer: { hpet: { present: false }, hyperv: {}, pit: { tickPolicy: 'delay' }, rtc: { tickPolicy: 'catchup' } },
  },
  devices: { preferredAutoattachInputDevice: true },
}

/** Devices with drivers in the system itself. */
export function builtInDrivers(model: 'e1000' | 'e1000e' | 'rtl8139'): Trait {
  return { devices: { preferredDiskBus: 'sata', preferredInterfaceModel: model } }
}

/** Devices for guests with virtio drivers. */
export const installedDrivers: Trait = {
  devices: {
    preferredDiskBus: 'virtio',
    preferredInputBus: 'virtio',
    preferredInputType: 'tablet',
    preferredInterfaceModel: 'virtio',
    preferredVideoType: 'virtio',
  },
}

/** Merges traits; later ones win. */
export function together(...traits: readonly Trait[]): Trait {
  return traits.reduce<Trait>((all, trait) => merge(all, trait) as Trait, {})
}

function merge(a: unknown, b: unknown): unknown {
  if (!isObject(a) || !isObject(b)) return b
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return Object.fromEntries(keys.map((key) => [key, key in a && key in b ? merge(a[key], b[key]) : (b[key] ?? a[key])]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
