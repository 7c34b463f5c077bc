// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { DataVolumeSpec } from '#api/cdi/v1beta1/schema.generated.ts'
import { MigrationExperimentalConfiguration } from '#api/migrations/v1alpha1/schema.generated.ts'

export const AccessCredentialSecretSource: StructuralSchema = {
  type: 'object',
  description: 'Reference to a Secret in the namespace of the VM.',
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
  description: 'Source of SSH public keys.',
  properties: {
    secret: {
      ...AccessCredentialSecretSource,
      description: 'Secret with the public keys.',
    },
  },
}

export const ConfigDriveSSHPublicKeyAccessCredentialPropagation: StructuralSchema = {
  type: 'object',
  description: 'Injection through the config drive. No fields; the presence of the object selects the method.',
}

export const NoCloudSSHPublicKeyAccessCredentialPropagation: StructuralSchema = {
  type: 'object',
  description: 'Injection through the NoCloud disk. No fields; the presence of the object selects the method.',
}

export const QemuGuestAgentSSHPublicKeyAccessCredentialPropagation: StructuralSchema = {
  type: 'object',
  description: 'Injection of SSH public keys through the QEMU guest agent.',
  properties: {
    users: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the users in the guest.',
      'x-kubernetes-list-type': 'set',
    },
  },
  required: ['users'],
}

export const SSHPublicKeyAccessCredentialPropagationMethod: StructuralSchema = {
  type: 'object',
  description: 'Method by which SSH public keys are injected into the guest. Exactly one member is set.',
  properties: {
    configDrive: {
      ...ConfigDriveSSHPublicKeyAccessCredentialPropagation,
      description: 'Injection through the cloud-init config drive.',
    },
    noCloud: {
      ...NoCloudSSHPublicKeyAccessCredentialPropagation,
      description: 'Injection through the cloud-init NoCloud disk.',
    },
    qemuGuestAgent: {
      ...QemuGuestAgentSSHPublicKeyAccessCredentialPropagation,
      description: 'Injection through the QEMU guest agent.',
    },
  },
}

export const SSHPublicKeyAccessCredential: StructuralSchema = {
  type: 'object',
  description: 'SSH public keys.',
  properties: {
    source: {
      ...SSHPublicKeyAccessCredentialSource,
      description: 'Source of the public keys.',
    },
    propagationMethod: {
      ...SSHPublicKeyAccessCredentialPropagationMethod,
      description: 'Method by which the public keys are injected into the guest.',
    },
  },
  required: ['source', 'propagationMethod'],
}

export const UserPasswordAccessCredentialSource: StructuralSchema = {
  type: 'object',
  description: 'Source of passwords.',
  properties: {
    secret: {
      ...AccessCredentialSecretSource,
      description: 'Secret with the passwords.',
    },
  },
}

export const QemuGuestAgentUserPasswordAccessCredentialPropagation: StructuralSchema = {
  type: 'object',
  description: 'Injection through the guest agent. No fields; the presence of the object selects the method.',
}

export const UserPasswordAccessCredentialPropagationMethod: StructuralSchema = {
  type: 'object',
  description: 'Method by which passwords are set in the guest.',
  properties: {
    qemuGuestAgent: {
      ...QemuGuestAgentUserPasswordAccessCredentialPropagation,
      description: 'Injection through the QEMU guest agent.',
    },
  },
}

export const UserPasswordAccessCredential: StructuralSchema = {
  type: 'object',
  description: 'Passwords.',
  properties: {
    source: {
      ...UserPasswordAccessCredentialSource,
      description: 'Source of the passwords.',
    },
    propagationMethod: {
      ...UserPasswordAccessCredentialPropagationMethod,
      description: 'Method by which the passwords are set in the guest.',
    },
  },
  required: ['source', 'propagationMethod'],
}

export const AccessCredential: StructuralSchema = {
  type: 'object',
  description: 'Credential that is injected into the guest. Exactly one member is set.',
  properties: {
    sshPublicKey: {
      ...SSHPublicKeyAccessCredential,
      description: 'SSH public keys.',
    },
    userPassword: {
      ...UserPasswordAccessCredential,
      description: 'Passwords.',
    },
  },
}

export const TokenBucketRateLimiter: StructuralSchema = {
  type: 'object',
  description: 'Bucket of tokens.',
  properties: {
    qps: {
      type: 'number',
      description: 'Tokens that are added each second.',
    },
    burst: {
      type: 'integer',
      description: 'Tokens that the bucket holds.',
      format: 'int32',
    },
  },
  required: ['qps', 'burst'],
}

export const RateLimiter: StructuralSchema = {
  type: 'object',
  description: 'Limit of the rate of requests.',
  properties: {
    tokenBucketRateLimiter: {
      ...TokenBucketRateLimiter,
      description: 'Limit by a bucket of tokens, of which each request takes one.',
    },
  },
}

export const RESTClientConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings of a client of the Kubernetes API.',
  properties: {
    rateLimiter: {
      ...RateLimiter,
      description: 'Limit of the rate of requests.',
    },
  },
}

export const ReloadableComponentConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings of a component that it applies without a restart.',
  properties: {
    restClient: {
      ...RESTClientConfiguration,
      description: 'Client of the Kubernetes API.',
    },
  },
}

export const ContainerResources: StructuralSchema = {
  type: 'object',
  description: 'Compute resources of a container.',
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
      description: 'Maximum amounts: `memory`, `cpu`.',
    },
  },
}

export const SupportContainerResources: StructuralSchema = {
  type: 'object',
  description: 'Compute resources of a type of container that launcher pods have besides the guest\'s.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the container, such as `virtiofs` or `sidecar`.',
    },
    resources: {
      ...ContainerResources,
      description: 'Compute resources of the container.',
    },
  },
  required: ['type', 'resources'],
}

export const CustomProfile: StructuralSchema = {
  type: 'object',
  description: 'Seccomp profile of a node.',
  properties: {
    localhostProfile: {
      type: 'string',
      description: 'Path of the profile, below the folder of the kubelet\'s profiles.',
    },
    runtimeDefaultProfile: {
      type: 'boolean',
      description: 'Uses the profile of the container runtime.',
    },
  },
}

export const VirtualMachineInstanceProfile: StructuralSchema = {
  type: 'object',
  description: 'Seccomp profile of launcher pods.',
  properties: {
    customProfile: {
      ...CustomProfile,
      description: 'Another profile than the one of the container runtime.',
    },
  },
}

export const SeccompConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Seccomp profiles.',
  properties: {
    virtualMachineInstanceProfile: {
      ...VirtualMachineInstanceProfile,
      description: 'Profile of launcher pods.',
    },
  },
}

export const PciHostDevice: StructuralSchema = {
  type: 'object',
  description: 'PCI devices with one vendor and product.',
  properties: {
    pciVendorSelector: {
      type: 'string',
      description: 'Vendor and product, as in `10DE:1EB8`.',
    },
    resourceName: {
      type: 'string',
      description: 'Name of the resource by which VMs request a device.',
    },
    externalResourceProvider: {
      type: 'boolean',
      description: 'Another device plugin offers the resource.',
    },
  },
  required: ['pciVendorSelector', 'resourceName'],
}

export const MediatedHostDevice: StructuralSchema = {
  type: 'object',
  description: 'Mediated devices of one type.',
  properties: {
    mdevNameSelector: {
      type: 'string',
      description: 'Name of the type.',
    },
    resourceName: {
      type: 'string',
      description: 'Name of the resource by which VMs request a device.',
    },
    externalResourceProvider: {
      type: 'boolean',
      description: 'Another device plugin offers the resource.',
    },
  },
  required: ['mdevNameSelector', 'resourceName'],
}

export const USBSelector: StructuralSchema = {
  type: 'object',
  description: 'USB device with one vendor and product.',
  properties: {
    vendor: {
      type: 'string',
      description: 'Vendor, in hexadecimal digits.',
    },
    product: {
      type: 'string',
      description: 'Product, in hexadecimal digits.',
    },
  },
  required: ['vendor', 'product'],
}

export const USBHostDevice: StructuralSchema = {
  type: 'object',
  description: 'USB devices that are passed through together.',
  properties: {
    resourceName: {
      type: 'string',
      description: 'Name of the resource by which VMs request the devices.',
    },
    selectors: {
      type: 'array',
      items: USBSelector,
      description: 'The devices.',
      'x-kubernetes-list-type': 'atomic',
    },
    externalResourceProvider: {
      type: 'boolean',
      description: 'Another device plugin offers the resource.',
    },
  },
  required: ['resourceName'],
}

export const PermittedHostDevices: StructuralSchema = {
  type: 'object',
  description: 'Host devices that VMs may use.',
  properties: {
    pciHostDevices: {
      type: 'array',
      items: PciHostDevice,
      description: 'PCI devices.',
      'x-kubernetes-list-type': 'atomic',
    },
    mediatedDevices: {
      type: 'array',
      items: MediatedHostDevice,
      description: 'Mediated devices, such as virtual GPUs.',
      'x-kubernetes-list-type': 'atomic',
    },
    usb: {
      type: 'array',
      items: USBHostDevice,
      description: 'USB devices.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NodeMediatedDeviceTypesConfig: StructuralSchema = {
  type: 'object',
  description: 'Types of mediated devices for some nodes.',
  properties: {
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of the nodes.',
    },
    mediatedDeviceTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Types of the devices that these nodes create.',
      'x-kubernetes-list-type': 'atomic',
    },
    mediatedDevicesTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Former name of `mediatedDeviceTypes`.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['nodeSelector'],
}

export const MediatedDevicesConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Configuration of mediated devices on nodes.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'False leaves the devices of nodes as they are.',
    },
    mediatedDeviceTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Types of the devices that nodes create.',
      'x-kubernetes-list-type': 'atomic',
    },
    mediatedDevicesTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Former name of `mediatedDeviceTypes`.',
      'x-kubernetes-list-type': 'atomic',
    },
    nodeMediatedDeviceTypes: {
      type: 'array',
      items: NodeMediatedDeviceTypesConfig,
      description: 'Types for some nodes.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const DisableFreePageReporting: StructuralSchema = {
  type: 'object',
  description: 'Switch without fields.',
}

export const DisableSerialConsoleLog: StructuralSchema = {
  type: 'object',
  description: 'Switch without fields.',
}

export const VirtualMachineOptions: StructuralSchema = {
  type: 'object',
  description: 'Options of all VMs.',
  properties: {
    disableFreePageReporting: {
      ...DisableFreePageReporting,
      description: 'Its presence stops guests from returning memory that they have freed.',
    },
    disableSerialConsoleLog: {
      ...DisableSerialConsoleLog,
      description: 'Its presence stops the logging of serial consoles.',
    },
  },
}

export const SMBiosConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Values in the SMBIOS data of guests.',
  properties: {
    family: {
      type: 'string',
      description: 'Family of the product.',
    },
    manufacturer: {
      type: 'string',
      description: 'Manufacturer.',
    },
    product: {
      type: 'string',
      description: 'Name of the product.',
    },
    sku: {
      type: 'string',
      description: 'Number of the product.',
    },
    version: {
      type: 'string',
      description: 'Version of the product.',
    },
  },
}

export const MetaLabelSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'Requirement on a label.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the label.',
    },
    operator: {
      type: 'string',
      description: 'Comparison operator: In, NotIn, Exists or DoesNotExist.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values to compare with; empty for Exists and DoesNotExist.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'operator'],
}

export const MetaLabelSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of objects by labels. All requirements must match. An empty selector matches all objects.',
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
      description: 'Requirements on labels. All requirements must match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const KSMConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Memory pages that guests share (kernel samepage merging, KSM).',
  properties: {
    nodeLabelSelector: {
      ...MetaLabelSelector,
      description: 'Nodes on which KSM is switched on.',
    },
  },
}

export const ChangedBlockTrackingSelectors: StructuralSchema = {
  type: 'object',
  description: 'VMs whose changed blocks are tracked for incremental backups.',
  properties: {
    namespaceLabelSelector: {
      ...MetaLabelSelector,
      description: 'Namespaces of the VMs.',
    },
    virtualMachineLabelSelector: {
      ...MetaLabelSelector,
      description: 'The VMs.',
    },
  },
}

export const PersistentReservationConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Persistent reservations of SCSI disks.',
  properties: {
    enabled: {
      type: 'boolean',
      nullable: true,
      description: 'Permits reservations.',
    },
  },
}

export const VirtTemplateDeployment: StructuralSchema = {
  type: 'object',
  description: 'Templates of VMs.',
  properties: {
    enabled: {
      type: 'boolean',
      nullable: true,
      description: 'Deploys the API of templates.',
    },
  },
}

export const HypervisorConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Hypervisor of nodes.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the hypervisor.',
      enum: ['kvm', 'hyperv-direct'],
    },
  },
}

export const TDXAttestationConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Proof of what a guest of Intel TDX runs.',
  properties: {
    enforced: {
      type: 'boolean',
      description: 'Guests run only on nodes that can prove it.',
      default: false,
    },
    qgsSocketPath: {
      type: 'string',
      description: 'Socket of the service that makes quotes.',
      default: '/var/run/tdx-qgs/qgs.socket',
    },
  },
}

export const TDXConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Guests of Intel TDX.',
  properties: {
    attestation: {
      ...TDXAttestationConfiguration,
      description: 'Proof of what a guest runs.',
    },
  },
}

export const ConfidentialComputeConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Guests whose memory the host cannot read.',
  properties: {
    tdx: {
      ...TDXConfiguration,
      nullable: true,
      description: 'Guests of Intel TDX.',
    },
  },
}

export const InterfaceBindingMigration: StructuralSchema = {
  type: 'object',
  description: 'Live migration of guests with a binding.',
  properties: {
    method: {
      type: 'string',
      description: 'Method, such as `link-refresh`.',
    },
  },
}

export const InterfaceBindingPlugin: StructuralSchema = {
  type: 'object',
  description: 'Plugin that connects interfaces to networks.',
  properties: {
    networkAttachmentDefinition: {
      type: 'string',
      description: 'NetworkAttachmentDefinition that the pod gets for each interface.',
    },
    sidecarImage: {
      type: 'string',
      description: 'Image of a container that changes the domain.',
    },
    domainAttachmentType: {
      type: 'string',
      description: 'Attachment of the interface to the domain, such as `tap`.',
    },
    downwardAPI: {
      type: 'string',
      description: 'Device data that the container reads.',
    },
    migration: {
      ...InterfaceBindingMigration,
      description: 'Live migration of guests with the binding.',
    },
    computeResourceOverhead: {
      ...ContainerResources,
      description: 'Compute resources that launcher pods need in addition.',
    },
  },
}

export const ClockOffsetUTC: StructuralSchema = {
  type: 'object',
  description: 'Offset from UTC.',
  properties: {
    offsetSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Offset from UTC in seconds.',
    },
  },
}

export const HPETTimer: StructuralSchema = {
  type: 'object',
  description: 'High precision event timer (HPET).',
  properties: {
    tickPolicy: {
      type: 'string',
      description: 'Policy for missed ticks: delay, catchup, merge or discard.',
    },
    present: {
      type: 'boolean',
      description: 'True if the guest has the timer.',
    },
  },
}

export const KVMTimer: StructuralSchema = {
  type: 'object',
  description: 'KVM clock.',
  properties: {
    present: {
      type: 'boolean',
      description: 'True if the guest has the clock.',
    },
  },
}

export const PITTimer: StructuralSchema = {
  type: 'object',
  description: 'Programmable interval timer (PIT).',
  properties: {
    tickPolicy: {
      type: 'string',
      description: 'Policy for missed ticks: delay, catchup or discard.',
    },
    present: {
      type: 'boolean',
      description: 'True if the guest has the timer.',
    },
  },
}

export const RTCTimer: StructuralSchema = {
  type: 'object',
  description: 'Real-time clock (RTC).',
  properties: {
    tickPolicy: {
      type: 'string',
      description: 'Policy for missed ticks: delay or catchup.',
    },
    present: {
      type: 'boolean',
      description: 'True if the guest has the clock.',
    },
    track: {
      type: 'string',
      description: 'Time source of the clock: guest or wall.',
    },
  },
}

export const HypervTimer: StructuralSchema = {
  type: 'object',
  description: 'Hyper-V clock.',
  properties: {
    present: {
      type: 'boolean',
      description: 'True if the guest has the clock.',
    },
  },
}

export const Timer: StructuralSchema = {
  type: 'object',
  description: 'Timers of a guest.',
  properties: {
    hpet: {
      ...HPETTimer,
      description: 'High precision event timer (HPET).',
    },
    kvm: {
      ...KVMTimer,
      description: 'KVM clock.',
    },
    pit: {
      ...PITTimer,
      description: 'Programmable interval timer (PIT).',
    },
    rtc: {
      ...RTCTimer,
      description: 'Real-time clock (RTC).',
    },
    hyperv: {
      ...HypervTimer,
      description: 'Hyper-V clock.',
    },
  },
}

export const Clock: StructuralSchema = {
  type: 'object',
  description: 'Clock and timers of a guest.',
  properties: {
    utc: {
      ...ClockOffsetUTC,
      description: 'Offset from UTC.',
    },
    timezone: {
      type: 'string',
      description: 'Time zone of the clock, such as `Europe/Prague`.',
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
  description: 'Offset of the guest\'s clock. At most one member is set.',
  properties: {
    utc: {
      ...ClockOffsetUTC,
      description: 'Offset from UTC.',
    },
    timezone: {
      type: 'string',
      description: 'Time zone of the clock, such as `Europe/Prague`.',
    },
  },
}

export const CPUFeature: StructuralSchema = {
  type: 'object',
  description: 'CPU feature.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the CPU feature.',
    },
    policy: {
      type: 'string',
      description: 'Policy for the feature: force, require, optional, disable or forbid; require when absent.',
    },
  },
  required: ['name'],
}

export const NUMAGuestMappingPassthrough: StructuralSchema = {
  type: 'object',
  description: 'NUMA passthrough. No fields; the presence of the object enables the passthrough.',
}

export const NUMA: StructuralSchema = {
  type: 'object',
  description: 'NUMA topology of a guest.',
  properties: {
    guestMappingPassthrough: {
      ...NUMAGuestMappingPassthrough,
      description: 'Mirrors the NUMA topology of the physical CPUs that the guest is pinned to.',
    },
  },
}

export const Realtime: StructuralSchema = {
  type: 'object',
  description: 'Tuning for low latency.',
  properties: {
    mask: {
      type: 'string',
      description: 'Set of virtual CPUs that are tuned, such as `0-3,^1`.',
    },
  },
}

export const CPU: StructuralSchema = {
  type: 'object',
  description: 'Virtual CPUs of a guest.',
  properties: {
    cores: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of cores for each socket.',
    },
    sockets: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of sockets.',
    },
    maxSockets: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Maximum number of sockets after CPU hotplug.',
    },
    threads: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of threads for each core.',
    },
    model: {
      type: 'string',
      description: 'CPU model: `host-model`, `host-passthrough` or the name of a model.',
    },
    features: {
      type: 'array',
      items: CPUFeature,
      description: 'CPU features to add to the model or to remove from the model.',
    },
    dedicatedCpuPlacement: {
      type: 'boolean',
      description: 'Pins each virtual CPU to a dedicated physical CPU.',
    },
    numa: {
      ...NUMA,
      description: 'NUMA topology of the guest.',
    },
    isolateEmulatorThread: {
      type: 'boolean',
      description: 'Pins the emulator thread to a dedicated physical CPU.',
    },
    realtime: {
      ...Realtime,
      description: 'Tuning for low latency.',
    },
  },
}

export const CPUTopology: StructuralSchema = {
  type: 'object',
  description: 'Current CPU topology of a guest.',
  properties: {
    cores: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of cores for each socket.',
    },
    sockets: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of sockets.',
    },
    threads: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of threads for each core.',
    },
  },
}

export const DiskTarget: StructuralSchema = {
  type: 'object',
  description: 'Disk device.',
  properties: {
    bus: {
      type: 'string',
      description: 'Bus of the disk: virtio, sata, scsi or usb.',
    },
    readonly: {
      type: 'boolean',
      description: 'Makes the disk read-only.',
    },
    pciAddress: {
      type: 'string',
      description: 'PCI address of the disk in the guest, such as `0000:81:01.0`.',
    },
  },
}

export const LunTarget: StructuralSchema = {
  type: 'object',
  description: 'SCSI LUN that is passed through to the guest.',
  properties: {
    bus: {
      type: 'string',
      description: 'Bus of the LUN: virtio, sata or scsi.',
    },
    readonly: {
      type: 'boolean',
      description: 'Makes the LUN read-only.',
    },
    reservation: {
      type: 'boolean',
      description: 'Enables SCSI persistent reservations.',
    },
  },
}

export const CDRomTarget: StructuralSchema = {
  type: 'object',
  description: 'CD-ROM device.',
  properties: {
    bus: {
      type: 'string',
      description: 'Bus of the CD-ROM: virtio, sata or scsi.',
    },
    readonly: {
      type: 'boolean',
      description: 'Makes the CD-ROM read-only; true when absent.',
    },
    tray: {
      type: 'string',
      description: 'State of the tray: open or closed.',
    },
  },
}

export const CustomBlockSize: StructuralSchema = {
  type: 'object',
  description: 'Explicit block sizes of a disk, in bytes.',
  properties: {
    logical: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Logical block size: the smallest unit that can be addressed.',
    },
    physical: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Physical block size: the smallest unit that is written at once.',
    },
    discardGranularity: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Discard granularity: the smallest unit that can be discarded.',
    },
  },
}

export const FeatureState: StructuralSchema = {
  type: 'object',
  description: 'State of a feature.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if the feature is enabled; true when absent.',
    },
  },
}

export const BlockSize: StructuralSchema = {
  type: 'object',
  description: 'Block sizes of a disk. At most one member is set.',
  properties: {
    custom: {
      ...CustomBlockSize,
      description: 'Explicit block sizes.',
    },
    matchVolume: {
      ...FeatureState,
      description: 'Block sizes of the volume.',
    },
  },
}

export const Disk: StructuralSchema = {
  type: 'object',
  description: 'Device through which a volume is attached to the guest.',
  properties: {
    disk: {
      ...DiskTarget,
      description: 'Disk device.',
    },
    lun: {
      ...LunTarget,
      description: 'SCSI LUN that is passed through to the guest.',
    },
    cdrom: {
      ...CDRomTarget,
      description: 'CD-ROM device.',
    },
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    bootOrder: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Position of the disk in the boot order; 1 is first.',
    },
    serial: {
      type: 'string',
      description: 'Serial number of the disk in the guest.',
    },
    dedicatedIOThread: {
      type: 'boolean',
      description: 'Gives the disk a dedicated I/O thread.',
    },
    cache: {
      type: 'string',
      description: 'Cache mode of the disk: none, writethrough or writeback.',
    },
    io: {
      type: 'string',
      description: 'I/O mode of the disk: native, default or threads.',
    },
    tag: {
      type: 'string',
      description: 'Tag of the device in the metadata of the guest.',
    },
    blockSize: {
      ...BlockSize,
      description: 'Block sizes of the disk.',
    },
    shareable: {
      type: 'boolean',
      description: 'Allows several VMs to write to the disk.',
    },
    errorPolicy: {
      type: 'string',
      description: 'Policy for I/O errors of the disk: stop, ignore, report or enospace, which stops the guest when there is no space. stop when absent.',
    },
    changedBlockTracking: {
      type: 'boolean',
      description: 'Tracks the changed blocks of the disk.',
    },
  },
  required: ['name'],
}

export const I6300ESBWatchdog: StructuralSchema = {
  type: 'object',
  description: 'i6300esb, a PCI watchdog.',
  properties: {
    action: {
      type: 'string',
      description: 'Action on expiry: poweroff, reset or shutdown; reset when absent.',
    },
  },
}

export const Diag288Watchdog: StructuralSchema = {
  type: 'object',
  description: 'diag288, the watchdog of s390x.',
  properties: {
    action: {
      type: 'string',
      description: 'Action on expiry: poweroff, reset or shutdown; reset when absent.',
    },
  },
}

export const Watchdog: StructuralSchema = {
  type: 'object',
  description: 'Watchdog device.',
  properties: {
    i6300esb: {
      ...I6300ESBWatchdog,
      description: 'i6300esb, a PCI watchdog.',
    },
    diag288: {
      ...Diag288Watchdog,
      description: 'diag288, the watchdog of s390x.',
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
  description: 'Bridge binding. No fields; the presence of the object selects the binding.',
}

export const DeprecatedInterfaceSlirp: StructuralSchema = {
  type: 'object',
  description: 'SLIRP binding; deprecated. No fields; the presence of the object selects the binding.',
}

export const InterfaceMasquerade: StructuralSchema = {
  type: 'object',
  description: 'Masquerade binding. No fields; the presence of the object selects the binding.',
}

export const InterfaceSRIOV: StructuralSchema = {
  type: 'object',
  description: 'SR-IOV binding. No fields; the presence of the object selects the binding.',
}

export const DeprecatedInterfaceMacvtap: StructuralSchema = {
  type: 'object',
  description: 'Macvtap binding; deprecated. No fields; the presence of the object selects the binding.',
}

export const DeprecatedInterfacePasst: StructuralSchema = {
  type: 'object',
  description: 'Passt binding; deprecated. No fields; the presence of the object selects the binding.',
}

export const InterfacePasstBinding: StructuralSchema = {
  type: 'object',
  description: 'Passt binding. No fields; the presence of the object selects the binding.',
}

export const PluginBinding: StructuralSchema = {
  type: 'object',
  description: 'Reference to a network binding plugin.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the plugin.',
    },
  },
  required: ['name'],
}

export const Port: StructuralSchema = {
  type: 'object',
  description: 'Port that is forwarded to the guest.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port.',
    },
    protocol: {
      type: 'string',
      description: 'Protocol of the port: TCP or UDP; TCP when absent.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
  },
  required: ['port'],
}

export const PortRange: StructuralSchema = {
  type: 'object',
  description: 'Range of ports.',
  properties: {
    protocol: {
      type: 'string',
      description: 'Protocol of the ports: TCP or UDP.',
    },
    start: {
      type: 'integer',
      format: 'int32',
      description: 'First port.',
    },
    end: {
      type: 'integer',
      format: 'int32',
      description: 'Last port.',
    },
  },
  required: ['protocol', 'start', 'end'],
}

export const DHCPPrivateOptions: StructuralSchema = {
  type: 'object',
  description: 'Private DHCP option.',
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
  description: 'DHCP settings.',
  properties: {
    bootFileName: {
      type: 'string',
      description: 'Boot file name, option 67.',
    },
    tftpServerName: {
      type: 'string',
      description: 'TFTP server name, option 66.',
    },
    ntpServers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Addresses of NTP servers, option 42.',
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
  description: 'Device through which a network is attached to the guest.',
  properties: {
    bridge: {
      ...InterfaceBridge,
      description: 'Bridge binding: the guest has the address of its pod.',
    },
    slirp: {
      ...DeprecatedInterfaceSlirp,
      description: 'SLIRP binding; deprecated.',
    },
    masquerade: {
      ...InterfaceMasquerade,
      description: 'Masquerade binding (NAT).',
    },
    sriov: {
      ...InterfaceSRIOV,
      description: 'SR-IOV binding: passthrough of a virtual function.',
    },
    macvtap: {
      ...DeprecatedInterfaceMacvtap,
      description: 'Macvtap binding; deprecated.',
    },
    passt: {
      ...DeprecatedInterfacePasst,
      description: 'Passt binding; deprecated.',
    },
    passtBinding: {
      ...InterfacePasstBinding,
      description: 'Passt binding.',
    },
    name: {
      type: 'string',
      description: 'Name of the network.',
    },
    model: {
      type: 'string',
      description: 'Model of the interface: virtio, e1000, e1000e, igb, ne2k_pci, pcnet or rtl8139.',
    },
    binding: {
      ...PluginBinding,
      description: 'Network binding plugin for the interface.',
    },
    ports: {
      type: 'array',
      items: Port,
      description: 'Ports that are forwarded to the guest; all when absent. Masquerade binding only.',
    },
    portRanges: {
      type: 'array',
      items: PortRange,
      description: 'Ranges of ports that are forwarded to the guest.',
      'x-kubernetes-list-type': 'atomic',
    },
    macAddress: {
      type: 'string',
      description: 'MAC address.',
    },
    bootOrder: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Position of the interface in the boot order; 1 is first.',
    },
    pciAddress: {
      type: 'string',
      description: 'PCI address of the interface in the guest, such as `0000:81:01.0`.',
    },
    dhcpOptions: {
      ...DHCPOptions,
      description: 'DHCP settings.',
    },
    tag: {
      type: 'string',
      description: 'Tag of the device in the metadata of the guest.',
    },
    acpiIndex: {
      type: 'integer',
      format: 'int32',
      description: 'ACPI index, for stable device names in the guest.',
    },
    state: {
      type: 'string',
      description: 'Desired state of the interface: up, down or absent.',
    },
  },
  required: ['name'],
}

export const Input: StructuralSchema = {
  type: 'object',
  description: 'Input device.',
  properties: {
    bus: {
      type: 'string',
      description: 'Bus of the device: virtio or usb.',
    },
    type: {
      type: 'string',
      description: 'Type of the device: tablet or keyboard.',
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
  description: 'Random number generator. No fields; the presence of the object adds the device.',
}

export const VGPUDisplayOptions: StructuralSchema = {
  type: 'object',
  description: 'Display of a virtual GPU.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if the display is enabled; true when absent.',
    },
    ramFB: {
      ...FeatureState,
      description: 'Frame buffer (ramfb) for the display until the driver of the guest is loaded.',
    },
  },
}

export const VGPUOptions: StructuralSchema = {
  type: 'object',
  description: 'Settings of a virtual GPU.',
  properties: {
    display: {
      ...VGPUDisplayOptions,
      description: 'Display of the virtual GPU.',
    },
  },
}

export const GPU: StructuralSchema = {
  type: 'object',
  description: 'GPU of the node that is passed through to the guest.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim in the resourceClaims of the VMI.',
    },
    requestName: {
      type: 'string',
      description: 'Name of the request in the ResourceClaim.',
    },
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
    deviceName: {
      type: 'string',
      description: 'Name of the device plugin resource that provides the GPU.',
    },
    virtualGPUOptions: {
      ...VGPUOptions,
      description: 'Settings of a virtual GPU.',
    },
    tag: {
      type: 'string',
      description: 'Tag of the device in the metadata of the guest.',
    },
  },
  required: ['name'],
}

export const DownwardMetrics: StructuralSchema = {
  type: 'object',
  description: 'Device for metrics of the node. No fields; the presence of the object adds the device.',
}

export const PanicDevice: StructuralSchema = {
  type: 'object',
  description: 'Panic device, which notifies the node of a panic of the guest.',
  properties: {
    model: {
      type: 'string',
      description: 'Model of the device: isa, hyperv or pvpanic.',
    },
  },
}

export const FilesystemVirtiofs: StructuralSchema = {
  type: 'object',
  description: 'Sharing through virtiofs. No fields; the presence of the object selects virtiofs.',
}

export const Filesystem: StructuralSchema = {
  type: 'object',
  description: 'File system that is shared with the guest.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume with the file system.',
    },
    virtiofs: {
      ...FilesystemVirtiofs,
      description: 'Sharing through virtiofs.',
    },
  },
  required: ['name', 'virtiofs'],
}

export const HostDevice: StructuralSchema = {
  type: 'object',
  description: 'Host device of the node that is passed through to the guest.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim in the resourceClaims of the VMI.',
    },
    requestName: {
      type: 'string',
      description: 'Name of the request in the ResourceClaim.',
    },
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
    deviceName: {
      type: 'string',
      description: 'Name of the device plugin resource that provides the device.',
    },
    tag: {
      type: 'string',
      description: 'Tag of the device in the metadata of the guest.',
    },
  },
  required: ['name'],
}

export const ClientPassthroughDevices: StructuralSchema = {
  type: 'object',
  description: 'Redirection of USB devices from clients. No fields; the presence of the object enables the redirection.',
}

export const SoundDevice: StructuralSchema = {
  type: 'object',
  description: 'Sound device.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
    model: {
      type: 'string',
      description: 'Model of the device: ich9 or ac97; ich9 when absent.',
    },
  },
  required: ['name'],
}

export const TPMDevice: StructuralSchema = {
  type: 'object',
  description: 'TPM device.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if the TPM is enabled; true when absent.',
    },
    persistent: {
      type: 'boolean',
      description: 'Keeps the state of the TPM across restarts of the VM.',
    },
  },
}

export const VideoDevice: StructuralSchema = {
  type: 'object',
  description: 'Video device.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the device: virtio, vga, bochs or ramfb.',
    },
  },
}

export const Devices: StructuralSchema = {
  type: 'object',
  description: 'Devices of a guest.',
  properties: {
    useVirtioTransitional: {
      type: 'boolean',
      description: 'Uses transitional virtio devices, which support guests with virtio 0.9.',
    },
    disableHotplug: {
      type: 'boolean',
      description: 'Disables the hotplug of disks.',
    },
    disks: {
      type: 'array',
      items: Disk,
      description: 'Disks, CD-ROMs and LUNs.',
      maxItems: 256,
    },
    watchdog: {
      ...Watchdog,
      description: 'Watchdog device.',
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
      description: 'Adds an interface on the pod network to a guest without interfaces; true when absent.',
    },
    autoattachGraphicsDevice: {
      type: 'boolean',
      description: 'Adds a video device; true when absent.',
    },
    autoattachSerialConsole: {
      type: 'boolean',
      description: 'Adds a serial console; true when absent.',
    },
    logSerialConsole: {
      type: 'boolean',
      description: 'Writes the output of the serial console to a log.',
    },
    autoattachMemBalloon: {
      type: 'boolean',
      description: 'Adds a memory balloon; true when absent.',
    },
    autoattachInputDevice: {
      type: 'boolean',
      description: 'Adds a tablet as input device; false when absent.',
    },
    autoattachVSOCK: {
      type: 'boolean',
      description: 'Adds a vsock device for communication between guest and node.',
    },
    rng: {
      ...Rng,
      description: 'Random number generator with the node as entropy source.',
    },
    blockMultiQueue: {
      type: 'boolean',
      description: 'Gives each disk one queue for each virtual CPU.',
    },
    networkInterfaceMultiqueue: {
      type: 'boolean',
      description: 'Gives each network interface of model virtio one queue for each virtual CPU, 256 at most.',
    },
    gpus: {
      type: 'array',
      items: GPU,
      description: 'GPUs of the node that are passed through to the guest.',
      'x-kubernetes-list-type': 'atomic',
    },
    downwardMetrics: {
      ...DownwardMetrics,
      description: 'Metrics of the node, exposed through a serial port.',
    },
    panicDevices: {
      type: 'array',
      items: PanicDevice,
      description: 'Panic devices, which notify the node of a panic of the guest.',
    },
    filesystems: {
      type: 'array',
      items: Filesystem,
      description: 'File systems that are shared with the guest.',
      'x-kubernetes-list-type': 'atomic',
    },
    hostDevices: {
      type: 'array',
      items: HostDevice,
      description: 'Host devices of the node that are passed through to the guest.',
      'x-kubernetes-list-type': 'atomic',
    },
    clientPassthrough: {
      ...ClientPassthroughDevices,
      description: 'Redirection of USB devices from clients to the guest.',
    },
    sound: {
      ...SoundDevice,
      description: 'Sound device.',
    },
    tpm: {
      ...TPMDevice,
      description: 'TPM device.',
    },
    video: {
      ...VideoDevice,
      description: 'Video device.',
    },
  },
}

export const WatchdogDevice: StructuralSchema = {
  type: 'object',
  description: 'Type of a watchdog device; i6300esb when no member is set.',
  properties: {
    i6300esb: {
      ...I6300ESBWatchdog,
      description: 'i6300esb, a PCI watchdog.',
    },
    diag288: {
      ...Diag288Watchdog,
      description: 'diag288, the watchdog of s390x.',
    },
  },
}

export const ClaimRequest: StructuralSchema = {
  type: 'object',
  description: 'Request for a device through a ResourceClaim.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim in the resourceClaims of the VMI.',
    },
    requestName: {
      type: 'string',
      description: 'Name of the request in the ResourceClaim.',
    },
  },
}

export const DiskDevice: StructuralSchema = {
  type: 'object',
  description: 'Type of the device of a volume; disk when no member is set.',
  properties: {
    disk: {
      ...DiskTarget,
      description: 'Disk device.',
    },
    lun: {
      ...LunTarget,
      description: 'SCSI LUN that is passed through to the guest.',
    },
    cdrom: {
      ...CDRomTarget,
      description: 'CD-ROM device.',
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
      description: 'Maximum amounts: `memory`, `cpu`.',
    },
    overcommitGuestOverhead: {
      type: 'boolean',
      description: 'Leaves the memory of the VM in addition to the guest\'s memory (overhead) out of the memory request.',
    },
  },
}

export const Hugepages: StructuralSchema = {
  type: 'object',
  description: 'Huge pages as backing of the guest\'s memory.',
  properties: {
    pageSize: {
      type: 'string',
      description: 'Size of a huge page, such as `2Mi` or `1Gi`.',
    },
  },
}

export const ReservedOverhead: StructuralSchema = {
  type: 'object',
  description: 'Memory that is reserved in addition to the guest\'s memory.',
  properties: {
    addedOverhead: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Amount of additional memory.',
    },
    memLock: {
      type: 'string',
      description: 'Requirement for locked memory.',
      enum: ['NotRequired', 'Required'],
    },
  },
}

export const Memory: StructuralSchema = {
  type: 'object',
  description: 'Memory of a guest.',
  properties: {
    hugepages: {
      ...Hugepages,
      description: 'Huge pages as backing of the guest\'s memory.',
    },
    guest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Size of the guest\'s memory; the requested memory when absent.',
    },
    maxGuest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Maximum size of the guest\'s memory after memory hotplug.',
    },
    reservedOverhead: {
      ...ReservedOverhead,
      description: 'Memory that is reserved in addition to the guest\'s memory.',
    },
  },
}

export const Machine: StructuralSchema = {
  type: 'object',
  description: 'Machine type.',
  properties: {
    type: {
      type: 'string',
      description: 'Name of the machine type, such as `q35`, `pc-q35-10.0` or `virt`.',
    },
  },
}

export const BIOS: StructuralSchema = {
  type: 'object',
  description: 'Settings of the BIOS.',
  properties: {
    useSerial: {
      type: 'boolean',
      description: 'Sends the output of the BIOS to the serial console.',
    },
  },
}

export const EFI: StructuralSchema = {
  type: 'object',
  description: 'Settings of EFI.',
  properties: {
    secureBoot: {
      type: 'boolean',
      description: 'Boots signed software only (secure boot); true when absent.',
    },
    persistent: {
      type: 'boolean',
      description: 'Keeps the EFI variables across restarts of the VM.',
    },
  },
}

export const Bootloader: StructuralSchema = {
  type: 'object',
  description: 'Boot loader: BIOS or EFI. At most one member is set.',
  properties: {
    bios: {
      ...BIOS,
      description: 'BIOS with these settings.',
    },
    efi: {
      ...EFI,
      description: 'EFI with these settings.',
    },
  },
}

export const KernelBootContainer: StructuralSchema = {
  type: 'object',
  description: 'Container image with a kernel.',
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
      description: 'Pull policy of the image: Always, Never or IfNotPresent.',
    },
    kernelPath: {
      type: 'string',
      description: 'Path of the kernel in the image.',
    },
    initrdPath: {
      type: 'string',
      description: 'Path of the initrd in the image.',
    },
  },
  required: ['image'],
}

export const KernelBoot: StructuralSchema = {
  type: 'object',
  description: 'Direct boot of a kernel.',
  properties: {
    kernelArgs: {
      type: 'string',
      description: 'Kernel command line.',
    },
    container: {
      ...KernelBootContainer,
      description: 'Container image with the kernel.',
    },
  },
}

export const ACPI: StructuralSchema = {
  type: 'object',
  description: 'ACPI tables.',
  properties: {
    slicNameRef: {
      type: 'string',
      description: 'Name of the Secret volume with a SLIC table.',
    },
    msdmNameRef: {
      type: 'string',
      description: 'Name of the Secret volume with an MSDM table.',
    },
  },
}

export const Firmware: StructuralSchema = {
  type: 'object',
  description: 'Firmware of a guest.',
  properties: {
    uuid: {
      type: 'string',
      description: 'UUID of the guest in SMBIOS.',
    },
    bootloader: {
      ...Bootloader,
      description: 'Boot loader: BIOS or EFI.',
    },
    serial: {
      type: 'string',
      description: 'Serial number of the guest in SMBIOS.',
    },
    kernelBoot: {
      ...KernelBoot,
      description: 'Direct boot of a kernel.',
    },
    acpi: {
      ...ACPI,
      description: 'ACPI tables.',
    },
  },
}

export const FeatureAPIC: StructuralSchema = {
  type: 'object',
  description: 'APIC, the interrupt controller of x86.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if the feature is enabled; true when absent.',
    },
    endOfInterrupt: {
      type: 'boolean',
      description: 'Notifies the guest of the end of an interrupt (EOI).',
    },
  },
}

export const HyperVPassthrough: StructuralSchema = {
  type: 'object',
  description: 'All Hyper-V enlightenments that the node supports.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if the passthrough is enabled.',
    },
  },
}

export const FeatureSpinlocks: StructuralSchema = {
  type: 'object',
  description: 'Paravirtualized spinlocks.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if the feature is enabled; true when absent.',
    },
    spinlocks: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of retries before the hypervisor is notified; at least 4096.',
    },
  },
}

export const SyNICTimer: StructuralSchema = {
  type: 'object',
  description: 'Synthetic timers.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if the feature is enabled; true when absent.',
    },
    direct: {
      ...FeatureState,
      description: 'Direct mode: expirations are delivered directly.',
    },
  },
}

export const FeatureVendorID: StructuralSchema = {
  type: 'object',
  description: 'Vendor ID of the hypervisor.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if the feature is enabled; true when absent.',
    },
    vendorid: {
      type: 'string',
      description: 'Vendor ID with at most twelve characters.',
    },
  },
}

export const TLBFlush: StructuralSchema = {
  type: 'object',
  description: 'Paravirtualized TLB flush.',
  properties: {
    enabled: {
      type: 'boolean',
      description: 'True if the feature is enabled; true when absent.',
    },
    direct: {
      ...FeatureState,
      description: 'TLB flush for nested guests.',
    },
    extended: {
      ...FeatureState,
      description: 'TLB flush for parts of the address space.',
    },
  },
}

export const FeatureHyperv: StructuralSchema = {
  type: 'object',
  description: 'Hyper-V enlightenments.',
  properties: {
    relaxed: {
      ...FeatureState,
      description: 'Disables watchdogs of the guest.',
    },
    vapic: {
      ...FeatureState,
      description: 'Paravirtualized interrupt controller.',
    },
    spinlocks: {
      ...FeatureSpinlocks,
      description: 'Paravirtualized spinlocks.',
    },
    vpindex: {
      ...FeatureState,
      description: 'Virtual CPU indexes.',
    },
    runtime: {
      ...FeatureState,
      description: 'Accounting of the run time of virtual CPUs.',
    },
    synic: {
      ...FeatureState,
      description: 'Synthetic interrupt controller (SynIC).',
    },
    synictimer: {
      ...SyNICTimer,
      description: 'Synthetic timers.',
    },
    reset: {
      ...FeatureState,
      description: 'Reset through the hypervisor.',
    },
    vendorid: {
      ...FeatureVendorID,
      description: 'Vendor ID of the hypervisor.',
    },
    frequencies: {
      ...FeatureState,
      description: 'Frequencies of the TSC and of the APIC timer.',
    },
    reenlightenment: {
      ...FeatureState,
      description: 'Notification of changes of the TSC frequency.',
    },
    tlbflush: {
      ...TLBFlush,
      description: 'Paravirtualized TLB flush.',
    },
    ipi: {
      ...FeatureState,
      description: 'Paravirtualized interrupts between virtual CPUs (IPI).',
    },
    evmcs: {
      ...FeatureState,
      description: 'Enlightened VMCS, which accelerates nested virtualization.',
    },
  },
}

export const FeatureKVM: StructuralSchema = {
  type: 'object',
  description: 'Visibility of KVM to the guest.',
  properties: {
    hidden: {
      type: 'boolean',
      description: 'Hides KVM from the guest.',
    },
  },
}

export const Features: StructuralSchema = {
  type: 'object',
  description: 'Features of the emulated machine.',
  properties: {
    acpi: {
      ...FeatureState,
      description: 'ACPI support; enabled when absent.',
    },
    apic: {
      ...FeatureAPIC,
      description: 'APIC, the interrupt controller of x86.',
    },
    hypervPassthrough: {
      ...HyperVPassthrough,
      description: 'All Hyper-V enlightenments that the node supports.',
    },
    hyperv: {
      ...FeatureHyperv,
      description: 'Hyper-V enlightenments.',
    },
    smm: {
      ...FeatureState,
      description: 'System management mode (SMM).',
    },
    kvm: {
      ...FeatureKVM,
      description: 'Visibility of KVM to the guest.',
    },
    pvspinlock: {
      ...FeatureState,
      description: 'Paravirtualized spinlocks.',
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
      description: 'Number of threads in the pool.',
    },
  },
}

export const Chassis: StructuralSchema = {
  type: 'object',
  description: 'Chassis data of the guest in SMBIOS.',
  properties: {
    manufacturer: {
      type: 'string',
      description: 'Manufacturer of the chassis.',
    },
    version: {
      type: 'string',
      description: 'Version of the chassis.',
    },
    serial: {
      type: 'string',
      description: 'Serial number of the chassis.',
    },
    asset: {
      type: 'string',
      description: 'Asset tag of the chassis.',
    },
    sku: {
      type: 'string',
      description: 'SKU of the chassis.',
    },
  },
}

export const SEVPolicy: StructuralSchema = {
  type: 'object',
  description: 'SEV policy of a guest.',
  properties: {
    encryptedState: {
      type: 'boolean',
      description: 'Encrypts the registers of the virtual CPUs too (SEV-ES).',
    },
  },
}

export const SEVAttestation: StructuralSchema = {
  type: 'object',
  description: 'SEV attestation. No fields; the presence of the object enables the attestation.',
}

export const SEV: StructuralSchema = {
  type: 'object',
  description: 'AMD SEV settings.',
  properties: {
    policy: {
      ...SEVPolicy,
      description: 'SEV policy of the guest.',
    },
    attestation: {
      ...SEVAttestation,
      description: 'Attestation of the launched software to the guest owner.',
    },
    session: {
      type: 'string',
      description: 'Session blob, base64-encoded.',
    },
    dhCert: {
      type: 'string',
      description: 'Diffie-Hellman certificate of the guest owner, base64-encoded.',
    },
  },
}

export const SEVSNP: StructuralSchema = {
  type: 'object',
  description: 'AMD SEV-SNP settings.',
  properties: {
    policy: {
      type: 'string',
      description: 'SEV-SNP policy of the guest.',
    },
    vcek: {
      type: 'string',
      description: 'Versioned chip endorsement key (VCEK), which signs attestation reports.',
    },
    authorKey: {
      type: 'string',
      description: 'Author key.',
    },
    kernelHashes: {
      type: 'string',
      description: 'Includes the hashes of kernel and initrd in the measurement.',
    },
    cbitpos: {
      type: 'string',
      description: 'Position of the C-bit (encryption bit) in page table entries.',
    },
    idBlock: {
      type: 'string',
      description: 'Identity block.',
    },
    idAuth: {
      type: 'string',
      description: 'Signature for the authentication of the identity block.',
    },
    reducedPhysBits: {
      type: 'string',
      description: 'Number of physical address bits that are reserved for encryption.',
    },
  },
}

export const TDX: StructuralSchema = {
  type: 'object',
  description: 'Intel TDX. No fields; the presence of the object enables TDX.',
}

export const LaunchSecurity: StructuralSchema = {
  type: 'object',
  description: 'Encryption of the guest\'s memory against access by the node. At most one member is set.',
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
  description: 'Virtual hardware of a guest.',
  properties: {
    resources: {
      ...ResourceRequirements,
      description: 'Compute resources of the VMI.',
    },
    cpu: {
      ...CPU,
      description: 'Virtual CPUs.',
    },
    memory: {
      ...Memory,
      description: 'Memory of the guest.',
    },
    machine: {
      ...Machine,
      description: 'Machine type.',
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
      description: 'Features of the emulated machine.',
    },
    devices: {
      ...Devices,
      description: 'Devices of the guest. Admission adds an empty object when the field is absent.',
    },
    ioThreadsPolicy: {
      type: 'string',
      description: 'Policy for the sharing of I/O threads between disks: shared, auto or supplementalPool. Disks have no dedicated I/O threads when absent.',
    },
    ioThreads: {
      ...DiskIOThreads,
      description: 'Settings of I/O threads.',
    },
    chassis: {
      ...Chassis,
      description: 'Chassis data of the guest in SMBIOS.',
    },
    launchSecurity: {
      ...LaunchSecurity,
      description: 'Encryption of the guest\'s memory against access by the node.',
    },
    rebootPolicy: {
      type: 'string',
      description: 'Policy for a reboot from inside of the guest: Reboot or Terminate; Reboot when absent.',
      enum: ['Reboot', 'Terminate'],
    },
  },
}

export const InterfaceBindingMethod: StructuralSchema = {
  type: 'object',
  description: 'Binding method of an interface. At most one member is set.',
  properties: {
    bridge: {
      ...InterfaceBridge,
      description: 'Bridge binding: the guest has the address of its pod.',
    },
    slirp: {
      ...DeprecatedInterfaceSlirp,
      description: 'SLIRP binding; deprecated.',
    },
    masquerade: {
      ...InterfaceMasquerade,
      description: 'Masquerade binding (NAT).',
    },
    sriov: {
      ...InterfaceSRIOV,
      description: 'SR-IOV binding: passthrough of a virtual function.',
    },
    macvtap: {
      ...DeprecatedInterfaceMacvtap,
      description: 'Macvtap binding; deprecated.',
    },
    passt: {
      ...DeprecatedInterfacePasst,
      description: 'Passt binding; deprecated.',
    },
    passtBinding: {
      ...InterfacePasstBinding,
      description: 'Passt binding.',
    },
  },
}

export const MemoryStatus: StructuralSchema = {
  type: 'object',
  description: 'Current memory of a guest.',
  properties: {
    guestAtBoot: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Size of the guest\'s memory at boot.',
    },
    guestCurrent: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Current size of the guest\'s memory.',
    },
    guestRequested: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Requested size of the guest\'s memory.',
    },
    memoryOverhead: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Memory of the VM in addition to the guest\'s memory.',
    },
  },
}

export const CoreLocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to an object of a known kind in the same namespace.',
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
  description: 'Policy for running VMIs when the installation is upgraded.',
  properties: {
    workloadUpdateMethods: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Methods for the update of running VMIs: LiveMigrate and Evict, in the order of preference. Running VMIs are not updated without a method.',
      'x-kubernetes-list-type': 'atomic',
    },
    batchEvictionSize: {
      type: 'integer',
      format: 'int64',
      description: 'Number of VMIs that are evicted in one batch; 10 when absent.',
    },
    batchEvictionInterval: {
      type: 'string',
      description: 'Interval between two batches; one minute when absent.',
    },
  },
}

export const CertConfig: StructuralSchema = {
  type: 'object',
  description: 'Validity and renewal of a certificate.',
  properties: {
    duration: {
      type: 'string',
      description: 'Validity period of the certificate.',
    },
    renewBefore: {
      type: 'string',
      description: 'Time between the renewal and the expiry of the certificate.',
    },
  },
}

export const KubeVirtSelfSignConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Rotation of certificates that the installation signs itself.',
  properties: {
    caRotateInterval: {
      type: 'string',
      description: 'Rotation interval of the CA certificate. Deprecated.',
    },
    certRotateInterval: {
      type: 'string',
      description: 'Rotation interval of the server certificates. Deprecated.',
    },
    caOverlapInterval: {
      type: 'string',
      description: 'Overlap of two CA certificates. Deprecated.',
    },
    ca: {
      ...CertConfig,
      description: 'Validity and renewal of the CA certificate.',
    },
    server: {
      ...CertConfig,
      description: 'Validity and renewal of the server certificates.',
    },
  },
}

export const KubeVirtCertificateRotateStrategy: StructuralSchema = {
  type: 'object',
  description: 'Rotation of certificates.',
  properties: {
    selfSigned: {
      ...KubeVirtSelfSignConfiguration,
      description: 'Rotation of certificates that the installation signs itself.',
    },
  },
}

export const LogVerbosity: StructuralSchema = {
  type: 'object',
  description: 'Verbosity of the component logs, 2 when absent: a component logs details from 3 on.',
  properties: {
    virtOperator: {
      type: 'integer',
      format: 'int32',
      description: 'Verbosity of virt-operator.',
    },
    virtAPI: {
      type: 'integer',
      format: 'int32',
      description: 'Verbosity of virt-api.',
    },
    virtController: {
      type: 'integer',
      format: 'int32',
      description: 'Verbosity of virt-controller.',
    },
    virtHandler: {
      type: 'integer',
      format: 'int32',
      description: 'Verbosity of virt-handler, the node agent.',
    },
    virtLauncher: {
      type: 'integer',
      format: 'int32',
      description: 'Verbosity of launchers.',
    },
    virtSynchronizationController: {
      type: 'integer',
      format: 'int32',
      description: 'Verbosity of the synchronization controller.',
    },
    nodeVerbosity: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Verbosity of the node agent by the name of its node; it wins over virtHandler.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const DiskVerification: StructuralSchema = {
  type: 'object',
  description: 'Limits of the check of disk images.',
  properties: {
    memoryLimit: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Maximum memory of the check.',
    },
  },
  required: ['memoryLimit'],
}

export const DeveloperConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Developer settings.',
  properties: {
    featureGates: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Enabled feature gates.',
      'x-kubernetes-list-type': 'atomic',
    },
    disabledFeatureGates: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Disabled feature gates.',
      'x-kubernetes-list-type': 'atomic',
    },
    cpuAllocationRatio: {
      type: 'integer',
      format: 'int32',
      description: 'Number of virtual CPUs for each requested physical CPU.',
    },
    memoryOvercommit: {
      type: 'integer',
      format: 'int32',
      description: 'Guest memory as a percentage of the memory request; 150 requests two thirds of the guest memory.',
      minimum: 10,
    },
    useEmulation: {
      type: 'boolean',
      description: 'Runs guests with software emulation, without hardware virtualization. Otherwise guests of a cluster use KVM where any of its nodes has it. Not acted on in machine mode.',
    },
    logVerbosity: {
      ...LogVerbosity,
      description: 'Verbosity of the component logs.',
    },
    diskVerification: {
      ...DiskVerification,
      description: 'Limits of the check of disk images.',
    },
    clusterProfiler: {
      type: 'boolean',
      description: 'Profiling of the components.',
    },
    minimumClusterTSCFrequency: {
      type: 'integer',
      format: 'int64',
      description: 'Lowest frequency of the time stamp counter that guests may need, in Hz.',
    },
    minimumReservePVCBytes: {
      type: 'integer',
      format: 'int64',
      description: 'Bytes of a claim that a disk image leaves free.',
    },
    nodeSelectors: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of the nodes for VMIs. Deprecated: see workloads.nodePlacement.',
    },
    pvcTolerateLessSpaceUpToPercent: {
      type: 'integer',
      format: 'int32',
      description: 'Percentage by which a claim may be smaller than requested.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const MigrationConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Migration settings.',
  properties: {
    parallelMigrationsPerCluster: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of parallel migrations in the cluster.',
    },
    parallelOutboundMigrationsPerNode: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of parallel outbound migrations of a node.',
    },
    bandwidthPerMigration: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Maximum bandwidth of one migration.',
    },
    completionTimeoutPerGiB: {
      type: 'integer',
      format: 'int64',
      description: 'Timeout of a migration, in seconds for each GiB.',
    },
    progressTimeout: {
      type: 'integer',
      format: 'int64',
      description: 'Timeout of a migration without progress, in seconds.',
    },
    allowAutoConverge: {
      type: 'boolean',
      description: 'Allows the throttling of a guest so that its migration converges.',
    },
    allowPostCopy: {
      type: 'boolean',
      description: 'Allows the guest to run on the target node before all of its memory is copied (post-copy).',
    },
    allowWorkloadDisruption: {
      type: 'boolean',
      description: 'Allows the guest to be paused so that its migration completes. Has the value of allowPostCopy when absent.',
    },
    maxDowntimeMs: {
      type: 'integer',
      format: 'int64',
      description: 'Maximum downtime of the guest at the end of a migration, in milliseconds.',
      minimum: 1,
      maximum: 2000000,
    },
    disableTLS: {
      type: 'boolean',
      description: 'Disables the TLS encryption of migrations.',
    },
    network: {
      type: 'string',
      description: 'Name of the network for migrations.',
    },
    matchSELinuxLevelOnMigration: {
      type: 'boolean',
      description: 'Gives the launcher at the target the SELinux level of that at the source.',
    },
    nodeDrainTaintKey: {
      type: 'string',
      description: 'Key of the taint of nodes that are drained. Deprecated.',
    },
    unsafeMigrationOverride: {
      type: 'boolean',
      description: 'Allows migrations that may corrupt the guest.',
    },
    utilityVolumesTimeout: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds that a migration waits for the end of operations on utility volumes.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const NetworkConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Network settings.',
  properties: {
    defaultNetworkInterface: {
      type: 'string',
      description: 'Binding of interfaces without one: masquerade or bridge.',
    },
    permitBridgeInterfaceOnPodNetwork: {
      type: 'boolean',
      description: 'Permits the bridge binding on the pod network; true when absent.',
    },
    binding: {
      type: 'object',
      additionalProperties: InterfaceBindingPlugin,
      description: 'Network binding plugins by name.',
    },
    permitSlirpInterface: {
      type: 'boolean',
      description: 'Permits the slirp binding. Removed upstream.',
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
      description: 'Machine types that VMIs may have.',
      'x-kubernetes-list-type': 'atomic',
    },
    machineType: {
      type: 'string',
      description: 'Machine type of VMIs without one.',
    },
  },
}

export const ArchitectureConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings by architecture.',
  properties: {
    amd64: {
      ...ArchitectureSpecificConfiguration,
      description: 'Settings for amd64 (x86-64).',
    },
    arm64: {
      ...ArchitectureSpecificConfiguration,
      description: 'Settings for arm64 (64-bit Arm).',
    },
    s390x: {
      ...ArchitectureSpecificConfiguration,
      description: 'Settings for s390x (IBM Z).',
    },
    ppc64le: {
      ...ArchitectureSpecificConfiguration,
      description: 'Settings for ppc64le (Power).',
    },
    defaultArchitecture: {
      type: 'string',
      description: 'Architecture of VMIs without one.',
    },
  },
}

export const CommonInstancetypesDeployment: StructuralSchema = {
  type: 'object',
  description: 'Installation of the bundled instance types.',
  properties: {
    enabled: {
      type: 'boolean',
      nullable: true,
      description: 'True if the bundled instance types are installed; true when absent.',
    },
  },
}

export const InstancetypeConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Policy for the references of VMs to instance types.',
  properties: {
    referencePolicy: {
      type: 'string',
      nullable: true,
      description: 'Policy for the references of VMs to instance types: references are kept (reference), or replaced by the values of the instance type in new VMs (expand) or in all VMs (expandAll); reference when absent.',
      enum: ['reference', 'expand', 'expandAll'],
    },
  },
}

export const LiveUpdateConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Limits for the update of running guests.',
  properties: {
    maxHotplugRatio: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum ratio of the sockets and memory after hotplug to those at the start of the guest.',
    },
    maxCpuSockets: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of sockets after CPU hotplug.',
    },
    maxGuest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Maximum size of the guest\'s memory after memory hotplug.',
    },
  },
}

export const TLSConfiguration: StructuralSchema = {
  type: 'object',
  description: 'TLS settings of listeners.',
  properties: {
    minTLSVersion: {
      type: 'string',
      description: 'Oldest protocol version.',
      enum: ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'],
    },
    ciphers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Ciphers of protocol versions before 1.3, by their IANA names; all that are safe when empty.',
      'x-kubernetes-list-type': 'set',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const KubeVirtConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Configuration of the components and of VMs.',
  properties: {
    cpuModel: {
      type: 'string',
      description: 'CPU model of VMIs without one.',
    },
    cpuRequest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'CPU request of VMIs without one; derived from the number of virtual CPUs when absent.',
    },
    developerConfiguration: {
      ...DeveloperConfiguration,
      description: 'Developer settings, including the feature gates.',
    },
    evictionStrategy: {
      type: 'string',
      description: 'Eviction strategy of VMIs without one.',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Pull policy for the images of VMIs.',
    },
    migrations: {
      ...MigrationConfiguration,
      description: 'Migration settings.',
    },
    machineType: {
      type: 'string',
      description: 'Machine type of VMIs without one; deprecated.',
    },
    network: {
      ...NetworkConfiguration,
      description: 'Network settings.',
    },
    architectureConfiguration: {
      ...ArchitectureConfiguration,
      description: 'Settings by architecture.',
    },
    commonInstancetypesDeployment: {
      ...CommonInstancetypesDeployment,
      nullable: true,
      description: 'Installation of the bundled instance types.',
    },
    instancetype: {
      ...InstancetypeConfiguration,
      nullable: true,
      description: 'Policy for the references of VMs to instance types.',
    },
    vmRolloutStrategy: {
      type: 'string',
      nullable: true,
      description: 'Policy for the rollout of VM changes to a running guest: at the next start (Stage), or to the running guest if possible (LiveUpdate); LiveUpdate when absent.',
      enum: ['Stage', 'LiveUpdate'],
    },
    liveUpdateConfiguration: {
      ...LiveUpdateConfiguration,
      description: 'Limits for the update of running guests.',
    },
    vmStateStorageClass: {
      type: 'string',
      description: 'Storage class for the persistent state of devices.',
    },
    minCPUModel: {
      type: 'string',
      description: 'Minimum CPU model: the oldest CPU model in the labels of nodes.',
    },
    virtualMachineOptions: {
      ...VirtualMachineOptions,
      description: 'Further VM options.',
    },
    apiConfiguration: {
      ...ReloadableComponentConfiguration,
      description: 'Settings of the API server.',
    },
    controllerConfiguration: {
      ...ReloadableComponentConfiguration,
      description: 'Settings of virt-controller.',
    },
    handlerConfiguration: {
      ...ReloadableComponentConfiguration,
      description: 'Settings of virt-handler, the node agent.',
    },
    webhookConfiguration: {
      ...ReloadableComponentConfiguration,
      description: 'Settings of webhooks.',
    },
    tlsConfiguration: {
      ...TLSConfiguration,
      description: 'TLS settings of virt-api.',
    },
    selinuxLauncherType: {
      type: 'string',
      description: 'SELinux settings of the launcher.',
    },
    smbios: {
      ...SMBiosConfiguration,
      description: 'Serial number and name in the SMBIOS data of guests.',
    },
    permittedHostDevices: {
      ...PermittedHostDevices,
      description: 'Host devices that VMs may use.',
    },
    mediatedDevicesConfiguration: {
      ...MediatedDevicesConfiguration,
      description: 'Configuration of mediated devices.',
    },
    supportContainerResources: {
      type: 'array',
      items: SupportContainerResources,
      description: 'Compute resources of the supplementary containers of a VMI.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    supportedGuestAgentVersions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Supported versions of the guest agent; deprecated.',
    },
    obsoleteCPUModels: {
      type: 'object',
      additionalProperties: {
        type: 'boolean',
      },
      description: 'Obsolete CPU models, which VMIs must not use.',
    },
    ksmConfiguration: {
      ...KSMConfiguration,
      description: 'Settings for memory pages that guests share (kernel samepage merging, KSM).',
    },
    autoCPULimitNamespaceLabelSelector: {
      ...MetaLabelSelector,
      description: 'Selector of the namespaces whose VMIs get a CPU limit.',
    },
    memBalloonStatsPeriod: {
      type: 'integer',
      format: 'int32',
      description: 'Interval between two reports of memory balloon statistics, in seconds; 0 disables the reports.',
    },
    defaultRuntimeClass: {
      type: 'string',
      description: 'Runtime class of launcher pods.',
    },
    seccompConfiguration: {
      ...SeccompConfiguration,
      description: 'Seccomp profile of launcher pods.',
    },
    changedBlockTrackingLabelSelectors: {
      ...ChangedBlockTrackingSelectors,
      nullable: true,
      description: 'VMs whose changed blocks are tracked for incremental backups.',
    },
    hypervisors: {
      type: 'array',
      items: HypervisorConfiguration,
      description: 'Hypervisors of the nodes.',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 1,
    },
    roleAggregationStrategy: {
      type: 'string',
      description: 'Aggregation of KubeVirt\'s cluster roles to those of Kubernetes.',
      enum: ['AggregateToDefault', 'Manual'],
    },
    persistentReservationConfiguration: {
      ...PersistentReservationConfiguration,
      nullable: true,
      description: 'Persistent reservations of SCSI disks.',
    },
    additionalGuestMemoryOverheadRatio: {
      type: 'string',
      description: 'Factor of the memory that a launcher pod needs in addition to the guest\'s.',
    },
    confidentialCompute: {
      ...ConfidentialComputeConfiguration,
      nullable: true,
      description: 'Guests whose memory the host cannot read.',
    },
    emulatedMachines: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Machine types that VMIs may have. Deprecated: see architectureConfiguration.',
    },
    ovmfPath: {
      type: 'string',
      description: 'Path of the EFI firmware. Deprecated: see architectureConfiguration.',
    },
    virtTemplateDeployment: {
      ...VirtTemplateDeployment,
      nullable: true,
      description: 'Templates of VMs.',
    },
    virtualMachineInstancesPerNode: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of VMIs on a node.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const CoreNodeSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'Requirement on a label or field of a node.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the label or name of the field.',
    },
    operator: {
      type: 'string',
      description: 'Comparison operator: In, NotIn, Exists, DoesNotExist, Gt or Lt.',
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
  description: 'Term of a selector of nodes. All requirements must match.',
  properties: {
    matchExpressions: {
      type: 'array',
      items: CoreNodeSelectorRequirement,
      description: 'Requirements on labels of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchFields: {
      type: 'array',
      items: CoreNodeSelectorRequirement,
      description: 'Requirements on fields of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const CoreNodeSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of nodes. At least one term must match.',
  properties: {
    nodeSelectorTerms: {
      type: 'array',
      items: CoreNodeSelectorTerm,
      description: 'Terms of the selector.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['nodeSelectorTerms'],
  'x-kubernetes-map-type': 'atomic',
}

export const CorePreferredSchedulingTerm: StructuralSchema = {
  type: 'object',
  description: 'Weighted preference for nodes.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: 'Weight of the preference, 1 to 100.',
    },
    preference: {
      ...CoreNodeSelectorTerm,
      description: 'Term that preferred nodes match.',
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
      description: 'Rules that a node must satisfy when the pod is scheduled.',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CorePreferredSchedulingTerm,
      description: 'Weighted rules for ranking nodes when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const CorePodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'Selector of other pods, with the topology in which nodes are near each other.',
  properties: {
    labelSelector: {
      ...MetaLabelSelector,
      description: 'Label selector for the other pods.',
    },
    namespaces: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Namespaces of the other pods.',
      'x-kubernetes-list-type': 'atomic',
    },
    topologyKey: {
      type: 'string',
      description: 'Key of a node label. Nodes with the same value of the label are near each other.',
    },
    namespaceSelector: {
      ...MetaLabelSelector,
      description: 'Label selector for the namespaces of the other pods.',
    },
    matchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Keys of labels of the pod whose values the other pods must have.',
      'x-kubernetes-list-type': 'atomic',
    },
    mismatchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Keys of labels of the pod whose values the other pods must not have.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['topologyKey'],
}

export const CoreWeightedPodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'Weighted pod affinity term.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: 'Weight of the term, 1 to 100.',
    },
    podAffinityTerm: {
      ...CorePodAffinityTerm,
      description: 'Pod affinity term.',
    },
  },
  required: ['weight', 'podAffinityTerm'],
}

export const CorePodAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules for scheduling a pod near other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CorePodAffinityTerm,
      description: 'Terms that must be satisfied when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CoreWeightedPodAffinityTerm,
      description: 'Weighted terms for ranking nodes when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const CorePodAntiAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules for scheduling a pod away from other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CorePodAffinityTerm,
      description: 'Terms that must be satisfied when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CoreWeightedPodAffinityTerm,
      description: 'Weighted terms for ranking nodes when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const CoreAffinity: StructuralSchema = {
  type: 'object',
  description: 'Affinity rules for scheduling a pod.',
  properties: {
    nodeAffinity: {
      ...CoreNodeAffinity,
      description: 'Rules about the labels of nodes.',
    },
    podAffinity: {
      ...CorePodAffinity,
      description: 'Rules for scheduling the pod near other pods.',
    },
    podAntiAffinity: {
      ...CorePodAntiAffinity,
      description: 'Rules for scheduling the pod away from other pods.',
    },
  },
}

export const CoreToleration: StructuralSchema = {
  type: 'object',
  description: 'Toleration of taints: allows the pod on nodes with a matching taint.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the taint. An empty key with the operator Exists matches all taints.',
    },
    operator: {
      type: 'string',
      description: 'Comparison operator: Exists or Equal.',
    },
    value: {
      type: 'string',
      description: 'Value of the taint.',
    },
    effect: {
      type: 'string',
      description: 'Effect of the taint. An empty effect matches all effects.',
    },
    tolerationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds that a NoExecute taint is tolerated.',
    },
  },
}

export const NodePlacement: StructuralSchema = {
  type: 'object',
  description: 'Node placement of pods.',
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
      description: 'Affinity of the pod.',
    },
    tolerations: {
      type: 'array',
      items: CoreToleration,
      description: 'Taints that the pod tolerates.',
    },
  },
}

export const ComponentConfig: StructuralSchema = {
  type: 'object',
  description: 'Placement and replicas of components.',
  properties: {
    nodePlacement: {
      ...NodePlacement,
      description: 'Node placement of the pods.',
    },
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of replicas, for the API server and the controllers.',
    },
  },
}

export const CustomizeComponentsPatch: StructuralSchema = {
  type: 'object',
  description: 'Patch for an installed object.',
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
      description: 'Patch in JSON.',
    },
    type: {
      type: 'string',
      description: 'Type of the patch: json, merge or strategic.',
    },
  },
  required: ['resourceName', 'resourceType', 'patch', 'type'],
}

export const Flags: StructuralSchema = {
  type: 'object',
  description: 'Command-line flags of components.',
  properties: {
    api: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Flags of virt-api.',
    },
    controller: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Flags of virt-controller.',
    },
    handler: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Flags of virt-handler.',
    },
  },
}

export const CustomizeComponents: StructuralSchema = {
  type: 'object',
  description: 'Customizations of the installed objects.',
  properties: {
    patches: {
      type: 'array',
      items: CustomizeComponentsPatch,
      description: 'Patches for installed objects.',
      'x-kubernetes-list-type': 'atomic',
    },
    flags: {
      ...Flags,
      description: 'Command-line flags of components.',
    },
  },
}

export const KubeVirtSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of an installation.',
  properties: {
    imageTag: {
      type: 'string',
      description: 'Tag of the component images; the tag of the operator\'s image when absent.',
    },
    imageRegistry: {
      type: 'string',
      description: 'Registry of the component images; the registry of the operator\'s image when absent.',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Pull policy for the images of component pods: Always, Never or IfNotPresent.',
    },
    imagePullSecrets: {
      type: 'array',
      items: CoreLocalObjectReference,
      description: 'Secrets with registry credentials.',
      'x-kubernetes-list-type': 'atomic',
    },
    monitorNamespace: {
      type: 'string',
      description: 'Namespace of the service account of Prometheus; openshift-monitoring or monitoring when absent, where the account is.',
    },
    serviceMonitorNamespace: {
      type: 'string',
      description: 'Namespace of the ServiceMonitor; that of Prometheus when absent.',
    },
    monitorAccount: {
      type: 'string',
      description: 'Service account of Prometheus; prometheus-k8s when absent.',
    },
    workloadUpdateStrategy: {
      ...KubeVirtWorkloadUpdateStrategy,
      description: 'Policy for running VMIs when the installation is upgraded.',
    },
    uninstallStrategy: {
      type: 'string',
      description: 'Policy for an uninstallation while workloads exist: RemoveWorkloads or BlockUninstallIfWorkloadsExist.',
    },
    certificateRotateStrategy: {
      ...KubeVirtCertificateRotateStrategy,
      description: 'Rotation of certificates.',
    },
    productVersion: {
      type: 'string',
      description: 'Version of the product that the installation is a part of.',
    },
    productName: {
      type: 'string',
      description: 'Name of the product that the installation is a part of.',
    },
    productComponent: {
      type: 'string',
      description: 'Name of the component of the product that the installation represents.',
    },
    synchronizationPort: {
      type: 'string',
      description: 'Port for synchronization between clusters.',
    },
    configuration: {
      ...KubeVirtConfiguration,
      description: 'Configuration of the components and of VMs.',
    },
    infra: {
      ...ComponentConfig,
      description: 'Placement and replicas of the control-plane components.',
    },
    workloads: {
      ...ComponentConfig,
      description: 'Placement of the node agents and VMIs.',
    },
    synchronizationPlacement: {
      ...ComponentConfig,
      description: 'Placement of the synchronization controller.',
    },
    customizeComponents: {
      ...CustomizeComponents,
      description: 'Customizations of the installed objects.',
    },
  },
}

export const KubeVirtCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of an installation.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Created, Available, Progressing, Degraded, Synchronized.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last change of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the status, as one word in CamelCase.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the status.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the condition refers to.',
    },
  },
  required: ['type', 'status'],
}

export const GenerationStatus: StructuralSchema = {
  type: 'object',
  description: 'Generation of an installed object.',
  properties: {
    group: {
      type: 'string',
      description: 'API group of the object.',
    },
    resource: {
      type: 'string',
      description: 'Resource of the object.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    lastGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Last generation of the object.',
    },
    hash: {
      type: 'string',
      description: 'Hash of the content of an object without generation.',
    },
  },
  required: ['group', 'resource', 'name', 'lastGeneration'],
}

export const RevisionsOfVersion: StructuralSchema = {
  type: 'object',
  description: 'Number of revisions in one API version.',
  properties: {
    version: {
      type: 'string',
      description: 'API version of the revisions.',
    },
    count: {
      type: 'integer',
      format: 'int64',
      description: 'Number of revisions in the API version.',
    },
  },
  required: ['version', 'count'],
}

export const RevisionsStatus: StructuralSchema = {
  type: 'object',
  description: 'State of the revisions that hold copies of instance types and preferences.',
  properties: {
    version: {
      type: 'string',
      description: 'API version in which revisions should be stored.',
    },
    sharing: {
      type: 'string',
      description: 'Sharing of revisions between VMs: each VM has its own revisions (own), or VMs share revisions with the same content (shared).',
    },
    total: {
      type: 'integer',
      format: 'int64',
      description: 'Number of revisions.',
    },
    upToDate: {
      type: 'integer',
      format: 'int64',
      description: 'Number of revisions in the desired state.',
    },
    outdated: {
      type: 'integer',
      format: 'int64',
      description: 'Number of revisions that are stored in another API version, are shared or not shared contrary to the setting, or have labels that do not match their content.',
    },
    orphaned: {
      type: 'integer',
      format: 'int64',
      description: 'Number of revisions without an existing owner.',
    },
    undecodable: {
      type: 'integer',
      format: 'int64',
      description: 'Number of revisions that cannot be decoded.',
    },
    missing: {
      type: 'integer',
      format: 'int64',
      description: 'Number of revisions that are referenced but do not exist.',
    },
    versions: {
      type: 'array',
      items: RevisionsOfVersion,
      description: 'Number of revisions by API version.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['version'],
    },
  },
  required: ['version', 'sharing', 'total', 'upToDate', 'outdated', 'orphaned', 'undecodable', 'missing'],
}

export const WorkloadUpdateStatus: StructuralSchema = {
  type: 'object',
  description: 'Progress of the update of VMIs to the launcher of this release.',
  properties: {
    image: {
      type: 'string',
      description: 'Image of the launcher that VMIs should run in.',
    },
    lastBatchTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the last batch of VMIs was evicted for the image.',
    },
    waiting: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        format: 'int64',
      },
      description: 'Number of VMIs that are still to be updated, by the reason for the delay.',
    },
  },
}

export const UpgradeProgress: StructuralSchema = {
  type: 'object',
  description: 'Progress of a stage of an upgrade.',
  properties: {
    desired: {
      type: 'integer',
      format: 'int64',
      description: 'Desired number of pods.',
    },
    updated: {
      type: 'integer',
      format: 'int64',
      description: 'Number of pods with the new version.',
    },
    ready: {
      type: 'integer',
      format: 'int64',
      description: 'Number of pods with the new version that are ready.',
    },
  },
  required: ['desired', 'updated', 'ready'],
}

export const UpgradeStatus: StructuralSchema = {
  type: 'object',
  description: 'Progress of an upgrade to another version.',
  properties: {
    from: {
      type: 'string',
      description: 'Version before the upgrade; empty for a new installation.',
    },
    to: {
      type: 'string',
      description: 'Target version.',
    },
    stage: {
      type: 'string',
      description: 'Stage of the upgrade: Preflight, Install, Expand, NodeAgents, Controllers, API, Workloads or Contract.',
    },
    startedAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the upgrade started.',
    },
    stageStartedAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the stage started.',
    },
    progress: {
      ...UpgradeProgress,
      description: 'Progress of the stage.',
    },
    skipped: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the nodes that are skipped because they are not ready. Each node is upgraded once it is ready.',
      'x-kubernetes-list-type': 'atomic',
    },
    lastError: {
      type: 'string',
      description: 'Last error.',
    },
    contractAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time until which everything that only older versions need is kept. Set once all components have the new version.',
    },
  },
  required: ['from', 'to', 'stage', 'startedAt', 'stageStartedAt', 'progress'],
}

export const UpgradeStageRecord: StructuralSchema = {
  type: 'object',
  description: 'Stage of an upgrade.',
  properties: {
    stage: {
      type: 'string',
      description: 'Name of the stage, as in upgrade.stage.',
    },
    startedAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the stage started.',
    },
    endedAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the next stage started, or the upgrade ended.',
    },
  },
  required: ['stage', 'startedAt'],
}

export const UpgradeRecord: StructuralSchema = {
  type: 'object',
  description: 'Course of an upgrade.',
  properties: {
    from: {
      type: 'string',
      description: 'Version before the upgrade; empty for a new installation.',
    },
    to: {
      type: 'string',
      description: 'Target version.',
    },
    traceID: {
      type: 'string',
      description: 'ID of the trace with the spans of the upgrade: 32 hexadecimal digits.',
    },
    startedAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the upgrade started.',
    },
    completedAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which all components had the new version, or at which it was taken back. Guests follow.',
    },
    failure: {
      type: 'string',
      description: 'Reason for which the version was taken back.',
    },
    stages: {
      type: 'array',
      items: UpgradeStageRecord,
      description: 'Stages in the order in which they were entered.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['from', 'to', 'traceID', 'startedAt', 'stages'],
}

export const RejectedVersion: StructuralSchema = {
  type: 'object',
  description: 'Version whose deployment failed.',
  properties: {
    version: {
      type: 'string',
      description: 'Version that failed.',
    },
    deploymentID: {
      type: 'string',
      description: 'ID of the deployment that failed.',
    },
    generation: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that requested the version.',
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
  description: 'Finding that is relevant to an administrator before an upgrade.',
  properties: {
    id: {
      type: 'string',
      description: 'Identifier of the kind of finding; stable across releases.',
    },
    object: {
      type: 'string',
      description: 'Object of the finding, in the notation of kubectl.',
    },
    message: {
      type: 'string',
      description: 'Finding and its consequence.',
    },
    fix: {
      type: 'string',
      description: 'Command or other action that resolves the finding.',
    },
    blocks: {
      type: 'boolean',
      description: 'True if the finding blocks the start of the upgrade.',
    },
  },
  required: ['id', 'message', 'blocks'],
}

export const UpgradeStep: StructuralSchema = {
  type: 'object',
  description: 'Step of an upgrade.',
  properties: {
    stage: {
      type: 'string',
      description: 'Stage of the upgrade.',
    },
    what: {
      type: 'string',
      description: 'Description of the step.',
    },
    count: {
      type: 'integer',
      format: 'int64',
      description: 'Number of objects that the step applies to.',
    },
    seconds: {
      type: 'integer',
      format: 'int64',
      description: 'Estimated duration of the step, in seconds.',
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
      description: 'Version before the upgrade.',
    },
    to: {
      type: 'string',
      description: 'Target version of the upgrade.',
    },
    deploymentID: {
      type: 'string',
      description: 'ID of the target deployment.',
    },
    refused: {
      type: 'boolean',
      description: 'True if a finding blocks the upgrade. In this case nothing has been changed, and the checks are repeated from time to time.',
    },
    findings: {
      type: 'array',
      items: UpgradeFinding,
      description: 'Findings of the checks.',
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
      description: 'Checks that could not be performed.',
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
      description: 'State of the revisions that hold copies of instance types and preferences for VMs and snapshots.',
    },
    workloadUpdate: {
      ...WorkloadUpdateStatus,
      description: 'Progress of the update of VMIs to the launcher of this release.',
    },
    upgrade: {
      ...UpgradeStatus,
      description: 'Progress of the upgrade to another version; absent when the target version is installed.',
    },
    lastUpgrade: {
      ...UpgradeRecord,
      description: 'Course of the upgrade under way, or of the last one.',
    },
    rejected: {
      ...RejectedVersion,
      description: 'Version whose deployment failed. The upgrade is retried when the spec changes.',
    },
    plan: {
      ...UpgradePlan,
      description: 'Preflight findings of the last upgrade, or of the requested upgrade if it is refused.',
    },
  },
}

export const KubeVirtStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of an installation.',
  properties: {
    phase: {
      type: 'string',
      description: 'Phase of the installation: Deploying, Deployed, Deleting or Deleted.',
    },
    conditions: {
      type: 'array',
      items: KubeVirtCondition,
      description: 'Conditions of the installation.',
    },
    operatorVersion: {
      type: 'string',
      description: 'Version of the operator.',
    },
    targetKubeVirtRegistry: {
      type: 'string',
      description: 'Image registry of the target deployment.',
    },
    targetKubeVirtVersion: {
      type: 'string',
      description: 'Version of the target deployment.',
    },
    targetDeploymentConfig: {
      type: 'string',
      description: 'Configuration of the target deployment.',
    },
    targetDeploymentID: {
      type: 'string',
      description: 'ID of the target deployment.',
    },
    observedKubeVirtRegistry: {
      type: 'string',
      description: 'Image registry of the installed deployment.',
    },
    observedKubeVirtVersion: {
      type: 'string',
      description: 'Installed version.',
    },
    observedDeploymentConfig: {
      type: 'string',
      description: 'Configuration of the installed deployment.',
    },
    observedDeploymentID: {
      type: 'string',
      description: 'ID of the installed deployment.',
    },
    outdatedVirtualMachineInstanceWorkloads: {
      type: 'integer',
      format: 'int64',
      description: 'Number of running VMIs with an outdated launcher.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status refers to.',
    },
    defaultArchitecture: {
      type: 'string',
      description: 'Architecture of VMIs without one.',
    },
    generations: {
      type: 'array',
      items: GenerationStatus,
      description: 'Generations of the installed objects.',
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
  description: 'Installation of the control plane, and its configuration.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
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

export const AppliedMigrationConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Settings of a migration, of the KubeVirt object and of the MigrationPolicy.',
  properties: {
    parallelMigrationsPerCluster: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of parallel migrations in the cluster.',
    },
    parallelOutboundMigrationsPerNode: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum number of parallel outbound migrations of a node.',
    },
    bandwidthPerMigration: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Maximum bandwidth of one migration.',
    },
    completionTimeoutPerGiB: {
      type: 'integer',
      format: 'int64',
      description: 'Timeout of a migration, in seconds for each GiB.',
    },
    progressTimeout: {
      type: 'integer',
      format: 'int64',
      description: 'Timeout of a migration without progress, in seconds.',
    },
    allowAutoConverge: {
      type: 'boolean',
      description: 'Allows the throttling of a guest so that its migration converges.',
    },
    allowPostCopy: {
      type: 'boolean',
      description: 'Allows the guest to run on the target node before all of its memory is copied (post-copy).',
    },
    allowWorkloadDisruption: {
      type: 'boolean',
      description: 'Allows the guest to be paused so that its migration completes. Has the value of allowPostCopy when absent.',
    },
    maxDowntimeMs: {
      type: 'integer',
      format: 'int64',
      description: 'Maximum downtime of the guest at the end of a migration, in milliseconds.',
      minimum: 1,
      maximum: 2000000,
    },
    disableTLS: {
      type: 'boolean',
      description: 'Disables the TLS encryption of migrations.',
    },
    network: {
      type: 'string',
      description: 'Name of the network for migrations.',
    },
    matchSELinuxLevelOnMigration: {
      type: 'boolean',
      description: 'Gives the launcher at the target the SELinux level of that at the source.',
    },
    nodeDrainTaintKey: {
      type: 'string',
      description: 'Key of the taint of nodes that are drained. Deprecated.',
    },
    unsafeMigrationOverride: {
      type: 'boolean',
      description: 'Allows migrations that may corrupt the guest.',
    },
    utilityVolumesTimeout: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds that a migration waits for the end of operations on utility volumes.',
    },
    experimental: {
      ...MigrationExperimentalConfiguration,
      description: 'Settings that may change in any version.',
    },
  },
}

export const MigrationSourceWord: StructuralSchema = {
  type: 'object',
  description: 'State of the source node that the target node needs.',
  properties: {
    launch: {
      type: 'string',
      description: 'Launch record of the guest, as JSON.',
    },
    released: {
      type: 'boolean',
      description: 'True if the source has released the guest, which is complete at the target.',
    },
    gone: {
      type: 'boolean',
      description: 'True if the QEMU process at the source has ended.',
    },
    revoked: {
      type: 'boolean',
      description: 'True if the target did not take ownership of the guest in time, and must not take it any more. The guest continues to run at the source.',
    },
  },
}

export const VirtualMachineInstanceMigrationSourceState: StructuralSchema = {
  type: 'object',
  description: 'State published by the source node of a migration.',
  properties: {
    node: {
      type: 'string',
      description: 'Name of the node.',
    },
    pod: {
      type: 'string',
      description: 'Name of the pod.',
    },
    migrationUID: {
      type: 'string',
      description: 'UID of the VirtualMachineInstanceMigration.',
    },
    domainName: {
      type: 'string',
      description: 'Domain name of the guest on the node.',
    },
    domainNamespace: {
      type: 'string',
      description: 'Domain namespace of the guest on the node.',
    },
    syncAddress: {
      type: 'string',
      description: 'Address for the synchronization between clusters.',
    },
    persistentStatePVCName: {
      type: 'string',
      description: 'PersistentVolumeClaim with the state of devices.',
    },
    selinuxContext: {
      type: 'string',
      description: 'SELinux label of the pod.',
    },
    virtualMachineInstanceUID: {
      type: 'string',
      description: 'UID of the VMI.',
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
      description: 'State that steadyvm adds for the target node.',
    },
  },
}

export const MigrationTargetWord: StructuralSchema = {
  type: 'object',
  description: 'State of the target node that the source node needs.',
  properties: {
    gone: {
      type: 'string',
      description: 'Reason why the target has no QEMU process, or has none any more.',
    },
    withoutPostCopy: {
      type: 'boolean',
      description: 'True if the kernel of the target node does not allow the guest to run before all of its memory is copied (post-copy).',
    },
    channels: {
      type: 'integer',
      format: 'int32',
      description: 'Number of parallel streams over which the target receives the guest\'s memory; 1 when absent.',
    },
  },
}

export const VirtualMachineInstanceMigrationTargetState: StructuralSchema = {
  type: 'object',
  description: 'State published by the target node of a migration.',
  properties: {
    node: {
      type: 'string',
      description: 'Name of the node.',
    },
    pod: {
      type: 'string',
      description: 'Name of the pod.',
    },
    migrationUID: {
      type: 'string',
      description: 'UID of the VirtualMachineInstanceMigration.',
    },
    domainName: {
      type: 'string',
      description: 'Domain name of the guest on the node.',
    },
    domainNamespace: {
      type: 'string',
      description: 'Domain namespace of the guest on the node.',
    },
    syncAddress: {
      type: 'string',
      description: 'Address for the synchronization between clusters.',
    },
    persistentStatePVCName: {
      type: 'string',
      description: 'PersistentVolumeClaim with the state of devices.',
    },
    selinuxContext: {
      type: 'string',
      description: 'SELinux label of the pod.',
    },
    virtualMachineInstanceUID: {
      type: 'string',
      description: 'UID of the VMI.',
    },
    domainReadyTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the guest was ready on the target node.',
    },
    domainDetected: {
      type: 'boolean',
      description: 'True if the target node has detected the guest.',
    },
    nodeAddress: {
      type: 'string',
      description: 'Address of the target node.',
    },
    directMigrationNodePorts: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Ports of the target node for the migration.',
    },
    attachmentPodUID: {
      type: 'string',
      description: 'UID of the pod that attaches volumes.',
    },
    cpuSet: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Physical CPUs for the guest.',
      'x-kubernetes-list-type': 'atomic',
    },
    nodeTopology: {
      type: 'string',
      description: 'NUMA topology of the target node.',
    },
    steadyvm: {
      ...MigrationTargetWord,
      description: 'State that steadyvm adds for the source node.',
    },
  },
}

export const VirtualMachineInstanceMigrationState: StructuralSchema = {
  type: 'object',
  description: 'State of a migration.',
  properties: {
    startTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time at which the migration started.',
    },
    endTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time at which the migration ended.',
    },
    targetNodeDomainReadyTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the guest was ready on the target node.',
    },
    targetNodeDomainDetected: {
      type: 'boolean',
      description: 'True if the target node has detected the guest.',
    },
    targetNodeAddress: {
      type: 'string',
      description: 'Address of the target node.',
    },
    targetDirectMigrationNodePorts: {
      type: 'object',
      additionalProperties: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Ports of the target node for the migration.',
    },
    targetNode: {
      type: 'string',
      description: 'Name of the node that the guest is migrated to.',
    },
    targetPod: {
      type: 'string',
      description: 'Name of the pod that the guest is migrated to.',
    },
    targetAttachmentPodUID: {
      type: 'string',
      description: 'UID of the pod that attaches volumes on the target node.',
    },
    sourceNode: {
      type: 'string',
      description: 'Name of the node that the guest is migrated from.',
    },
    sourcePod: {
      type: 'string',
      description: 'Name of the pod that the guest is migrated from.',
    },
    completed: {
      type: 'boolean',
      description: 'True if the migration has ended.',
    },
    failed: {
      type: 'boolean',
      description: 'True if the migration failed.',
    },
    abortRequested: {
      type: 'boolean',
      description: 'True if the cancellation of the migration was requested.',
    },
    abortStatus: {
      type: 'string',
      description: 'Status of the cancellation: Succeeded, Failed or Aborting.',
    },
    failureReason: {
      type: 'string',
      description: 'Reason for the failure of the migration.',
    },
    migrationUid: {
      type: 'string',
      description: 'UID of the VirtualMachineInstanceMigration.',
    },
    mode: {
      type: 'string',
      description: 'Mode of the migration: PreCopy, PostCopy or Paused.',
    },
    migrationPolicyName: {
      type: 'string',
      description: 'Name of the MigrationPolicy that applies.',
    },
    migrationConfiguration: {
      ...AppliedMigrationConfiguration,
      description: 'Migration settings that apply.',
    },
    targetCPUSet: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Physical CPUs for the guest on the target node.',
      'x-kubernetes-list-type': 'atomic',
    },
    targetNodeTopology: {
      type: 'string',
      description: 'NUMA topology of the target node.',
    },
    sourcePersistentStatePVCName: {
      type: 'string',
      description: 'PersistentVolumeClaim with the state of devices at the source.',
    },
    targetPersistentStatePVCName: {
      type: 'string',
      description: 'PersistentVolumeClaim with the state of devices at the target.',
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
      description: 'Type of the migration network: Pod or Migration.',
    },
    targetMemoryOverhead: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Memory of the target pod in addition to the guest\'s memory.',
    },
  },
}

export const VirtualMachineInstanceCommonMigrationState: StructuralSchema = {
  type: 'object',
  description: 'State published by both nodes of a migration.',
  properties: {
    node: {
      type: 'string',
      description: 'Name of the node.',
    },
    pod: {
      type: 'string',
      description: 'Name of the pod.',
    },
    migrationUID: {
      type: 'string',
      description: 'UID of the VirtualMachineInstanceMigration.',
    },
    domainName: {
      type: 'string',
      description: 'Domain name of the guest on the node.',
    },
    domainNamespace: {
      type: 'string',
      description: 'Domain namespace of the guest on the node.',
    },
    syncAddress: {
      type: 'string',
      description: 'Address for the synchronization between clusters.',
    },
    persistentStatePVCName: {
      type: 'string',
      description: 'PersistentVolumeClaim with the state of devices.',
    },
    selinuxContext: {
      type: 'string',
      description: 'SELinux label of the pod.',
    },
    virtualMachineInstanceUID: {
      type: 'string',
      description: 'UID of the VMI.',
    },
  },
}

export const PodNetwork: StructuralSchema = {
  type: 'object',
  description: 'Pod network.',
  properties: {
    vmNetworkCIDR: {
      type: 'string',
      description: 'CIDR of the addresses for the guest.',
    },
    vmIPv6NetworkCIDR: {
      type: 'string',
      description: 'CIDR of the IPv6 addresses for the guest.',
    },
  },
}

export const MultusNetwork: StructuralSchema = {
  type: 'object',
  description: 'Network that Multus attaches.',
  properties: {
    networkName: {
      type: 'string',
      description: 'Name of the NetworkAttachmentDefinition, as `name` or `namespace/name`.',
    },
    default: {
      type: 'boolean',
      description: 'Makes the network the default network of the pod.',
    },
  },
  required: ['networkName'],
}

export const ResourceClaimNetworkSource: StructuralSchema = {
  type: 'object',
  description: 'Network device from a ResourceClaim.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim in the resourceClaims of the VMI.',
    },
    requestName: {
      type: 'string',
      description: 'Name of the request in the ResourceClaim.',
    },
  },
}

export const Network: StructuralSchema = {
  type: 'object',
  description: 'Named network of a VM.',
  properties: {
    pod: {
      ...PodNetwork,
      description: 'Pod network.',
    },
    multus: {
      ...MultusNetwork,
      description: 'Network of a NetworkAttachmentDefinition, which Multus attaches on a cluster.',
    },
    resourceClaim: {
      ...ResourceClaimNetworkSource,
      description: 'Network device from a ResourceClaim.',
    },
    name: {
      type: 'string',
      description: 'Name of the network; unique within the VM.',
    },
  },
  required: ['name'],
}

export const NetworkSource: StructuralSchema = {
  type: 'object',
  description: 'Source of a network; the pod network when no member is set.',
  properties: {
    pod: {
      ...PodNetwork,
      description: 'Pod network.',
    },
    multus: {
      ...MultusNetwork,
      description: 'Network of a NetworkAttachmentDefinition, which Multus attaches on a cluster.',
    },
    resourceClaim: {
      ...ResourceClaimNetworkSource,
      description: 'Network device from a ResourceClaim.',
    },
  },
}

export const CoreExecAction: StructuralSchema = {
  type: 'object',
  description: 'Command in a container.',
  properties: {
    command: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Program and arguments. The program is not run in a shell.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const GuestAgentPing: StructuralSchema = {
  type: 'object',
  description: 'Ping of the guest agent. No fields; the presence of the object selects the probe.',
}

export const CoreHTTPHeader: StructuralSchema = {
  type: 'object',
  description: 'Header of an HTTP request.',
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
  description: 'HTTP GET request.',
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
      description: 'Number or name of the port.',
    },
    host: {
      type: 'string',
      description: 'Host to connect to; the IP address of the pod when absent.',
    },
    scheme: {
      type: 'string',
      description: 'Scheme of the URL: HTTP or HTTPS.',
    },
    httpHeaders: {
      type: 'array',
      items: CoreHTTPHeader,
      description: 'Additional headers of the request.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['port'],
}

export const CoreTCPSocketAction: StructuralSchema = {
  type: 'object',
  description: 'TCP connection.',
  properties: {
    port: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Number or name of the port.',
    },
    host: {
      type: 'string',
      description: 'Host to connect to; the IP address of the pod when absent.',
    },
  },
  required: ['port'],
}

export const Probe: StructuralSchema = {
  type: 'object',
  description: 'Health check of a guest.',
  properties: {
    exec: {
      ...CoreExecAction,
      description: 'Command that is executed in the guest.',
    },
    guestAgentPing: {
      ...GuestAgentPing,
      description: 'Ping of the QEMU guest agent.',
    },
    httpGet: {
      ...CoreHTTPGetAction,
      description: 'HTTP GET request.',
    },
    tcpSocket: {
      ...CoreTCPSocketAction,
      description: 'TCP connection.',
    },
    initialDelaySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Delay in seconds from the start of the guest to the first probe.',
    },
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Timeout of a probe in seconds; 1 when absent.',
    },
    periodSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Interval between two probes in seconds; 10 when absent.',
    },
    successThreshold: {
      type: 'integer',
      format: 'int32',
      description: 'Number of consecutive successes after which the guest is healthy; 1 when absent.',
    },
    failureThreshold: {
      type: 'integer',
      format: 'int32',
      description: 'Number of consecutive failures after which the guest is unhealthy; 3 when absent.',
    },
  },
}

export const VirtualMachineInstanceMigrationSource: StructuralSchema = {
  type: 'object',
  description: 'Target of a migration to another cluster.',
  properties: {
    migrationID: {
      type: 'string',
      description: 'ID of the migration in both clusters.',
    },
    connectURL: {
      type: 'string',
      description: 'URL of the other cluster.',
    },
  },
  required: ['migrationID', 'connectURL'],
}

export const VirtualMachineInstanceMigrationTarget: StructuralSchema = {
  type: 'object',
  description: 'Source of a migration from another cluster.',
  properties: {
    migrationID: {
      type: 'string',
      description: 'ID of the migration in both clusters.',
    },
  },
  required: ['migrationID'],
}

export const VirtualMachineInstanceMigrationSpec: StructuralSchema = {
  type: 'object',
  description: 'VMI to migrate, and constraints on the target.',
  properties: {
    vmiName: {
      type: 'string',
      description: 'Name of the VMI, in the same namespace.',
    },
    addedNodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the target node must have in addition to the node selector of the VMI.',
    },
    priority: {
      type: 'string',
      description: 'Priority of the migration: system-critical, user-triggered or system-maintenance. Pending migrations start in this order. Set by the control plane.',
    },
    sendTo: {
      ...VirtualMachineInstanceMigrationSource,
      description: 'Target of a migration to another cluster.',
    },
    receive: {
      ...VirtualMachineInstanceMigrationTarget,
      description: 'Source of a migration from another cluster.',
    },
  },
}

export const VirtualMachineInstanceMigrationPhaseTransitionTimestamp: StructuralSchema = {
  type: 'object',
  description: 'Time at which a phase started.',
  properties: {
    phase: {
      type: 'string',
      description: 'Phase of the migration.',
    },
    phaseTransitionTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the phase started.',
    },
  },
}

export const VirtualMachineInstanceMigrationCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition that prevents or delays a migration.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last change of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the status, as one word in CamelCase.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the status.',
    },
  },
  required: ['type', 'status'],
}

export const VirtualMachineInstanceMigrationStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a migration.',
  properties: {
    phase: {
      type: 'string',
      description: 'Phase of the migration.',
    },
    phaseTransitionTimestamps: {
      type: 'array',
      items: VirtualMachineInstanceMigrationPhaseTransitionTimestamp,
      description: 'Time at which each phase started.',
      'x-kubernetes-list-type': 'atomic',
    },
    conditions: {
      type: 'array',
      items: VirtualMachineInstanceMigrationCondition,
      description: 'Conditions that prevent or delay the migration.',
    },
    migrationState: {
      ...VirtualMachineInstanceMigrationState,
      description: 'Migration state of the VMI at the end of the migration.',
    },
    synchronizationAddresses: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Addresses for a migration to another cluster.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VirtualMachineInstanceMigration: StructuralSchema = {
  type: 'object',
  description: 'Request to migrate a running VMI to another node, once.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...VirtualMachineInstanceMigrationSpec,
      description: 'VMI to migrate, and constraints on the target.',
    },
    status: {
      ...VirtualMachineInstanceMigrationStatus,
      description: 'Observed state of the migration.',
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
      description: 'Selector of the VMIs by their labels. An empty selector selects all VMIs of the namespace.',
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
  description: 'Deprecated: values for the fields that VMIs with certain labels leave unset.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
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
  description: 'Constraint for spreading pods over topology domains.',
  properties: {
    maxSkew: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum difference between the numbers of pods of any two domains.',
    },
    topologyKey: {
      type: 'string',
      description: 'Key of a node label. Nodes with the same value of the label are one domain.',
    },
    whenUnsatisfiable: {
      type: 'string',
      description: 'Action if the constraint cannot be satisfied: DoNotSchedule or ScheduleAnyway.',
    },
    labelSelector: {
      ...MetaLabelSelector,
      description: 'Label selector for the pods that are counted.',
    },
    minDomains: {
      type: 'integer',
      format: 'int32',
      description: 'Minimum number of domains.',
    },
    nodeAffinityPolicy: {
      type: 'string',
      description: 'Policy for considering the node affinity of the pod.',
    },
    nodeTaintsPolicy: {
      type: 'string',
      description: 'Policy for considering the taints of nodes.',
    },
    matchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Keys of labels of the pod whose values the counted pods must have.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
}

export const HostDisk: StructuralSchema = {
  type: 'object',
  description: 'Disk image on the node.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the image.',
    },
    type: {
      type: 'string',
      description: 'Type of the host disk: Disk or DiskOrCreate.',
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
      description: 'True if all nodes have access to the same file.',
    },
  },
  required: ['path', 'type'],
}

export const PersistentVolumeClaimVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim in the same namespace.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
    hotpluggable: {
      type: 'boolean',
      description: 'True if the volume can be plugged and unplugged while the guest runs.',
    },
  },
  required: ['claimName'],
}

export const CloudInitNoCloudSource: StructuralSchema = {
  type: 'object',
  description: 'Data for cloud-init on a NoCloud disk.',
  properties: {
    secretRef: {
      ...CoreLocalObjectReference,
      description: 'Secret with user data.',
    },
    userDataBase64: {
      type: 'string',
      description: 'User data, base64-encoded.',
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
      description: 'Network data, base64-encoded.',
    },
    networkData: {
      type: 'string',
      description: 'Network data.',
    },
  },
}

export const CloudInitConfigDriveSource: StructuralSchema = {
  type: 'object',
  description: 'Data for cloud-init on a config drive.',
  properties: {
    secretRef: {
      ...CoreLocalObjectReference,
      description: 'Secret with user data.',
    },
    userDataBase64: {
      type: 'string',
      description: 'User data, base64-encoded.',
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
      description: 'Network data, base64-encoded.',
    },
    networkData: {
      type: 'string',
      description: 'Network data.',
    },
  },
}

export const SysprepSource: StructuralSchema = {
  type: 'object',
  description: 'Answer files for the setup of Windows (Sysprep).',
  properties: {
    secret: {
      ...CoreLocalObjectReference,
      description: 'Secret with the answer files.',
    },
    configMap: {
      ...CoreLocalObjectReference,
      description: 'ConfigMap with the answer files.',
    },
  },
}

export const ContainerDiskSource: StructuralSchema = {
  type: 'object',
  description: 'Disk image in a container image.',
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
      description: 'Pull policy of the image: Always, Never or IfNotPresent.',
    },
  },
  required: ['image'],
}

export const CorePersistentVolumeClaimVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim in the namespace of the pod.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
  },
  required: ['claimName'],
}

export const EphemeralVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim as read-only base of an ephemeral disk.',
  properties: {
    persistentVolumeClaim: {
      ...CorePersistentVolumeClaimVolumeSource,
      description: 'PersistentVolumeClaim with the base image.',
    },
  },
}

export const EmptyDiskSource: StructuralSchema = {
  type: 'object',
  description: 'Empty disk.',
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

export const DataVolumeVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim that a DataVolume populates.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the DataVolume and of its PersistentVolumeClaim.',
    },
    hotpluggable: {
      type: 'boolean',
      description: 'True if the volume can be plugged and unplugged while the guest runs.',
    },
  },
  required: ['name'],
}

export const ConfigMapVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Keys of a ConfigMap as files.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    optional: {
      type: 'boolean',
      description: 'True if the ConfigMap may be missing.',
    },
    volumeLabel: {
      type: 'string',
      description: 'Label of the file system in the guest.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const SecretVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Keys of a Secret as files.',
  properties: {
    secretName: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    optional: {
      type: 'boolean',
      description: 'True if the Secret may be missing.',
    },
    volumeLabel: {
      type: 'string',
      description: 'Label of the file system in the guest.',
    },
  },
}

export const CoreObjectFieldSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of a field of the pod.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'API version of the schema that the path refers to.',
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
  description: 'Selector of a resource of a container.',
  properties: {
    containerName: {
      type: 'string',
      description: 'Name of the container. Required in volumes.',
    },
    resource: {
      type: 'string',
      description: 'Name of the resource: `limits.memory`.',
    },
    divisor: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Unit in which the value is expressed.',
    },
  },
  required: ['resource'],
  'x-kubernetes-map-type': 'atomic',
}

export const CoreDownwardAPIVolumeFile: StructuralSchema = {
  type: 'object',
  description: 'File with a field of the pod or a resource of a container.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the file within the volume.',
    },
    fieldRef: {
      ...CoreObjectFieldSelector,
      description: 'Field of the pod.',
    },
    resourceFieldRef: {
      ...CoreResourceFieldSelector,
      description: 'Resource of a container.',
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
      description: 'Files and their sources.',
    },
    volumeLabel: {
      type: 'string',
      description: 'Label of the file system in the guest.',
    },
  },
}

export const ServiceAccountVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Token of a service account.',
  properties: {
    serviceAccountName: {
      type: 'string',
      description: 'Name of the service account.',
    },
  },
}

export const DownwardMetricsVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Disk with metrics of the node. No fields; the presence of the object adds the disk.',
}

export const MemoryDumpVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim for memory dumps.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
    hotpluggable: {
      type: 'boolean',
      description: 'True if the volume can be plugged and unplugged while the guest runs.',
    },
  },
  required: ['claimName'],
}

export const ContainerPathVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Path in the container of the launcher.',
  properties: {
    path: {
      type: 'string',
      description: 'Path in the container.',
      maxLength: 4096,
      'x-kubernetes-validations': [{
        rule: 'self.startsWith(\'/\')',
        message: 'path must be absolute (start with \'/\')',
      }, {
        rule: '!self.contains(\'..\')',
        message: 'path must not contain \'..\'',
      }],
    },
    readOnly: {
      type: 'boolean',
      description: 'Makes the volume read-only.',
      default: true,
      'x-kubernetes-validations': [{
        rule: 'self == true',
        message: 'readOnly must be true, write access is not supported',
      }],
    },
  },
  required: ['path'],
}

export const Volume: StructuralSchema = {
  type: 'object',
  description: 'Named volume of a VM.',
  properties: {
    hostDisk: {
      ...HostDisk,
      description: 'Disk image on the node.',
    },
    persistentVolumeClaim: {
      ...PersistentVolumeClaimVolumeSource,
      description: 'PersistentVolumeClaim in the same namespace.',
    },
    cloudInitNoCloud: {
      ...CloudInitNoCloudSource,
      description: 'Data for cloud-init on a NoCloud disk.',
    },
    cloudInitConfigDrive: {
      ...CloudInitConfigDriveSource,
      description: 'Data for cloud-init on a config drive.',
    },
    sysprep: {
      ...SysprepSource,
      description: 'Answer files for the setup of Windows (Sysprep).',
    },
    containerDisk: {
      ...ContainerDiskSource,
      description: 'Disk image in a container image.',
    },
    ephemeral: {
      ...EphemeralVolumeSource,
      description: 'PersistentVolumeClaim in the same namespace, as read-only base of an ephemeral disk.',
    },
    emptyDisk: {
      ...EmptyDiskSource,
      description: 'Empty disk with the lifetime of the VMI.',
    },
    dataVolume: {
      ...DataVolumeVolumeSource,
      description: 'PersistentVolumeClaim that a DataVolume populates.',
    },
    configMap: {
      ...ConfigMapVolumeSource,
      description: 'Keys of a ConfigMap as files.',
    },
    secret: {
      ...SecretVolumeSource,
      description: 'Keys of a Secret as files.',
    },
    downwardAPI: {
      ...DownwardAPIVolumeSource,
      description: 'Fields of the pod as files.',
    },
    serviceAccount: {
      ...ServiceAccountVolumeSource,
      description: 'Token of a service account.',
    },
    downwardMetrics: {
      ...DownwardMetricsVolumeSource,
      description: 'Metrics of the node as a disk.',
    },
    memoryDump: {
      ...MemoryDumpVolumeSource,
      description: 'PersistentVolumeClaim for memory dumps.',
    },
    containerPath: {
      ...ContainerPathVolumeSource,
      description: 'Path in the container of the launcher.',
    },
    name: {
      type: 'string',
      description: 'Name of the volume; unique within the VM.',
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
  description: 'DNS settings of a pod.',
  properties: {
    nameservers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Addresses of the name servers.',
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
  description: 'ResourceClaim for devices.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the claim; unique within the VMI.',
    },
    resourceClaimName: {
      type: 'string',
      description: 'Name of an existing ResourceClaim.',
    },
    resourceClaimTemplateName: {
      type: 'string',
      description: 'Name of the ResourceClaimTemplate from which a ResourceClaim is created.',
    },
  },
  required: ['name'],
}

export const UtilityVolume: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim for operations on a VM, without a disk in the guest.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
    name: {
      type: 'string',
      description: 'Name of the volume; unique within the VM.',
    },
    type: {
      type: 'string',
      description: 'Type of the operation: MemoryDump or Backup.',
    },
  },
  required: ['claimName', 'name'],
}

export const VirtualMachineInstanceSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a VMI.',
  properties: {
    priorityClassName: {
      type: 'string',
      description: 'Name of the priority class of the pod.',
    },
    domain: {
      ...DomainSpec,
      description: 'Virtual hardware of the guest. Admission adds an empty object when the field is absent.',
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
      description: 'Affinity rules for the placement of the VMI.',
    },
    schedulerName: {
      type: 'string',
      description: 'Name of the scheduler that places the VMI.',
    },
    serviceAccountName: {
      type: 'string',
      description: 'Service account of the pod. The guest gets no token of the service account.',
    },
    tolerations: {
      type: 'array',
      items: CoreToleration,
      description: 'Taints that the VMI tolerates.',
    },
    topologySpreadConstraints: {
      type: 'array',
      items: CoreTopologySpreadConstraint,
      description: 'Constraints on the spread of VMIs over nodes.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['topologyKey', 'whenUnsatisfiable'],
    },
    evictionStrategy: {
      type: 'string',
      description: 'Policy for a drain of the node: None, LiveMigrate, LiveMigrateIfPossible or External.',
    },
    startStrategy: {
      type: 'string',
      description: 'Start strategy of the guest. Paused starts the guest in the paused state.',
    },
    terminationGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds between the shutdown request to the guest and its forced termination; 30 when absent.',
    },
    volumes: {
      type: 'array',
      items: Volume,
      description: 'Volumes of the VMI, which disks attach to the guest.',
      maxItems: 256,
    },
    livenessProbe: {
      ...Probe,
      description: 'Liveness probe. A failed probe terminates the guest.',
    },
    readinessProbe: {
      ...Probe,
      description: 'Readiness probe. A failed probe makes the VMI not ready.',
    },
    hostname: {
      type: 'string',
      description: 'Host name of the guest; the name of the VMI when absent.',
    },
    subdomain: {
      type: 'string',
      description: 'Subdomain of the guest\'s host name.',
    },
    networks: {
      type: 'array',
      items: Network,
      description: 'Networks that interfaces of the guest connect to.',
      maxItems: 256,
    },
    dnsPolicy: {
      type: 'string',
      description: 'DNS policy of the pod.',
    },
    dnsConfig: {
      ...CorePodDNSConfig,
      description: 'DNS settings of the pod.',
    },
    accessCredentials: {
      type: 'array',
      items: AccessCredential,
      description: 'Credentials that are injected into the guest.',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 256,
    },
    architecture: {
      type: 'string',
      description: 'CPU architecture: amd64, arm64, s390x.',
    },
    resourceClaims: {
      type: 'array',
      items: VirtualMachineInstanceResourceClaim,
      description: 'ResourceClaims for devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    utilityVolumes: {
      type: 'array',
      items: UtilityVolume,
      description: 'PersistentVolumeClaims for operations on the VM, without disks in the guest.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      maxItems: 256,
    },
  },
}

export const VirtualMachineInstanceTemplateSpec: StructuralSchema = {
  type: 'object',
  description: 'Template of the VMI of a VM.',
  properties: {
    metadata: {
      type: 'object',
      description: 'Labels and annotations of the VMI.',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    spec: {
      ...VirtualMachineInstanceSpec,
      description: 'Spec of the VMI.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineInstanceReplicaSetSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired VMIs of a replica set.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of VMIs; 1 when absent.',
    },
    selector: {
      ...MetaLabelSelector,
      description: 'Selector of the VMIs by their labels.',
    },
    template: {
      ...VirtualMachineInstanceTemplateSpec,
      description: 'Template of the VMIs.',
    },
    paused: {
      type: 'boolean',
      description: 'Stops the creation and deletion of VMIs.',
    },
  },
  required: ['selector', 'template'],
}

export const VirtualMachineInstanceReplicaSetCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a replica set or a pool.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: ReplicaFailure or ReplicaPaused.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last change of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the status, as one word in CamelCase.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the status.',
    },
  },
  required: ['type', 'status'],
}

export const VirtualMachineInstanceReplicaSetStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed VMIs of a replica set.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of VMIs that are not final.',
    },
    readyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of VMIs that are ready.',
    },
    conditions: {
      type: 'array',
      items: VirtualMachineInstanceReplicaSetCondition,
      description: 'Conditions of the replica set.',
    },
    labelSelector: {
      type: 'string',
      description: 'Selector of the VMIs, as text.',
    },
  },
}

export const VirtualMachineInstanceReplicaSet: StructuralSchema = {
  type: 'object',
  description: 'Number of VMIs that are made from one template.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...VirtualMachineInstanceReplicaSetSpec,
      description: 'Desired VMIs.',
    },
    status: {
      ...VirtualMachineInstanceReplicaSetStatus,
      nullable: true,
      description: 'Observed VMIs.',
    },
  },
  required: ['spec'],
}

export const DiskCopyTarget: StructuralSchema = {
  type: 'object',
  description: 'Disk to copy, and its target.',
  properties: {
    volume: {
      type: 'string',
      description: 'Name of the volume in the VMI.',
    },
    claimName: {
      type: 'string',
      description: 'Name of the PersistentVolumeClaim that gets the content.',
    },
    volumeMode: {
      type: 'string',
      description: 'Volume mode of the PersistentVolumeClaim: Filesystem or Block.',
    },
    podUid: {
      type: 'string',
      description: 'UID of the pod that attaches the PersistentVolumeClaim to the node of the guest.',
    },
  },
  required: ['volume', 'claimName', 'volumeMode', 'podUid'],
}

export const DiskCopyRequest: StructuralSchema = {
  type: 'object',
  description: 'Request to copy disks of a running guest at one instant, for a snapshot.',
  properties: {
    id: {
      type: 'string',
      description: 'UID of the VirtualMachineSnapshot.',
    },
    snapshotName: {
      type: 'string',
      description: 'Name of the VirtualMachineSnapshot.',
    },
    disks: {
      type: 'array',
      items: DiskCopyTarget,
      description: 'Disks to copy. None: the guest agent holds back writes until the request is removed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['id', 'snapshotName', 'disks'],
}

export const DiskCopyState: StructuralSchema = {
  type: 'object',
  description: 'State of copies of disks of a running guest.',
  properties: {
    id: {
      type: 'string',
      description: 'UID of the VirtualMachineSnapshot.',
    },
    phase: {
      type: 'string',
      description: 'Phase of the copies: Copying, Complete or Failed; Held while only writes are held back.',
    },
    startTime: {
      type: 'string',
      format: 'date-time',
      description: 'Instant of the guest that the copies have. Absent: none was started.',
    },
    quiesce: {
      type: 'string',
      description: 'Outcome of the request to hold back writes, as an indication of snapshots.',
    },
    percent: {
      type: 'integer',
      format: 'int32',
      description: 'Copied part in percent.',
    },
    message: {
      type: 'string',
      description: 'Reason of the failure.',
    },
  },
  required: ['id', 'phase'],
}

export const VirtualMachineInstanceSteadyStatus: StructuralSchema = {
  type: 'object',
  description: 'Status of a VMI that steadyvm adds.',
  properties: {
    paused: {
      type: 'boolean',
      nullable: true,
      description: 'Request to pause (true) or resume (false) the guest. The node agent removes a request to resume once it is carried out; one to pause stays, so that it holds after a migration, too.',
    },
    targetVolumes: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'UIDs of the pods that attach hotplugged volumes to the node to which the guest is being moved, by volume.',
    },
    diskCopy: {
      ...DiskCopyRequest,
      nullable: true,
      description: 'Request to copy disks of the running guest. Removing it cancels copies that are not complete.',
    },
    diskCopyState: {
      ...DiskCopyState,
      nullable: true,
      description: 'State of the copies that were requested last.',
    },
  },
}

export const VirtualMachineInstanceCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a VMI.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Ready, Synchronized, Paused, AgentConnected, LiveMigratable …',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last change of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the status, as one word in CamelCase.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the status.',
    },
  },
  required: ['type', 'status'],
}

export const VirtualMachineInstancePhaseTransitionTimestamp: StructuralSchema = {
  type: 'object',
  description: 'Time at which a phase started.',
  properties: {
    phase: {
      type: 'string',
      description: 'Phase of the VMI.',
    },
    phaseTransitionTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the phase started.',
    },
  },
}

export const VirtualMachineInstanceNetworkInterface: StructuralSchema = {
  type: 'object',
  description: 'Network interface, as observed from outside and inside of the guest.',
  properties: {
    ipAddress: {
      type: 'string',
      description: 'First IP address of the interface.',
    },
    mac: {
      type: 'string',
      description: 'MAC address.',
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
      description: 'All IP addresses of the interface.',
    },
    podInterfaceName: {
      type: 'string',
      description: 'Name of the interface in the pod.',
    },
    interfaceName: {
      type: 'string',
      description: 'Name of the interface in the guest.',
    },
    infoSource: {
      type: 'string',
      description: 'Source of the information: domain, guest-agent, multus-status.',
    },
    queueCount: {
      type: 'integer',
      format: 'int32',
      description: 'Number of queues of the interface.',
    },
    linkState: {
      type: 'string',
      description: 'Link state of the interface: up or down.',
    },
  },
}

export const VirtualMachineInstanceGuestOSInfo: StructuralSchema = {
  type: 'object',
  description: 'Operating system of a guest.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the operating system.',
    },
    kernelRelease: {
      type: 'string',
      description: 'Release of the kernel.',
    },
    version: {
      type: 'string',
      description: 'Version of the operating system.',
    },
    prettyName: {
      type: 'string',
      description: 'Human-readable name of the operating system.',
    },
    versionId: {
      type: 'string',
      description: 'Identifier of the version.',
    },
    kernelVersion: {
      type: 'string',
      description: 'Version of the kernel.',
    },
    machine: {
      type: 'string',
      description: 'CPU architecture.',
    },
    id: {
      type: 'string',
      description: 'Identifier of the operating system.',
    },
  },
}

export const PersistentVolumeClaimInfo: StructuralSchema = {
  type: 'object',
  description: 'Properties of a PersistentVolumeClaim that the node needs.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the PersistentVolumeClaim.',
    },
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Access modes of the PersistentVolumeClaim.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeMode: {
      type: 'string',
      description: 'Volume mode of the PersistentVolumeClaim: Filesystem or Block.',
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
      description: 'Capacity of the PersistentVolumeClaim.',
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
      description: 'Requested size of the PersistentVolumeClaim.',
    },
    preallocated: {
      type: 'boolean',
      description: 'True if the space of the volume is preallocated.',
    },
    filesystemOverhead: {
      type: 'string',
      description: 'Fraction of the volume that file systems need for their own data: 0 to 1.',
      pattern: '^(0(?:\\.\\d{1,3})?|1)$',
    },
  },
}

export const HotplugVolumeStatus: StructuralSchema = {
  type: 'object',
  description: 'Status of a hotplugged volume.',
  properties: {
    attachPodName: {
      type: 'string',
      description: 'Name of the pod that attaches the volume.',
    },
    attachPodUID: {
      type: 'string',
      description: 'UID of the pod that attaches the volume.',
    },
  },
}

export const DomainMemoryDumpInfo: StructuralSchema = {
  type: 'object',
  description: 'Status of a memory dump.',
  properties: {
    startTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the dump started.',
    },
    endTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the dump ended.',
    },
    claimName: {
      type: 'string',
      description: 'Name of the PersistentVolumeClaim with the dump.',
    },
    targetFileName: {
      type: 'string',
      description: 'Name of the file with the dump.',
    },
  },
}

export const ContainerDiskInfo: StructuralSchema = {
  type: 'object',
  description: 'Status of a container disk.',
  properties: {
    checksum: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'Checksum of the container disk; deprecated.',
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
      description: 'Name of the device in the guest, such as `vda`.',
    },
    phase: {
      type: 'string',
      description: 'Phase of the attachment of the volume.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the phase, as one word in CamelCase.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the phase.',
    },
    persistentVolumeClaimInfo: {
      ...PersistentVolumeClaimInfo,
      description: 'PersistentVolumeClaim of the volume.',
    },
    hotplugVolume: {
      ...HotplugVolumeStatus,
      description: 'Status of a hotplugged volume.',
    },
    size: {
      type: 'integer',
      format: 'int64',
      description: 'Size in bytes.',
    },
    memoryDumpVolume: {
      ...DomainMemoryDumpInfo,
      description: 'Status of a memory dump volume.',
    },
    containerDiskVolume: {
      ...ContainerDiskInfo,
      description: 'Status of a container disk.',
    },
  },
  required: ['name', 'target'],
}

export const KernelArtifactInfo: StructuralSchema = {
  type: 'object',
  description: 'Information about a kernel or initrd.',
  properties: {
    checksum: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'Checksum of the file; deprecated.',
      maximum: 4294967295,
    },
  },
}

export const KernelBootStatus: StructuralSchema = {
  type: 'object',
  description: 'Status of a kernel that was booted directly.',
  properties: {
    kernelInfo: {
      ...KernelArtifactInfo,
      description: 'Information about the kernel.',
    },
    initrdInfo: {
      ...KernelArtifactInfo,
      description: 'Information about the initrd.',
    },
  },
}

export const TopologyHints: StructuralSchema = {
  type: 'object',
  description: 'Requirements on the topology of a node.',
  properties: {
    tscFrequency: {
      type: 'integer',
      format: 'int64',
      description: 'Frequency of the TSC in hertz.',
    },
  },
}

export const StorageMigratedVolumeInfo: StructuralSchema = {
  type: 'object',
  description: 'Volume that is being migrated.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume.',
    },
    sourcePVCInfo: {
      ...PersistentVolumeClaimInfo,
      description: 'PersistentVolumeClaim that the volume is migrated from.',
    },
    destinationPVCInfo: {
      ...PersistentVolumeClaimInfo,
      description: 'PersistentVolumeClaim that the volume is migrated to.',
    },
  },
  required: ['volumeName'],
}

export const VirtualMachineInstanceBackupVolumeInfo: StructuralSchema = {
  type: 'object',
  description: 'Volume in a backup.',
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
  description: 'Status of a backup.',
  properties: {
    backupName: {
      type: 'string',
      description: 'Name of the backup.',
    },
    startTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the backup started.',
    },
    endTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the backup ended.',
    },
    completed: {
      type: 'boolean',
      description: 'True if the backup has ended.',
    },
    failed: {
      type: 'boolean',
      description: 'True if the backup failed.',
    },
    backupMsg: {
      type: 'string',
      description: 'Human-readable explanation of the result.',
    },
    checkpointName: {
      type: 'string',
      description: 'Name of the checkpoint.',
    },
    volumes: {
      type: 'array',
      items: VirtualMachineInstanceBackupVolumeInfo,
      description: 'Volumes in the backup.',
      'x-kubernetes-list-type': 'atomic',
    },
    quiesceStatus: {
      type: 'string',
      description: 'Status of the quiescing of the guest\'s file systems.',
    },
  },
}

export const ChangedBlockTrackingStatus: StructuralSchema = {
  type: 'object',
  description: 'Status of changed block tracking.',
  properties: {
    state: {
      type: 'string',
      description: 'State of changed block tracking.',
    },
    backupStatus: {
      ...VirtualMachineInstanceBackupStatus,
      nullable: true,
      description: 'Status of the last backup.',
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
      description: 'PCI address of the device.',
    },
    mDevUUID: {
      type: 'string',
      description: 'UUID of the mediated device.',
    },
  },
}

export const DeviceResourceClaimStatus: StructuralSchema = {
  type: 'object',
  description: 'ResourceClaim and attributes of a device.',
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
  description: 'Device from a ResourceClaim.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the device.',
    },
    deviceResourceClaimStatus: {
      ...DeviceResourceClaimStatus,
      description: 'ResourceClaim and attributes of the device.',
    },
  },
  required: ['name'],
}

export const DeviceStatus: StructuralSchema = {
  type: 'object',
  description: 'Devices from ResourceClaims.',
  properties: {
    gpuStatuses: {
      type: 'array',
      items: DeviceStatusInfo,
      description: 'GPUs from ResourceClaims.',
      'x-kubernetes-list-type': 'atomic',
    },
    hostDeviceStatuses: {
      type: 'array',
      items: DeviceStatusInfo,
      description: 'Host devices from ResourceClaims.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VirtualMachineInstanceStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a VMI.',
  properties: {
    steadyvm: {
      ...VirtualMachineInstanceSteadyStatus,
      description: 'Status of the VMI that steadyvm adds to the fields of KubeVirt.',
    },
    nodeName: {
      type: 'string',
      description: 'Name of the node that runs the guest.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the state of the VMI, as one word in CamelCase.',
    },
    conditions: {
      type: 'array',
      items: VirtualMachineInstanceCondition,
      description: 'Conditions of the VMI.',
    },
    phase: {
      type: 'string',
      description: 'Phase of the VMI.',
    },
    phaseTransitionTimestamps: {
      type: 'array',
      items: VirtualMachineInstancePhaseTransitionTimestamp,
      description: 'Time at which each phase started.',
      'x-kubernetes-list-type': 'atomic',
    },
    interfaces: {
      type: 'array',
      items: VirtualMachineInstanceNetworkInterface,
      description: 'Network interfaces, as observed from outside and inside of the guest.',
    },
    guestOSInfo: {
      ...VirtualMachineInstanceGuestOSInfo,
      description: 'Operating system of the guest.',
    },
    migrationState: {
      ...VirtualMachineInstanceMigrationState,
      description: 'State of the current or last migration.',
    },
    migrationMethod: {
      type: 'string',
      description: 'Migration method: LiveMigration or BlockMigration.',
    },
    migrationTransport: {
      type: 'string',
      description: 'Migration transport: Unix.',
    },
    qosClass: {
      type: 'string',
      description: 'QoS class of the VMI: Guaranteed, Burstable or BestEffort.',
    },
    launcherContainerImageVersion: {
      type: 'string',
      description: 'Image of the launcher.',
    },
    evacuationNodeName: {
      type: 'string',
      description: 'Name of the node that the VMI should be evacuated from.',
    },
    activePods: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Node names of the active pods by pod UID. Contains two pods during a migration.',
    },
    volumeStatus: {
      type: 'array',
      items: VolumeStatus,
      description: 'Status of the volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    kernelBootStatus: {
      ...KernelBootStatus,
      description: 'Status of the kernel that was booted directly.',
    },
    fsFreezeStatus: {
      type: 'string',
      description: 'Freeze status of the guest\'s file systems: `frozen` while their freeze is requested.',
    },
    topologyHints: {
      ...TopologyHints,
      description: 'Requirements on the topology of the node.',
    },
    virtualMachineRevisionName: {
      type: 'string',
      description: 'Name of the ControllerRevision with the VM spec from which the VMI was created.',
    },
    runtimeUser: {
      type: 'integer',
      format: 'int64',
      description: 'User ID of the launcher.',
      minimum: 0,
    },
    VSOCKCID: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'Context ID (CID) of the guest for vsock connections between guest and node.',
      maximum: 4294967295,
    },
    selinuxContext: {
      type: 'string',
      description: 'SELinux label of the pod.',
    },
    machine: {
      ...Machine,
      description: 'Machine type, resolved to a version.',
    },
    currentCPUTopology: {
      ...CPUTopology,
      description: 'Current CPU topology.',
    },
    memory: {
      ...MemoryStatus,
      description: 'Current memory.',
    },
    migratedVolumes: {
      type: 'array',
      items: StorageMigratedVolumeInfo,
      description: 'Volumes that are being migrated.',
      'x-kubernetes-list-type': 'atomic',
    },
    changedBlockTracking: {
      ...ChangedBlockTrackingStatus,
      nullable: true,
      description: 'Status of changed block tracking.',
    },
    deviceStatus: {
      ...DeviceStatus,
      description: 'Devices from ResourceClaims.',
    },
  },
}

export const VirtualMachineInstance: StructuralSchema = {
  type: 'object',
  description: 'Guest that is running or about to run.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...VirtualMachineInstanceSpec,
      description: 'Desired state of the VMI.',
    },
    status: {
      ...VirtualMachineInstanceStatus,
      description: 'Observed state of the VMI.',
    },
  },
  required: ['spec'],
}

export const InstancetypeMatcher: StructuralSchema = {
  type: 'object',
  description: 'Reference to an instance type.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the instance type.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the instance type: VirtualMachineInstancetype or VirtualMachineClusterInstancetype; the latter when absent.',
    },
    revisionName: {
      type: 'string',
      description: 'Name of the ControllerRevision with the copy to use, in the namespace of the VM.',
    },
    inferFromVolume: {
      type: 'string',
      description: 'Name of the volume whose labels name the instance type.',
    },
    inferFromVolumeFailurePolicy: {
      type: 'string',
      description: 'Policy for a volume without these labels: Reject or Ignore; Reject when absent.',
    },
  },
}

export const PreferenceMatcher: StructuralSchema = {
  type: 'object',
  description: 'Reference to a preference.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the preference.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the preference: VirtualMachinePreference or VirtualMachineClusterPreference; the latter when absent.',
    },
    revisionName: {
      type: 'string',
      description: 'Name of the ControllerRevision with the copy to use, in the namespace of the VM.',
    },
    inferFromVolume: {
      type: 'string',
      description: 'Name of the volume whose labels name the preference.',
    },
    inferFromVolumeFailurePolicy: {
      type: 'string',
      description: 'Policy for a volume without these labels: Reject or Ignore; Reject when absent.',
    },
  },
}

export const DataVolumeTemplateDummyStatus: StructuralSchema = {
  type: 'object',
  description: 'Unused status without fields.',
}

export const DataVolumeTemplateSpec: StructuralSchema = {
  type: 'object',
  description: 'DataVolume that is created for a VM.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'API version of the DataVolume: `cdi.kubevirt.io/v1beta1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object: `DataVolume`.',
    },
    metadata: {
      type: 'object',
      description: 'Name, labels and annotations of the DataVolume.',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    spec: {
      ...DataVolumeSpec,
      description: 'Storage and source of the volume.',
    },
    status: {
      ...DataVolumeTemplateDummyStatus,
      nullable: true,
      description: 'Unused; kept for compatibility.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a VM.',
  properties: {
    running: {
      type: 'boolean',
      description: 'Deprecated form of runStrategy: true is Always, false is Halted. Excludes runStrategy.',
    },
    runStrategy: {
      type: 'string',
      description: 'Policy for the start and restart of the guest: Always, Halted, Manual, RerunOnFailure, Once or WaitAsReceiver. Excludes running.',
    },
    instancetype: {
      ...InstancetypeMatcher,
      description: 'Instance type with the CPUs, memory and other resources of the guest.',
    },
    preference: {
      ...PreferenceMatcher,
      description: 'Preference with values for fields that the template leaves unset.',
    },
    template: {
      ...VirtualMachineInstanceTemplateSpec,
      description: 'Template of the VMI.',
    },
    dataVolumeTemplates: {
      type: 'array',
      items: DataVolumeTemplateSpec,
      description: 'DataVolumes that are created for the VM and deleted with the VM.',
    },
    updateVolumesStrategy: {
      type: 'string',
      description: 'Policy for a change of volumes: Replacement or Migration.',
    },
  },
  required: ['template'],
}

export const VirtualMachineCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a VM.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Ready, Failure, Paused, RestartRequired …',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last change of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the status, as one word in CamelCase.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the status.',
    },
  },
  required: ['type', 'status'],
}

export const VirtualMachineStateChangeRequest: StructuralSchema = {
  type: 'object',
  description: 'Request to start or stop a VM.',
  properties: {
    action: {
      type: 'string',
      description: 'Action: Start or Stop.',
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
      description: 'UID of the VMI to which the request applies.',
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
      description: 'PersistentVolumeClaim in the same namespace.',
    },
    dataVolume: {
      ...DataVolumeVolumeSource,
      description: 'PersistentVolumeClaim that a DataVolume populates.',
    },
  },
}

export const AddVolumeOptions: StructuralSchema = {
  type: 'object',
  description: 'Volume to hotplug.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the disk and of the volume.',
    },
    disk: {
      ...Disk,
      description: 'Disk of the volume.',
    },
    volumeSource: {
      ...HotplugVolumeSource,
      description: 'Source of the volume.',
    },
    dryRun: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Dry run. With `All`, the request changes nothing.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['name', 'disk', 'volumeSource'],
}

export const RemoveVolumeOptions: StructuralSchema = {
  type: 'object',
  description: 'Volume to unplug.',
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
      description: 'Dry run. With `All`, the request changes nothing.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['name'],
}

export const VirtualMachineVolumeRequest: StructuralSchema = {
  type: 'object',
  description: 'Request to hotplug or unplug a volume.',
  properties: {
    addVolumeOptions: {
      ...AddVolumeOptions,
      description: 'Volume to hotplug.',
    },
    removeVolumeOptions: {
      ...RemoveVolumeOptions,
      description: 'Volume to unplug.',
    },
  },
}

export const VolumeSnapshotStatus: StructuralSchema = {
  type: 'object',
  description: 'Support of snapshots by a volume.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    enabled: {
      type: 'boolean',
      description: 'True if snapshots can include the volume.',
    },
    reason: {
      type: 'string',
      description: 'Reason why snapshots cannot include the volume.',
    },
  },
  required: ['name', 'enabled'],
}

export const VirtualMachineStartFailure: StructuralSchema = {
  type: 'object',
  description: 'Consecutive failed starts of a VM.',
  properties: {
    consecutiveFailCount: {
      type: 'integer',
      format: 'int64',
      description: 'Number of consecutive failed starts.',
    },
    lastFailedVMIUID: {
      type: 'string',
      description: 'UID of the VMI of the last failed start.',
    },
    retryAfterTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Earliest time of the next start.',
    },
  },
}

export const VirtualMachineMemoryDumpRequest: StructuralSchema = {
  type: 'object',
  description: 'Status of a memory dump.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the PersistentVolumeClaim that the dump is written to.',
    },
    phase: {
      type: 'string',
      description: 'Phase of the memory dump.',
    },
    remove: {
      type: 'boolean',
      description: 'True if the PersistentVolumeClaim is to be unplugged.',
    },
    startTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the dump started.',
    },
    endTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the dump ended.',
    },
    fileName: {
      type: 'string',
      description: 'Name of the file that the dump is written to.',
    },
    message: {
      type: 'string',
      description: 'Error message of a failed dump.',
    },
  },
  required: ['claimName', 'phase'],
}

export const VolumeMigrationState: StructuralSchema = {
  type: 'object',
  description: 'Progress of a migration of volumes.',
  properties: {
    migratedVolumes: {
      type: 'array',
      items: StorageMigratedVolumeInfo,
      description: 'Volumes that are migrated.',
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
      description: 'Progress of a migration of volumes.',
    },
  },
}

export const ControllerRevisionRef: StructuralSchema = {
  type: 'object',
  description: 'Reference to a ControllerRevision.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ControllerRevision.',
    },
  },
}

export const InstancetypeStatusRef: StructuralSchema = {
  type: 'object',
  description: 'Instance type or preference in use.',
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
      description: 'Reference to the ControllerRevision with the copy in use.',
    },
    inferFromVolume: {
      type: 'string',
      description: 'Name of the volume whose labels name the object.',
    },
    inferFromVolumeFailurePolicy: {
      type: 'string',
      description: 'Policy for a volume without these labels.',
    },
  },
}

export const PinnedHardwareStatus: StructuralSchema = {
  type: 'object',
  description: 'Recorded state of the instance type or preference of a VM.',
  properties: {
    specRevisionName: {
      type: 'string',
      description: 'Name of the revision in the spec when the spec was last processed. When the name is removed from the spec, the VM takes the newest generation.',
    },
    newerGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Current generation of the object, if its content differs from the copy in use.',
    },
    history: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the revisions that the VM has used, newest first, if they are shared with other VMs. Revisions that the VM owns need no entry. The VM can be rolled back to each of the revisions.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ResolvedResources: StructuralSchema = {
  type: 'object',
  description: 'CPUs and memory of a guest, from all sources.',
  properties: {
    sockets: {
      type: 'integer',
      format: 'int64',
      description: 'Number of sockets.',
    },
    cores: {
      type: 'integer',
      format: 'int64',
      description: 'Number of cores for each socket.',
    },
    threads: {
      type: 'integer',
      format: 'int64',
      description: 'Number of threads for each core.',
    },
    memory: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Size of the guest\'s memory.',
    },
  },
}

export const HardwareStatusEntry: StructuralSchema = {
  type: 'object',
  description: 'Hardware that a guest had from some point in time.',
  properties: {
    fingerprint: {
      type: 'string',
      description: 'SHA-256 of the facts about the hardware that is visible to the guest.',
    },
    since: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the guest was first observed with this hardware.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the difference from the previous hardware, as one word in CamelCase.',
    },
    qemu: {
      type: 'string',
      description: 'Version of QEMU in which the hardware was first observed.',
    },
    release: {
      type: 'string',
      description: 'Image of the launcher in which the hardware was first observed.',
    },
  },
  required: ['fingerprint', 'since', 'reason', 'qemu'],
}

export const HardwareStatus: StructuralSchema = {
  type: 'object',
  description: 'Summary of the hardware that is visible to a guest. The HardwareRecord with the name of the VM contains the facts.',
  properties: {
    fingerprint: {
      type: 'string',
      description: 'SHA-256 of the facts about the hardware that is visible to the guest. The same hardware has the same fingerprint in each release of QEMU.',
    },
    version: {
      type: 'integer',
      format: 'int64',
      description: 'Version of the format of the facts. Fingerprints of different versions cannot be compared.',
    },
    launch: {
      type: 'string',
      description: 'Digest of the launch arguments of the guest.',
    },
    history: {
      type: 'array',
      items: HardwareStatusEntry,
      description: 'History of the hardware, newest entry first. The first entry is the current hardware. The oldest entries are removed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['fingerprint', 'version', 'launch', 'history'],
}

export const VirtualMachineSteadyStatus: StructuralSchema = {
  type: 'object',
  description: 'Status of a VM that steadyvm adds.',
  properties: {
    instancetype: {
      ...PinnedHardwareStatus,
      description: 'Recorded state of the instance type.',
    },
    preference: {
      ...PinnedHardwareStatus,
      description: 'Recorded state of the preference.',
    },
    refresh: {
      type: 'string',
      description: 'Value of the annotation `steadyvm.io/refresh` at the last refresh that was carried out.',
    },
    replaced: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Names of the successors of replaced revisions, by the old name. A successor has the same content, and the old name stays valid.',
    },
    resources: {
      ...ResolvedResources,
      description: 'CPUs and memory at the next start.',
    },
    hardware: {
      ...HardwareStatus,
      description: 'Hardware that is visible to the guest.',
    },
  },
}

export const VirtualMachineStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a VM.',
  properties: {
    snapshotInProgress: {
      type: 'string',
      description: 'Name of the VirtualMachineSnapshot in progress.',
    },
    restoreInProgress: {
      type: 'string',
      description: 'Name of the VirtualMachineRestore in progress.',
    },
    created: {
      type: 'boolean',
      description: 'True if the VMI of the VM exists.',
    },
    ready: {
      type: 'boolean',
      description: 'True if the guest is running and ready.',
    },
    printableStatus: {
      type: 'string',
      description: 'Human-readable state of the VM, as one word.',
      default: 'Stopped',
    },
    conditions: {
      type: 'array',
      items: VirtualMachineCondition,
      description: 'Conditions of the VM.',
    },
    stateChangeRequests: {
      type: 'array',
      items: VirtualMachineStateChangeRequest,
      description: 'Pending requests to start, stop or restart the VM.',
    },
    volumeRequests: {
      type: 'array',
      items: VirtualMachineVolumeRequest,
      description: 'Pending requests to hotplug or unplug volumes.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeSnapshotStatuses: {
      type: 'array',
      items: VolumeSnapshotStatus,
      description: 'Support of snapshots by each volume.',
    },
    startFailure: {
      ...VirtualMachineStartFailure,
      nullable: true,
      description: 'Number and retry of consecutive failed starts.',
    },
    memoryDumpRequest: {
      ...VirtualMachineMemoryDumpRequest,
      nullable: true,
      description: 'Status of a memory dump.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the VM from which the running VMI was created.',
    },
    desiredGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the VM from which the running VMI should be created.',
    },
    runStrategy: {
      type: 'string',
      description: 'Run strategy that was last applied.',
    },
    volumeUpdateState: {
      ...VolumeUpdateState,
      description: 'Progress of a change of volumes.',
    },
    changedBlockTracking: {
      ...ChangedBlockTrackingStatus,
      nullable: true,
      description: 'Status of changed block tracking.',
    },
    instancetypeRef: {
      ...InstancetypeStatusRef,
      nullable: true,
      description: 'Instance type in use.',
    },
    preferenceRef: {
      ...InstancetypeStatusRef,
      nullable: true,
      description: 'Preference in use.',
    },
    steadyvm: {
      ...VirtualMachineSteadyStatus,
      description: 'Status of the VM that steadyvm adds to the fields of KubeVirt.',
    },
  },
}

export const VirtualMachine: StructuralSchema = {
  type: 'object',
  description: 'VM that can be started and stopped.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      type: 'object',
    },
    spec: {
      ...VirtualMachineSpec,
      description: 'Desired state of the VM.',
    },
    status: {
      ...VirtualMachineStatus,
      description: 'Observed state of the VM.',
    },
  },
  required: ['spec'],
}

export const StartOptions: StructuralSchema = {
  type: 'object',
  description: 'Options of the start subresource.',
  properties: {
    paused: {
      type: 'boolean',
      description: 'Starts the guest in the paused state.',
    },
    dryRun: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Dry run. With `All`, the request changes nothing.',
    },
  },
}

export const StopOptions: StructuralSchema = {
  type: 'object',
  description: 'Options of the stop subresource.',
  properties: {
    gracePeriod: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds between the shutdown request to the guest and its forced termination.',
    },
    dryRun: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Dry run. With `All`, the request changes nothing.',
    },
  },
}

export const RestartOptions: StructuralSchema = {
  type: 'object',
  description: 'Options of the restart subresource.',
  properties: {
    gracePeriodSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Grace period in seconds; 0 terminates the guest at once.',
    },
    dryRun: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Dry run. With `All`, the request changes nothing.',
    },
  },
}

export const VolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Source of a volume; exactly one member is set.',
  properties: {
    hostDisk: {
      ...HostDisk,
      description: 'Disk image on the node.',
    },
    persistentVolumeClaim: {
      ...PersistentVolumeClaimVolumeSource,
      description: 'PersistentVolumeClaim in the same namespace.',
    },
    cloudInitNoCloud: {
      ...CloudInitNoCloudSource,
      description: 'Data for cloud-init on a NoCloud disk.',
    },
    cloudInitConfigDrive: {
      ...CloudInitConfigDriveSource,
      description: 'Data for cloud-init on a config drive.',
    },
    sysprep: {
      ...SysprepSource,
      description: 'Answer files for the setup of Windows (Sysprep).',
    },
    containerDisk: {
      ...ContainerDiskSource,
      description: 'Disk image in a container image.',
    },
    ephemeral: {
      ...EphemeralVolumeSource,
      description: 'PersistentVolumeClaim in the same namespace, as read-only base of an ephemeral disk.',
    },
    emptyDisk: {
      ...EmptyDiskSource,
      description: 'Empty disk with the lifetime of the VMI.',
    },
    dataVolume: {
      ...DataVolumeVolumeSource,
      description: 'PersistentVolumeClaim that a DataVolume populates.',
    },
    configMap: {
      ...ConfigMapVolumeSource,
      description: 'Keys of a ConfigMap as files.',
    },
    secret: {
      ...SecretVolumeSource,
      description: 'Keys of a Secret as files.',
    },
    downwardAPI: {
      ...DownwardAPIVolumeSource,
      description: 'Fields of the pod as files.',
    },
    serviceAccount: {
      ...ServiceAccountVolumeSource,
      description: 'Token of a service account.',
    },
    downwardMetrics: {
      ...DownwardMetricsVolumeSource,
      description: 'Metrics of the node as a disk.',
    },
    memoryDump: {
      ...MemoryDumpVolumeSource,
      description: 'PersistentVolumeClaim for memory dumps.',
    },
    containerPath: {
      ...ContainerPathVolumeSource,
      description: 'Path in the container of the launcher.',
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
  VirtualMachineInstanceReplicaSet: VirtualMachineInstanceReplicaSet,
}
