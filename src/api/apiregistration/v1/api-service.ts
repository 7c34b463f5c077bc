import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes, Int32, Time } from '#api/scalars.ts'

/** A group version of the API and who serves it. The name must be `<version>.<group>`. */
export interface APIService extends ApiObject {
  /** Server of it. */
  spec?: APIServiceSpec
  /** Whether it is served. */
  status?: APIServiceStatus
}

/** Server of a group version. */
export interface APIServiceSpec {
  /**
   * The service behind which a server of its own answers, with TLS. Without one the API server
   * itself serves it.
   */
  service?: ServiceReference | null
  /** Group. */
  group?: string
  /** Version within the group. */
  version?: string
  /** Takes any certificate from the service. Strongly discouraged: use caBundle instead. */
  insecureSkipTLSVerify?: boolean
  /**
   * PEM bundle that the certificate of the service is checked with, as base64. Default: the
   * authorities of the system.
   */
  caBundle?: Bytes
  /**
   * Priority of the group at least, 1 to 20000. Groups with a higher priority come first; those
   * with the same go by name.
   */
  groupPriorityMinimum: Int32
  /**
   * Priority of the version within its group, 1 to 1000. Versions with a higher priority come
   * first; those with the same go by stability and number.
   */
  versionPriority: Int32
}

/** A service that serves a part of the API. */
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

/** Whether a group version is served. */
export interface APIServiceStatus {
  /**
   * The state, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: APIServiceCondition[]
}

/** One aspect of the state of an APIService. */
export interface APIServiceCondition {
  /** `Available`. */
  type: string
  /** True, False or Unknown. */
  status: string
  /** When the status changed. */
  lastTransitionTime?: Time
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}
