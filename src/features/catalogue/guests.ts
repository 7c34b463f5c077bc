import * as traits from './traits.ts'
import { together, type Trait } from './traits.ts'

/** A guest operating system and its preferences. */
export interface Guest {
  readonly name: string
  readonly displayName: string
  /** Icon of consoles, without the prefix `icon-`. */
  readonly icon: string
  /** Words by which consoles find the preference. */
  readonly tags: readonly string[]
  readonly osType: 'linux' | 'windows' | 'legacy'
  /** Absent for any architecture. */
  readonly architecture?: 'amd64' | 'arm64' | 's390x'
  /** Minimal number of vCPUs. Absent: none is required. */
  readonly vcpus?: number
  /** Minimal memory. Absent: none is required. */
  readonly memory?: string
  readonly likes: Trait
  /** True for a preference that KubeVirt's catalogue does not have. */
  readonly isOurs?: true
}

const { desktop, efi, ioThread, multiQueue, realtime, secureBoot, sockets, spread, tpm, virtio } = traits

type Options = Partial<Omit<Guest, 'name' | 'displayName'>>

/** Returns a preference whose icon and tag are its name, unless the options say otherwise. */
function linux(name: string, displayName: string, memory: string, likes: Trait, options: Options = {}): Guest {
  return { name, displayName, icon: name, tags: [name], osType: 'linux', vcpus: 1, memory, likes, ...options }
}

/** A preference that requires nothing of its instance type. */
function generic(name: string, displayName: string, tag: string, likes: Trait): Guest {
  return { name, displayName, icon: 'linux', tags: [tag], osType: 'linux', likes }
}

const amd64 = { architecture: 'amd64' } as const
const arm64 = { architecture: 'arm64' } as const
const s390x = { architecture: 's390x' } as const
const fedora = { icon: 'fedora', tags: ['fedora'] }
const centos = { icon: 'centos', tags: ['linux', 'centos-stream'] }
const rhel = { icon: 'rhel', tags: ['linux', 'rhel'] }

/** Guests that process packets themselves: threads spread over few cores, one queue for each. */
const dpdk = together(multiQueue, spread(4))
const fast = together(virtio, ioThread)
/** Red Hat signs the boot loader for this architecture. */
const signed = together(fast, secureBoot)

function withTag(options: Options, tag: string): Options {
  return { ...options, tags: [...(options.tags ?? []), tag] }
}

const linuxGuests: readonly Guest[] = [
  linux('alpine', 'Alpine', '512Mi', virtio),
  linux('cirros', 'Cirros', '256Mi', virtio),
  linux('debian', 'Debian', '512Mi', together(virtio, efi)),
  linux('ubuntu', 'Ubuntu', '2Gi', virtio),
  linux('ubuntu.desktop', 'Ubuntu Desktop', '4Gi', together(virtio, desktop), {
    icon: 'ubuntu',
    tags: ['ubuntu'],
    vcpus: 2,
    isOurs: true,
  }),
  linux('fedora', 'Fedora (amd64)', '2Gi', together(virtio, secureBoot), { ...fedora, ...amd64 }),
  linux('fedora.arm64', 'Fedora (arm64)', '2Gi', virtio, { ...fedora, ...arm64 }),
  linux('fedora.s390x', 'Fedora (s390x)', '2Gi', virtio, { ...fedora, ...s390x }),
  linux('centos.stream9', 'CentOS Stream 9', '1.5Gi', fast, centos),
  linux('centos.stream9.desktop', 'CentOS Stream 9', '1.5Gi', together(fast, desktop), centos),
  linux('centos.stream9.dpdk', 'CentOS Stream 9', '1.5Gi', together(fast, dpdk), { ...withTag(centos, 'dpdk'), vcpus: 8 }),
  linux('centos.stream10', 'CentOS Stream 10', '1.5Gi', fast, centos),
  linux('centos.stream10.desktop', 'CentOS Stream 10', '1.5Gi', together(fast, desktop), centos),
  linux('rhel.7', 'Red Hat Enterprise Linux 7', '1Gi', virtio, rhel),
  linux('rhel.7.desktop', 'Red Hat Enterprise Linux 7', '1Gi', together(virtio, desktop), rhel),
  linux('rhel.8', 'Red Hat Enterprise Linux 8', '1.5Gi', virtio, rhel),
  linux('rhel.8.desktop', 'Red Hat Enterprise Linux 8', '1.5Gi', together(virtio, desktop), rhel),
  linux('rhel.8.dpdk', 'Red Hat Enterprise Linux 8', '1.5Gi', together(virtio, dpdk), { ...withTag(rhel, 'dpdk'), vcpus: 8 }),
  linux('rhel.9', 'Red Hat Enterprise Linux 9 (amd64)', '1.5Gi', signed, { ...rhel, ...amd64 }),
  linux('rhel.9.arm64', 'Red Hat Enterprise Linux 9 (arm64)', '1.5Gi', fast, { ...rhel, ...arm64 }),
  linux('rhel.9.s390x', 'Red Hat Enterprise Linux 9 (s390x)', '1.5Gi', fast, { ...rhel, ...s390x }),
  linux('rhel.9.desktop', 'Red Hat Enterprise Linux 9 Desktop (amd64)', '1.5Gi', together(signed, desktop), { ...rhel, ...amd64 }),
  linux('rhel.9.dpdk', 'Red Hat Enterprise Linux 9 DPDK (amd64)', '1.5Gi', together(signed, dpdk), {
    ...withTag(rhel, 'dpdk'),
    ...amd64,
    vcpus: 8,
  }),
  linux('rhel.9.realtime', 'Red Hat Enterprise Linux 9 Realtime (amd64)', '4Gi', together(signed, multiQueue, spread(), realtime), {
    ...withTag(rhel, 'realtime'),
    ...amd64,
    vcpus: 4,
  }),
  linux('rhel.10', 'Red Hat Enterprise Linux 10 (amd64)', '1.5Gi', signed, { ...rhel, ...amd64 }),
  linux('rhel.10.arm64', 'Red Hat Enterprise Linux 10 (arm64)', '1.5Gi', fast, { ...rhel, ...arm64 }),
  linux('rhel.10.s390x', 'Red Hat Enterprise Linux 10 (s390x)', '1.5Gi', fast, { ...rhel, ...s390x }),
  linux('oraclelinux', 'Oracle Linux', '4Gi', together(virtio, efi), { icon: 'oracle', vcpus: 2 }),
  linux('almalinux', 'AlmaLinux', '1.5Gi', signed, { ...amd64, isOurs: true }),
  linux('rocky', 'Rocky Linux', '1.5Gi', signed, { ...amd64, isOurs: true }),
  linux('opensuse.leap', 'OpenSUSE Leap', '2Gi', virtio, { icon: 'opensuse-leap' }),
  linux('opensuse.tumbleweed', 'OpenSUSE Tumbleweed', '2Gi', virtio, { icon: 'opensuse-tumbleweed' }),
  linux('sles', 'SUSE Linux Enterprise Server', '2Gi', virtio),
  generic('linux', 'Linux Guest', 'linux', virtio),
  generic('linux.efi', 'Linux EFI Guest', 'linux-efi', together(virtio, efi)),
  generic(
    'linux.virtiotransitional',
    'Linux Virtio Transitional Guest',
    'linux-virtio-transitional',
    together(virtio, traits.transitional),
  ),
]

const everyWindows = together(traits.hyperv, sockets, traits.stopsInAnHour)

function windowsGuest(name: string, displayName: string, likes: Trait, options: Options): Guest {
  const guest = { displayName, icon: 'windows', tags: ['windows'], osType: 'windows', vcpus: 1, memory: '2Gi', ...options } as const
  return { ...guest, name, likes: together(everyWindows, likes) }
}

/** Returns two preferences: for the installation, and for guests with virtio drivers. */
function windows(name: string, displayName: string, likes: Trait = {}, { model = 'e1000e', ...options }: WindowsOptions = {}): Guest[] {
  return [
    windowsGuest(name, displayName, together(likes, traits.builtInDrivers(model)), options),
    windowsGuest(`${name}.virtio`, `${displayName} (virtio)`, together(likes, traits.installedDrivers), options),
  ]
}

interface WindowsOptions extends Options {
  /** Model of a network card that the guest has a driver for. */
  readonly model?: 'e1000' | 'e1000e'
}

const kept = together(traits.keptSecureBoot, tpm)
/** Guests without a driver for a large PCI address space. */
const small = traits.withoutPciHole

const windowsGuests: readonly Guest[] = [
  windowsGuest('windows.xp', 'Microsoft Windows XP', together(small, traits.builtInDrivers('e1000e')), { memory: '128Mi' }),
  ...windows('windows.7', 'Microsoft Windows 7'),
  ...windows('windows.10', 'Microsoft Windows 10', secureBoot),
  ...windows('windows.11', 'Microsoft Windows 11', kept, { vcpus: 2, memory: '4Gi' }),
  windowsGuest('windows.2k3', 'Microsoft Windows Server 2003', together(small, traits.builtInDrivers('rtl8139')), { memory: '256Mi' }),
  ...windows('windows.2k8', 'Microsoft Windows Server 2008/2008 R2', {}, { memory: '512Mi', model: 'e1000' }),
  ...windows('windows.2k12', 'Microsoft Windows Server 2012/2012 R2', {}, { memory: '512Mi' }),
  ...windows('windows.2k16', 'Microsoft Windows Server 2016', secureBoot),
  ...windows('windows.2k19', 'Microsoft Windows Server 2019', secureBoot),
  ...windows('windows.2k22', 'Microsoft Windows Server 2022', kept),
  ...windows('windows.2k25', 'Microsoft Windows Server 2025', kept),
]

/** Systems without virtio drivers. */
const legacyGuests: readonly Guest[] = [
  {
    name: 'legacy',
    displayName: 'Legacy Guest',
    icon: 'other',
    tags: ['legacy'],
    osType: 'legacy',
    likes: { devices: { preferredDiskBus: 'sata', preferredInterfaceModel: 'e1000' } },
  },
]

/** All guests, unordered. */
export const allGuests: readonly Guest[] = [...linuxGuests, ...windowsGuests, ...legacyGuests]
