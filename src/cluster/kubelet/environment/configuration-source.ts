/** Content of a ConfigMap or Secret, decoded. */
export type ConfigurationData = ReadonlyMap<string, Uint8Array>

/** Location of a claim's data. */
export interface ClaimedStorage {
  /**
   * Path on this machine. Undefined: not bound yet, or not to anything that this machine reaches by
   * a path.
   */
  readonly path: string | undefined
  /** Created for the claim by this machine's provisioner, and so the namespace's own. */
  readonly provisioned?: boolean
  /** Reason for an undefined path. */
  readonly problem: string
}

/** Reads ConfigMaps, Secrets and claims. Undefined when there is no such object. */
export interface ConfigurationSource {
  configMap(namespace: string, name: string): Promise<ConfigurationData | undefined>
  secret(namespace: string, name: string): Promise<ConfigurationData | undefined>
  claim(namespace: string, name: string): Promise<ClaimedStorage | undefined>
}

/**
 * A container cannot be started as it is configured: something it refers to is missing. Worth a
 * retry.
 */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError'
}
