/** Protocol versions and ciphers that a listener offers. What is absent is Node's default. */
export interface TlsLimits {
  readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
  /** OpenSSL's cipher list, with the names of TLS 1.3. */
  readonly ciphers?: string
}
