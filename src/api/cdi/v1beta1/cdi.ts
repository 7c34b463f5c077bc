import type { Affinity } from '#api/core/v1/affinity.ts'
import type { Toleration } from '#api/core/v1/affinity.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Duration, Int32, RawObject } from '#api/scalars.ts'
import type { CdiCondition } from './cdi-condition.ts'
import type { CDIConfigSpec } from './cdi-config.ts'

/** Installation of CDI. */
export interface CDI extends ApiObject {
  /** Desired state. */
  spec: CDISpec
  /** Observed state. */
  status?: CDIStatus
}

/**
 * Desired state of an installation of CDI.
 * @preserveUnknownFields
 */
export interface CDISpec {
  /**
   * Policy for pulling images.
   * @enum Always,IfNotPresent,Never
   */
  imagePullPolicy?: string
  /**
   * What happens to workloads when CDI is removed.
   * @enum RemoveWorkloads,BlockUninstallIfWorkloadsExist
   */
  uninstallStrategy?: string
  /** Nodes of CDI's own pods. */
  infra?: ComponentConfig
  /** Nodes of pods that populate volumes. */
  workload?: CdiNodePlacement
  /** Patches of CDI's own objects. */
  customizeComponents?: RawObject
  /**
   * How volumes are cloned, instead of what StorageProfiles say.
   * @enum copy,snapshot,csi-clone
   */
  cloneStrategyOverride?: string
  /** Settings that CDIConfig follows. */
  config?: CDIConfigSpec
  /** Lifetimes of certificates. */
  certConfig?: CDICertConfig
  /** Name of the priority class of CDI's own pods. */
  priorityClass?: string
}

/** Nodes and number of CDI's own pods. */
export interface ComponentConfig extends CdiNodePlacement {
  /** Number of pods of the controllers. */
  deploymentReplicas?: Int32
  /** Number of pods of the API server. */
  apiServerReplicas?: Int32
  /** Number of pods of the upload proxy. */
  uploadProxyReplicas?: Int32
}

/** Nodes that pods may run on. */
export interface CdiNodePlacement {
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string>
  /** Affinity of the pod. */
  affinity?: Affinity
  /** Taints that the pod tolerates. */
  tolerations?: Toleration[]
}

/** Lifetimes of certificates. */
export interface CDICertConfig {
  /** Certificates of authorities. */
  ca?: CertConfig
  /** Certificates of servers. */
  server?: CertConfig
  /** Certificates of clients. */
  client?: CertConfig
}

/** Lifetime of a certificate. */
export interface CertConfig {
  /** Lifetime. */
  duration?: Duration
  /** Time before the end at which a certificate is renewed. */
  renewBefore?: Duration
}

/**
 * Observed state of an installation of CDI.
 * @preserveUnknownFields
 */
export interface CDIStatus {
  /** Phase: Deploying, Deployed, Upgrading, Deleting, Deleted or Error. */
  phase?: string
  /** Conditions: Available, Progressing and Degraded. */
  conditions?: CdiCondition[]
  /** Version of the operator. */
  operatorVersion?: string
  /** Version that is installed. */
  targetVersion?: string
  /** Version that is running. */
  observedVersion?: string
}
