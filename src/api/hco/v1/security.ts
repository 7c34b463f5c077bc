import type { Duration, RawObject } from '#api/scalars.ts'

/** Certificates and TLS. */
export interface SecurityConfig {
  /**
   * Rotation of the components' certificates.
   * @default {}
   */
  certConfig?: CertificateRotation
  /** Protocol versions and ciphers of the components' listeners; Intermediate when absent. */
  tlsSecurityProfile?: TLSSecurityProfile
}

/** Rotation of certificates. */
export interface CertificateRotation {
  /**
   * Certificates of authorities.
   * @default {}
   */
  ca?: AuthorityRotation
  /**
   * Certificates of servers.
   * @default {}
   */
  server?: ServerRotation
}

/** Rotation of the certificates of authorities. */
export interface AuthorityRotation {
  /**
   * Validity period.
   * @default 48h0m0s
   */
  duration?: Duration
  /**
   * Time between the renewal and the expiry.
   * @default 24h0m0s
   */
  renewBefore?: Duration
}

/** Rotation of the certificates of servers. */
export interface ServerRotation {
  /**
   * Validity period.
   * @default 24h0m0s
   */
  duration?: Duration
  /**
   * Time between the renewal and the expiry.
   * @default 12h0m0s
   */
  renewBefore?: Duration
}

/** Protocol versions and ciphers. */
export interface TLSSecurityProfile {
  /**
   * Profile: Old, Intermediate, Modern or Custom.
   * @enum Old,Intermediate,Modern,Custom
   */
  type?: string
  /** Marks the profile Old. */
  old?: RawObject | null
  /** Marks the profile Intermediate. */
  intermediate?: RawObject | null
  /** Marks the profile Modern. */
  modern?: RawObject | null
  /** Values of the profile Custom. */
  custom?: CustomTLSProfile | null
}

/** Values of a custom profile. */
export interface CustomTLSProfile {
  /**
   * Ciphers by their OpenSSL names.
   * @listType atomic
   */
  ciphers?: string[]
  /**
   * Oldest protocol version.
   * @enum VersionTLS10,VersionTLS11,VersionTLS12,VersionTLS13
   */
  minTLSVersion?: string
}
