/** Protects the guest's memory from the node; at most one is set. */
export interface LaunchSecurity {
  /** AMD SEV. */
  sev?: SEV
  /** AMD SEV-SNP. */
  snp?: SEVSNP
  /** Intel TDX. */
  tdx?: TDX
}

/** AMD SEV. */
export interface SEV {
  /** SEV policy of the guest. */
  policy?: SEVPolicy
  /** Proves to the owner what was started. */
  attestation?: SEVAttestation
  /** Session blob, as base64. */
  session?: string
  /** Key of the owner, as base64. */
  dhCert?: string
}

/** SEV policy of a guest. */
export interface SEVPolicy {
  /** Encrypts registers too. */
  encryptedState?: boolean
}

/** No settings: presence switches it on. */
export interface SEVAttestation {}

/** AMD SEV-SNP. */
export interface SEVSNP {
  /** Policy of the guest. */
  policy?: string
  /** Key that signs reports. */
  vcek?: string
  /** Key of the author. */
  authorKey?: string
  /** Measures kernel and initial ram disk. */
  kernelHashes?: string
  /** Position of the encryption bit. */
  cbitpos?: string
  /** Identity block. */
  idBlock?: string
  /** Signature of the identity block. */
  idAuth?: string
  /** Address bits that encryption takes. */
  reducedPhysBits?: string
}

/** No settings: presence switches it on. */
export interface TDX {}
