// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

export const AccessCredentialSecretSource: StructuralSchema = {
  type: 'object',
  description: 'A Secret in the machine\'s namespace.',
  properties: {
    secretName: {
      type: 'string',
      description: 'Name of the Secret.',
    },
  },
  required: ['secretName'],
}

export const SSHPublicKeyAccessCredentialSource: StructuralSchema = {
  type: 'object',
  description: 'Where public keys come from.',
  properties: {
    secret: {
      ...AccessCredentialSecretSource,
      description: 'A Secret.',
    },
  },
}

export const ConfigDriveSSHPublicKeyAccessCredentialPropagation: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const NoCloudSSHPublicKeyAccessCredentialPropagation: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const QemuGuestAgentSSHPublicKeyAccessCredentialPropagation: StructuralSchema = {
  type: 'object',
  description: 'Public keys through the guest agent.',
  properties: {
    users: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Users of the guest.',
      'x-kubernetes-list-type': 'set',
    },
  },
  required: ['users'],
}

export const SSHPublicKeyAccessCredentialPropagationMethod: StructuralSchema = {
  type: 'object',
  description: 'How public keys get into the guest; exactly one is set.',
  properties: {
    configDrive: {
      ...ConfigDriveSSHPublicKeyAccessCredentialPropagation,
      description: 'With the config drive.',
    },
    noCloud: {
      ...NoCloudSSHPublicKeyAccessCredentialPropagation,
      description: 'With the NoCloud disk.',
    },
    qemuGuestAgent: {
      ...QemuGuestAgentSSHPublicKeyAccessCredentialPropagation,
      description: 'Through the guest agent.',
    },
  },
}

export const SSHPublicKeyAccessCredential: StructuralSchema = {
  type: 'object',
  description: 'Public keys for SSH.',
  properties: {
    source: {
      ...SSHPublicKeyAccessCredentialSource,
      description: 'Where they come from.',
    },
    propagationMethod: {
      ...SSHPublicKeyAccessCredentialPropagationMethod,
      description: 'How they get into the guest.',
    },
  },
  required: ['source', 'propagationMethod'],
}

export const UserPasswordAccessCredentialSource: StructuralSchema = {
  type: 'object',
  description: 'Where passwords come from.',
  properties: {
    secret: {
      ...AccessCredentialSecretSource,
      description: 'A Secret.',
    },
  },
}

export const QemuGuestAgentUserPasswordAccessCredentialPropagation: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const UserPasswordAccessCredentialPropagationMethod: StructuralSchema = {
  type: 'object',
  description: 'How passwords get into the guest.',
  properties: {
    qemuGuestAgent: {
      ...QemuGuestAgentUserPasswordAccessCredentialPropagation,
      description: 'Through the guest agent.',
    },
  },
}

export const UserPasswordAccessCredential: StructuralSchema = {
  type: 'object',
  description: 'Passwords.',
  properties: {
    source: {
      ...UserPasswordAccessCredentialSource,
      description: 'Where they come from.',
    },
    propagationMethod: {
      ...UserPasswordAccessCredentialPropagationMethod,
      description: 'How they get into the guest.',
    },
  },
  required: ['source', 'propagationMethod'],
}

export const AccessCredential: StructuralSchema = {
  type: 'object',
  description: 'A credential that is put into the guest; exactly one is set.',
  properties: {
    sshPublicKey: {
      ...SSHPublicKeyAccessCredential,
      description: 'Public keys for SSH.',
    },
    userPassword: {
      ...UserPasswordAccessCredential,
      description: 'Passwords.',
    },
  },
}

export const ClockOffsetUTC: StructuralSchema = {
  type: 'object',
  description: 'Coordinated universal time.',
  properties: {
    offsetSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds to add.',
    },
  },
}

export const HPETTimer: StructuralSchema = {
  type: 'object',
  description: 'High precision event timer.',
  properties: {
    tickPolicy: {
      type: 'string',
      description: 'Policy for missed ticks: delay, catchup, merge or discard.',
    },
    present: {
      type: 'boolean',
      description: 'Whether it is there.',
    },
  },
}

export const KVMTimer: StructuralSchema = {
  type: 'object',
  description: 'Clock of KVM.',
  properties: {
    present: {
      type: 'boolean',
      description: 'Whether it is there.',
    },
  },
}

export const PITTimer: StructuralSchema = {
  type: 'object',
  description: 'Programmable interval timer.',
  properties: {
    tickPolicy: {
      type: 'string',
      description: 'Policy for missed ticks: delay, catchup or discard.',
    },
    present: {
      type: 'boolean',
      description: 'Whether it is there.',
    },
  },
}

export const RTCTimer: StructuralSchema = {
  type: 'object',
  description: 'Real time clock.',
  properties: {
    tickPolicy: {
      type: 'string',
      description: 'Policy for missed ticks: delay or catchup.',
    },
    present: {
      type: 'boolean',
      description: 'Whether it is there.',
    },
    track: {
      type: 'string',
      description: 'Clock to follow: guest or wall.',
    },
  },
}

export const HypervTimer: StructuralSchema = {
  type: 'object',
  description: 'Clock of Hyper-V.',
  properties: {
    present: {
      type: 'boolean',
      description: 'Whether it is there.',
    },
  },
}

export const Timer: StructuralSchema = {
  type: 'object',
  description: 'Timers of a guest.',
  properties: {
    hpet: {
      ...HPETTimer,
      description: 'High precision event timer.',
    },
    kvm: {
      ...KVMTimer,
      description: 'Clock of KVM.',
    },
    pit: {
      ...PITTimer,
      description: 'Programmable interval timer.',
    },
    rtc: {
      ...RTCTimer,
      description: 'Real time clock.',
    },
    hyperv: {
      ...HypervTimer,
      description: 'Clock of Hyper-V.',
    },
  },
}

export const Clock: StructuralSchema = {
  type: 'object',
  description: 'Clock and timers of a guest.',
  properties: {
    utc: {
      ...ClockOffsetUTC,
      description: 'Coordinated universal time.',
    },
    timezone: {
      type: 'string',
      description: 'Time of a zone: `Europe/Prague`.',
    },
    timer: {
      ...Timer,
      description: 'Timers of the guest.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const ClockOffset: StructuralSchema = {
  type: 'object',
  description: 'Offset of the clock; at most one member is set.',
  properties: {
    utc: {
      ...ClockOffsetUTC,
      description: 'Coordinated universal time.',
    },
    timezone: {
      type: 'string',
      description: 'Time of a zone: `Europe/Prague`.',
    },
  },
}

export const CPUFeature: StructuralSchema = {
  type: 'object',
  description: 'A feature of a processor.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the feature.',
    },
    policy: {
      type: 'string',
      description: 'force, require, optional, disable or forbid; require when absent.',
    },
  },
  required: ['name'],
}

export const NUMAGuestMappingPassthrough: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence switches it on.',
}

export const NUMA: StructuralSchema = {
  type: 'object',
  description: 'NUMA topology of a guest.',
  properties: {
    guestMappingPassthrough: {
      ...NUMAGuestMappingPassthrough,
      description: 'Mirrors the topology of the physical processors that the guest is pinned to.',
    },
  },
}

export const Realtime: StructuralSchema = {
  type: 'object',
  description: 'Tuning for low latency.',
  properties: {
    mask: {
      type: 'string',
      description: 'Virtual processors that it is for: `0-3,^1`.',
    },
  },
}

export const CPU: StructuralSchema = {
  type: 'object',
  description: 'Virtual processors of a guest.',
  properties: {
    cores: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Cores of each socket.',
    },
    sockets: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Sockets.',
    },
    maxSockets: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Most sockets that can be plugged in while the guest runs.',
    },
    threads: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Threads of each core.',
    },
    model: {
      type: 'string',
      description: 'Model: `host-model`, `host-passthrough` or the name of a model.',
    },
    features: {
      type: 'array',
      items: CPUFeature,
      description: 'Features to add to the model or take away from it.',
    },
    dedicatedCpuPlacement: {
      type: 'boolean',
      description: 'Gives every virtual processor a physical one of its own.',
    },
    numa: {
      ...NUMA,
      description: 'NUMA topology of the guest.',
    },
    isolateEmulatorThread: {
      type: 'boolean',
      description: 'Gives the emulator a physical processor of its own.',
    },
    realtime: {
      ...Realtime,
      description: 'Tunes for low latency.',
    },
  },
}

export const CPUTopology: StructuralSchema = {
  type: 'object',
  description: 'Sockets, cores and threads that are in force.',
  properties: {
    cores: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Cores of each socket.',
    },
    sockets: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Sockets.',
    },
    threads: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Threads of each core.',
    },
  },
}

export const DiskTarget: StructuralSchema = {
  type: 'object',
  description: 'A disk.',
  properties: {
    bus: {
      type: 'string',
      description: 'virtio, sata, scsi or usb.',
    },
    readonly: {
      type: 'boolean',
      description: 'Forbids writing.',
    },
    pciAddress: {
      type: 'string',
      description: 'PCI address in the guest: `0000:81:01.0`.',
    },
  },
}

export const LunTarget: StructuralSchema = {
  type: 'object',
  description: 'A SCSI unit that is passed through.',
  properties: {
    bus: {
      type: 'string',
      description: 'virtio, sata or scsi.',
    },
    readonly: {
      type: 'boolean',
      description: 'Forbids writing.',
    },
    reservation: {
      type: 'boolean',
      description: 'Supports persistent reservations.',
    },
  },
}

export const CDRomTarget: StructuralSchema = {
  type: 'object',
  description: 'A CD-ROM.',
  properties: {
    bus: {
      type: 'string',
      description: 'virtio, sata or scsi.',
    },
    readonly: {
      type: 'boolean',
      description: 'Forbids writing; true when absent.',
    },
    tray: {
      type: 'string',
      description: 'open or closed.',
    },
  },
}

export const CustomBlockSize: StructuralSchema = {
  type: 'object',
  description: 'Given sizes of a disk\'s blocks, in bytes.',
  properties: {
    logical: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Smallest unit that can be addressed.',
    },
    physical: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Smallest unit that is written at once.',
    },
    discardGranularity: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Smallest unit that can be discarded.',
    },
  },
}

export const FeatureState: StructuralSchema = {
  type: 'object',
  description: 'A switch.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off; on when absent.',
    },
  },
}

export const BlockSize: StructuralSchema = {
  type: 'object',
  description: 'Sizes of a disk\'s blocks; at most one is set.',
  properties: {
    custom: {
      ...CustomBlockSize,
      description: 'Given sizes.',
    },
    matchVolume: {
      ...FeatureState,
      description: 'Those of the volume.',
    },
  },
}

export const Disk: StructuralSchema = {
  type: 'object',
  description: 'A volume as a device of the guest.',
  properties: {
    disk: {
      ...DiskTarget,
      description: 'A disk.',
    },
    lun: {
      ...LunTarget,
      description: 'A SCSI unit that is passed through.',
    },
    cdrom: {
      ...CDRomTarget,
      description: 'A CD-ROM.',
    },
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    bootOrder: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Place in the boot order; 1 is first.',
    },
    serial: {
      type: 'string',
      description: 'Serial number that the guest sees.',
    },
    dedicatedIOThread: {
      type: 'boolean',
      description: 'Gives it an I/O thread of its own.',
    },
    cache: {
      type: 'string',
      description: 'none, writethrough or writeback.',
    },
    io: {
      type: 'string',
      description: 'native, default or threads.',
    },
    tag: {
      type: 'string',
      description: 'Tag in the guest\'s metadata.',
    },
    blockSize: {
      ...BlockSize,
      description: 'Sizes of its blocks.',
    },
    shareable: {
      type: 'boolean',
      description: 'Lets several machines write to it.',
    },
    errorPolicy: {
      type: 'string',
      description: 'Policy for I/O errors: stop, ignore, report or enospace.',
    },
    changedBlockTracking: {
      type: 'boolean',
      description: 'Records which blocks change.',
    },
  },
  required: ['name'],
}

export const I6300ESBWatchdog: StructuralSchema = {
  type: 'object',
  description: 'Watchdog on PCI.',
  properties: {
    action: {
      type: 'string',
      description: 'Action on expiry: poweroff, reset or shutdown; reset when absent.',
    },
  },
}

export const Diag288Watchdog: StructuralSchema = {
  type: 'object',
  description: 'Watchdog on s390x.',
  properties: {
    action: {
      type: 'string',
      description: 'Action on expiry: poweroff, reset or shutdown; reset when absent.',
    },
  },
}

export const Watchdog: StructuralSchema = {
  type: 'object',
  description: 'A watchdog.',
  properties: {
    i6300esb: {
      ...I6300ESBWatchdog,
      description: 'On PCI.',
    },
    diag288: {
      ...Diag288Watchdog,
      description: 'On s390x.',
    },
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
  },
  required: ['name'],
}

export const InterfaceBridge: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const DeprecatedInterfaceSlirp: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const InterfaceMasquerade: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const InterfaceSRIOV: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const DeprecatedInterfaceMacvtap: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const DeprecatedInterfacePasst: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const InterfacePasstBinding: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const PluginBinding: StructuralSchema = {
  type: 'object',
  description: 'Names a network binding plug-in.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the plug-in.',
    },
  },
  required: ['name'],
}

export const Port: StructuralSchema = {
  type: 'object',
  description: 'A port that is forwarded to the guest.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port.',
    },
    protocol: {
      type: 'string',
      description: 'TCP or UDP; TCP when absent.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
  },
  required: ['port'],
}

export const DHCPPrivateOptions: StructuralSchema = {
  type: 'object',
  description: 'A private option of DHCP.',
  properties: {
    option: {
      type: 'integer',
      format: 'int32',
      description: 'Number of the option.',
    },
    value: {
      type: 'string',
      description: 'Value of the option.',
    },
  },
  required: ['option', 'value'],
}

export const DHCPOptions: StructuralSchema = {
  type: 'object',
  description: 'Settings of DHCP.',
  properties: {
    bootFileName: {
      type: 'string',
      description: 'Name of the boot file, option 67.',
    },
    tftpServerName: {
      type: 'string',
      description: 'Name of the TFTP server, option 66.',
    },
    ntpServers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Addresses of time servers, option 42.',
    },
    privateOptions: {
      type: 'array',
      items: DHCPPrivateOptions,
      description: 'Private options, 224 to 254.',
    },
  },
}

export const Interface: StructuralSchema = {
  type: 'object',
  description: 'A network as a device of the guest.',
  properties: {
    bridge: {
      ...InterfaceBridge,
      description: 'Through a bridge.',
    },
    slirp: {
      ...DeprecatedInterfaceSlirp,
      description: 'Through user networking; deprecated.',
    },
    masquerade: {
      ...InterfaceMasquerade,
      description: 'Behind address translation.',
    },
    sriov: {
      ...InterfaceSRIOV,
      description: 'As a virtual function that is passed through.',
    },
    macvtap: {
      ...DeprecatedInterfaceMacvtap,
      description: 'Through macvtap; deprecated.',
    },
    passt: {
      ...DeprecatedInterfacePasst,
      description: 'Through passt; deprecated.',
    },
    passtBinding: {
      ...InterfacePasstBinding,
      description: 'Through passt.',
    },
    name: {
      type: 'string',
      description: 'Name of the network.',
    },
    model: {
      type: 'string',
      description: 'virtio, e1000, e1000e, igb, ne2k_pci, pcnet or rtl8139.',
    },
    binding: {
      ...PluginBinding,
      description: 'Connects it with a plug-in.',
    },
    ports: {
      type: 'array',
      items: Port,
      description: 'Ports that are forwarded to the guest.',
    },
    macAddress: {
      type: 'string',
      description: 'Hardware address.',
    },
    bootOrder: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Place in the boot order; 1 is first.',
    },
    pciAddress: {
      type: 'string',
      description: 'PCI address in the guest: `0000:81:01.0`.',
    },
    dhcpOptions: {
      ...DHCPOptions,
      description: 'Settings of DHCP.',
    },
    tag: {
      type: 'string',
      description: 'Tag in the guest\'s metadata.',
    },
    acpiIndex: {
      type: 'integer',
      format: 'int32',
      description: 'Index for stable device names in the guest.',
    },
    state: {
      type: 'string',
      description: 'Wanted state: up, down or absent.',
    },
  },
  required: ['name'],
}

export const Input: StructuralSchema = {
  type: 'object',
  description: 'An input device.',
  properties: {
    bus: {
      type: 'string',
      description: 'virtio or usb.',
    },
    type: {
      type: 'string',
      description: 'tablet or keyboard.',
    },
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
  },
  required: ['type', 'name'],
}

export const Rng: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence adds the device.',
}

export const VGPUDisplayOptions: StructuralSchema = {
  type: 'object',
  description: 'Display of a virtual graphics processor.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off; on when absent.',
    },
    ramFB: {
      ...FeatureState,
      description: 'Frame buffer until the guest has a driver.',
    },
  },
}

export const VGPUOptions: StructuralSchema = {
  type: 'object',
  description: 'Settings of a virtual graphics processor.',
  properties: {
    display: {
      ...VGPUDisplayOptions,
      description: 'Its display.',
    },
  },
}

export const GPU: StructuralSchema = {
  type: 'object',
  description: 'A graphics processor of the node.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim in the machine.',
    },
    requestName: {
      type: 'string',
      description: 'Name of the request in the claim.',
    },
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
    deviceName: {
      type: 'string',
      description: 'Resource that stands for it.',
    },
    virtualGPUOptions: {
      ...VGPUOptions,
      description: 'Settings of a virtual one.',
    },
    tag: {
      type: 'string',
      description: 'Tag in the guest\'s metadata.',
    },
  },
  required: ['name'],
}

export const DownwardMetrics: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence adds the device.',
}

export const PanicDevice: StructuralSchema = {
  type: 'object',
  description: 'A device that tells of the guest\'s panic.',
  properties: {
    model: {
      type: 'string',
      description: 'isa, hyperv or pvpanic.',
    },
  },
}

export const FilesystemVirtiofs: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const Filesystem: StructuralSchema = {
  type: 'object',
  description: 'A directory that is shared with the guest.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    virtiofs: {
      ...FilesystemVirtiofs,
      description: 'Shares it with virtiofs.',
    },
  },
  required: ['name', 'virtiofs'],
}

export const HostDevice: StructuralSchema = {
  type: 'object',
  description: 'A device of the node.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim in the machine.',
    },
    requestName: {
      type: 'string',
      description: 'Name of the request in the claim.',
    },
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
    deviceName: {
      type: 'string',
      description: 'Resource that stands for it.',
    },
    tag: {
      type: 'string',
      description: 'Tag in the guest\'s metadata.',
    },
  },
  required: ['name'],
}

export const ClientPassthroughDevices: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence lets clients pass USB devices through.',
}

export const SoundDevice: StructuralSchema = {
  type: 'object',
  description: 'A sound card.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
    model: {
      type: 'string',
      description: 'ich9 or ac97; ich9 when absent.',
    },
  },
  required: ['name'],
}

export const TPMDevice: StructuralSchema = {
  type: 'object',
  description: 'A trusted platform module.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off; on when absent.',
    },
    persistent: {
      type: 'boolean',
      description: 'Keeps its state over restarts of the machine.',
    },
  },
}

export const VideoDevice: StructuralSchema = {
  type: 'object',
  description: 'A graphics device.',
  properties: {
    type: {
      type: 'string',
      description: 'virtio, vga, bochs or ramfb.',
    },
  },
}

export const Devices: StructuralSchema = {
  type: 'object',
  description: 'Devices of a guest.',
  properties: {
    useVirtioTransitional: {
      type: 'boolean',
      description: 'Speaks virtio 0.9 to old guests.',
    },
    disableHotplug: {
      type: 'boolean',
      description: 'Forbids plugging in disks while the guest runs.',
    },
    disks: {
      type: 'array',
      items: Disk,
      description: 'Disks, CD-ROMs and units.',
      maxItems: 256,
    },
    watchdog: {
      ...Watchdog,
      description: 'Watchdog.',
    },
    interfaces: {
      type: 'array',
      items: Interface,
      description: 'Network interfaces.',
      maxItems: 256,
    },
    inputs: {
      type: 'array',
      items: Input,
      description: 'Input devices.',
    },
    autoattachPodInterface: {
      type: 'boolean',
      description: 'Adds an interface on the pod network when there is none; true when absent.',
    },
    autoattachGraphicsDevice: {
      type: 'boolean',
      description: 'Adds a graphics device; true when absent.',
    },
    autoattachSerialConsole: {
      type: 'boolean',
      description: 'Adds a serial console; true when absent.',
    },
    logSerialConsole: {
      type: 'boolean',
      description: 'Logs the serial console.',
    },
    autoattachMemBalloon: {
      type: 'boolean',
      description: 'Adds a memory balloon; true when absent.',
    },
    autoattachInputDevice: {
      type: 'boolean',
      description: 'Adds a tablet; false when absent.',
    },
    autoattachVSOCK: {
      type: 'boolean',
      description: 'Adds a socket between guest and node.',
    },
    rng: {
      ...Rng,
      description: 'Random numbers from the node.',
    },
    blockMultiQueue: {
      type: 'boolean',
      description: 'Gives disks a queue for each processor.',
    },
    networkInterfaceMultiqueue: {
      type: 'boolean',
      description: 'Gives interfaces a queue for each processor.',
    },
    gpus: {
      type: 'array',
      items: GPU,
      description: 'Graphics processors of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    downwardMetrics: {
      ...DownwardMetrics,
      description: 'Metrics of the node over a serial port.',
    },
    panicDevices: {
      type: 'array',
      items: PanicDevice,
      description: 'Devices that tell of the guest\'s panic.',
    },
    filesystems: {
      type: 'array',
      items: Filesystem,
      description: 'Directories that are shared with the guest.',
      'x-kubernetes-list-type': 'atomic',
    },
    hostDevices: {
      type: 'array',
      items: HostDevice,
      description: 'Devices of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    clientPassthrough: {
      ...ClientPassthroughDevices,
      description: 'Devices of the client.',
    },
    sound: {
      ...SoundDevice,
      description: 'Sound.',
    },
    tpm: {
      ...TPMDevice,
      description: 'Trusted platform module.',
    },
    video: {
      ...VideoDevice,
      description: 'Graphics.',
    },
  },
}

export const WatchdogDevice: StructuralSchema = {
  type: 'object',
  description: 'Kind of a watchdog; i6300esb when none is set.',
  properties: {
    i6300esb: {
      ...I6300ESBWatchdog,
      description: 'On PCI.',
    },
    diag288: {
      ...Diag288Watchdog,
      description: 'On s390x.',
    },
  },
}

export const ClaimRequest: StructuralSchema = {
  type: 'object',
  description: 'A device that is claimed for the guest.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim in the machine.',
    },
    requestName: {
      type: 'string',
      description: 'Name of the request in the claim.',
    },
  },
}

export const DiskDevice: StructuralSchema = {
  type: 'object',
  description: 'Type of device of a volume; a plain disk when none is set.',
  properties: {
    disk: {
      ...DiskTarget,
      description: 'A disk.',
    },
    lun: {
      ...LunTarget,
      description: 'A SCSI unit that is passed through.',
    },
    cdrom: {
      ...CDRomTarget,
      description: 'A CD-ROM.',
    },
  },
}

export const ResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Compute resources of a guest.',
  properties: {
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Requested amounts: `memory`, `cpu`.',
    },
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Most that may be used: `memory`, `cpu`.',
    },
    overcommitGuestOverhead: {
      type: 'boolean',
      description: 'Leaves what the machine needs besides the guest\'s memory out of the request.',
    },
  },
}

export const Hugepages: StructuralSchema = {
  type: 'object',
  description: 'Backs memory with huge pages.',
  properties: {
    pageSize: {
      type: 'string',
      description: 'Size of a page: `2Mi`, `1Gi`.',
    },
  },
}

export const ReservedOverhead: StructuralSchema = {
  type: 'object',
  description: 'Memory that is kept back besides the guest\'s own.',
  properties: {
    addedOverhead: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'How much more.',
    },
    memLock: {
      type: 'string',
      description: 'Whether the memory must stay locked: Required or NotRequired.',
    },
  },
}

export const Memory: StructuralSchema = {
  type: 'object',
  description: 'Memory of a guest.',
  properties: {
    hugepages: {
      ...Hugepages,
      description: 'Backs it with huge pages.',
    },
    guest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'How much the guest sees; the requested memory when absent.',
    },
    maxGuest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Most that can be plugged in while the guest runs.',
    },
    reservedOverhead: {
      ...ReservedOverhead,
      description: 'Memory that is kept back for the node.',
    },
  },
}

export const Machine: StructuralSchema = {
  type: 'object',
  description: 'Type of the emulated machine.',
  properties: {
    type: {
      type: 'string',
      description: '`q35`, `pc-q35-10.0`, `virt`.',
    },
  },
}

export const BIOS: StructuralSchema = {
  type: 'object',
  description: 'Settings of the BIOS.',
  properties: {
    useSerial: {
      type: 'boolean',
      description: 'Shows its output on the serial console.',
    },
  },
}

export const EFI: StructuralSchema = {
  type: 'object',
  description: 'Settings of EFI.',
  properties: {
    secureBoot: {
      type: 'boolean',
      description: 'Starts only what is signed; true when absent.',
    },
    persistent: {
      type: 'boolean',
      description: 'Keeps its variables over restarts of the machine.',
    },
  },
}

export const Bootloader: StructuralSchema = {
  type: 'object',
  description: 'BIOS or EFI; at most one is set.',
  properties: {
    bios: {
      ...BIOS,
      description: 'BIOS.',
    },
    efi: {
      ...EFI,
      description: 'EFI.',
    },
  },
}

export const KernelBootContainer: StructuralSchema = {
  type: 'object',
  description: 'Image with a kernel.',
  properties: {
    image: {
      type: 'string',
      description: 'Image reference.',
    },
    imagePullSecret: {
      type: 'string',
      description: 'Secret with registry credentials.',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Always, Never or IfNotPresent.',
    },
    kernelPath: {
      type: 'string',
      description: 'Path of the kernel in the image.',
    },
    initrdPath: {
      type: 'string',
      description: 'Path of the initial ram disk in the image.',
    },
  },
  required: ['image'],
}

export const KernelBoot: StructuralSchema = {
  type: 'object',
  description: 'Starts a kernel directly.',
  properties: {
    kernelArgs: {
      type: 'string',
      description: 'Command line of the kernel.',
    },
    container: {
      ...KernelBootContainer,
      description: 'Image with the kernel.',
    },
  },
}

export const ACPI: StructuralSchema = {
  type: 'object',
  description: 'Tables for ACPI.',
  properties: {
    slicNameRef: {
      type: 'string',
      description: 'Secret volume with a SLIC table.',
    },
    msdmNameRef: {
      type: 'string',
      description: 'Secret volume with an MSDM table.',
    },
  },
}

export const Firmware: StructuralSchema = {
  type: 'object',
  description: 'Firmware of a guest.',
  properties: {
    uuid: {
      type: 'string',
      description: 'UUID that the guest sees.',
    },
    bootloader: {
      ...Bootloader,
      description: 'BIOS or EFI.',
    },
    serial: {
      type: 'string',
      description: 'Serial number that the guest sees.',
    },
    kernelBoot: {
      ...KernelBoot,
      description: 'Starts a kernel directly.',
    },
    acpi: {
      ...ACPI,
      description: 'Tables for ACPI.',
    },
  },
}

export const FeatureAPIC: StructuralSchema = {
  type: 'object',
  description: 'Interrupt controller of x86.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off; on when absent.',
    },
    endOfInterrupt: {
      type: 'boolean',
      description: 'Notifies the guest of the end of interrupts.',
    },
  },
}

export const HyperVPassthrough: StructuralSchema = {
  type: 'object',
  description: 'Every Hyper-V enlightenment that the node supports.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off.',
    },
  },
}

export const FeatureSpinlocks: StructuralSchema = {
  type: 'object',
  description: 'Paravirtual spin locks.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off; on when absent.',
    },
    spinlocks: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Retries before the hypervisor is told; at least 4096.',
    },
  },
}

export const SyNICTimer: StructuralSchema = {
  type: 'object',
  description: 'Synthetic timers.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off; on when absent.',
    },
    direct: {
      ...FeatureState,
      description: 'Delivers expirations directly.',
    },
  },
}

export const FeatureVendorID: StructuralSchema = {
  type: 'object',
  description: 'Name of the vendor.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off; on when absent.',
    },
    vendorid: {
      type: 'string',
      description: 'At most twelve characters.',
    },
  },
}

export const TLBFlush: StructuralSchema = {
  type: 'object',
  description: 'Paravirtual flush of the TLB.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off; on when absent.',
    },
    direct: {
      ...FeatureState,
      description: 'For nested guests.',
    },
    extended: {
      ...FeatureState,
      description: 'Flushes parts.',
    },
  },
}

export const FeatureHyperv: StructuralSchema = {
  type: 'object',
  description: 'Hyper-V enlightenments.',
  properties: {
    relaxed: {
      ...FeatureState,
      description: 'Switches off watchdogs of the guest.',
    },
    vapic: {
      ...FeatureState,
      description: 'Paravirtual interrupts.',
    },
    spinlocks: {
      ...FeatureSpinlocks,
      description: 'Paravirtual spin locks.',
    },
    vpindex: {
      ...FeatureState,
      description: 'Index of virtual processors.',
    },
    runtime: {
      ...FeatureState,
      description: 'Accounting of run time.',
    },
    synic: {
      ...FeatureState,
      description: 'Synthetic interrupts.',
    },
    synictimer: {
      ...SyNICTimer,
      description: 'Synthetic timers.',
    },
    reset: {
      ...FeatureState,
      description: 'Restart through the hypervisor.',
    },
    vendorid: {
      ...FeatureVendorID,
      description: 'Name of the vendor.',
    },
    frequencies: {
      ...FeatureState,
      description: 'Frequencies of the clocks.',
    },
    reenlightenment: {
      ...FeatureState,
      description: 'Notification of changes of the time stamp counter.',
    },
    tlbflush: {
      ...TLBFlush,
      description: 'Paravirtual flush of the TLB.',
    },
    ipi: {
      ...FeatureState,
      description: 'Paravirtual interrupts between processors.',
    },
    evmcs: {
      ...FeatureState,
      description: 'Faster nested guests.',
    },
  },
}

export const FeatureKVM: StructuralSchema = {
  type: 'object',
  description: 'How KVM shows itself.',
  properties: {
    hidden: {
      type: 'boolean',
      description: 'Hides it from the guest.',
    },
  },
}

export const Features: StructuralSchema = {
  type: 'object',
  description: 'Features of the emulated machine.',
  properties: {
    acpi: {
      ...FeatureState,
      description: 'ACPI; on when absent.',
    },
    apic: {
      ...FeatureAPIC,
      description: 'Interrupt controller of x86.',
    },
    hypervPassthrough: {
      ...HyperVPassthrough,
      description: 'Every Hyper-V enlightenment that the node supports.',
    },
    hyperv: {
      ...FeatureHyperv,
      description: 'Hyper-V enlightenments.',
    },
    smm: {
      ...FeatureState,
      description: 'System management mode.',
    },
    kvm: {
      ...FeatureKVM,
      description: 'How KVM shows itself.',
    },
    pvspinlock: {
      ...FeatureState,
      description: 'Paravirtual spin locks.',
    },
  },
}

export const DiskIOThreads: StructuralSchema = {
  type: 'object',
  description: 'Settings of I/O threads.',
  properties: {
    supplementalPoolThreadCount: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'How many threads the pool has.',
    },
  },
}

export const Chassis: StructuralSchema = {
  type: 'object',
  description: 'SMBIOS chassis data of the guest.',
  properties: {
    manufacturer: {
      type: 'string',
      description: 'Manufacturer.',
    },
    version: {
      type: 'string',
      description: 'Version.',
    },
    serial: {
      type: 'string',
      description: 'Serial number.',
    },
    asset: {
      type: 'string',
      description: 'Asset tag.',
    },
    sku: {
      type: 'string',
      description: 'Stock keeping unit.',
    },
  },
}

export const SEVPolicy: StructuralSchema = {
  type: 'object',
  description: 'SEV policy of a guest.',
  properties: {
    encryptedState: {
      type: 'boolean',
      description: 'Encrypts registers too.',
    },
  },
}

export const SEVAttestation: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence switches it on.',
}

export const SEV: StructuralSchema = {
  type: 'object',
  description: 'AMD SEV.',
  properties: {
    policy: {
      ...SEVPolicy,
      description: 'SEV policy of the guest.',
    },
    attestation: {
      ...SEVAttestation,
      description: 'Proves to the owner what was started.',
    },
    session: {
      type: 'string',
      description: 'Session blob, as base64.',
    },
    dhCert: {
      type: 'string',
      description: 'Key of the owner, as base64.',
    },
  },
}

export const SEVSNP: StructuralSchema = {
  type: 'object',
  description: 'AMD SEV-SNP.',
  properties: {
    policy: {
      type: 'string',
      description: 'Policy of the guest.',
    },
    vcek: {
      type: 'string',
      description: 'Key that signs reports.',
    },
    authorKey: {
      type: 'string',
      description: 'Key of the author.',
    },
    kernelHashes: {
      type: 'string',
      description: 'Measures kernel and initial ram disk.',
    },
    cbitpos: {
      type: 'string',
      description: 'Position of the encryption bit.',
    },
    idBlock: {
      type: 'string',
      description: 'Identity block.',
    },
    idAuth: {
      type: 'string',
      description: 'Signature of the identity block.',
    },
    reducedPhysBits: {
      type: 'string',
      description: 'Address bits that encryption takes.',
    },
  },
}

export const TDX: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence switches it on.',
}

export const LaunchSecurity: StructuralSchema = {
  type: 'object',
  description: 'Protects the guest\'s memory from the node; at most one is set.',
  properties: {
    sev: {
      ...SEV,
      description: 'AMD SEV.',
    },
    snp: {
      ...SEVSNP,
      description: 'AMD SEV-SNP.',
    },
    tdx: {
      ...TDX,
      description: 'Intel TDX.',
    },
  },
}

export const DomainSpec: StructuralSchema = {
  type: 'object',
  description: 'The hardware of a guest.',
  properties: {
    resources: {
      ...ResourceRequirements,
      description: 'Compute resources.',
    },
    cpu: {
      ...CPU,
      description: 'Virtual processors.',
    },
    memory: {
      ...Memory,
      description: 'Memory.',
    },
    machine: {
      ...Machine,
      description: 'Type of the machine.',
    },
    firmware: {
      ...Firmware,
      description: 'Firmware.',
    },
    clock: {
      ...Clock,
      description: 'Clock and timers.',
    },
    features: {
      ...Features,
      description: 'Features of the machine.',
    },
    devices: {
      ...Devices,
      description: 'Devices. Admission adds an empty one when it is missing.',
    },
    ioThreadsPolicy: {
      type: 'string',
      description: 'How disks share I/O threads: shared, auto or supplementalPool; no such threads when absent.',
    },
    ioThreads: {
      ...DiskIOThreads,
      description: 'Settings of I/O threads.',
    },
    chassis: {
      ...Chassis,
      description: 'SMBIOS chassis data of the guest.',
    },
    launchSecurity: {
      ...LaunchSecurity,
      description: 'Protects the guest\'s memory from the node.',
    },
    rebootPolicy: {
      type: 'string',
      description: 'Policy when the guest restarts itself: Reboot or Terminate; Reboot when absent.',
      enum: ['Reboot', 'Terminate'],
    },
  },
}

export const InterfaceBindingMethod: StructuralSchema = {
  type: 'object',
  description: 'How an interface is connected; at most one is set.',
  properties: {
    bridge: {
      ...InterfaceBridge,
      description: 'Through a bridge.',
    },
    slirp: {
      ...DeprecatedInterfaceSlirp,
      description: 'Through user networking; deprecated.',
    },
    masquerade: {
      ...InterfaceMasquerade,
      description: 'Behind address translation.',
    },
    sriov: {
      ...InterfaceSRIOV,
      description: 'As a virtual function that is passed through.',
    },
    macvtap: {
      ...DeprecatedInterfaceMacvtap,
      description: 'Through macvtap; deprecated.',
    },
    passt: {
      ...DeprecatedInterfacePasst,
      description: 'Through passt; deprecated.',
    },
    passtBinding: {
      ...InterfacePasstBinding,
      description: 'Through passt.',
    },
  },
}

export const MemoryStatus: StructuralSchema = {
  type: 'object',
  description: 'Memory of a guest that is in force.',
  properties: {
    guestAtBoot: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'How much the guest started with.',
    },
    guestCurrent: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'How much the guest has.',
    },
    guestRequested: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'How much the guest is asked to have.',
    },
    memoryOverhead: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Memory of the VM beyond the guest\'s memory.',
    },
  },
}

export const CoreLocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Points to an object of a known kind in the same namespace.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const KubeVirtWorkloadUpdateStrategy: StructuralSchema = {
  type: 'object',
  description: 'Policy for running guests when the system is upgraded.',
  properties: {
    workloadUpdateMethods: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'LiveMigrate and Evict, in the order of preference; none leaves guests alone.',
      'x-kubernetes-list-type': 'atomic',
    },
    batchEvictionSize: {
      type: 'integer',
      format: 'int64',
      description: 'How many guests are evicted at a time; 10 when absent.',
    },
    batchEvictionInterval: {
      type: 'string',
      description: 'Pause between two batches; a minute when absent.',
    },
  },
}

export const CertConfig: StructuralSchema = {
  type: 'object',
  description: 'Life of a certificate.',
  properties: {
    duration: {
      type: 'string',
      description: 'How long it is valid.',
    },
    renewBefore: {
      type: 'string',
      description: 'How long before its end it is renewed.',
    },
  },
}

export const KubeVirtSelfSignConfiguration: StructuralSchema = {
  type: 'object',
  description: 'How certificates that the system signs itself are renewed.',
  properties: {
    caRotateInterval: {
      type: 'string',
      description: 'Deprecated.',
    },
    certRotateInterval: {
      type: 'string',
      description: 'Deprecated.',
    },
    caOverlapInterval: {
      type: 'string',
      description: 'Deprecated.',
    },
    ca: {
      ...CertConfig,
      description: 'The authority.',
    },
    server: {
      ...CertConfig,
      description: 'The servers.',
    },
  },
}

export const KubeVirtCertificateRotateStrategy: StructuralSchema = {
  type: 'object',
  description: 'How certificates are renewed.',
  properties: {
    selfSigned: {
      ...KubeVirtSelfSignConfiguration,
      description: 'For those that the system signs itself.',
    },
  },
}

export const DeveloperConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings for developers.',
  properties: {
    featureGates: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Features that are switched on.',
      'x-kubernetes-list-type': 'atomic',
    },
    disabledFeatureGates: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Features that are switched off.',
      'x-kubernetes-list-type': 'atomic',
    },
    cpuAllocationRatio: {
      type: 'integer',
      format: 'int32',
      description: 'Virtual processors for each physical one.',
    },
    memoryOvercommit: {
      type: 'integer',
      format: 'int32',
      description: 'Percentage of guests\' memory that is requested.',
    },
    useEmulation: {
      type: 'boolean',
      description: 'Runs guests without hardware support.',
    },
    logVerbosity: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Verbosity of the logs.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const MigrationConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings of migrations.',
  properties: {
    parallelMigrationsPerCluster: {
      type: 'integer',
      format: 'int32',
      description: 'Most migrations at a time.',
    },
    parallelOutboundMigrationsPerNode: {
      type: 'integer',
      format: 'int32',
      description: 'Most migrations away from a node at a time.',
    },
    bandwidthPerMigration: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Bandwidth of one migration.',
    },
    completionTimeoutPerGiB: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds for each GiB until a migration is given up.',
    },
    progressTimeout: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds without progress until a migration is given up.',
    },
    allowAutoConverge: {
      type: 'boolean',
      description: 'Lets the guest converge by slowing it down.',
    },
    allowPostCopy: {
      type: 'boolean',
      description: 'Lets the guest go on at the target before all of its memory is there.',
    },
    allowWorkloadDisruption: {
      type: 'boolean',
      description: 'Lets the guest be stopped so that its migration ends. As allowPostCopy when absent.',
    },
    maxDowntimeMs: {
      type: 'integer',
      format: 'int64',
      description: 'Milliseconds that the guest may stand still at the end.',
    },
    disableTLS: {
      type: 'boolean',
      description: 'Switches off encryption.',
    },
    network: {
      type: 'string',
      description: 'Network for migrations.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const NetworkConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings of networks.',
  properties: {
    defaultNetworkInterface: {
      type: 'string',
      description: 'Binding of interfaces that name none: masquerade or bridge.',
    },
    permitBridgeInterfaceOnPodNetwork: {
      type: 'boolean',
      description: 'Whether the pod network may be bridged.',
    },
    binding: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Binding plug-ins by name.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const ArchitectureSpecificConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings of one architecture.',
  properties: {
    ovmfPath: {
      type: 'string',
      description: 'Path of the EFI firmware.',
    },
    emulatedMachines: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Machine types that guests may have.',
      'x-kubernetes-list-type': 'atomic',
    },
    machineType: {
      type: 'string',
      description: 'Machine type of guests that name none.',
    },
  },
}

export const ArchitectureConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings by architecture.',
  properties: {
    amd64: {
      ...ArchitectureSpecificConfiguration,
      description: 'x86-64.',
    },
    arm64: {
      ...ArchitectureSpecificConfiguration,
      description: 'Arm, 64 bits.',
    },
    s390x: {
      ...ArchitectureSpecificConfiguration,
      description: 'IBM Z.',
    },
    ppc64le: {
      ...ArchitectureSpecificConfiguration,
      description: 'Power.',
    },
    defaultArchitecture: {
      type: 'string',
      description: 'Architecture of guests that name none.',
    },
  },
}

export const CommonInstancetypesDeployment: StructuralSchema = {
  type: 'object',
  description: 'Whether the bundled instance types are installed.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'On or off; on when absent.',
    },
  },
}

export const InstancetypeConfiguration: StructuralSchema = {
  type: 'object',
  description: 'How machines refer to instance types.',
  properties: {
    referencePolicy: {
      type: 'string',
      nullable: true,
      description: 'Whether they go on naming them, or are written out: when new, or all; reference when absent.',
      enum: ['reference', 'expand', 'expandAll'],
    },
  },
}

export const LiveUpdateConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Limits of changes to running guests.',
  properties: {
    maxHotplugRatio: {
      type: 'integer',
      format: 'int32',
      description: 'Largest ratio of most to present processors and memory.',
    },
    maxCpuSockets: {
      type: 'integer',
      format: 'int32',
      description: 'Most sockets.',
    },
    maxGuest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Most memory.',
    },
  },
}

export const KubeVirtConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings of the system.',
  properties: {
    cpuModel: {
      type: 'string',
      description: 'Processor model of guests that name none.',
    },
    cpuRequest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Processors that are requested for each virtual one.',
    },
    developerConfiguration: {
      ...DeveloperConfiguration,
      description: 'Settings for developers, with the feature gates.',
    },
    evictionStrategy: {
      type: 'string',
      description: 'Eviction strategy of guests that name none.',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Pull policy of the images of guests.',
    },
    migrations: {
      ...MigrationConfiguration,
      description: 'Settings of migrations.',
    },
    machineType: {
      type: 'string',
      description: 'Machine type of guests that name none; deprecated.',
    },
    network: {
      ...NetworkConfiguration,
      description: 'Settings of networks.',
    },
    architectureConfiguration: {
      ...ArchitectureConfiguration,
      description: 'Settings by architecture.',
    },
    commonInstancetypesDeployment: {
      ...CommonInstancetypesDeployment,
      description: 'Whether the bundled instance types are installed.',
    },
    instancetype: {
      ...InstancetypeConfiguration,
      description: 'How machines refer to instance types.',
    },
    vmRolloutStrategy: {
      type: 'string',
      nullable: true,
      description: 'When changes of a machine reach its running guest; LiveUpdate when absent.',
      enum: ['Stage', 'LiveUpdate'],
    },
    liveUpdateConfiguration: {
      ...LiveUpdateConfiguration,
      description: 'Limits of changes to running guests.',
    },
    vmStateStorageClass: {
      type: 'string',
      description: 'Storage class for the state of devices.',
    },
    minCPUModel: {
      type: 'string',
      description: 'Oldest processor model that nodes are labelled with.',
    },
    virtualMachineOptions: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Further settings of guests.',
    },
    apiConfiguration: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Settings of the API server.',
    },
    controllerConfiguration: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Settings of the controllers.',
    },
    handlerConfiguration: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Settings of the node agents.',
    },
    webhookConfiguration: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Settings of webhooks.',
    },
    tlsConfiguration: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Settings of TLS.',
    },
    selinuxLauncherType: {
      type: 'string',
      description: 'Settings of SELinux.',
    },
    smbios: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Serial number and name that guests see.',
    },
    permittedHostDevices: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Devices that guests may use.',
    },
    mediatedDevicesConfiguration: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Mediated devices.',
    },
    supportContainerResources: {
      type: 'array',
      items: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources of the containers that stand by a guest.',
    },
    supportedGuestAgentVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Versions of guest agents that are known to work; deprecated.',
    },
    obsoleteCPUModels: {
      type: 'object',
      additionalProperties: {
        type: 'boolean',
      },
      description: 'Processor models that no guest may have.',
    },
    ksmConfiguration: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Memory pages that are shared between guests.',
    },
    autoCPULimitNamespaceLabelSelector: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Namespaces whose guests get a limit on processors.',
    },
    memBalloonStatsPeriod: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds between two reports of the memory balloon; 0 is none.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const CoreNodeSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'One condition on a node.',
  properties: {
    key: {
      type: 'string',
      description: 'Label or field.',
    },
    operator: {
      type: 'string',
      description: 'In, NotIn, Exists, DoesNotExist, Gt or Lt.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values to compare with.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'operator'],
}

export const CoreNodeSelectorTerm: StructuralSchema = {
  type: 'object',
  description: 'Chooses nodes; all parts must match.',
  properties: {
    matchExpressions: {
      type: 'array',
      items: CoreNodeSelectorRequirement,
      description: 'Conditions on labels.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchFields: {
      type: 'array',
      items: CoreNodeSelectorRequirement,
      description: 'Conditions on fields.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const CoreNodeSelector: StructuralSchema = {
  type: 'object',
  description: 'Chooses nodes; any term suffices.',
  properties: {
    nodeSelectorTerms: {
      type: 'array',
      items: CoreNodeSelectorTerm,
      description: 'The terms.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['nodeSelectorTerms'],
  'x-kubernetes-map-type': 'atomic',
}

export const CorePreferredSchedulingTerm: StructuralSchema = {
  type: 'object',
  description: 'A weighed condition on nodes.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: '1 to 100.',
    },
    preference: {
      ...CoreNodeSelectorTerm,
      description: 'The condition.',
    },
  },
  required: ['weight', 'preference'],
}

export const CoreNodeAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about the labels of nodes.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      ...CoreNodeSelector,
      description: 'Must hold when the pod is placed.',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CorePreferredSchedulingTerm,
      description: 'Are weighed when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const MetaLabelSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'One condition on a label.',
  properties: {
    key: {
      type: 'string',
      description: 'The label key.',
    },
    operator: {
      type: 'string',
      description: 'How the label is compared: In, NotIn, Exists or DoesNotExist.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values to compare with; none for Exists and DoesNotExist.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'operator'],
}

export const MetaLabelSelector: StructuralSchema = {
  type: 'object',
  description: 'Chooses objects by their labels; all parts must match. An empty selector matches everything.',
  properties: {
    matchLabels: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that must have exactly these values.',
    },
    matchExpressions: {
      type: 'array',
      items: MetaLabelSelectorRequirement,
      description: 'Conditions on labels, all of which must hold.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const CorePodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'Chooses pods, and says what "near" means.',
  properties: {
    labelSelector: {
      ...MetaLabelSelector,
      description: 'The pods.',
    },
    namespaces: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Their namespaces.',
      'x-kubernetes-list-type': 'atomic',
    },
    topologyKey: {
      type: 'string',
      description: 'Nodes with the same value of this label are near each other.',
    },
    namespaceSelector: {
      ...MetaLabelSelector,
      description: 'Their namespaces, by label.',
    },
    matchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Labels of this pod whose values the others must have.',
      'x-kubernetes-list-type': 'atomic',
    },
    mismatchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Labels of this pod whose values the others must not have.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['topologyKey'],
}

export const CoreWeightedPodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'A weighed rule about other pods.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: '1 to 100.',
    },
    podAffinityTerm: {
      ...CorePodAffinityTerm,
      description: 'The rule.',
    },
  },
  required: ['weight', 'podAffinityTerm'],
}

export const CorePodAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about being near other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CorePodAffinityTerm,
      description: 'Must hold when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CoreWeightedPodAffinityTerm,
      description: 'Are weighed when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const CorePodAntiAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about being away from other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CorePodAffinityTerm,
      description: 'Must hold when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CoreWeightedPodAffinityTerm,
      description: 'Are weighed when the pod is placed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const CoreAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about where a pod goes.',
  properties: {
    nodeAffinity: {
      ...CoreNodeAffinity,
      description: 'By the labels of nodes.',
    },
    podAffinity: {
      ...CorePodAffinity,
      description: 'Near other pods.',
    },
    podAntiAffinity: {
      ...CorePodAntiAffinity,
      description: 'Away from other pods.',
    },
  },
}

export const CoreToleration: StructuralSchema = {
  type: 'object',
  description: 'Lets a pod onto nodes with a taint.',
  properties: {
    key: {
      type: 'string',
      description: 'Taint key; empty with Exists matches all.',
    },
    operator: {
      type: 'string',
      description: 'Exists or Equal.',
    },
    value: {
      type: 'string',
      description: 'Taint value.',
    },
    effect: {
      type: 'string',
      description: 'Taint effect; empty matches all.',
    },
    tolerationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds a NoExecute taint is borne.',
    },
  },
}

export const NodePlacement: StructuralSchema = {
  type: 'object',
  description: 'Rules about nodes.',
  properties: {
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the node must have.',
    },
    affinity: {
      ...CoreAffinity,
      description: 'Rules about where the pod goes.',
    },
    tolerations: {
      type: 'array',
      items: CoreToleration,
      description: 'Taints that the pod bears.',
    },
  },
}

export const ComponentConfig: StructuralSchema = {
  type: 'object',
  description: 'Where pods go.',
  properties: {
    nodePlacement: {
      ...NodePlacement,
      description: 'Rules about nodes.',
    },
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'How many; for the API server and the controllers.',
    },
  },
}

export const CustomizeComponentsPatch: StructuralSchema = {
  type: 'object',
  description: 'A patch of an object.',
  properties: {
    resourceName: {
      type: 'string',
      description: 'Name of the object.',
      minLength: 1,
    },
    resourceType: {
      type: 'string',
      description: 'Kind of the object.',
      minLength: 1,
    },
    patch: {
      type: 'string',
      description: 'The patch, as JSON.',
    },
    type: {
      type: 'string',
      description: 'json, merge or strategic.',
    },
  },
  required: ['resourceName', 'resourceType', 'patch', 'type'],
}

export const Flags: StructuralSchema = {
  type: 'object',
  description: 'Flags of programs.',
  properties: {
    api: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'virt-api.',
    },
    controller: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'virt-controller.',
    },
    handler: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'virt-handler.',
    },
  },
}

export const CustomizeComponents: StructuralSchema = {
  type: 'object',
  description: 'Changes of what is installed.',
  properties: {
    patches: {
      type: 'array',
      items: CustomizeComponentsPatch,
      description: 'Patches of objects.',
      'x-kubernetes-list-type': 'atomic',
    },
    flags: {
      ...Flags,
      description: 'Flags of programs.',
    },
  },
}

export const KubeVirtSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of an installation.',
  properties: {
    imageTag: {
      type: 'string',
      description: 'Tag of the images; the operator\'s own when absent.',
    },
    imageRegistry: {
      type: 'string',
      description: 'Registry of the images; the operator\'s own when absent.',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Always, Never or IfNotPresent, for the system\'s own pods.',
    },
    imagePullSecrets: {
      type: 'array',
      items: CoreLocalObjectReference,
      description: 'Registry credentials.',
      'x-kubernetes-list-type': 'atomic',
    },
    monitorNamespace: {
      type: 'string',
      description: 'Namespace of Prometheus.',
    },
    serviceMonitorNamespace: {
      type: 'string',
      description: 'Namespace of the service monitor.',
    },
    monitorAccount: {
      type: 'string',
      description: 'Service account of Prometheus.',
    },
    workloadUpdateStrategy: {
      ...KubeVirtWorkloadUpdateStrategy,
      description: 'Policy for running guests when the system is upgraded.',
    },
    uninstallStrategy: {
      type: 'string',
      description: 'RemoveWorkloads or BlockUninstallIfWorkloadsExist.',
    },
    certificateRotateStrategy: {
      ...KubeVirtCertificateRotateStrategy,
      description: 'How certificates are renewed.',
    },
    productVersion: {
      type: 'string',
      description: 'Version of the product that this is a part of.',
    },
    productName: {
      type: 'string',
      description: 'Name of the product that this is a part of.',
    },
    productComponent: {
      type: 'string',
      description: 'Component of the product that this is.',
    },
    synchronizationPort: {
      type: 'string',
      description: 'Port for synchronization between clusters.',
    },
    configuration: {
      ...KubeVirtConfiguration,
      description: 'Settings of the system.',
    },
    infra: {
      ...ComponentConfig,
      description: 'Where the system\'s own pods go.',
    },
    workloads: {
      ...ComponentConfig,
      description: 'Where node agents and guests go.',
    },
    synchronizationPlacement: {
      ...ComponentConfig,
      description: 'Where the synchronization controller goes.',
    },
    customizeComponents: {
      ...CustomizeComponents,
      description: 'Changes of what is installed.',
    },
  },
}

export const KubeVirtCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of an installation.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: Created, Available, Progressing, Degraded, Synchronized.',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was last checked.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
  },
  required: ['type', 'status'],
}

export const GenerationStatus: StructuralSchema = {
  type: 'object',
  description: 'Generation of something that is installed.',
  properties: {
    group: {
      type: 'string',
      description: 'API group.',
    },
    resource: {
      type: 'string',
      description: 'Resource.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace.',
    },
    name: {
      type: 'string',
      description: 'Name.',
    },
    lastGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation.',
    },
    hash: {
      type: 'string',
      description: 'Hash of the content of objects without generation.',
    },
  },
  required: ['group', 'resource', 'name', 'lastGeneration'],
}

export const RevisionsOfVersion: StructuralSchema = {
  type: 'object',
  description: 'How many copies hold an API version.',
  properties: {
    version: {
      type: 'string',
      description: 'The API version.',
    },
    count: {
      type: 'integer',
      format: 'int64',
      description: 'How many hold it.',
    },
  },
  required: ['version', 'count'],
}

export const RevisionsStatus: StructuralSchema = {
  type: 'object',
  description: 'How the copies of instance types and preferences are.',
  properties: {
    version: {
      type: 'string',
      description: 'API version that they are to hold.',
    },
    sharing: {
      type: 'string',
      description: 'own or shared: whether each machine has its own, or all with the same content share one.',
    },
    total: {
      type: 'integer',
      format: 'int64',
      description: 'How many there are.',
    },
    upToDate: {
      type: 'integer',
      format: 'int64',
      description: 'How many are as they are to be.',
    },
    outdated: {
      type: 'integer',
      format: 'int64',
      description: 'How many hold another version, are shared or not against what is wanted, or are labelled as what they are not.',
    },
    orphaned: {
      type: 'integer',
      format: 'int64',
      description: 'How many have no owner that exists.',
    },
    undecodable: {
      type: 'integer',
      format: 'int64',
      description: 'Number of revisions that cannot be decoded.',
    },
    missing: {
      type: 'integer',
      format: 'int64',
      description: 'How many are named and not there.',
    },
    versions: {
      type: 'array',
      items: RevisionsOfVersion,
      description: 'How many there are of each API version.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['version'],
    },
  },
  required: ['version', 'sharing', 'total', 'upToDate', 'outdated', 'orphaned', 'undecodable', 'missing'],
}

export const WorkloadUpdateStatus: StructuralSchema = {
  type: 'object',
  description: 'How updates of guests to the launcher of this release stand.',
  properties: {
    image: {
      type: 'string',
      description: 'Image that guests should run in.',
    },
    lastBatchTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the last batch was evicted for it.',
    },
    waiting: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        format: 'int64',
      },
      description: 'Guests that are still to be updated, by what they wait for.',
    },
  },
}

export const UpgradeProgress: StructuralSchema = {
  type: 'object',
  description: 'How far a stage of an upgrade is.',
  properties: {
    desired: {
      type: 'integer',
      format: 'int64',
      description: 'How many pods there are to be.',
    },
    updated: {
      type: 'integer',
      format: 'int64',
      description: 'How many are of the new version.',
    },
    ready: {
      type: 'integer',
      format: 'int64',
      description: 'How many of those are ready.',
    },
  },
  required: ['desired', 'updated', 'ready'],
}

export const UpgradeStatus: StructuralSchema = {
  type: 'object',
  description: 'A system on its way to another version.',
  properties: {
    from: {
      type: 'string',
      description: 'Version that it comes from; empty when it is being installed.',
    },
    to: {
      type: 'string',
      description: 'Version that it goes to.',
    },
    stage: {
      type: 'string',
      description: 'Preflight, Install, Expand, NodeAgents, Controllers, API, Workloads or Contract.',
    },
    startedAt: {
      type: 'string',
      format: 'date-time',
      description: 'When it began.',
    },
    stageStartedAt: {
      type: 'string',
      format: 'date-time',
      description: 'When the stage began.',
    },
    progress: {
      ...UpgradeProgress,
      description: 'How far the stage is.',
    },
    skipped: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Nodes that are left out because they are not ready; they follow when they are.',
      'x-kubernetes-list-type': 'atomic',
    },
    lastError: {
      type: 'string',
      description: 'Last error.',
    },
    contractAt: {
      type: 'string',
      format: 'date-time',
      description: 'Until when what only older versions need is kept. The components are all of the new version then.',
    },
  },
  required: ['from', 'to', 'stage', 'startedAt', 'stageStartedAt', 'progress'],
}

export const RejectedVersion: StructuralSchema = {
  type: 'object',
  description: 'A version that did not work.',
  properties: {
    version: {
      type: 'string',
      description: 'The version.',
    },
    deploymentID: {
      type: 'string',
      description: 'Identifies what was to be installed.',
    },
    generation: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that asked for it.',
    },
    message: {
      type: 'string',
      description: 'Error message.',
    },
  },
  required: ['version', 'deploymentID', 'generation', 'message'],
}

export const UpgradeFinding: StructuralSchema = {
  type: 'object',
  description: 'Something that an administrator should know before an upgrade.',
  properties: {
    id: {
      type: 'string',
      description: 'Names the kind of finding, and stays the same from release to release.',
    },
    object: {
      type: 'string',
      description: 'Object of the finding, as kubectl names it.',
    },
    message: {
      type: 'string',
      description: 'Finding and its consequence.',
    },
    fix: {
      type: 'string',
      description: 'The command, or what else makes it go away.',
    },
    blocks: {
      type: 'boolean',
      description: 'Whether the upgrade does not begin because of it.',
    },
  },
  required: ['id', 'message', 'blocks'],
}

export const UpgradeStep: StructuralSchema = {
  type: 'object',
  description: 'A part of an upgrade.',
  properties: {
    stage: {
      type: 'string',
      description: 'The stage.',
    },
    what: {
      type: 'string',
      description: 'Description of the step.',
    },
    count: {
      type: 'integer',
      format: 'int64',
      description: 'To how many objects.',
    },
    seconds: {
      type: 'integer',
      format: 'int64',
      description: 'How long that takes by and large.',
    },
  },
  required: ['stage', 'what', 'count', 'seconds'],
}

export const UpgradePlan: StructuralSchema = {
  type: 'object',
  description: 'Result of the preflight checks of an upgrade.',
  properties: {
    from: {
      type: 'string',
      description: 'Version that it comes from.',
    },
    to: {
      type: 'string',
      description: 'Version that it would go to.',
    },
    deploymentID: {
      type: 'string',
      description: 'Identifies what would be installed.',
    },
    refused: {
      type: 'boolean',
      description: 'Whether something was found that speaks against it: nothing has been changed then, and it is looked again from time to time.',
    },
    findings: {
      type: 'array',
      items: UpgradeFinding,
      description: 'Findings.',
      'x-kubernetes-list-type': 'atomic',
    },
    steps: {
      type: 'array',
      items: UpgradeStep,
      description: 'Steps of the upgrade, in order.',
      'x-kubernetes-list-type': 'atomic',
    },
    gaps: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Checks that could not be made.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['from', 'to', 'deploymentID', 'refused', 'findings'],
}

export const KubeVirtSteadyStatus: StructuralSchema = {
  type: 'object',
  description: 'Status of an installation that steadyvm adds.',
  properties: {
    revisions: {
      ...RevisionsStatus,
      description: 'The copies of instance types and preferences that machines and snapshots keep.',
    },
    workloadUpdate: {
      ...WorkloadUpdateStatus,
      description: 'Updates of guests to the launcher of this release.',
    },
    upgrade: {
      ...UpgradeStatus,
      description: 'The way to another version; absent when the system is where it is to be.',
    },
    rejected: {
      ...RejectedVersion,
      description: 'The version that did not work; it is tried again when the spec changes.',
    },
    plan: {
      ...UpgradePlan,
      description: 'Findings before the last upgrade, or against the requested one.',
    },
  },
}

export const KubeVirtStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of an installation.',
  properties: {
    phase: {
      type: 'string',
      description: 'Deploying, Deployed, Deleting or Deleted.',
    },
    conditions: {
      type: 'array',
      items: KubeVirtCondition,
      description: 'The state of the installation, by aspect.',
    },
    operatorVersion: {
      type: 'string',
      description: 'Version of the operator.',
    },
    targetKubeVirtRegistry: {
      type: 'string',
      description: 'Registry that is being installed from.',
    },
    targetKubeVirtVersion: {
      type: 'string',
      description: 'Version that is being installed.',
    },
    targetDeploymentConfig: {
      type: 'string',
      description: 'Settings that are being installed.',
    },
    targetDeploymentID: {
      type: 'string',
      description: 'Identifies what is being installed.',
    },
    observedKubeVirtRegistry: {
      type: 'string',
      description: 'Registry that was installed from.',
    },
    observedKubeVirtVersion: {
      type: 'string',
      description: 'Version that is installed.',
    },
    observedDeploymentConfig: {
      type: 'string',
      description: 'Settings that are installed.',
    },
    observedDeploymentID: {
      type: 'string',
      description: 'Identifies what is installed.',
    },
    outdatedVirtualMachineInstanceWorkloads: {
      type: 'integer',
      format: 'int64',
      description: 'Running guests with an old launcher.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that this is about.',
    },
    defaultArchitecture: {
      type: 'string',
      description: 'Architecture of guests that name none.',
    },
    generations: {
      type: 'array',
      items: GenerationStatus,
      description: 'Generations of what is installed.',
      'x-kubernetes-list-type': 'atomic',
    },
    synchronizationAddresses: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Addresses for synchronization between clusters.',
      'x-kubernetes-list-type': 'atomic',
    },
    steadyvm: {
      ...KubeVirtSteadyStatus,
      description: 'Status of the installation that steadyvm adds to the fields of KubeVirt.',
    },
  },
}

export const KubeVirt: StructuralSchema = {
  type: 'object',
  description: 'Installs the whole system and configures it.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...KubeVirtSpec,
      description: 'Desired state of the installation.',
    },
    status: {
      ...KubeVirtStatus,
      description: 'Observed state of the installation.',
    },
  },
  required: ['spec'],
}

export const MigrationSourceWord: StructuralSchema = {
  type: 'object',
  description: 'State of the source that the target needs.',
  properties: {
    launch: {
      type: 'string',
      description: 'Launch record of the guest, as JSON.',
    },
    released: {
      type: 'boolean',
      description: 'The source has let go of the guest, which is whole at the target.',
    },
    gone: {
      type: 'boolean',
      description: 'The source\'s QEMU has ended.',
    },
    revoked: {
      type: 'boolean',
      description: 'The target has not made the guest its own in time, and must not any more: it goes on at the source.',
    },
  },
}

export const VirtualMachineInstanceMigrationSourceState: StructuralSchema = {
  type: 'object',
  description: 'State published by the source node of a migration.',
  properties: {
    node: {
      type: 'string',
      description: 'The node.',
    },
    pod: {
      type: 'string',
      description: 'The pod.',
    },
    migrationUID: {
      type: 'string',
      description: 'UID of the migration object.',
    },
    domainName: {
      type: 'string',
      description: 'Name of the guest on the node.',
    },
    domainNamespace: {
      type: 'string',
      description: 'Namespace of the guest on the node.',
    },
    syncAddress: {
      type: 'string',
      description: 'Where to synchronize.',
    },
    persistentStatePVCName: {
      type: 'string',
      description: 'Claim with the state of devices.',
    },
    selinuxContext: {
      type: 'string',
      description: 'SELinux label of the pod.',
    },
    virtualMachineInstanceUID: {
      type: 'string',
      description: 'UID of the guest object.',
    },
    nodeSelectors: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the target node must have.',
    },
    steadyvm: {
      ...MigrationSourceWord,
      description: 'Ours: what the target needs to know.',
    },
  },
}

export const MigrationTargetWord: StructuralSchema = {
  type: 'object',
  description: 'State of the target that the source needs.',
  properties: {
    gone: {
      type: 'string',
      description: 'Why there is no QEMU at the target, or none any more.',
    },
    withoutPostCopy: {
      type: 'boolean',
      description: 'The target\'s kernel does not let a guest run before all of its memory is there.',
    },
    channels: {
      type: 'integer',
      format: 'int32',
      description: 'Streams that the target takes memory by, at a time. Absent: one.',
    },
  },
}

export const VirtualMachineInstanceMigrationTargetState: StructuralSchema = {
  type: 'object',
  description: 'State published by the target node of a migration.',
  properties: {
    node: {
      type: 'string',
      description: 'The node.',
    },
    pod: {
      type: 'string',
      description: 'The pod.',
    },
    migrationUID: {
      type: 'string',
      description: 'UID of the migration object.',
    },
    domainName: {
      type: 'string',
      description: 'Name of the guest on the node.',
    },
    domainNamespace: {
      type: 'string',
      description: 'Namespace of the guest on the node.',
    },
    syncAddress: {
      type: 'string',
      description: 'Where to synchronize.',
    },
    persistentStatePVCName: {
      type: 'string',
      description: 'Claim with the state of devices.',
    },
    selinuxContext: {
      type: 'string',
      description: 'SELinux label of the pod.',
    },
    virtualMachineInstanceUID: {
      type: 'string',
      description: 'UID of the guest object.',
    },
    domainReadyTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When it had the guest.',
    },
    domainDetected: {
      type: 'boolean',
      description: 'Whether it has seen the guest.',
    },
    nodeAddress: {
      type: 'string',
      description: 'Its address.',
    },
    directMigrationNodePorts: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Its ports.',
    },
    attachmentPodUID: {
      type: 'string',
      description: 'Pod that attaches volumes.',
    },
    cpuSet: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Physical processors.',
      'x-kubernetes-list-type': 'atomic',
    },
    nodeTopology: {
      type: 'string',
      description: 'NUMA topology.',
    },
    steadyvm: {
      ...MigrationTargetWord,
      description: 'Ours: what the source needs to know.',
    },
  },
}

export const VirtualMachineInstanceMigrationState: StructuralSchema = {
  type: 'object',
  description: 'Progress of a migration.',
  properties: {
    startTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it began.',
    },
    endTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it ended.',
    },
    targetNodeDomainReadyTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When the target had the guest.',
    },
    targetNodeDomainDetected: {
      type: 'boolean',
      description: 'Whether the target has seen the guest.',
    },
    targetNodeAddress: {
      type: 'string',
      description: 'Address of the target.',
    },
    targetDirectMigrationNodePorts: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Ports of the target.',
    },
    targetNode: {
      type: 'string',
      description: 'Node that the guest goes to.',
    },
    targetPod: {
      type: 'string',
      description: 'Pod that the guest goes to.',
    },
    targetAttachmentPodUID: {
      type: 'string',
      description: 'Pod that attaches volumes at the target.',
    },
    sourceNode: {
      type: 'string',
      description: 'Node that the guest comes from.',
    },
    sourcePod: {
      type: 'string',
      description: 'Pod that the guest comes from.',
    },
    completed: {
      type: 'boolean',
      description: 'Whether it is over.',
    },
    failed: {
      type: 'boolean',
      description: 'Whether it failed.',
    },
    abortRequested: {
      type: 'boolean',
      description: 'Whether cancellation was requested.',
    },
    abortStatus: {
      type: 'string',
      description: 'Succeeded, Failed or Aborting.',
    },
    failureReason: {
      type: 'string',
      description: 'Why it failed.',
    },
    migrationUid: {
      type: 'string',
      description: 'UID of the migration object.',
    },
    mode: {
      type: 'string',
      description: 'PreCopy, PostCopy or Paused.',
    },
    migrationPolicyName: {
      type: 'string',
      description: 'Name of the policy in force.',
    },
    migrationConfiguration: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Settings in force.',
    },
    targetCPUSet: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Physical processors at the target.',
      'x-kubernetes-list-type': 'atomic',
    },
    targetNodeTopology: {
      type: 'string',
      description: 'NUMA topology at the target.',
    },
    sourcePersistentStatePVCName: {
      type: 'string',
      description: 'Claim with the state of devices at the source.',
    },
    targetPersistentStatePVCName: {
      type: 'string',
      description: 'Claim with the state of devices at the target.',
    },
    sourceState: {
      ...VirtualMachineInstanceMigrationSourceState,
      description: 'State published by the source node.',
    },
    targetState: {
      ...VirtualMachineInstanceMigrationTargetState,
      description: 'State published by the target node.',
    },
    migrationNetworkType: {
      type: 'string',
      description: 'Pod or Migration.',
    },
    targetMemoryOverhead: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Memory of the target beyond the guest\'s memory.',
    },
  },
}

export const VirtualMachineInstanceCommonMigrationState: StructuralSchema = {
  type: 'object',
  description: 'State published by both nodes of a migration.',
  properties: {
    node: {
      type: 'string',
      description: 'The node.',
    },
    pod: {
      type: 'string',
      description: 'The pod.',
    },
    migrationUID: {
      type: 'string',
      description: 'UID of the migration object.',
    },
    domainName: {
      type: 'string',
      description: 'Name of the guest on the node.',
    },
    domainNamespace: {
      type: 'string',
      description: 'Namespace of the guest on the node.',
    },
    syncAddress: {
      type: 'string',
      description: 'Where to synchronize.',
    },
    persistentStatePVCName: {
      type: 'string',
      description: 'Claim with the state of devices.',
    },
    selinuxContext: {
      type: 'string',
      description: 'SELinux label of the pod.',
    },
    virtualMachineInstanceUID: {
      type: 'string',
      description: 'UID of the guest object.',
    },
  },
}

export const PodNetwork: StructuralSchema = {
  type: 'object',
  description: 'The pod network.',
  properties: {
    vmNetworkCIDR: {
      type: 'string',
      description: 'Addresses of the guest\'s side.',
    },
    vmIPv6NetworkCIDR: {
      type: 'string',
      description: 'IPv6 addresses of the guest\'s side.',
    },
  },
}

export const MultusNetwork: StructuralSchema = {
  type: 'object',
  description: 'A network that Multus attaches.',
  properties: {
    networkName: {
      type: 'string',
      description: 'NetworkAttachmentDefinition, as `name` or `namespace/name`.',
    },
    default: {
      type: 'boolean',
      description: 'Selects the default network of the pod.',
    },
  },
  required: ['networkName'],
}

export const ResourceClaimNetworkSource: StructuralSchema = {
  type: 'object',
  description: 'A network device that is claimed.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim in the machine.',
    },
    requestName: {
      type: 'string',
      description: 'Name of the request in the claim.',
    },
  },
}

export const Network: StructuralSchema = {
  type: 'object',
  description: 'A named network of a machine.',
  properties: {
    pod: {
      ...PodNetwork,
      description: 'The pod network.',
    },
    multus: {
      ...MultusNetwork,
      description: 'A network that Multus attaches.',
    },
    resourceClaim: {
      ...ResourceClaimNetworkSource,
      description: 'A network device that is claimed.',
    },
    name: {
      type: 'string',
      description: 'Name, unique within the machine.',
    },
  },
  required: ['name'],
}

export const NetworkSource: StructuralSchema = {
  type: 'object',
  description: 'Source of a network; the pod network when none is set.',
  properties: {
    pod: {
      ...PodNetwork,
      description: 'The pod network.',
    },
    multus: {
      ...MultusNetwork,
      description: 'A network that Multus attaches.',
    },
    resourceClaim: {
      ...ResourceClaimNetworkSource,
      description: 'A network device that is claimed.',
    },
  },
}

export const CoreExecAction: StructuralSchema = {
  type: 'object',
  description: 'A command in a container.',
  properties: {
    command: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Program and arguments; no shell.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const GuestAgentPing: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence chooses it.',
}

export const CoreHTTPHeader: StructuralSchema = {
  type: 'object',
  description: 'A header of an HTTP request.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the header.',
    },
    value: {
      type: 'string',
      description: 'Value of the header.',
    },
  },
  required: ['name', 'value'],
}

export const CoreHTTPGetAction: StructuralSchema = {
  type: 'object',
  description: 'An HTTP GET.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the URL.',
    },
    port: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Port number or name.',
    },
    host: {
      type: 'string',
      description: 'Host; the pod\'s address when absent.',
    },
    scheme: {
      type: 'string',
      description: 'HTTP or HTTPS.',
    },
    httpHeaders: {
      type: 'array',
      items: CoreHTTPHeader,
      description: 'Extra headers.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['port'],
}

export const CoreTCPSocketAction: StructuralSchema = {
  type: 'object',
  description: 'A TCP connection.',
  properties: {
    port: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Port number or name.',
    },
    host: {
      type: 'string',
      description: 'Host; the pod\'s address when absent.',
    },
  },
  required: ['port'],
}

export const Probe: StructuralSchema = {
  type: 'object',
  description: 'A question to a guest about its health.',
  properties: {
    exec: {
      ...CoreExecAction,
      description: 'A command in the guest.',
    },
    guestAgentPing: {
      ...GuestAgentPing,
      description: 'A call of the guest agent.',
    },
    httpGet: {
      ...CoreHTTPGetAction,
      description: 'An HTTP GET.',
    },
    tcpSocket: {
      ...CoreTCPSocketAction,
      description: 'A TCP connection.',
    },
    initialDelaySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds to wait after the start.',
    },
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds until an answer is overdue; 1 when absent.',
    },
    periodSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds between two probes; 10 when absent.',
    },
    successThreshold: {
      type: 'integer',
      format: 'int32',
      description: 'Successes in a row that make it healthy; 1 when absent.',
    },
    failureThreshold: {
      type: 'integer',
      format: 'int32',
      description: 'Failures in a row that make it unhealthy; 3 when absent.',
    },
  },
}

export const VirtualMachineInstanceMigrationSource: StructuralSchema = {
  type: 'object',
  description: 'Where a guest is sent to in another cluster.',
  properties: {
    migrationID: {
      type: 'string',
      description: 'Names the migration on both sides.',
    },
    connectURL: {
      type: 'string',
      description: 'Where the other cluster is reached.',
    },
  },
  required: ['migrationID', 'connectURL'],
}

export const VirtualMachineInstanceMigrationTarget: StructuralSchema = {
  type: 'object',
  description: 'Migration received from another cluster.',
  properties: {
    migrationID: {
      type: 'string',
      description: 'Names the migration on both sides.',
    },
  },
  required: ['migrationID'],
}

export const VirtualMachineInstanceMigrationSpec: StructuralSchema = {
  type: 'object',
  description: 'Which guest is to go, and where it may go.',
  properties: {
    vmiName: {
      type: 'string',
      description: 'Name of the guest in the same namespace.',
    },
    addedNodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the target node must have besides those that the guest asks for.',
    },
    priority: {
      type: 'string',
      description: 'system-critical, user-triggered or system-maintenance; who waits goes in this order. Written by the system.',
    },
    sendTo: {
      ...VirtualMachineInstanceMigrationSource,
      description: 'Where the guest is sent to in another cluster.',
    },
    receive: {
      ...VirtualMachineInstanceMigrationTarget,
      description: 'Migration received from another cluster.',
    },
  },
}

export const VirtualMachineInstanceMigrationPhaseTransitionTimestamp: StructuralSchema = {
  type: 'object',
  description: 'When a step began.',
  properties: {
    phase: {
      type: 'string',
      description: 'The step.',
    },
    phaseTransitionTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When.',
    },
  },
}

export const VirtualMachineInstanceMigrationCondition: StructuralSchema = {
  type: 'object',
  description: 'One thing that is in the way of a migration.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect.',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was last checked.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const VirtualMachineInstanceMigrationStatus: StructuralSchema = {
  type: 'object',
  description: 'How far a migration is.',
  properties: {
    phase: {
      type: 'string',
      description: 'The step.',
    },
    phaseTransitionTimestamps: {
      type: 'array',
      items: VirtualMachineInstanceMigrationPhaseTransitionTimestamp,
      description: 'When each step began.',
      'x-kubernetes-list-type': 'atomic',
    },
    conditions: {
      type: 'array',
      items: VirtualMachineInstanceMigrationCondition,
      description: 'Obstacles, by type.',
    },
    migrationState: {
      ...VirtualMachineInstanceMigrationState,
      description: 'The guest\'s own record, as it was at the end.',
    },
  },
}

export const VirtualMachineInstanceMigration: StructuralSchema = {
  type: 'object',
  description: 'Asks for a running guest to go to another node, once.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...VirtualMachineInstanceMigrationSpec,
      description: 'Which guest, and where it may go.',
    },
    status: {
      ...VirtualMachineInstanceMigrationStatus,
      description: 'How far it is.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineInstancePresetSpec: StructuralSchema = {
  type: 'object',
  description: 'Selector and values of a preset.',
  properties: {
    selector: {
      ...MetaLabelSelector,
      description: 'Labels of the guests. Without any, all of the namespace.',
    },
    domain: {
      ...DomainSpec,
      description: 'Values for the selected VMIs.',
    },
  },
  required: ['selector'],
}

export const VirtualMachineInstancePreset: StructuralSchema = {
  type: 'object',
  description: 'Deprecated: what guests with certain labels get where they say nothing themselves.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...VirtualMachineInstancePresetSpec,
      description: 'Selector and values.',
    },
  },
}

export const CoreTopologySpreadConstraint: StructuralSchema = {
  type: 'object',
  description: 'Spreads pods over nodes.',
  properties: {
    maxSkew: {
      type: 'integer',
      format: 'int32',
      description: 'Largest difference between any two domains.',
    },
    topologyKey: {
      type: 'string',
      description: 'Nodes with the same value of this label are one domain.',
    },
    whenUnsatisfiable: {
      type: 'string',
      description: 'DoNotSchedule or ScheduleAnyway.',
    },
    labelSelector: {
      ...MetaLabelSelector,
      description: 'The pods that are counted.',
    },
    minDomains: {
      type: 'integer',
      format: 'int32',
      description: 'Least number of domains.',
    },
    nodeAffinityPolicy: {
      type: 'string',
      description: 'Whether the pod\'s node affinity counts.',
    },
    nodeTaintsPolicy: {
      type: 'string',
      description: 'Whether taints count.',
    },
    matchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Labels of the pod whose values the counted pods must have.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
}

export const HostDisk: StructuralSchema = {
  type: 'object',
  description: 'A disk image on the node.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the image.',
    },
    type: {
      type: 'string',
      description: 'Disk or DiskOrCreate.',
    },
    capacity: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Size of a new image.',
    },
    shared: {
      type: 'boolean',
      description: 'Whether all nodes see the same file.',
    },
  },
  required: ['path', 'type'],
}

export const PersistentVolumeClaimVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A claim in the same namespace.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
    hotpluggable: {
      type: 'boolean',
      description: 'Whether it can be unplugged.',
    },
  },
  required: ['claimName'],
}

export const CloudInitNoCloudSource: StructuralSchema = {
  type: 'object',
  description: 'Data for cloud-init as a NoCloud disk.',
  properties: {
    secretRef: {
      ...CoreLocalObjectReference,
      description: 'Secret with user data.',
    },
    userDataBase64: {
      type: 'string',
      description: 'User data, as base64.',
    },
    userData: {
      type: 'string',
      description: 'User data.',
    },
    networkDataSecretRef: {
      ...CoreLocalObjectReference,
      description: 'Secret with network data.',
    },
    networkDataBase64: {
      type: 'string',
      description: 'Network data, as base64.',
    },
    networkData: {
      type: 'string',
      description: 'Network data.',
    },
  },
}

export const CloudInitConfigDriveSource: StructuralSchema = {
  type: 'object',
  description: 'Data for cloud-init as a config drive.',
  properties: {
    secretRef: {
      ...CoreLocalObjectReference,
      description: 'Secret with user data.',
    },
    userDataBase64: {
      type: 'string',
      description: 'User data, as base64.',
    },
    userData: {
      type: 'string',
      description: 'User data.',
    },
    networkDataSecretRef: {
      ...CoreLocalObjectReference,
      description: 'Secret with network data.',
    },
    networkDataBase64: {
      type: 'string',
      description: 'Network data, as base64.',
    },
    networkData: {
      type: 'string',
      description: 'Network data.',
    },
  },
}

export const SysprepSource: StructuralSchema = {
  type: 'object',
  description: 'Answers for the set-up of Windows.',
  properties: {
    secret: {
      ...CoreLocalObjectReference,
      description: 'Secret with them.',
    },
    configMap: {
      ...CoreLocalObjectReference,
      description: 'ConfigMap with them.',
    },
  },
}

export const ContainerDiskSource: StructuralSchema = {
  type: 'object',
  description: 'A disk image in a container image.',
  properties: {
    image: {
      type: 'string',
      description: 'Image reference.',
    },
    imagePullSecret: {
      type: 'string',
      description: 'Secret with registry credentials.',
    },
    path: {
      type: 'string',
      description: 'Path of the disk image; the only file in `/disk` when absent.',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Always, Never or IfNotPresent.',
    },
  },
  required: ['image'],
}

export const CorePersistentVolumeClaimVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A claim in the pod\'s namespace.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
  },
  required: ['claimName'],
}

export const EphemeralVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A claim that is never written to.',
  properties: {
    persistentVolumeClaim: {
      ...CorePersistentVolumeClaimVolumeSource,
      description: 'The claim.',
    },
  },
}

export const EmptyDiskSource: StructuralSchema = {
  type: 'object',
  description: 'An empty disk.',
  properties: {
    capacity: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Size of the disk.',
    },
  },
  required: ['capacity'],
}

export const DataVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A claim that a DataVolume fills.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the DataVolume and of its claim.',
    },
    hotpluggable: {
      type: 'boolean',
      description: 'Whether it can be unplugged.',
    },
  },
  required: ['name'],
}

export const ConfigMapVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'The keys of a ConfigMap as files.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
    volumeLabel: {
      type: 'string',
      description: 'Label of the volume that the guest sees.',
    },
  },
}

export const SecretVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'The keys of a Secret as files.',
  properties: {
    secretName: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    optional: {
      type: 'boolean',
      description: 'Whether it may be missing.',
    },
    volumeLabel: {
      type: 'string',
      description: 'Label of the volume that the guest sees.',
    },
  },
}

export const CoreObjectFieldSelector: StructuralSchema = {
  type: 'object',
  description: 'A field of the pod.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Version of the schema that the path is written for.',
    },
    fieldPath: {
      type: 'string',
      description: 'Path of the field: `metadata.name`.',
    },
  },
  required: ['fieldPath'],
  'x-kubernetes-map-type': 'atomic',
}

export const CoreResourceFieldSelector: StructuralSchema = {
  type: 'object',
  description: 'A resource of a container.',
  properties: {
    containerName: {
      type: 'string',
      description: 'The container; needed in volumes.',
    },
    resource: {
      type: 'string',
      description: 'The resource: `limits.memory`.',
    },
    divisor: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Unit to express it in.',
    },
  },
  required: ['resource'],
  'x-kubernetes-map-type': 'atomic',
}

export const CoreDownwardAPIVolumeFile: StructuralSchema = {
  type: 'object',
  description: 'A field of the pod as a file.',
  properties: {
    path: {
      type: 'string',
      description: 'Path within the volume.',
    },
    fieldRef: {
      ...CoreObjectFieldSelector,
      description: 'A field of the pod.',
    },
    resourceFieldRef: {
      ...CoreResourceFieldSelector,
      description: 'A resource of a container.',
    },
    mode: {
      type: 'integer',
      format: 'int32',
      description: 'Mode of the file.',
    },
  },
  required: ['path'],
}

export const DownwardAPIVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Fields of the pod as files.',
  properties: {
    fields: {
      type: 'array',
      items: CoreDownwardAPIVolumeFile,
      description: 'The files.',
    },
    volumeLabel: {
      type: 'string',
      description: 'Label of the volume that the guest sees.',
    },
  },
}

export const ServiceAccountVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A token of a service account.',
  properties: {
    serviceAccountName: {
      type: 'string',
      description: 'Name of the service account.',
    },
  },
}

export const DownwardMetricsVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'No settings: presence adds the disk.',
}

export const MemoryDumpVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Where a dump of the memory goes.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
    hotpluggable: {
      type: 'boolean',
      description: 'Whether it can be unplugged.',
    },
  },
  required: ['claimName'],
}

export const ContainerPathVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A path of the launcher\'s container.',
  properties: {
    path: {
      type: 'string',
      description: 'The path.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Forbids writing.',
    },
  },
  required: ['path'],
}

export const Volume: StructuralSchema = {
  type: 'object',
  description: 'A named volume of a machine.',
  properties: {
    hostDisk: {
      ...HostDisk,
      description: 'A disk image on the node.',
    },
    persistentVolumeClaim: {
      ...PersistentVolumeClaimVolumeSource,
      description: 'A claim in the same namespace.',
    },
    cloudInitNoCloud: {
      ...CloudInitNoCloudSource,
      description: 'Data for cloud-init as a NoCloud disk.',
    },
    cloudInitConfigDrive: {
      ...CloudInitConfigDriveSource,
      description: 'Data for cloud-init as a config drive.',
    },
    sysprep: {
      ...SysprepSource,
      description: 'Answers for the set-up of Windows.',
    },
    containerDisk: {
      ...ContainerDiskSource,
      description: 'A disk image in a container image.',
    },
    ephemeral: {
      ...EphemeralVolumeSource,
      description: 'A claim in the same namespace that is never written to.',
    },
    emptyDisk: {
      ...EmptyDiskSource,
      description: 'An empty disk that lives as long as the running machine.',
    },
    dataVolume: {
      ...DataVolumeSource,
      description: 'A claim that a DataVolume fills.',
    },
    configMap: {
      ...ConfigMapVolumeSource,
      description: 'The keys of a ConfigMap as files.',
    },
    secret: {
      ...SecretVolumeSource,
      description: 'The keys of a Secret as files.',
    },
    downwardAPI: {
      ...DownwardAPIVolumeSource,
      description: 'Fields of the pod as files.',
    },
    serviceAccount: {
      ...ServiceAccountVolumeSource,
      description: 'A token of a service account.',
    },
    downwardMetrics: {
      ...DownwardMetricsVolumeSource,
      description: 'Metrics of the node as a disk.',
    },
    memoryDump: {
      ...MemoryDumpVolumeSource,
      description: 'Where a dump of the memory goes.',
    },
    containerPath: {
      ...ContainerPathVolumeSource,
      description: 'A path of the launcher\'s container.',
    },
    name: {
      type: 'string',
      description: 'Name, unique within the machine.',
    },
  },
  required: ['name'],
}

export const CorePodDNSConfigOption: StructuralSchema = {
  type: 'object',
  description: 'An option of the resolver.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the option.',
    },
    value: {
      type: 'string',
      description: 'Value of the option.',
    },
  },
}

export const CorePodDNSConfig: StructuralSchema = {
  type: 'object',
  description: 'Settings for name resolution.',
  properties: {
    nameservers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Name servers.',
      'x-kubernetes-list-type': 'atomic',
    },
    searches: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Search domains.',
      'x-kubernetes-list-type': 'atomic',
    },
    options: {
      type: 'array',
      items: CorePodDNSConfigOption,
      description: 'Options of the resolver.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VirtualMachineInstanceResourceClaim: StructuralSchema = {
  type: 'object',
  description: 'A claim on devices.',
  properties: {
    name: {
      type: 'string',
      description: 'Name, unique within the guest.',
    },
    resourceClaimName: {
      type: 'string',
      description: 'An existing ResourceClaim.',
    },
    resourceClaimTemplateName: {
      type: 'string',
      description: 'A template to make one from.',
    },
  },
  required: ['name'],
}

export const UtilityVolume: StructuralSchema = {
  type: 'object',
  description: 'A claim for operations on a machine, without a disk in the guest.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'Mounts it read-only.',
    },
    name: {
      type: 'string',
      description: 'Name, unique within the machine.',
    },
    type: {
      type: 'string',
      description: 'MemoryDump or Backup.',
    },
  },
  required: ['claimName', 'name'],
}

export const VirtualMachineInstanceSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a guest.',
  properties: {
    priorityClassName: {
      type: 'string',
      description: 'Name of the priority class of the pod.',
    },
    domain: {
      ...DomainSpec,
      description: 'The hardware. Admission adds an empty one when it is missing.',
    },
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the node must have.',
    },
    affinity: {
      ...CoreAffinity,
      description: 'Rules about where the guest goes.',
    },
    schedulerName: {
      type: 'string',
      description: 'Name of the scheduler that places the guest.',
    },
    serviceAccountName: {
      type: 'string',
      description: 'Identity of the pod; gives no token to the guest.',
    },
    tolerations: {
      type: 'array',
      items: CoreToleration,
      description: 'Taints that the guest bears.',
    },
    topologySpreadConstraints: {
      type: 'array',
      items: CoreTopologySpreadConstraint,
      description: 'Spreads guests over nodes.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['topologyKey', 'whenUnsatisfiable'],
    },
    evictionStrategy: {
      type: 'string',
      description: 'Policy when the node is drained: None, LiveMigrate, LiveMigrateIfPossible or External.',
    },
    startStrategy: {
      type: 'string',
      description: 'Paused starts the guest without running it.',
    },
    terminationGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds between being told to power off and being killed; 30 when absent.',
    },
    volumes: {
      type: 'array',
      items: Volume,
      description: 'Volumes that disks show to the guest.',
      maxItems: 256,
    },
    livenessProbe: {
      ...Probe,
      description: 'Failing ends the guest.',
    },
    readinessProbe: {
      ...Probe,
      description: 'Failing takes the guest out of service.',
    },
    hostname: {
      type: 'string',
      description: 'Host name of the guest; the object\'s name when absent.',
    },
    subdomain: {
      type: 'string',
      description: 'Subdomain of the guest.',
    },
    networks: {
      type: 'array',
      items: Network,
      description: 'Networks that interfaces connect to.',
      maxItems: 256,
    },
    dnsPolicy: {
      type: 'string',
      description: 'How names are resolved.',
    },
    dnsConfig: {
      ...CorePodDNSConfig,
      description: 'Settings for name resolution.',
    },
    accessCredentials: {
      type: 'array',
      items: AccessCredential,
      description: 'Credentials that are put into the guest.',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 256,
    },
    architecture: {
      type: 'string',
      description: 'Processor architecture: amd64, arm64, s390x.',
    },
    resourceClaims: {
      type: 'array',
      items: VirtualMachineInstanceResourceClaim,
      description: 'Claims on devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    utilityVolumes: {
      type: 'array',
      items: UtilityVolume,
      description: 'Claims for operations on the machine, without disks in the guest.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      maxItems: 256,
    },
  },
}

export const VirtualMachineInstanceCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a guest.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: Ready, Synchronized, Paused, AgentConnected, LiveMigratable …',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was last checked.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const VirtualMachineInstancePhaseTransitionTimestamp: StructuralSchema = {
  type: 'object',
  description: 'When a phase was entered.',
  properties: {
    phase: {
      type: 'string',
      description: 'The phase.',
    },
    phaseTransitionTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When.',
    },
  },
}

export const VirtualMachineInstanceNetworkInterface: StructuralSchema = {
  type: 'object',
  description: 'A network interface as seen from outside and inside.',
  properties: {
    ipAddress: {
      type: 'string',
      description: 'First of the addresses.',
    },
    mac: {
      type: 'string',
      description: 'Hardware address.',
    },
    name: {
      type: 'string',
      description: 'Name of the network.',
    },
    ipAddresses: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'All addresses.',
    },
    podInterfaceName: {
      type: 'string',
      description: 'Name in the pod.',
    },
    interfaceName: {
      type: 'string',
      description: 'Name in the guest.',
    },
    infoSource: {
      type: 'string',
      description: 'Where this is known from: domain, guest-agent, multus-status.',
    },
    queueCount: {
      type: 'integer',
      format: 'int32',
      description: 'Number of queues.',
    },
    linkState: {
      type: 'string',
      description: 'up or down.',
    },
  },
}

export const VirtualMachineInstanceGuestOSInfo: StructuralSchema = {
  type: 'object',
  description: 'Operating system of a guest.',
  properties: {
    name: {
      type: 'string',
      description: 'Name.',
    },
    kernelRelease: {
      type: 'string',
      description: 'Release of the kernel.',
    },
    version: {
      type: 'string',
      description: 'Version.',
    },
    prettyName: {
      type: 'string',
      description: 'Name for people.',
    },
    versionId: {
      type: 'string',
      description: 'Identifies the version.',
    },
    kernelVersion: {
      type: 'string',
      description: 'Version of the kernel.',
    },
    machine: {
      type: 'string',
      description: 'Processor architecture.',
    },
    id: {
      type: 'string',
      description: 'Identifies the system.',
    },
  },
}

export const PersistentVolumeClaimInfo: StructuralSchema = {
  type: 'object',
  description: 'Properties of a claim that the node needs.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'How it can be used.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeMode: {
      type: 'string',
      description: 'Filesystem or Block.',
    },
    capacity: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Capacity.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Requested size.',
    },
    preallocated: {
      type: 'boolean',
      description: 'Whether its space is set aside.',
    },
    filesystemOverhead: {
      type: 'string',
      description: 'Part of it that file systems take: 0 to 1.',
      pattern: '^(0(?:\\.\\d{1,3})?|1)$',
    },
  },
}

export const HotplugVolumeStatus: StructuralSchema = {
  type: 'object',
  description: 'A volume that was plugged in.',
  properties: {
    attachPodName: {
      type: 'string',
      description: 'Pod that attaches it.',
    },
    attachPodUID: {
      type: 'string',
      description: 'UID of the pod that attaches it.',
    },
  },
}

export const DomainMemoryDumpInfo: StructuralSchema = {
  type: 'object',
  description: 'A dump of the memory.',
  properties: {
    startTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When it began.',
    },
    endTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When it ended.',
    },
    claimName: {
      type: 'string',
      description: 'Claim that it went to.',
    },
    targetFileName: {
      type: 'string',
      description: 'File that it went to.',
    },
  },
}

export const ContainerDiskInfo: StructuralSchema = {
  type: 'object',
  description: 'A container disk.',
  properties: {
    checksum: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'Checksum; deprecated.',
      maximum: 4294967295,
    },
  },
}

export const VolumeStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a volume of a guest.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    target: {
      type: 'string',
      description: 'Name of the device in the guest: `vda`.',
    },
    phase: {
      type: 'string',
      description: 'How far it is attached.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
    persistentVolumeClaimInfo: {
      ...PersistentVolumeClaimInfo,
      description: 'The claim.',
    },
    hotplugVolume: {
      ...HotplugVolumeStatus,
      description: 'For volumes that were plugged in.',
    },
    size: {
      type: 'integer',
      format: 'int64',
      description: 'Size in bytes.',
    },
    memoryDumpVolume: {
      ...DomainMemoryDumpInfo,
      description: 'For dumps of the memory.',
    },
    containerDiskVolume: {
      ...ContainerDiskInfo,
      description: 'For container disks.',
    },
  },
  required: ['name', 'target'],
}

export const KernelArtifactInfo: StructuralSchema = {
  type: 'object',
  description: 'A kernel or initial ram disk.',
  properties: {
    checksum: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'Checksum; deprecated.',
      maximum: 4294967295,
    },
  },
}

export const KernelBootStatus: StructuralSchema = {
  type: 'object',
  description: 'The kernel that was started directly.',
  properties: {
    kernelInfo: {
      ...KernelArtifactInfo,
      description: 'The kernel.',
    },
    initrdInfo: {
      ...KernelArtifactInfo,
      description: 'The initial ram disk.',
    },
  },
}

export const TopologyHints: StructuralSchema = {
  type: 'object',
  description: 'Requirements on a node.',
  properties: {
    tscFrequency: {
      type: 'integer',
      format: 'int64',
      description: 'Frequency of the time stamp counter in hertz.',
    },
  },
}

export const StorageMigratedVolumeInfo: StructuralSchema = {
  type: 'object',
  description: 'A volume that is being moved.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume.',
    },
    sourcePVCInfo: {
      ...PersistentVolumeClaimInfo,
      description: 'Where it comes from.',
    },
    destinationPVCInfo: {
      ...PersistentVolumeClaimInfo,
      description: 'Where it goes.',
    },
  },
  required: ['volumeName'],
}

export const VirtualMachineInstanceBackupVolumeInfo: StructuralSchema = {
  type: 'object',
  description: 'A volume in a backup.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume.',
    },
  },
  required: ['volumeName'],
}

export const VirtualMachineInstanceBackupStatus: StructuralSchema = {
  type: 'object',
  description: 'A backup.',
  properties: {
    backupName: {
      type: 'string',
      description: 'Name of the backup.',
    },
    startTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When it began.',
    },
    endTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When it ended.',
    },
    completed: {
      type: 'boolean',
      description: 'Whether it is over.',
    },
    failed: {
      type: 'boolean',
      description: 'Whether it failed.',
    },
    backupMsg: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
    checkpointName: {
      type: 'string',
      description: 'Name of the check point.',
    },
    volumes: {
      type: 'array',
      items: VirtualMachineInstanceBackupVolumeInfo,
      description: 'Volumes in it.',
      'x-kubernetes-list-type': 'atomic',
    },
    quiesceStatus: {
      type: 'string',
      description: 'Whether the file systems stood still.',
    },
  },
}

export const ChangedBlockTrackingStatus: StructuralSchema = {
  type: 'object',
  description: 'Recording of changed blocks.',
  properties: {
    state: {
      type: 'string',
      description: 'How far it is.',
    },
    backupStatus: {
      ...VirtualMachineInstanceBackupStatus,
      nullable: true,
      description: 'The last backup.',
    },
  },
  required: ['state'],
}

export const DeviceAttribute: StructuralSchema = {
  type: 'object',
  description: 'Attributes of a device.',
  properties: {
    pciAddress: {
      type: 'string',
      description: 'PCI address.',
    },
    mDevUUID: {
      type: 'string',
      description: 'UUID of a mediated device.',
    },
  },
}

export const DeviceResourceClaimStatus: StructuralSchema = {
  type: 'object',
  description: 'How a device was claimed.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
    resourceClaimName: {
      type: 'string',
      description: 'Name of the ResourceClaim.',
    },
    attributes: {
      ...DeviceAttribute,
      description: 'Attributes of the device.',
    },
  },
}

export const DeviceStatusInfo: StructuralSchema = {
  type: 'object',
  description: 'A device that was claimed.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
    deviceResourceClaimStatus: {
      ...DeviceResourceClaimStatus,
      description: 'How it was claimed.',
    },
  },
  required: ['name'],
}

export const DeviceStatus: StructuralSchema = {
  type: 'object',
  description: 'Devices that were claimed.',
  properties: {
    gpuStatuses: {
      type: 'array',
      items: DeviceStatusInfo,
      description: 'Graphics processors.',
      'x-kubernetes-list-type': 'atomic',
    },
    hostDeviceStatuses: {
      type: 'array',
      items: DeviceStatusInfo,
      description: 'Other devices.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VirtualMachineInstanceStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a guest.',
  properties: {
    nodeName: {
      type: 'string',
      description: 'Node that the guest runs on.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    conditions: {
      type: 'array',
      items: VirtualMachineInstanceCondition,
      description: 'The state of the guest, by aspect.',
    },
    phase: {
      type: 'string',
      description: 'Where the guest stands in its life.',
    },
    phaseTransitionTimestamps: {
      type: 'array',
      items: VirtualMachineInstancePhaseTransitionTimestamp,
      description: 'When each phase was entered.',
      'x-kubernetes-list-type': 'atomic',
    },
    interfaces: {
      type: 'array',
      items: VirtualMachineInstanceNetworkInterface,
      description: 'Network interfaces as seen from outside and inside.',
    },
    guestOSInfo: {
      ...VirtualMachineInstanceGuestOSInfo,
      description: 'Operating system of the guest.',
    },
    migrationState: {
      ...VirtualMachineInstanceMigrationState,
      description: 'Progress of a migration.',
    },
    migrationMethod: {
      type: 'string',
      description: 'LiveMigration or BlockMigration.',
    },
    migrationTransport: {
      type: 'string',
      description: 'Unix.',
    },
    qosClass: {
      type: 'string',
      description: 'Guaranteed, Burstable or BestEffort.',
    },
    launcherContainerImageVersion: {
      type: 'string',
      description: 'Image of the launcher.',
    },
    evacuationNodeName: {
      type: 'string',
      description: 'Node that the guest should leave.',
    },
    activePods: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Nodes by pod uid; two of them during a migration.',
    },
    volumeStatus: {
      type: 'array',
      items: VolumeStatus,
      description: 'The volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    kernelBootStatus: {
      ...KernelBootStatus,
      description: 'The kernel that was started directly.',
    },
    fsFreezeStatus: {
      type: 'string',
      description: '`frozen` while the guest\'s file systems are asked to stand still.',
    },
    topologyHints: {
      ...TopologyHints,
      description: 'Requirements on the node.',
    },
    virtualMachineRevisionName: {
      type: 'string',
      description: 'Revision of the machine that the guest was made from.',
    },
    runtimeUser: {
      type: 'integer',
      format: 'int64',
      description: 'User id of the launcher.',
      minimum: 0,
    },
    VSOCKCID: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'Address of the guest for sockets between guest and node.',
      maximum: 4294967295,
    },
    selinuxContext: {
      type: 'string',
      description: 'SELinux label of the pod.',
    },
    machine: {
      ...Machine,
      description: 'Type of the machine, resolved to a version.',
    },
    currentCPUTopology: {
      ...CPUTopology,
      description: 'Processors in force.',
    },
    memory: {
      ...MemoryStatus,
      description: 'Memory in force.',
    },
    migratedVolumes: {
      type: 'array',
      items: StorageMigratedVolumeInfo,
      description: 'Volumes that are being moved.',
      'x-kubernetes-list-type': 'atomic',
    },
    changedBlockTracking: {
      ...ChangedBlockTrackingStatus,
      nullable: true,
      description: 'Recording of changed blocks.',
    },
    deviceStatus: {
      ...DeviceStatus,
      description: 'Devices that were claimed.',
    },
  },
}

export const VirtualMachineInstance: StructuralSchema = {
  type: 'object',
  description: 'A guest that runs, or is about to.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...VirtualMachineInstanceSpec,
      description: 'Desired state of the guest.',
    },
    status: {
      ...VirtualMachineInstanceStatus,
      description: 'Observed state of the guest.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineInstanceTemplateSpec: StructuralSchema = {
  type: 'object',
  description: 'Template of the VMI of a VM.',
  properties: {
    metadata: {
      type: 'object',
      description: 'Labels and annotations of the guest.',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    spec: {
      ...VirtualMachineInstanceSpec,
      description: 'Spec of the guest.',
    },
  },
  required: ['spec'],
}

export const InstancetypeMatcher: StructuralSchema = {
  type: 'object',
  description: 'Points to an instance type.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the instance type.',
    },
    kind: {
      type: 'string',
      description: 'VirtualMachineInstancetype or VirtualMachineClusterInstancetype; the latter when absent.',
    },
    revisionName: {
      type: 'string',
      description: 'ControllerRevision with the copy to use, in the machine\'s namespace.',
    },
    inferFromVolume: {
      type: 'string',
      description: 'Volume whose labels name the instance type.',
    },
    inferFromVolumeFailurePolicy: {
      type: 'string',
      description: 'Policy when the volume does not tell: Reject or Ignore; Reject when absent.',
    },
  },
}

export const PreferenceMatcher: StructuralSchema = {
  type: 'object',
  description: 'Points to a preference.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the preference.',
    },
    kind: {
      type: 'string',
      description: 'VirtualMachinePreference or VirtualMachineClusterPreference; the latter when absent.',
    },
    revisionName: {
      type: 'string',
      description: 'ControllerRevision with the copy to use, in the machine\'s namespace.',
    },
    inferFromVolume: {
      type: 'string',
      description: 'Volume whose labels name the preference.',
    },
    inferFromVolumeFailurePolicy: {
      type: 'string',
      description: 'Policy when the volume does not tell: Reject or Ignore; Reject when absent.',
    },
  },
}

export const DataVolumeSourceRef: StructuralSchema = {
  type: 'object',
  description: 'Points to what fills a DataVolume.',
  properties: {
    kind: {
      type: 'string',
      description: 'DataSource.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  required: ['kind', 'name'],
}

export const CoreVolumeResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'How much storage.',
  properties: {
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Most.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Least.',
    },
  },
}

export const CoreTypedLocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Points to an object of one of several kinds in the same namespace.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the object; absent for the core group.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  required: ['kind', 'name'],
  'x-kubernetes-map-type': 'atomic',
}

export const CoreTypedObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Points to an object of one of several kinds, possibly in another namespace.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the object; absent for the core group.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object, when it is another one.',
    },
  },
  required: ['kind', 'name'],
}

export const CorePersistentVolumeClaimSpec: StructuralSchema = {
  type: 'object',
  description: 'Requested storage.',
  properties: {
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'How it will be used: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.',
      'x-kubernetes-list-type': 'atomic',
    },
    selector: {
      ...MetaLabelSelector,
      description: 'Which volumes will do.',
    },
    resources: {
      ...CoreVolumeResourceRequirements,
      description: 'How much.',
    },
    volumeName: {
      type: 'string',
      description: 'The volume that the claim is bound to.',
    },
    storageClassName: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    volumeMode: {
      type: 'string',
      description: 'Filesystem or Block.',
    },
    dataSource: {
      ...CoreTypedLocalObjectReference,
      description: 'Source of the content of the volume.',
    },
    dataSourceRef: {
      ...CoreTypedObjectReference,
      description: 'Source of the content of the volume, of any kind and namespace.',
    },
    volumeAttributesClassName: {
      type: 'string',
      description: 'Name of the attributes class.',
    },
  },
}

export const StorageSpec: StructuralSchema = {
  type: 'object',
  description: 'A claim with defaults from the storage.',
  properties: {
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'How it will be used: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.',
      'x-kubernetes-list-type': 'atomic',
    },
    selector: {
      ...MetaLabelSelector,
      description: 'Which volumes will do.',
    },
    resources: {
      ...CoreVolumeResourceRequirements,
      description: 'How much.',
    },
    volumeName: {
      type: 'string',
      description: 'The volume that the claim is bound to.',
    },
    storageClassName: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    volumeMode: {
      type: 'string',
      description: 'Filesystem or Block.',
    },
    dataSource: {
      ...CoreTypedLocalObjectReference,
      description: 'Source of the content of the volume.',
    },
    dataSourceRef: {
      ...CoreTypedObjectReference,
      description: 'Source of the content of the volume, of any kind and namespace.',
    },
    volumeAttributesClassName: {
      type: 'string',
      description: 'Name of the attributes class.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const DataVolumeSpec: StructuralSchema = {
  type: 'object',
  description: 'Storage and source of a DataVolume.',
  properties: {
    source: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Source of the data.',
    },
    sourceRef: {
      ...DataVolumeSourceRef,
      description: 'Points to what fills it.',
    },
    pvc: {
      ...CorePersistentVolumeClaimSpec,
      description: 'The claim.',
    },
    storage: {
      ...StorageSpec,
      description: 'The claim, with defaults from the storage.',
    },
    priorityClassName: {
      type: 'string',
      description: 'Name of the priority class of the pods that fill it.',
    },
    contentType: {
      type: 'string',
      description: 'kubevirt or archive.',
    },
    preallocation: {
      type: 'boolean',
      description: 'Whether its space is set aside.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const DataVolumeTemplateDummyStatus: StructuralSchema = {
  type: 'object',
  description: 'No fields.',
}

export const DataVolumeTemplateSpec: StructuralSchema = {
  type: 'object',
  description: 'A DataVolume that is made for a machine.',
  properties: {
    apiVersion: {
      type: 'string',
      description: '`cdi.kubevirt.io/v1beta1`',
    },
    kind: {
      type: 'string',
      description: '`DataVolume`',
    },
    metadata: {
      type: 'object',
      description: 'Name, labels and annotations.',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    spec: {
      ...DataVolumeSpec,
      description: 'Storage and source of the volume.',
    },
    status: {
      ...DataVolumeTemplateDummyStatus,
      description: 'Kept for compatibility; unused.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a machine.',
  properties: {
    running: {
      type: 'boolean',
      description: 'Deprecated form of runStrategy: true is Always, false is Halted. Excludes runStrategy.',
    },
    runStrategy: {
      type: 'string',
      description: 'Whether the machine should run: Always, Halted, Manual, RerunOnFailure, Once or WaitAsReceiver. Excludes running.',
    },
    instancetype: {
      ...InstancetypeMatcher,
      description: 'Instance type that sizes the guest.',
    },
    preference: {
      ...PreferenceMatcher,
      description: 'Preference that fills what the template leaves open.',
    },
    template: {
      ...VirtualMachineInstanceTemplateSpec,
      description: 'Template of the VMI.',
    },
    dataVolumeTemplates: {
      type: 'array',
      items: DataVolumeTemplateSpec,
      description: 'DataVolumes that are made for the machine and go with it.',
    },
    updateVolumesStrategy: {
      type: 'string',
      description: 'Effect of a change of volumes: Replacement or Migration.',
    },
  },
  required: ['template'],
}

export const VirtualMachineCondition: StructuralSchema = {
  type: 'object',
  description: 'One aspect of the state of a machine.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the aspect: Ready, Failure, Paused, RestartRequired …',
    },
    status: {
      type: 'string',
      description: 'True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When it was last checked.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'When the status last changed.',
    },
    reason: {
      type: 'string',
      description: 'Why, in one word.',
    },
    message: {
      type: 'string',
      description: 'Why, in a sentence.',
    },
  },
  required: ['type', 'status'],
}

export const VirtualMachineStateChangeRequest: StructuralSchema = {
  type: 'object',
  description: 'A start or stop that was asked for.',
  properties: {
    action: {
      type: 'string',
      description: 'Start or Stop.',
    },
    data: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Settings of the action.',
    },
    uid: {
      type: 'string',
      description: 'UID of the running guest that is meant.',
    },
  },
  required: ['action'],
}

export const HotplugVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Source of a hotplugged volume; exactly one member is set.',
  properties: {
    persistentVolumeClaim: {
      ...PersistentVolumeClaimVolumeSource,
      description: 'A claim in the same namespace.',
    },
    dataVolume: {
      ...DataVolumeSource,
      description: 'A claim that a DataVolume fills.',
    },
  },
}

export const AddVolumeOptions: StructuralSchema = {
  type: 'object',
  description: 'A volume to plug in.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the disk and of the volume.',
    },
    disk: {
      ...Disk,
      description: 'The device.',
    },
    volumeSource: {
      ...HotplugVolumeSource,
      description: 'The volume.',
    },
    dryRun: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: '`All` changes nothing.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['name', 'disk', 'volumeSource'],
}

export const RemoveVolumeOptions: StructuralSchema = {
  type: 'object',
  description: 'A volume to unplug.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the disk and of the volume.',
    },
    dryRun: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: '`All` changes nothing.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['name'],
}

export const VirtualMachineVolumeRequest: StructuralSchema = {
  type: 'object',
  description: 'A volume to plug in or unplug.',
  properties: {
    addVolumeOptions: {
      ...AddVolumeOptions,
      description: 'Plugs one in.',
    },
    removeVolumeOptions: {
      ...RemoveVolumeOptions,
      description: 'Unplugs one.',
    },
  },
}

export const VolumeSnapshotStatus: StructuralSchema = {
  type: 'object',
  description: 'Whether snapshots can include a volume.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    enabled: {
      type: 'boolean',
      description: 'Whether they can.',
    },
    reason: {
      type: 'string',
      description: 'Why not.',
    },
  },
  required: ['name', 'enabled'],
}

export const VirtualMachineStartFailure: StructuralSchema = {
  type: 'object',
  description: 'Starts that failed in a row.',
  properties: {
    consecutiveFailCount: {
      type: 'integer',
      format: 'int64',
      description: 'How many.',
    },
    lastFailedVMIUID: {
      type: 'string',
      description: 'UID of the last one.',
    },
    retryAfterTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When the next one may happen.',
    },
  },
}

export const VirtualMachineMemoryDumpRequest: StructuralSchema = {
  type: 'object',
  description: 'A dump of the memory.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Claim that it goes to.',
    },
    phase: {
      type: 'string',
      description: 'How far it is.',
    },
    remove: {
      type: 'boolean',
      description: 'Whether to unplug the claim.',
    },
    startTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When it began.',
    },
    endTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'When it ended.',
    },
    fileName: {
      type: 'string',
      description: 'File that it goes to.',
    },
    message: {
      type: 'string',
      description: 'Why it failed.',
    },
  },
  required: ['claimName', 'phase'],
}

export const VolumeMigrationState: StructuralSchema = {
  type: 'object',
  description: 'Progress of a move of volumes.',
  properties: {
    migratedVolumes: {
      type: 'array',
      items: StorageMigratedVolumeInfo,
      description: 'The volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VolumeUpdateState: StructuralSchema = {
  type: 'object',
  description: 'Progress of a change of volumes.',
  properties: {
    volumeMigrationState: {
      ...VolumeMigrationState,
      description: 'Progress of a move.',
    },
  },
}

export const ControllerRevisionRef: StructuralSchema = {
  type: 'object',
  description: 'Points to a ControllerRevision.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ControllerRevision.',
    },
  },
}

export const InstancetypeStatusRef: StructuralSchema = {
  type: 'object',
  description: 'An instance type or preference in use.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    controllerRevisionRef: {
      ...ControllerRevisionRef,
      description: 'The copy in use.',
    },
    inferFromVolume: {
      type: 'string',
      description: 'Volume whose labels name the object.',
    },
    inferFromVolumeFailurePolicy: {
      type: 'string',
      description: 'Policy when the volume does not tell.',
    },
  },
}

export const PinnedHardwareStatus: StructuralSchema = {
  type: 'object',
  description: 'Recorded state of the instance type or preference of a VM.',
  properties: {
    specRevisionName: {
      type: 'string',
      description: 'Revision that the spec named when it was last looked at. Taking the name away from the spec takes the newest generation.',
    },
    newerGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation that the object has by now, when it says something else than the copy in use.',
    },
    history: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Revisions that the machine has taken, newest first, where they are shared with others: those that it owns need not be remembered. It can go back to each of them.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ResolvedResources: StructuralSchema = {
  type: 'object',
  description: 'Processors and memory of a guest, wherever they come from.',
  properties: {
    sockets: {
      type: 'integer',
      format: 'int64',
      description: 'Sockets.',
    },
    cores: {
      type: 'integer',
      format: 'int64',
      description: 'Cores of each socket.',
    },
    threads: {
      type: 'integer',
      format: 'int64',
      description: 'Threads of each core.',
    },
    memory: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Memory that the guest sees.',
    },
  },
}

export const HardwareStatusEntry: StructuralSchema = {
  type: 'object',
  description: 'Hardware that a guest has had since some moment.',
  properties: {
    fingerprint: {
      type: 'string',
      description: 'SHA-256 of all that the guest sees.',
    },
    since: {
      type: 'string',
      format: 'date-time',
      description: 'When the guest was first seen with it.',
    },
    reason: {
      type: 'string',
      description: 'Why it is another than before, in one word.',
    },
    qemu: {
      type: 'string',
      description: 'Version of the QEMU that it was first seen in.',
    },
    release: {
      type: 'string',
      description: 'Image of the launcher that it was first seen in.',
    },
  },
  required: ['fingerprint', 'since', 'reason', 'qemu'],
}

export const HardwareStatus: StructuralSchema = {
  type: 'object',
  description: 'Summary of the hardware that a guest sees. The HardwareRecord with the name of the VM has the facts.',
  properties: {
    fingerprint: {
      type: 'string',
      description: 'SHA-256 of all that the guest sees: the same for the same hardware, in each release of QEMU.',
    },
    version: {
      type: 'integer',
      format: 'int64',
      description: 'How hardware is written down. Fingerprints of different versions cannot be compared.',
    },
    launch: {
      type: 'string',
      description: 'Digest of what the guest was launched with.',
    },
    history: {
      type: 'array',
      items: HardwareStatusEntry,
      description: 'How the hardware came to be what it is, newest first. The first is the hardware of today. The oldest are forgotten.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['fingerprint', 'version', 'launch', 'history'],
}

export const VirtualMachineSteadyStatus: StructuralSchema = {
  type: 'object',
  description: 'State of a machine that steadyvm adds.',
  properties: {
    instancetype: {
      ...PinnedHardwareStatus,
      description: 'Of its instance type.',
    },
    preference: {
      ...PinnedHardwareStatus,
      description: 'Of its preference.',
    },
    refresh: {
      type: 'string',
      description: 'The refresh that was last carried out: the value that annotation `steadyvm.io/refresh` had.',
    },
    replaced: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Successors of replaced revisions with the same content, by old name: an old name keeps its meaning.',
    },
    resources: {
      ...ResolvedResources,
      description: 'Resources at the next start.',
    },
    hardware: {
      ...HardwareStatus,
      description: 'Hardware that the guest sees.',
    },
  },
}

export const VirtualMachineStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a machine.',
  properties: {
    snapshotInProgress: {
      type: 'string',
      description: 'Snapshot that is being taken.',
    },
    restoreInProgress: {
      type: 'string',
      description: 'Restore that is going on.',
    },
    created: {
      type: 'boolean',
      description: 'Whether the running guest exists as an object.',
    },
    ready: {
      type: 'boolean',
      description: 'Whether the guest runs and is ready.',
    },
    printableStatus: {
      type: 'string',
      description: 'The state in one word.',
      default: 'Stopped',
    },
    conditions: {
      type: 'array',
      items: VirtualMachineCondition,
      description: 'The state of the machine, by aspect.',
    },
    stateChangeRequests: {
      type: 'array',
      items: VirtualMachineStateChangeRequest,
      description: 'Pending requests of start, stop and restart.',
    },
    volumeRequests: {
      type: 'array',
      items: VirtualMachineVolumeRequest,
      description: 'Volumes to plug in and unplug.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeSnapshotStatuses: {
      type: 'array',
      items: VolumeSnapshotStatus,
      description: 'Which volumes snapshots can include.',
    },
    startFailure: {
      ...VirtualMachineStartFailure,
      nullable: true,
      description: 'Starts that failed in a row.',
    },
    memoryDumpRequest: {
      ...VirtualMachineMemoryDumpRequest,
      nullable: true,
      description: 'A dump of the memory.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the machine that the running guest was made from.',
    },
    desiredGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the machine that the running guest should be made from.',
    },
    runStrategy: {
      type: 'string',
      description: 'Run strategy that was last acted on.',
    },
    volumeUpdateState: {
      ...VolumeUpdateState,
      description: 'Progress of a change of volumes.',
    },
    changedBlockTracking: {
      ...ChangedBlockTrackingStatus,
      nullable: true,
      description: 'Recording of changed blocks.',
    },
    instancetypeRef: {
      ...InstancetypeStatusRef,
      nullable: true,
      description: 'The instance type in use.',
    },
    preferenceRef: {
      ...InstancetypeStatusRef,
      nullable: true,
      description: 'The preference in use.',
    },
    steadyvm: {
      ...VirtualMachineSteadyStatus,
      description: 'State of the machine that steadyvm adds to the fields of KubeVirt.',
    },
  },
}

export const VirtualMachine: StructuralSchema = {
  type: 'object',
  description: 'A machine that can be started and stopped.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...VirtualMachineSpec,
      description: 'Desired state of the machine.',
    },
    status: {
      ...VirtualMachineStatus,
      description: 'Observed state of the machine.',
    },
  },
  required: ['spec'],
}

export const StartOptions: StructuralSchema = {
  type: 'object',
  description: 'Settings of the start subresource.',
  properties: {
    paused: {
      type: 'boolean',
      description: 'Starts the guest without running it.',
    },
    dryRun: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: '`All` changes nothing.',
    },
  },
}

export const StopOptions: StructuralSchema = {
  type: 'object',
  description: 'Settings of the stop subresource.',
  properties: {
    gracePeriod: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds between being told to power off and being killed.',
    },
    dryRun: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: '`All` changes nothing.',
    },
  },
}

export const RestartOptions: StructuralSchema = {
  type: 'object',
  description: 'Settings of the restart subresource.',
  properties: {
    gracePeriodSeconds: {
      type: 'integer',
      format: 'int32',
      description: '0 kills the guest at once.',
    },
    dryRun: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: '`All` changes nothing.',
    },
  },
}

export const VolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Source of a volume; exactly one member is set.',
  properties: {
    hostDisk: {
      ...HostDisk,
      description: 'A disk image on the node.',
    },
    persistentVolumeClaim: {
      ...PersistentVolumeClaimVolumeSource,
      description: 'A claim in the same namespace.',
    },
    cloudInitNoCloud: {
      ...CloudInitNoCloudSource,
      description: 'Data for cloud-init as a NoCloud disk.',
    },
    cloudInitConfigDrive: {
      ...CloudInitConfigDriveSource,
      description: 'Data for cloud-init as a config drive.',
    },
    sysprep: {
      ...SysprepSource,
      description: 'Answers for the set-up of Windows.',
    },
    containerDisk: {
      ...ContainerDiskSource,
      description: 'A disk image in a container image.',
    },
    ephemeral: {
      ...EphemeralVolumeSource,
      description: 'A claim in the same namespace that is never written to.',
    },
    emptyDisk: {
      ...EmptyDiskSource,
      description: 'An empty disk that lives as long as the running machine.',
    },
    dataVolume: {
      ...DataVolumeSource,
      description: 'A claim that a DataVolume fills.',
    },
    configMap: {
      ...ConfigMapVolumeSource,
      description: 'The keys of a ConfigMap as files.',
    },
    secret: {
      ...SecretVolumeSource,
      description: 'The keys of a Secret as files.',
    },
    downwardAPI: {
      ...DownwardAPIVolumeSource,
      description: 'Fields of the pod as files.',
    },
    serviceAccount: {
      ...ServiceAccountVolumeSource,
      description: 'A token of a service account.',
    },
    downwardMetrics: {
      ...DownwardMetricsVolumeSource,
      description: 'Metrics of the node as a disk.',
    },
    memoryDump: {
      ...MemoryDumpVolumeSource,
      description: 'Where a dump of the memory goes.',
    },
    containerPath: {
      ...ContainerPathVolumeSource,
      description: 'A path of the launcher\'s container.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  KubeVirt: KubeVirt,
  VirtualMachine: VirtualMachine,
  VirtualMachineInstance: VirtualMachineInstance,
  VirtualMachineInstanceMigration: VirtualMachineInstanceMigration,
  VirtualMachineInstancePreset: VirtualMachineInstancePreset,
}
