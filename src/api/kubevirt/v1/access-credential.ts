/** A credential that is put into the guest; exactly one is set. */
export interface AccessCredential {
  /** Public keys for SSH. */
  sshPublicKey?: SSHPublicKeyAccessCredential
  /** Passwords. */
  userPassword?: UserPasswordAccessCredential
}

/** Public keys for SSH. */
export interface SSHPublicKeyAccessCredential {
  /** Where they come from. */
  source: SSHPublicKeyAccessCredentialSource
  /** How they get into the guest. */
  propagationMethod: SSHPublicKeyAccessCredentialPropagationMethod
}

/** Where public keys come from. */
export interface SSHPublicKeyAccessCredentialSource {
  /** A Secret. */
  secret?: AccessCredentialSecretSource
}

/** How public keys get into the guest; exactly one is set. */
export interface SSHPublicKeyAccessCredentialPropagationMethod {
  /** With the config drive. */
  configDrive?: ConfigDriveSSHPublicKeyAccessCredentialPropagation
  /** With the NoCloud disk. */
  noCloud?: NoCloudSSHPublicKeyAccessCredentialPropagation
  /** Through the guest agent. */
  qemuGuestAgent?: QemuGuestAgentSSHPublicKeyAccessCredentialPropagation
}

/** No settings: presence chooses it. */
export interface ConfigDriveSSHPublicKeyAccessCredentialPropagation {}

/** No settings: presence chooses it. */
export interface NoCloudSSHPublicKeyAccessCredentialPropagation {}

/** Public keys through the guest agent. */
export interface QemuGuestAgentSSHPublicKeyAccessCredentialPropagation {
  /**
   * Users of the guest.
   * @listType set
   */
  users: string[]
}

/** Passwords. */
export interface UserPasswordAccessCredential {
  /** Where they come from. */
  source: UserPasswordAccessCredentialSource
  /** How they get into the guest. */
  propagationMethod: UserPasswordAccessCredentialPropagationMethod
}

/** Where passwords come from. */
export interface UserPasswordAccessCredentialSource {
  /** A Secret. */
  secret?: AccessCredentialSecretSource
}

/** How passwords get into the guest. */
export interface UserPasswordAccessCredentialPropagationMethod {
  /** Through the guest agent. */
  qemuGuestAgent?: QemuGuestAgentUserPasswordAccessCredentialPropagation
}

/** No settings: presence chooses it. */
export interface QemuGuestAgentUserPasswordAccessCredentialPropagation {}

/** A Secret in the machine's namespace. */
export interface AccessCredentialSecretSource {
  /** Name of the Secret. */
  secretName: string
}
