import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'

/** Something that several guests like. */
export type Trait = Partial<VirtualMachinePreferenceSpec>

/** Drivers for virtio are there from the first boot. */
export const virtio: Trait = { devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'virtio', preferredRng: {} } }

/** Starts from EFI, and cannot prove what it starts: KubeVirt takes silence for secure boot. */
export const efi: Trait = { firmware: { preferredEfi: { secureBoot: false } } }

/** Is signed. The firmware guards its keys in system management mode. */
export const secureBoot: Trait = { firmware: { preferredEfi: { secureBoot: true } }, features: { preferredSmm: { enabled: true } } }

/** Is signed, and keeps boot entries and keys of its own. */
export const keptSecureBoot: Trait = {
  firmware: { preferredEfi: { secureBoot: true, persistent: true } },
  features: { preferredSmm: { enabled: true } },
}

/** Refuses to be installed, or to keep secrets, without a module that outlives its restarts. */
export const tpm: Trait = { devices: { preferredTPM: { persistent: true } } }

/** Has a screen, and a pointer that follows the hand. */
export const desktop: Trait = {
  devices: {
    preferredAutoattachInputDevice: true,
    preferredInputBus: 'virtio',
    preferredInputType: 'tablet',
    preferredVideoType: 'virtio',
  },
}

/** One queue for each CPU, so that no CPU waits for the interrupts of another. */
export const manyQueues: Trait = { devices: { preferredNetworkInterfaceMultiQueue: true, preferredBlockMultiQueue: true } }

/** Nothing that interrupts: no screen, no balloon, the CPU's own clock. */
export const quiet: Trait = {
  devices: { preferredAutoattachGraphicsDevice: false, preferredAutoattachMemBalloon: false },
  clock: { preferredClockOffset: { utc: {} }, preferredTimer: { hpet: { present: false } } },
}

/** Cores: the licence counts sockets. */
export const cores: Trait = { cpu: { preferredCPUTopology: 'cores' } }

/** Sockets, which can be plugged in later. */
export const sockets: Trait = { cpu: { preferredCPUTopology: 'sockets' } }

/** Time to stop services in good order. */
export const stopsInMinutes: Trait = { preferredTerminationGracePeriodSeconds: 180 }

/** Installs updates when it is told to power off; cut short, it rolls all of them back. */
export const stopsInAnHour: Trait = { preferredTerminationGracePeriodSeconds: 3600 }

/** What Windows finds in the hypervisor of its own vendor: cheaper locks, timers and interrupts. */
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
  // Ticks that were missed are given late (PIT) or made up for (RTC): Windows counts them.
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

/** Devices that every Windows knows without a driver disk. */
export const builtInDrivers: Trait = { devices: { preferredDiskBus: 'sata', preferredCdromBus: 'sata', preferredInterfaceModel: 'e1000e' } }

/** Devices for which the virtio drivers have been installed. */
export const installedDrivers: Trait = {
  devices: { preferredDiskBus: 'virtio', preferredCdromBus: 'sata', preferredInterfaceModel: 'virtio', preferredRng: {} },
}

/** Several traits as one. Those that come later win. */
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
