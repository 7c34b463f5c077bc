import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'

/** A part of a preference that several guests share. */
export type Trait = Partial<VirtualMachinePreferenceSpec>

/** The guest has virtio drivers from the first boot. */
export const virtio: Trait = { devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'virtio', preferredRng: {} } }

/** Boots from EFI without secure boot, which is KubeVirt's default and must be disabled. */
export const efi: Trait = { firmware: { preferredEfi: { secureBoot: false } } }

/** Boots from signed EFI. Secure boot needs SMM, which protects the firmware's keys. */
export const secureBoot: Trait = { firmware: { preferredEfi: { secureBoot: true } }, features: { preferredSmm: { enabled: true } } }

/** Secure boot with persistent boot entries and keys. */
export const keptSecureBoot: Trait = {
  firmware: { preferredEfi: { secureBoot: true, persistent: true } },
  features: { preferredSmm: { enabled: true } },
}

/** Needs a TPM whose state survives restarts. */
export const tpm: Trait = { devices: { preferredTPM: { persistent: true } } }

/** A display, and a tablet as absolute pointer. */
export const desktop: Trait = {
  devices: {
    preferredAutoattachInputDevice: true,
    preferredInputBus: 'virtio',
    preferredInputType: 'tablet',
    preferredVideoType: 'virtio',
  },
}

/** One queue for each vCPU, so that interrupts are handled on all. */
export const manyQueues: Trait = { devices: { preferredNetworkInterfaceMultiQueue: true, preferredBlockMultiQueue: true } }

/** No display, no balloon and the CPU's own clock, to avoid interrupts. */
export const quiet: Trait = {
  devices: { preferredAutoattachGraphicsDevice: false, preferredAutoattachMemBalloon: false },
  clock: { preferredClockOffset: { utc: {} }, preferredTimer: { hpet: { present: false } } },
}

/** Exposes vCPUs as cores: licences count sockets. */
export const cores: Trait = { cpu: { preferredCPUTopology: 'cores' } }

/** Exposes vCPUs as sockets, which can be hotplugged. */
export const sockets: Trait = { cpu: { preferredCPUTopology: 'sockets' } }

/** Time for services to stop. */
export const stopsInMinutes: Trait = { preferredTerminationGracePeriodSeconds: 180 }

/** Time for updates that are installed during shutdown: an interrupted one is rolled back. */
export const stopsInAnHour: Trait = { preferredTerminationGracePeriodSeconds: 3600 }

/** Hyper-V enlightenments: cheaper locks, timers and interrupts for Windows. */
export const hyperv: Trait = {
  features: {
    preferredAcpi: { enabled: true },
    preferredApic: { enabled: true },
    preferredHyperv: {
      frequencies: { enabled: true },
      ipi: { enabled: true },
      reenlightenment: { enabled: true },
      relaxed: { enabled: true },
      reset: { enabled: true },
      runtime: { enabled: true },
      spinlocks: { enabled: true, spinlocks: 8191 },
      synic: { enabled: true },
      synictimer: { enabled: true, direct: { enabled: true } },
      tlbflush: { enabled: true },
      vapic: { enabled: true },
      vpindex: { enabled: true },
    },
  },
  // Missed ticks are delayed (PIT) or caught up (RTC), because Windows counts them.
  clock: {
    preferredClockOffset: { utc: {} },
    preferredTimer: {
      hpet: { present: false },
      hyperv: { present: true },
      pit: { tickPolicy: 'delay' },
      rtc: { tickPolicy: 'catchup' },
    },
  },
  devices: { preferredAutoattachInputDevice: true, preferredInputBus: 'usb', preferredInputType: 'tablet' },
}

/** Devices with drivers in every Windows. */
export const builtInDrivers: Trait = { devices: { preferredDiskBus: 'sata', preferredCdromBus: 'sata', preferredInterfaceModel: 'e1000e' } }

/** Devices for guests with virtio drivers. */
export const installedDrivers: Trait = {
  devices: { preferredDiskBus: 'virtio', preferredCdromBus: 'sata', preferredInterfaceModel: 'virtio', preferredRng: {} },
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
