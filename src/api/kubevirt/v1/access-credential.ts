/** Credential that is injected into the guest. Exactly one member is set. */
export interface AccessCredential {
  /** SSH public keys. */
  sshPublicKey?: SSHPublicKeyAccessCredential
  /** Passwords. */
  userPassword?: UserPasswordAccessCredential
}

/** SSH public keys. */
export interface SSHPublicKeyAccessCredential {
  /** Source of the public keys. */
  source: SSHPublicKeyAccessCredentialSource
  /** Method by which the public keys are injected into the guest. */
  propagationMethod: SSHPublicKeyAccessCredentialPropagationMethod
}

/** Source of SSH public keys. */
export interface SSHPublicKeyAccessCredentialSource {
  /** Secret with the public keys. */
  secret?: AccessCredentialSecretSource
}

/** Method by which SSH public keys are injected into the guest. Exactly one member is set. */
export interface SSHPublicKeyAccessCredentialPropagationMethod {
  /** Injection through the cloud-init config drive. */
  configDrive?: ConfigDriveSSHPublicKeyAccessCredentialPropagation
  /** Injection through the cloud-init NoCloud disk. */
  noCloud?: NoCloudSSHPublicKeyAccessCredentialPropagation
  /** Injection through the QEMU guest agent. */
  qemuGuestAgent?: QemuGuestAgentSSHPublicKeyAccessCredentialPropagation
}

/** Injection through the config drive. No fields; the presence of the object selects the method. */
export interface ConfigDriveSSHPublicKeyAccessCredentialPropagation {}

/** Injection through the NoCloud disk. No fields; the presence of the object selects the method. */
export interface NoCloudSSHPublicKeyAccessCredentialPropagation {}

/** Injection of SSH public keys through the QEMU guest agent. */
export interface QemuGuestAgentSSHPublicKeyAccessCredentialPropagation {
  /**
   * Names of the users in the guest.
   * @listType set
   */
  users: string[]
}

/** Passwords. */
export interface UserPasswordAccessCredential {
  /** Source of the passwords. */
  source: UserPasswordAccessCredentialSource
  /** Method by which the passwords are set in the guest. */
  propagationMethod: UserPasswordAccessCredentialPropagationMethod
}

/** Source of passwords. */
export interface UserPasswordAccessCredentialSource {
  /** Secret with the passwords. */
  secret?: AccessCredentialSecretSource
}

/** Method by which passwords are set in the guest. */
export interface UserPasswordAccessCredentialPropagationMethod {
  /** Injection through the QEMU guest agent. */
  qemuGuestAgent?: QemuGuestAgentUserPasswordAccessCredentialPropagation
}

/** Injection through the guest agent. No fields; the presence of the object selects the method. */
export interface QemuGuestAgentUserPasswordAccessCredentialPropagation {}

/** Reference to a Secret in the namespace of the VM. */
export interface AccessCredentialSecretSource {
  /** Name of the Secret. */
  secretName: string
}
