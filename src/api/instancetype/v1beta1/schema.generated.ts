// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { CPUInstancetype, ClockPreferences, DevicePreferences, FeaturePreferences, MachinePreferences, MemoryInstancetype, PreferenceRequirements, SpreadOptions, VolumePreferences } from '#api/instancetype/v1/schema.generated.ts'
import { CPUFeature, DiskIOThreads, EFI, GPU, HostDevice, LaunchSecurity } from '#api/kubevirt/v1/schema.generated.ts'

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
    launchSecurity: {
      ...LaunchSecurity,
      description: 'Encryption of the guest\'s memory against access by the node. Deprecated: use a preference.',
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

export const CPUPreferences: StructuralSchema = {
  type: 'object',
  description: 'Preferred CPU topology and features.',
  properties: {
    spreadOptions: {
      ...SpreadOptions,
      description: 'Settings for the spread topology.',
    },
    preferredCPUFeatures: {
      type: 'array',
      items: CPUFeature,
      description: 'CPU features to add to the model or to remove from the model.',
    },
    preferredCPUTopology: {
      type: 'string',
      description: 'Topology of the virtual CPUs of the instance type: sockets, cores, threads, spread or any.',
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
    preferredUseEfi: {
      type: 'boolean',
      description: 'Boots with EFI. Deprecated: use preferredEfi.',
    },
    preferredUseSecureBoot: {
      type: 'boolean',
      description: 'Boots signed software only (secure boot). Deprecated: use preferredEfi.',
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
    cpu: {
      ...CPUPreferences,
      description: 'Virtual CPUs.',
    },
    firmware: {
      ...FirmwarePreferences,
      description: 'Firmware.',
    },
    preferSpreadSocketToCoreRatio: {
      type: 'integer',
      format: 'int32',
      minimum: 0,
      description: 'Number of cores for each socket with the spread topology. Deprecated: use cpu.spreadOptions.ratio.',
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
