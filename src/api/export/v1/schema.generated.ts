// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

export const CoreTypedLocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to an object of one of several kinds in the same namespace.',
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

export const VirtualMachineExportSpec: StructuralSchema = {
  type: 'object',
  description: 'Source and access of an export.',
  properties: {
    source: {
      ...CoreTypedLocalObjectReference,
      description: 'VM, snapshot or claim, in the same namespace.',
    },
    tokenSecretRef: {
      type: 'string',
      description: 'Name of the Secret with the token that clients send.',
    },
    ttlDuration: {
      type: 'string',
      description: 'Time after which the export is deleted; 2 hours when absent.',
    },
  },
  required: ['source'],
}

export const VirtualMachineExportVolumeFormat: StructuralSchema = {
  type: 'object',
  description: 'Format of a disk.',
  properties: {
    format: {
      type: 'string',
      description: 'Format: raw, gzip, dir or tar.gz.',
    },
    url: {
      type: 'string',
      description: 'URL of the disk.',
    },
  },
  required: ['format', 'url'],
}

export const VirtualMachineExportVolume: StructuralSchema = {
  type: 'object',
  description: 'Disk of an export.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    formats: {
      type: 'array',
      items: VirtualMachineExportVolumeFormat,
      description: 'Formats of the disk.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['format'],
    },
  },
  required: ['name'],
}

export const VirtualMachineExportBackupEndpoint: StructuralSchema = {
  type: 'object',
  description: 'Endpoint of a backup.',
  properties: {
    endpoint: {
      type: 'string',
      description: 'Endpoint: data or map.',
    },
    url: {
      type: 'string',
      description: 'URL of the endpoint.',
    },
  },
  required: ['endpoint', 'url'],
}

export const VirtualMachineExportBackup: StructuralSchema = {
  type: 'object',
  description: 'Backup of an export.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    endpoints: {
      type: 'array',
      items: VirtualMachineExportBackupEndpoint,
      description: 'Endpoints of the backup.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['endpoint'],
    },
  },
  required: ['name'],
}

export const VirtualMachineExportManifest: StructuralSchema = {
  type: 'object',
  description: 'Manifest of an export.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the manifest: all or auth-header-secret.',
    },
    url: {
      type: 'string',
      description: 'URL of the manifest.',
    },
  },
  required: ['type', 'url'],
}

export const VirtualMachineExportLink: StructuralSchema = {
  type: 'object',
  description: 'Links of a server.',
  properties: {
    cert: {
      type: 'string',
      description: 'Certificate of the authority, in PEM.',
    },
    volumes: {
      type: 'array',
      items: VirtualMachineExportVolume,
      description: 'Disks.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    backups: {
      type: 'array',
      items: VirtualMachineExportBackup,
      description: 'Backups.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    manifests: {
      type: 'array',
      items: VirtualMachineExportManifest,
      description: 'Manifests of the VM.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
  required: ['cert'],
}

export const VirtualMachineExportLinks: StructuralSchema = {
  type: 'object',
  description: 'Links by the place of the client.',
  properties: {
    internal: {
      ...VirtualMachineExportLink,
      description: 'Links for clients in the cluster.',
    },
    external: {
      ...VirtualMachineExportLink,
      description: 'Links for clients outside of the cluster.',
    },
  },
}

export const VirtualMachineExportCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of an export.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Ready, PVCReady, VolumesCreated or ExternalLinks.',
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

export const VirtualMachineExportStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of an export.',
  properties: {
    phase: {
      type: 'string',
      description: 'Phase of the export: Pending, Ready, Terminated or Skipped.',
    },
    links: {
      ...VirtualMachineExportLinks,
      description: 'Links by the place of the client.',
    },
    tokenSecretRef: {
      type: 'string',
      description: 'Name of the Secret with the token that clients send.',
    },
    ttlExpirationTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the export is deleted.',
    },
    serviceName: {
      type: 'string',
      description: 'Name of the Service of the server.',
    },
    virtualMachineName: {
      type: 'string',
      description: 'Name of the VM.',
    },
    conditions: {
      type: 'array',
      items: VirtualMachineExportCondition,
      description: 'Conditions of the export.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VirtualMachineExport: StructuralSchema = {
  type: 'object',
  description: 'Offer of the disks of a VM, snapshot or claim for download.',
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
      ...VirtualMachineExportSpec,
      description: 'Source and access.',
    },
    status: {
      ...VirtualMachineExportStatus,
      description: 'Links to the disks.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  VirtualMachineExport: VirtualMachineExport,
}
