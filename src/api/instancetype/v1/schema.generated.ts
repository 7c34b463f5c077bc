// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { BlockSize, CPUFeature, ClockOffset, DiskIOThreads, EFI, FeatureAPIC, FeatureHyperv, FeatureKVM, FeatureState, GPU, HostDevice, Hugepages, InterfaceMasquerade, LaunchSecurity, NUMA, Realtime, Rng, TPMDevice, Timer, VGPUOptions } from '#api/kubevirt/v1/schema.generated.ts'

export const CPUInstancetype: StructuralSchema = {
  type: 'object',
  description: 'Virtual processors that an instance type gives.',
  properties: {
    guest: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'How many.',
    },
    model: {
      type: 'string',
      description: 'Model: `host-model`, `host-passthrough` or the name of a model.',
    },
    dedicatedCPUPlacement: {
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
    maxSockets: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Most sockets that can be plugged in while the guest runs.',
    },
  },
  required: ['guest'],
}

export const MemoryInstancetype: StructuralSchema = {
  type: 'object',
  description: 'Memory that an instance type gives.',
  properties: {
    guest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'How much.',
    },
    hugepages: {
      ...Hugepages,
      description: 'Backs it with huge pages.',
    },
    overcommitPercent: {
      type: 'integer',
      format: 'int32',
      description: 'Percentage that is left out of the request.',
      default: 0,
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
      description: 'Most that can be plugged in while the guest runs.',
    },
  },
  required: ['guest'],
}

export const VirtualMachineInstancetypeSpec: StructuralSchema = {
  type: 'object',
  description: 'Hardware that an instance type gives to a guest. A VM that sets one of these fields conflicts.',
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
      description: 'Name of the scheduler that places the guest.',
    },
    cpu: {
      ...CPUInstancetype,
      description: 'Virtual processors.',
    },
    memory: {
      ...MemoryInstancetype,
      description: 'Memory.',
    },
    gpus: {
      type: 'array',
      items: GPU,
      description: 'Graphics processors of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    hostDevices: {
      type: 'array',
      items: HostDevice,
      description: 'Devices of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    ioThreadsPolicy: {
      type: 'string',
      description: 'How disks share I/O threads: shared, auto or supplementalPool.',
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
      description: 'Annotations of the guest.',
    },
  },
  required: ['cpu', 'memory'],
}

export const VirtualMachineInstancetype: StructuralSchema = {
  type: 'object',
  description: 'Sizes guests of one namespace.',
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
      ...VirtualMachineInstancetypeSpec,
      description: 'The sizes.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineClusterInstancetype: StructuralSchema = {
  type: 'object',
  description: 'Sizes guests of all namespaces.',
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
      ...VirtualMachineInstancetypeSpec,
      description: 'The sizes.',
    },
  },
  required: ['spec'],
}

export const ClockPreferences: StructuralSchema = {
  type: 'object',
  description: 'Clock and timers.',
  properties: {
    preferredClockOffset: {
      ...ClockOffset,
      description: 'Offset of the clock.',
    },
    preferredTimer: {
      ...Timer,
      description: 'Timers of the guest.',
    },
  },
}

export const SpreadOptions: StructuralSchema = {
  type: 'object',
  description: 'Settings of the spread topology.',
  properties: {
    across: {
      type: 'string',
      description: 'SocketsCores, SocketsCoresThreads or CoresThreads.',
    },
    ratio: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'How many of the second for each of the first; 2 when absent.',
    },
  },
}

export const CPUPreferences: StructuralSchema = {
  type: 'object',
  description: 'Virtual processors.',
  properties: {
    preferredCPUTopology: {
      type: 'string',
      description: 'Topology of the instance type\'s CPUs.',
      enum: ['sockets', 'cores', 'threads', 'spread', 'any'],
    },
    spreadOptions: {
      ...SpreadOptions,
      description: 'Settings of the spread topology.',
    },
    preferredCPUFeatures: {
      type: 'array',
      items: CPUFeature,
      description: 'Features to add to the model or take away from it.',
    },
  },
}

export const DevicePreferences: StructuralSchema = {
  type: 'object',
  description: 'Devices.',
  properties: {
    preferredAutoattachGraphicsDevice: {
      type: 'boolean',
      description: 'Adds a graphics device.',
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
      description: 'Forbids plugging in disks while the guest runs.',
    },
    preferredVirtualGPUOptions: {
      ...VGPUOptions,
      description: 'Settings of virtual graphics processors.',
    },
    preferredSoundModel: {
      type: 'string',
      description: 'Model of the sound card.',
    },
    preferredUseVirtioTransitional: {
      type: 'boolean',
      description: 'Speaks virtio 0.9.',
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
      description: 'Bus of units: virtio, sata or scsi.',
    },
    preferredCdromBus: {
      type: 'string',
      description: 'Bus of CD-ROMs: virtio, sata or scsi.',
    },
    preferredDiskDedicatedIoThread: {
      type: 'boolean',
      description: 'Gives virtio disks an I/O thread of their own.',
    },
    preferredDiskCache: {
      type: 'string',
      description: 'Cache of disks: none, writethrough or writeback.',
    },
    preferredDiskIO: {
      type: 'string',
      description: 'I/O of disks: native, default or threads.',
    },
    preferredDiskBlockSize: {
      ...BlockSize,
      description: 'Sizes of disks\' blocks.',
    },
    preferredInterfaceModel: {
      type: 'string',
      description: 'Model of interfaces.',
    },
    preferredRng: {
      ...Rng,
      description: 'Random numbers from the node.',
    },
    preferredBlockMultiQueue: {
      type: 'boolean',
      description: 'Gives disks a queue for each processor.',
    },
    preferredNetworkInterfaceMultiQueue: {
      type: 'boolean',
      description: 'Gives interfaces a queue for each processor.',
    },
    preferredTPM: {
      ...TPMDevice,
      description: 'Trusted platform module.',
    },
    preferredInterfaceMasquerade: {
      ...InterfaceMasquerade,
      description: 'Puts interfaces on the pod network behind address translation.',
    },
    preferredPanicDeviceModel: {
      type: 'string',
      description: 'Model of the device that tells of the guest\'s panic: hyperv, isa or pvpanic.',
    },
    preferredVideoType: {
      type: 'string',
      description: 'Type of the graphics device.',
    },
  },
}

export const FeaturePreferences: StructuralSchema = {
  type: 'object',
  description: 'Features of the machine.',
  properties: {
    preferredAcpi: {
      ...FeatureState,
      description: 'ACPI.',
    },
    preferredApic: {
      ...FeatureAPIC,
      description: 'Interrupt controller of x86.',
    },
    preferredHyperv: {
      ...FeatureHyperv,
      description: 'Hyper-V enlightenments.',
    },
    preferredKvm: {
      ...FeatureKVM,
      description: 'How KVM shows itself.',
    },
    preferredPvspinlock: {
      ...FeatureState,
      description: 'Paravirtual spin locks.',
    },
    preferredSmm: {
      ...FeatureState,
      description: 'System management mode.',
    },
  },
}

export const FirmwarePreferences: StructuralSchema = {
  type: 'object',
  description: 'Firmware.',
  properties: {
    preferredUseBios: {
      type: 'boolean',
      description: 'BIOS.',
    },
    preferredUseBiosSerial: {
      type: 'boolean',
      description: 'Shows the output of the BIOS on the serial console.',
    },
    preferredEfi: {
      ...EFI,
      description: 'EFI.',
    },
  },
}

export const MachinePreferences: StructuralSchema = {
  type: 'object',
  description: 'Type of the machine.',
  properties: {
    preferredMachineType: {
      type: 'string',
      description: '`q35`, `virt`.',
    },
  },
}

export const VolumePreferences: StructuralSchema = {
  type: 'object',
  description: 'Volumes.',
  properties: {
    preferredStorageClassName: {
      type: 'string',
      description: 'Storage class of claims that name none.',
    },
  },
}

export const CPUPreferenceRequirement: StructuralSchema = {
  type: 'object',
  description: 'Virtual processors that a guest needs at least.',
  properties: {
    guest: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'How many.',
    },
  },
  required: ['guest'],
}

export const MemoryPreferenceRequirement: StructuralSchema = {
  type: 'object',
  description: 'Memory that a guest needs at least.',
  properties: {
    guest: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
      description: 'How much.',
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
      description: 'Virtual processors.',
    },
    memory: {
      ...MemoryPreferenceRequirement,
      description: 'Memory.',
    },
    architecture: {
      type: 'string',
      description: 'Processor architecture.',
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
      description: 'Virtual processors.',
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
      description: 'Type of the machine.',
    },
    volumes: {
      ...VolumePreferences,
      description: 'Volumes.',
    },
    preferredSubdomain: {
      type: 'string',
      description: 'Subdomain of the guest.',
    },
    preferredTerminationGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds between being told to power off and being killed.',
    },
    requirements: {
      ...PreferenceRequirements,
      description: 'Minimum requirements of the guest; less is refused.',
    },
    annotations: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Annotations of the guest.',
    },
    preferredArchitecture: {
      type: 'string',
      description: 'Processor architecture.',
    },
    preferredLaunchSecurity: {
      ...LaunchSecurity,
      description: 'Protects the guest\'s memory from the node.',
    },
  },
}

export const VirtualMachinePreference: StructuralSchema = {
  type: 'object',
  description: 'Fills what guests of one namespace leave open.',
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
      ...VirtualMachinePreferenceSpec,
      description: 'The preferences.',
    },
  },
  required: ['spec'],
}

export const VirtualMachineClusterPreference: StructuralSchema = {
  type: 'object',
  description: 'Fills what guests of all namespaces leave open.',
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
      ...VirtualMachinePreferenceSpec,
      description: 'The preferences.',
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
