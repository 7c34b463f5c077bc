import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Bytes, Int32, Time } from '#api/scalars.ts'

/** Asks for a certificate. */
export interface CertificateSigningRequest extends ApiObject {
  /** Requested state. */
  spec: CertificateSigningRequestSpec
  /** Observed state. */
  status?: CertificateSigningRequestStatus
}

/** Requested state. */
export interface CertificateSigningRequestSpec {
  /** PKCS#10 request, PEM in base64. */
  request: Bytes
  /** Name of the signer. */
  signerName: string
  /** For how many seconds. */
  expirationSeconds?: Int32
  /**
   * Intended use.
   * @listType atomic
   */
  usages?: string[]
  /** User who makes the request. */
  username?: string
  /** Uid of who asks. */
  uid?: string
  /**
   * Groups of who asks.
   * @listType atomic
   */
  groups?: string[]
  /** More about who asks. */
  extra?: Record<string, string[]>
}

/** Observed state of a request. */
export interface CertificateSigningRequestStatus {
  /**
   * Approved, Denied, Failed.
   * @listType map key=type
   */
  conditions?: CertificateSigningRequestCondition[]
  /** The certificate, PEM in base64. */
  certificate?: Bytes
}

/** A decision about a request. */
export interface CertificateSigningRequestCondition {
  /** Approved, Denied or Failed. */
  type: string
  /** True. */
  status: string
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
  /** When it was written last. */
  lastUpdateTime?: Time
  /** When it changed. */
  lastTransitionTime?: Time
}
