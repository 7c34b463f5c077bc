import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { ContainerResources } from './component-settings.ts'

/** Options of all VMs. */
export interface VirtualMachineOptions {
  /** Its presence stops guests from returning memory that they have freed. */
  disableFreePageReporting?: DisableFreePageReporting
  /** Its presence stops the logging of serial consoles. */
  disableSerialConsoleLog?: DisableSerialConsoleLog
}

/** Switch without fields. */
export interface DisableFreePageReporting {}

/** Switch without fields. */
export interface DisableSerialConsoleLog {}

/** Values in the SMBIOS data of guests. */
export interface SMBiosConfiguration {
  /** Family of the product. */
  family?: string
  /** Manufacturer. */
  manufacturer?: string
  /** Name of the product. */
  product?: string
  /** Number of the product. */
  sku?: string
  /** Version of the product. */
  version?: string
}

/** Memory pages that guests share (kernel samepage merging, KSM). */
export interface KSMConfiguration {
  /** Nodes on which KSM is switched on. */
  nodeLabelSelector?: LabelSelector
}

/** VMs whose changed blocks are tracked for incremental backups. */
export interface ChangedBlockTrackingSelectors {
  /** Namespaces of the VMs. */
  namespaceLabelSelector?: LabelSelector
  /** The VMs. */
  virtualMachineLabelSelector?: LabelSelector
}

/** Persistent reservations of SCSI disks. */
export interface PersistentReservationConfiguration {
  /**
   * Permits reservations.
   * @nullable
   */
  enabled?: boolean | null
}

/** Templates of VMs. */
export interface VirtTemplateDeployment {
  /**
   * Deploys the API of templates.
   * @nullable
   */
  enabled?: boolean | null
}

/** Hypervisor of nodes. */
export interface HypervisorConfiguration {
  /**
   * Name of the hypervisor.
   * @enum kvm,hyperv-direct
   */
  name?: string
}

/** Guests whose memory the host cannot read. */
export interface ConfidentialComputeConfiguration {
  /**
   * Guests of Intel TDX.
   * @nullable
   */
  tdx?: TDXConfiguration | null
}

/** Guests of Intel TDX. */
export interface TDXConfiguration {
  /** Proof of what a guest runs. */
  attestation?: TDXAttestationConfiguration
}

/** Proof of what a guest of Intel TDX runs. */
export interface TDXAttestationConfiguration {
  /**
   * Guests run only on nodes that can prove it.
   * @default false
   */
  enforced?: boolean
  /**
   * Socket of the service that makes quotes.
   * @default /var/run/tdx-qgs/qgs.socket
   */
  qgsSocketPath?: string
}

/** Plugin that connects interfaces to networks. */
export interface InterfaceBindingPlugin {
  /** NetworkAttachmentDefinition that the pod gets for each interface. */
  networkAttachmentDefinition?: string
  /** Image of a container that changes the domain. */
  sidecarImage?: string
  /** Attachment of the interface to the domain, such as `tap`. */
  domainAttachmentType?: string
  /** Device data that the container reads. */
  downwardAPI?: string
  /** Live migration of guests with the binding. */
  migration?: InterfaceBindingMigration
  /** Compute resources that launcher pods need in addition. */
  computeResourceOverhead?: ContainerResources
}

/** Live migration of guests with a binding. */
export interface InterfaceBindingMigration {
  /** Method, such as `link-refresh`. */
  method?: string
}
