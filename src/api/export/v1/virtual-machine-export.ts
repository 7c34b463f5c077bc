import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Duration, Time } from '#api/scalars.ts'

/** Offer of the disks of a VM, snapshot or claim for download. */
export interface VirtualMachineExport extends ApiObject {
  /** Source and access. */
  spec: VirtualMachineExportSpec
  /** Links to the disks. */
  status?: VirtualMachineExportStatus
}

/** Source and access of an export. */
export interface VirtualMachineExportSpec {
  /** VM, snapshot or claim, in the same namespace. */
  source: TypedLocalObjectReference
  /** Name of the Secret with the token that clients send. */
  tokenSecretRef?: string
  /** Time after which the export is deleted; 2 hours when absent. */
  ttlDuration?: Duration
}

/** Observed state of an export. */
export interface VirtualMachineExportStatus {
  /** Phase of the export: Pending, Ready, Terminated or Skipped. */
  phase?: string
  /** Links by the place of the client. */
  links?: VirtualMachineExportLinks
  /** Name of the Secret with the token that clients send. */
  tokenSecretRef?: string
  /** Time at which the export is deleted. */
  ttlExpirationTime?: Time
  /** Name of the Service of the server. */
  serviceName?: string
  /** Name of the VM. */
  virtualMachineName?: string
  /**
   * Conditions of the export.
   * @listType atomic
   */
  conditions?: VirtualMachineExportCondition[]
}

/** Links by the place of the client. */
export interface VirtualMachineExportLinks {
  /** Links for clients in the cluster. */
  internal?: VirtualMachineExportLink
  /** Links for clients outside of the cluster. */
  external?: VirtualMachineExportLink
}

/** Links of a server. */
export interface VirtualMachineExportLink {
  /** Certificate of the authority, in PEM. */
  cert: string
  /**
   * Disks.
   * @listType map key=name
   */
  volumes?: VirtualMachineExportVolume[]
  /**
   * Backups.
   * @listType map key=name
   */
  backups?: VirtualMachineExportBackup[]
  /**
   * Manifests of the VM.
   * @listType map key=type
   */
  manifests?: VirtualMachineExportManifest[]
}

/** Disk of an export. */
export interface VirtualMachineExportVolume {
  /** Name of the volume. */
  name: string
  /**
   * Formats of the disk.
   * @listType map key=format
   */
  formats?: VirtualMachineExportVolumeFormat[]
}

/** Format of a disk. */
export interface VirtualMachineExportVolumeFormat {
  /** Format: raw, gzip, dir or tar.gz. */
  format: string
  /** URL of the disk. */
  url: string
}

/** Backup of an export. */
export interface VirtualMachineExportBackup {
  /** Name of the volume. */
  name: string
  /**
   * Endpoints of the backup.
   * @listType map key=endpoint
   */
  endpoints?: VirtualMachineExportBackupEndpoint[]
}

/** Endpoint of a backup. */
export interface VirtualMachineExportBackupEndpoint {
  /** Endpoint: data or map. */
  endpoint: string
  /** URL of the endpoint. */
  url: string
}

/** Manifest of an export. */
export interface VirtualMachineExportManifest {
  /** Type of the manifest: all or auth-header-secret. */
  type: string
  /** URL of the manifest. */
  url: string
}

/** Condition of an export. */
export interface VirtualMachineExportCondition {
  /** Type of the condition: Ready, PVCReady, VolumesCreated or ExternalLinks. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /**
   * Time of the last check of the condition.
   * @nullable
   */
  lastProbeTime?: Time | null
  /**
   * Time of the last change of the status.
   * @nullable
   */
  lastTransitionTime?: Time | null
  /** Reason for the status, as one word in CamelCase. */
  reason?: string
  /** Human-readable explanation of the status. */
  message?: string
}
