import * as traits from './traits.ts'
import { together, type Trait } from './traits.ts'

/** A guest operating system and its preferences. */
export interface Guest {
  readonly name: string
  readonly displayName: string
  readonly osType: 'linux' | 'windows' | 'legacy'
  /** Absent for any architecture. */
  readonly architecture?: 'amd64' | 'arm64' | 's390x'
  /** Minimal number of vCPUs. */
  readonly vcpus: number
  readonly memory: string
  readonly likes: Trait
  /** Set when the vendor has ended support. */
  readonly deprecated?: true
}

const { cores, desktop, efi, hyperv, keptSecureBoot, manyQueues, quiet, secureBoot, sockets, tpm, virtio } = traits
const server = together(virtio, sockets, traits.stopsInMinutes)
const signed = together(server, secureBoot)
/** These architectures have no BIOS, and the SMM and Hyper-V fields are those of x86. */
const board = together(server, efi)
type Options = Partial<Omit<Guest, 'name' | 'displayName'>>

function linux(name: string, displayName: string, memory: string, likes: Trait, options: Options = {}): Guest {
  return { name, displayName, osType: 'linux', vcpus: 1, memory, likes, ...options }
}

const amd64 = { architecture: 'amd64' } as const
const arm64 = { architecture: 'arm64' } as const
const s390x = { architecture: 's390x' } as const

function enterprise(name: string, displayName: string, options: { readonly older?: true; readonly ends?: true } = {}): Guest[] {
  const likes = options.older === true ? server : signed
  const ended: Options = options.ends === true ? { deprecated: true } : {}
  return [
    linux(name, displayName, '1536Mi', likes, { ...amd64, ...ended }),
    linux(`${name}.desktop`, `${displayName} Desktop`, '2Gi', together(likes, desktop), { ...amd64, ...ended }),
  ]
}

function packetMover(name: string, displayName: string): Guest {
  return linux(`${name}.dpdk`, `${displayName} with DPDK`, '2Gi', together(signed, cores, manyQueues, quiet), { ...amd64, vcpus: 4 })
}

const linuxGuests: readonly Guest[] = [
  linux('alpine', 'Alpine Linux', '256Mi', server),
  linux('cirros', 'CirrOS', '64Mi', together(virtio, sockets, { preferredTerminationGracePeriodSeconds: 10 })),
  linux('debian', 'Debian', '512Mi', server),
  linux('ubuntu', 'Ubuntu', '1Gi', server),
  linux('ubuntu.desktop', 'Ubuntu Desktop', '4Gi', together(server, desktop), { vcpus: 2 }),
  linux('fedora', 'Fedora', '2Gi', signed, amd64),
  linux('fedora.arm64', 'Fedora (arm64)', '2Gi', board, arm64),
  linux('fedora.s390x', 'Fedora (s390x)', '2Gi', server, s390x),
  ...enterprise('centos.stream9', 'CentOS Stream 9'),
  packetMover('centos.stream9', 'CentOS Stream 9'),
  ...enterprise('centos.stream10', 'CentOS Stream 10'),
  ...enterprise('rhel.7', 'Red Hat Enterprise Linux 7', { older: true, ends: true }),
  ...enterprise('rhel.8', 'Red Hat Enterprise Linux 8'),
  packetMover('rhel.8', 'Red Hat Enterprise Linux 8'),
  ...enterprise('rhel.9', 'Red Hat Enterprise Linux 9'),
  packetMover('rhel.9', 'Red Hat Enterprise Linux 9'),
  linux('rhel.9.arm64', 'Red Hat Enterprise Linux 9 (arm64)', '1536Mi', board, arm64),
  linux('rhel.9.s390x', 'Red Hat Enterprise Linux 9 (s390x)', '1536Mi', server, s390x),
  linux('rhel.9.realtime', 'Red Hat Enterprise Linux 9 for Real Time', '2Gi', together(signed, cores, manyQueues, quiet), {
    ...amd64,
    vcpus: 4,
  }),
  ...enterprise('rhel.10', 'Red Hat Enterprise Linux 10'),
  linux('rhel.10.arm64', 'Red Hat Enterprise Linux 10 (arm64)', '1536Mi', board, arm64),
  linux('rhel.10.s390x', 'Red Hat Enterprise Linux 10 (s390x)', '1536Mi', server, s390x),
  linux('oraclelinux', 'Oracle Linux', '1536Mi', signed, amd64),
  linux('almalinux', 'AlmaLinux', '1536Mi', signed, amd64),
  linux('rocky', 'Rocky Linux', '1536Mi', signed, amd64),
  linux('opensuse.leap', 'openSUSE Leap', '1Gi', server),
  linux('opensuse.tumbleweed', 'openSUSE Tumbleweed', '1Gi', server),
  linux('sles', 'SUSE Linux Enterprise Server', '1Gi', server),
  linux('linux', 'Linux (generic)', '128Mi', server),
]

/** Returns two preferences: for the installation, and for guests with virtio drivers. */
function windows(name: string, displayName: string, likes: Trait, options: Options = {}): Guest[] {
  const guest = { displayName, osType: 'windows', architecture: 'amd64', vcpus: 1, memory: '2Gi', ...options } as const
  const all = together(hyperv, likes, traits.stopsInAnHour)
  return [
    { ...guest, name, likes: together(all, traits.builtInDrivers) },
    { ...guest, name: `${name}.virtio`, displayName: `${displayName} (virtio)`, likes: together(all, traits.installedDrivers) },
  ]
}

const windowsGuests: readonly Guest[] = [
  ...windows('windows.10', 'Microsoft Windows 10', together(cores, keptSecureBoot), { deprecated: true }),
  ...windows('windows.11', 'Microsoft Windows 11', together(cores, keptSecureBoot, tpm), { vcpus: 2, memory: '4Gi' }),
  ...windows('windows.2k16', 'Microsoft Windows Server 2016', together(sockets, keptSecureBoot)),
  ...windows('windows.2k19', 'Microsoft Windows Server 2019', together(sockets, keptSecureBoot)),
  ...windows('windows.2k22', 'Microsoft Windows Server 2022', together(sockets, keptSecureBoot)),
  ...windows('windows.2k25', 'Microsoft Windows Server 2025', together(sockets, keptSecureBoot, tpm)),
]

/** Systems without virtio and EFI support. */
const legacyGuests: readonly Guest[] = [
  {
    name: 'legacy',
    displayName: 'Old systems',
    osType: 'legacy',
    architecture: 'amd64',
    vcpus: 1,
    memory: '16Mi',
    likes: together(cores, {
      devices: { preferredDiskBus: 'sata', preferredInterfaceModel: 'rtl8139' },
      firmware: { preferredUseBios: true },
    }),
  },
]

/** All guests, unordered. */
export const allGuests: readonly Guest[] = [...linuxGuests, ...windowsGuests, ...legacyGuests]
