/** Encryption of the guest's memory against access by the node. At most one member is set. */
export interface LaunchSecurity {
  /** AMD SEV. */
  sev?: SEV
  /** AMD SEV-SNP. */
  snp?: SEVSNP
  /** Intel TDX. */
  tdx?: TDX
}

/** AMD SEV settings. */
export interface SEV {
  /** SEV policy of the guest. */
  policy?: SEVPolicy
  /** Attestation of the launched software to the guest owner. */
  attestation?: SEVAttestation
  /** Session blob, base64-encoded. */
  session?: string
  /** Diffie-Hellman certificate of the guest owner, base64-encoded. */
  dhCert?: string
}

/** SEV policy of a guest. */
export interface SEVPolicy {
  /** Encrypts the registers of the virtual CPUs too (SEV-ES). */
  encryptedState?: boolean
}

/** SEV attestation. No fields; the presence of the object enables the attestation. */
export interface SEVAttestation {}

/** AMD SEV-SNP settings. */
export interface SEVSNP {
  /** SEV-SNP policy of the guest. */
  policy?: string
  /** Versioned chip endorsement key (VCEK), which signs attestation reports. */
  vcek?: string
  /** Author key. */
  authorKey?: string
  /** Includes the hashes of kernel and initrd in the measurement. */
  kernelHashes?: string
  /** Position of the C-bit (encryption bit) in page table entries. */
  cbitpos?: string
  /** Identity block. */
  idBlock?: string
  /** Signature for the authentication of the identity block. */
  idAuth?: string
  /** Number of physical address bits that are reserved for encryption. */
  reducedPhysBits?: string
}

/** Intel TDX. No fields; the presence of the object enables TDX. */
export interface TDX {}
