// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { CPUInstancetype, ClockPreferences, DevicePreferences, FeaturePreferences, MachinePreferences, MemoryInstancetype, PreferenceRequirements, SpreadOptions, VolumePreferences } from '#api/instancetype/v1/schema.generated.ts'
import { CPUFeature, DiskIOThreads, EFI, GPU, HostDevice, LaunchSecurity } from '#api/kubevirt/v1/schema.generated.ts'

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
    launchSecurity: {
      ...LaunchSecurity,
      description: 'Protects the guest\'s memory from the node. Deprecated: use a preference.',
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

export const CPUPreferences: StructuralSchema = {
  type: 'object',
  description: 'Virtual processors.',
  properties: {
    spreadOptions: {
      ...SpreadOptions,
      description: 'Settings of the spread topology.',
    },
    preferredCPUFeatures: {
      type: 'array',
      items: CPUFeature,
      description: 'Features to add to the model or take away from it.',
    },
    preferredCPUTopology: {
      type: 'string',
      description: 'Topology of the instance type\'s CPUs: sockets, cores, threads, spread or any.',
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
    preferredUseEfi: {
      type: 'boolean',
      description: 'EFI; deprecated for preferredEfi.',
    },
    preferredUseSecureBoot: {
      type: 'boolean',
      description: 'Starts only what is signed; deprecated for preferredEfi.',
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
    devices: {
      ...DevicePreferences,
      description: 'Devices.',
    },
    features: {
      ...FeaturePreferences,
      description: 'Features of the machine.',
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
    cpu: {
      ...CPUPreferences,
      description: 'Virtual processors.',
    },
    firmware: {
      ...FirmwarePreferences,
      description: 'Firmware.',
    },
    preferSpreadSocketToCoreRatio: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Cores of each socket with the spread topology; deprecated for cpu.spreadOptions.ratio.',
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
