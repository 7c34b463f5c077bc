import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes, Int32, Time } from '#api/scalars.ts'

/** Request for a certificate. */
export interface CertificateSigningRequest extends ApiObject {
  /** Requested certificate. */
  spec: CertificateSigningRequestSpec
  /** Observed state of the request. */
  status?: CertificateSigningRequestStatus
}

/** Requested certificate. */
export interface CertificateSigningRequestSpec {
  /** PKCS#10 certificate request, PEM in base64. */
  request: Bytes
  /** Name of the signer. */
  signerName: string
  /** Requested lifetime of the certificate in seconds. */
  expirationSeconds?: Int32
  /**
   * Intended usages of the certificate.
   * @listType atomic
   */
  usages?: string[]
  /** Name of the user that makes the request. */
  username?: string
  /** UID of the user that makes the request. */
  uid?: string
  /**
   * Groups of the user that makes the request.
   * @listType atomic
   */
  groups?: string[]
  /** Additional attributes of the user that makes the request. */
  extra?: Record<string, string[]>
}

/** Observed state of a request. */
export interface CertificateSigningRequestStatus {
  /**
   * Conditions of the request: Approved, Denied, Failed.
   * @listType map key=type
   */
  conditions?: CertificateSigningRequestCondition[]
  /** Issued certificate, PEM in base64. */
  certificate?: Bytes
}

/** A decision about a request. */
export interface CertificateSigningRequestCondition {
  /** Type of the condition: Approved, Denied or Failed. */
  type: string
  /** Status of the condition: True. */
  status: string
  /** Reason of the decision, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the decision. */
  message?: string
  /** Time of the last update of the condition. */
  lastUpdateTime?: Time
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time
}
