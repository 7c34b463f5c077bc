// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { BlockSize, CPUFeature, ClockOffset, DiskIOThreads, EFI, FeatureAPIC, FeatureHyperv, FeatureKVM, FeatureState, GPU, HostDevice, Hugepages, InterfaceMasquerade, LaunchSecurity, NUMA, Realtime, Rng, TPMDevice, Timer, VGPUOptions } from '#api/kubevirt/v1/schema.generated.ts'

export const CPUInstancetype: StructuralSchema = {
  type: 'object',
  description: 'Virtual CPUs of an instance type.',
  properties: {
    guest: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of virtual CPUs.',
    },
    model: {
      type: 'string',
      description: 'CPU model: `host-model`, `host-passthrough` or the name of a model.',
    },
    dedicatedCPUPlacement: {
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
    maxSockets: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Maximum number of sockets after CPU hotplug.',
    },
  },
  required: ['guest'],
}

export const MemoryInstancetype: StructuralSchema = {
  type: 'object',
  description: 'Memory of an instance type.',
  properties: {
    guest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Size of the guest\'s memory.',
    },
    hugepages: {
      ...Hugepages,
      description: 'Huge pages as backing of the guest\'s memory.',
    },
    overcommitPercent: {
      type: 'integer',
      format: 'int32',
      description: 'Percentage of the guest\'s memory that is left out of the memory request. Default 0.',
      minimum: 0,
      maximum: 100,
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
  required: ['guest'],
}

export const VirtualMachineInstancetypeSpec: StructuralSchema = {
  type: 'object',
  description: 'Resources that an instance type gives to a VMI. A VM that sets one of these fields too is in conflict with the instance type.',
  properties: {
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the node must have.',
    },
    schedulerName: {
      type: 'string',
      description: 'Name of the scheduler that places the VMI.',
    },
    cpu: {
      ...CPUInstancetype,
      description: 'Virtual CPUs.',
    },
    memory: {
      ...MemoryInstancetype,
      description: 'Memory.',
    },
    gpus: {
      type: 'array',
      items: GPU,
      description: 'GPUs of the node that are passed through to the guest.',
      'x-kubernetes-list-type': 'atomic',
    },
    hostDevices: {
      type: 'array',
      items: HostDevice,
      description: 'Host devices of the node that are passed through to the guest.',
      'x-kubernetes-list-type': 'atomic',
    },
    ioThreadsPolicy: {
      type: 'string',
      description: 'Policy for the sharing of I/O threads between disks: shared, auto or supplementalPool.',
    },
    ioThreads: {
      ...DiskIOThreads,
      description: 'Settings of I/O threads.',
    },
    annotations: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Annotations of the VMI.',
    },
  },
  required: ['cpu', 'memory'],
}

export const VirtualMachineInstancetype: StructuralSchema = {
  type: 'object',
  description: 'Instance type for the VMs of one namespace: CPUs, memory and other resources.',
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
      ...VirtualMachineInstancetypeSpec,
      description: 'CPUs, memory and other resources.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineClusterInstancetype: StructuralSchema = {
  type: 'object',
  description: 'Instance type for the VMs of all namespaces: CPUs, memory and other resources.',
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
      ...VirtualMachineInstancetypeSpec,
      description: 'CPUs, memory and other resources.',
    },
  },
  required: ['spec'],
}

export const ClockPreferences: StructuralSchema = {
  type: 'object',
  description: 'Preferred clock and timers.',
  properties: {
    preferredClockOffset: {
      ...ClockOffset,
      description: 'Offset of the guest\'s clock.',
    },
    preferredTimer: {
      ...Timer,
      description: 'Timers of the guest.',
    },
  },
}

export const SpreadOptions: StructuralSchema = {
  type: 'object',
  description: 'Settings for the spread topology.',
  properties: {
    across: {
      type: 'string',
      description: 'Levels of the topology to spread the virtual CPUs across: SocketsCores, SocketsCoresThreads or CoresThreads.',
    },
    ratio: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Ratio of the second level of the topology to the first; 2 when absent.',
    },
  },
}

export const CPUPreferences: StructuralSchema = {
  type: 'object',
  description: 'Preferred CPU topology and features.',
  properties: {
    preferredCPUTopology: {
      type: 'string',
      description: 'Topology of the virtual CPUs of the instance type.',
      enum: ['sockets', 'cores', 'threads', 'spread', 'any'],
    },
    spreadOptions: {
      ...SpreadOptions,
      description: 'Settings for the spread topology.',
    },
    preferredCPUFeatures: {
      type: 'array',
      items: CPUFeature,
      description: 'CPU features to add to the model or to remove from the model.',
    },
  },
}

export const DevicePreferences: StructuralSchema = {
  type: 'object',
  description: 'Preferred devices.',
  properties: {
    preferredAutoattachGraphicsDevice: {
      type: 'boolean',
      description: 'Adds a video device.',
    },
    preferredAutoattachMemBalloon: {
      type: 'boolean',
      description: 'Adds a memory balloon.',
    },
    preferredAutoattachPodInterface: {
      type: 'boolean',
      description: 'Adds an interface on the pod network.',
    },
    preferredAutoattachSerialConsole: {
      type: 'boolean',
      description: 'Adds a serial console.',
    },
    preferredAutoattachInputDevice: {
      type: 'boolean',
      description: 'Adds an input device.',
    },
    preferredDisableHotplug: {
      type: 'boolean',
      description: 'Disables the hotplug of disks.',
    },
    preferredVirtualGPUOptions: {
      ...VGPUOptions,
      description: 'Settings of virtual GPUs.',
    },
    preferredSoundModel: {
      type: 'string',
      description: 'Model of the sound device.',
    },
    preferredUseVirtioTransitional: {
      type: 'boolean',
      description: 'Uses transitional virtio devices, which support virtio 0.9.',
    },
    preferredInputBus: {
      type: 'string',
      description: 'Bus of input devices: virtio or usb.',
    },
    preferredInputType: {
      type: 'string',
      description: 'Type of input devices: tablet or keyboard.',
    },
    preferredDiskBus: {
      type: 'string',
      description: 'Bus of disks: virtio, sata, scsi or usb.',
    },
    preferredLunBus: {
      type: 'string',
      description: 'Bus of LUNs: virtio, sata or scsi.',
    },
    preferredCdromBus: {
      type: 'string',
      description: 'Bus of CD-ROMs: virtio, sata or scsi.',
    },
    preferredDiskDedicatedIoThread: {
      type: 'boolean',
      description: 'Gives each virtio disk a dedicated I/O thread.',
    },
    preferredDiskCache: {
      type: 'string',
      description: 'Cache mode of disks: none, writethrough or writeback.',
    },
    preferredDiskIO: {
      type: 'string',
      description: 'I/O mode of disks: native, default or threads.',
    },
    preferredDiskBlockSize: {
      ...BlockSize,
      description: 'Block sizes of disks.',
    },
    preferredInterfaceModel: {
      type: 'string',
      description: 'Model of network interfaces.',
    },
    preferredRng: {
      ...Rng,
      description: 'Random number generator with the node as entropy source.',
    },
    preferredBlockMultiQueue: {
      type: 'boolean',
      description: 'Gives each disk one queue for each virtual CPU.',
    },
    preferredNetworkInterfaceMultiQueue: {
      type: 'boolean',
      description: 'Gives each network interface one queue for each virtual CPU.',
    },
    preferredTPM: {
      ...TPMDevice,
      description: 'TPM device.',
    },
    preferredInterfaceMasquerade: {
      ...InterfaceMasquerade,
      description: 'Masquerade (NAT) as binding of interfaces on the pod network.',
    },
    preferredPanicDeviceModel: {
      type: 'string',
      description: 'Model of the panic device: hyperv, isa or pvpanic.',
    },
    preferredVideoType: {
      type: 'string',
      description: 'Type of the video device.',
    },
  },
}

export const FeaturePreferences: StructuralSchema = {
  type: 'object',
  description: 'Preferred features of the machine.',
  properties: {
    preferredAcpi: {
      ...FeatureState,
      description: 'ACPI support.',
    },
    preferredApic: {
      ...FeatureAPIC,
      description: 'APIC, the interrupt controller of x86.',
    },
    preferredHyperv: {
      ...FeatureHyperv,
      description: 'Hyper-V enlightenments.',
    },
    preferredKvm: {
      ...FeatureKVM,
      description: 'Visibility of KVM to the guest.',
    },
    preferredPvspinlock: {
      ...FeatureState,
      description: 'Paravirtualized spinlocks.',
    },
    preferredSmm: {
      ...FeatureState,
      description: 'System management mode (SMM).',
    },
  },
}

export const FirmwarePreferences: StructuralSchema = {
  type: 'object',
  description: 'Preferred firmware.',
  properties: {
    preferredUseBios: {
      type: 'boolean',
      description: 'Boots with BIOS.',
    },
    preferredUseBiosSerial: {
      type: 'boolean',
      description: 'Sends the output of the BIOS to the serial console.',
    },
    preferredEfi: {
      ...EFI,
      description: 'EFI with these settings.',
    },
  },
}

export const MachinePreferences: StructuralSchema = {
  type: 'object',
  description: 'Preferred machine type.',
  properties: {
    preferredMachineType: {
      type: 'string',
      description: 'Machine type, such as `q35` or `virt`.',
    },
  },
}

export const VolumePreferences: StructuralSchema = {
  type: 'object',
  description: 'Preferred settings of volumes.',
  properties: {
    preferredStorageClassName: {
      type: 'string',
      description: 'Storage class of PersistentVolumeClaims without one.',
    },
  },
}

export const CPUPreferenceRequirement: StructuralSchema = {
  type: 'object',
  description: 'Minimum number of virtual CPUs that a guest needs.',
  properties: {
    guest: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of virtual CPUs.',
    },
  },
  required: ['guest'],
}

export const MemoryPreferenceRequirement: StructuralSchema = {
  type: 'object',
  description: 'Minimum size of the memory that a guest needs.',
  properties: {
    guest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'Size of the memory.',
    },
  },
  required: ['guest'],
}

export const PreferenceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Minimum requirements of a guest.',
  properties: {
    cpu: {
      ...CPUPreferenceRequirement,
      description: 'Minimum number of virtual CPUs.',
    },
    memory: {
      ...MemoryPreferenceRequirement,
      description: 'Minimum size of the memory.',
    },
    architecture: {
      type: 'string',
      description: 'Required CPU architecture.',
    },
  },
}

export const VirtualMachinePreferenceSpec: StructuralSchema = {
  type: 'object',
  description: 'Values for fields that the VM leaves unset.',
  properties: {
    clock: {
      ...ClockPreferences,
      description: 'Clock and timers.',
    },
    cpu: {
      ...CPUPreferences,
      description: 'Virtual CPUs.',
    },
    devices: {
      ...DevicePreferences,
      description: 'Devices.',
    },
    features: {
      ...FeaturePreferences,
      description: 'Features of the machine.',
    },
    firmware: {
      ...FirmwarePreferences,
      description: 'Firmware.',
    },
    machine: {
      ...MachinePreferences,
      description: 'Machine type.',
    },
    volumes: {
      ...VolumePreferences,
      description: 'Volumes.',
    },
    preferredSubdomain: {
      type: 'string',
      description: 'Subdomain of the guest\'s host name.',
    },
    preferredTerminationGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds between the shutdown request to the guest and its forced termination.',
    },
    requirements: {
      ...PreferenceRequirements,
      description: 'Minimum requirements of the guest. A VM with fewer resources is rejected.',
    },
    annotations: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Annotations of the VMI.',
    },
    preferredArchitecture: {
      type: 'string',
      description: 'CPU architecture.',
    },
    preferredLaunchSecurity: {
      ...LaunchSecurity,
      description: 'Encryption of the guest\'s memory against access by the node.',
    },
  },
}

export const VirtualMachinePreference: StructuralSchema = {
  type: 'object',
  description: 'Preference for the VMs of one namespace: values for fields that a VM leaves unset.',
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
      ...VirtualMachinePreferenceSpec,
      description: 'Preferred values.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineClusterPreference: StructuralSchema = {
  type: 'object',
  description: 'Preference for the VMs of all namespaces: values for fields that a VM leaves unset.',
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
      ...VirtualMachinePreferenceSpec,
      description: 'Preferred values.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  VirtualMachineClusterInstancetype: VirtualMachineClusterInstancetype,
  VirtualMachineClusterPreference: VirtualMachineClusterPreference,
  VirtualMachineInstancetype: VirtualMachineInstancetype,
  VirtualMachinePreference: VirtualMachinePreference,
}
