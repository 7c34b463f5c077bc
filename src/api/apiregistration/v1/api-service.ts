import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes, Int32, Time } from '#api/scalars.ts'

/**
 * Group version of the API, with the server that serves the group version. The name of the object
 * must be `<version>.<group>`.
 */
export interface APIService extends ApiObject {
  /** Server of the group version. */
  spec?: APIServiceSpec
  /** Observed state of the group version. */
  status?: APIServiceStatus
}

/** Server of a group version. */
export interface APIServiceSpec {
  /**
   * Service of the extension API server, which is accessed with TLS. When absent, the API server
   * serves the group version itself.
   */
  service?: ServiceReference | null
  /** API group. */
  group?: string
  /** Version within the group. */
  version?: string
  /**
   * True if the certificate of the service is not verified. Strongly discouraged: use caBundle
   * instead.
   */
  insecureSkipTLSVerify?: boolean
  /**
   * PEM bundle of CA certificates for verifying the certificate of the service, as base64. Defaults
   * to the CA certificates of the system.
   */
  caBundle?: Bytes
  /**
   * Minimum priority of the group, 1 to 20000. Groups with a higher priority come first. Groups
   * with the same priority are ordered by name.
   */
  groupPriorityMinimum: Int32
  /**
   * Priority of the version within its group, 1 to 1000. Versions with a higher priority come
   * first. Versions with the same priority are ordered by stability and number.
   */
  versionPriority: Int32
}

/** Reference to a service that serves a part of the API. */
export interface ServiceReference {
  /** Namespace of the service. */
  namespace?: string
  /** Name of the service. */
  name?: string
  /**
   * Port of the service.
   * @default 443
   */
  port?: Int32
}

/** Observed state of a group version. */
export interface APIServiceStatus {
  /**
   * Conditions of the APIService.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: APIServiceCondition[]
}

/** Condition of an APIService. */
export interface APIServiceCondition {
  /** Type of the condition: `Available`. */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: string
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
}
