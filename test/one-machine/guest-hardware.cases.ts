/** An instance type and a preference, and the hardware that a guest with both must find. */
export interface HardwareCase {
  /** Also the name of the VM, its type and its preference. */
  readonly name: string
  /** `spec` of the instance type. */
  readonly type: object
  /** `spec` of the preference. */
  readonly preference?: object
  /** Merged into the VM's `template.spec.domain`. */
  readonly domain?: { readonly devices?: object; readonly firmware?: object; readonly chassis?: object }
  /** Subject of the report → facts that one line about it must have. */
  readonly finds: readonly (readonly [subject: string, facts: Readonly<Record<string, string>>])[]
  /** Subject → facts that no line may have. */
  readonly lacks?: readonly (readonly [subject: string, facts: Readonly<Record<string, string>>])[]
}

const small = { cpu: { guest: 1 }, memory: { guest: '128Mi' } }
const four = { cpu: { guest: 4 }, memory: { guest: '160Mi' } }
const topology = (preferredCPUTopology: string, spreadOptions?: object): object => ({
  cpu: { preferredCPUTopology, ...(spreadOptions === undefined ? {} : { spreadOptions }) },
})
const cpu = (sockets: number, cores: number, threads: number): HardwareCase['finds'][number] => [
  'cpu',
  { count: String(sockets * cores * threads), sockets: String(sockets), cores: String(cores), threads: String(threads) },
]

/**
 * Guests to start. Each also gets by default a disk "data" with serial number DATA and a card on
 * the pod network.
 */
export const hardwareCases: readonly HardwareCase[] = [
  {
    name: 'nothing-preferred',
    type: small,
    finds: [
      cpu(1, 1, 1),
      ['memory', { installed: '128Mi' }],
      ['machine', { chipset: 'q35', manufacturer: 'KubeVirt' }],
      ['firmware', { kind: 'bios', vendor: 'SeaBIOS' }],
      ['clock', { hpet: 'absent' }],
      ['power', { acpi: 'on' }],
      ['disk', { bus: 'sata', serial: 'DATA' }],
      ['nic', { model: 'virtio', driver: 'virtio-pci' }],
      ['rng', { source: 'none' }],
      ['tpm', { version: '-' }],
    ],
  },
  { name: 'sockets', type: four, preference: topology('sockets'), finds: [cpu(4, 1, 1), ['memory', { installed: '160Mi' }]] },
  { name: 'cores', type: four, preference: topology('preferCores'), finds: [cpu(1, 4, 1)] },
  { name: 'threads', type: four, preference: topology('threads'), finds: [cpu(1, 1, 4)] },
  { name: 'spread', type: four, preference: topology('spread'), finds: [cpu(2, 2, 1)] },
  { name: 'spread-threads', type: four, preference: topology('spread', { across: 'CoresThreads' }), finds: [cpu(1, 2, 2)] },
  {
    name: 'virtio-write-through',
    type: { cpu: { guest: 2 }, memory: { guest: '160Mi' }, ioThreadsPolicy: 'auto' },
    preference: {
      devices: {
        preferredDiskBus: 'virtio',
        preferredDiskCache: 'writethrough',
        preferredDiskBlockSize: { custom: { logical: 512, physical: 4096 } },
        preferredDiskDedicatedIoThread: true,
        preferredBlockMultiQueue: true,
        preferredInterfaceModel: 'virtio',
        preferredRng: {},
        preferredUseVirtioTransitional: true,
      },
    },
    finds: [
      ['disk', { bus: 'virtio', serial: 'DATA', write_cache: 'write_through', physical_block_size: '4096', queues: '2' }],
      ['nic', { model: 'virtio', id: '1af4:1000' }],
      ['rng', { source: 'virtio_rng.0' }],
    ],
  },
  {
    name: 'scsi-e1000e',
    type: small,
    preference: {
      devices: { preferredDiskBus: 'scsi', preferredDiskCache: 'none', preferredDiskIO: 'native', preferredInterfaceModel: 'e1000e' },
    },
    finds: [
      ['disk', { bus: 'scsi', serial: 'DATA', write_cache: 'write_back' }],
      ['nic', { model: 'e1000e', driver: 'e1000e' }],
    ],
    lacks: [['nic', { model: 'virtio' }]],
  },
  {
    name: 'usb-rtl8139',
    type: small,
    preference: {
      devices: {
        preferredDiskBus: 'usb',
        preferredInterfaceModel: 'rtl8139',
        preferredAutoattachInputDevice: true,
        preferredInputType: 'tablet',
        preferredInputBus: 'usb',
        preferredAutoattachMemBalloon: false,
      },
    },
    finds: [
      ['disk', { bus: 'usb' }],
      ['nic', { model: 'rtl8139', driver: '8139cp' }],
      ['input', { bus: 'usb', name: 'QEMU_QEMU_USB_Tablet' }],
    ],
    lacks: [['pci', { id: '1af4:1045' }]],
  },
  {
    name: 'sata-e1000',
    type: small,
    preference: {
      clock: { preferredClockOffset: { utc: { offsetSeconds: -864000 } } },
      devices: { preferredDiskBus: 'sata', preferredInterfaceModel: 'e1000', preferredAutoattachGraphicsDevice: false },
    },
    finds: [
      ['disk', { bus: 'sata' }],
      ['nic', { model: 'e1000' }],
    ],
    lacks: [['video', {}]],
  },
  {
    name: 'older-q35',
    type: { cpu: { guest: 2, model: 'Westmere' }, memory: { guest: '192Mi' } },
    preference: {
      ...topology('cores'),
      machine: { preferredMachineType: 'pc-q35-6.0' },
      devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'pcnet' },
    },
    finds: [
      cpu(1, 2, 1),
      ['cpu', { model: 'Westmere_E56xx/L56xx/X56xx_(Nehalem-C)' }],
      ['flags', { aes: 'aes' }],
      ['machine', { type: 'pc-q35-6.0' }],
      ['nic', { model: 'pcnet' }],
    ],
  },
  {
    name: 'uefi',
    type: { cpu: { guest: 1 }, memory: { guest: '256Mi' } },
    preference: {
      firmware: { preferredEfi: { secureBoot: false } },
      clock: { preferredClockOffset: { timezone: 'Asia/Kathmandu' }, preferredTimer: { hpet: { present: true }, pit: { present: false } } },
      devices: { preferredDiskBus: 'virtio', preferredVideoType: 'bochs' },
    },
    domain: { firmware: { serial: 'SERIAL-7' }, chassis: { asset: 'ASSET-9' } },
    finds: [
      ['firmware', { kind: 'efi', 'secure-boot': '0' }],
      ['memory', { installed: '256Mi' }],
      ['machine', { serial: 'SERIAL-7' }],
      ['chassis', { asset: 'ASSET-9' }],
      ['clock', { hpet: 'present' }],
      ['video', { id: '1234:1111' }],
    ],
  },
  {
    name: 'secure-boot-tpm',
    type: { cpu: { guest: 1 }, memory: { guest: '256Mi' } },
    preference: {
      firmware: { preferredEfi: { secureBoot: true } },
      features: { preferredSmm: {} },
      devices: { preferredDiskBus: 'virtio', preferredTPM: {} },
    },
    finds: [
      ['firmware', { kind: 'efi', 'secure-boot': '1' }],
      ['tpm', { version: '2' }],
    ],
  },
  {
    name: 'made-for-windows',
    type: small,
    preference: {
      cpu: { preferredCPUFeatures: [{ name: 'aes' }] },
      features: { preferredHyperv: { relaxed: {}, vapic: {} } },
      clock: { preferredTimer: { hyperv: { present: true }, rtc: { tickPolicy: 'catchup' } } },
      devices: {
        preferredSoundModel: 'ac97',
        preferredPanicDeviceModel: 'pvpanic',
        preferredVideoType: 'virtio',
        preferredDiskBus: 'sata',
      },
    },
    domain: { devices: { sound: { name: 'speaker' } } },
    finds: [
      ['flags', { aes: 'aes' }],
      ['sound', { id: '8086:2415' }],
      ['pci', { id: '1b36:0011', driver: 'pvpanic-pci' }],
      ['video', { id: '1af4:1050' }],
      ['disk', { bus: 'sata' }],
    ],
  },
]

/**
 * Hardware that this node cannot provide: part of a type or preference, and the message in the VMI.
 */
export const refusedCases: readonly (readonly [name: string, type: object, preference: object, says: RegExp])[] = [
  ['hugepages', { memory: { guest: '1Gi', hugepages: { pageSize: '1Gi' } } }, {}, /huge pages of 1048576 KiB, and this node has 0/],
  ['igb', {}, { devices: { preferredInterfaceModel: 'igb' } }, /no device "igb"/],
  ['cpu-model', { cpu: { guest: 1, model: 'EPYC-Milan' } }, {}, /CPU model "EPYC-Milan"/],
]
